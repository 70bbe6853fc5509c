"""Which evidence of the first part of a history is used again in the rest, and how somebody would ask for it. Pure."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from clew.condense.material import Mark, RecapTurn
from clew.condense.statements import STATED
from clew.text.terms import terms

VALUES: Final = frozenset({"path", "command", "identifier", "number", "date", "version", "url", "error"})
"""Kinds of evidence that are looked for literally."""

SENTENCES: Final = STATED
"""Kinds of evidence that are sentences."""

_SHARE: Final = 0.5  # of a sentence's terms that a later turn repeats when it comes back to it
_FEWEST: Final = 2  # of them that few turns have
_RARE: Final = 0.02  # share of the turns
_CONTEXT: Final = 160  # characters of what is said when a value is used again
_NAMED: Final = frozenset({"path", "identifier", "url", "command", "error", "version"})
_NAME: Final = 8  # last words of a name that are asked for, with the numbers between them
_LETTERS: Final = re.compile(r"[^\W\d_]{2}")
_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class LaterUse:
    """A value or sentence that the rest of a history comes back to.

    Attributes:
        query: what an agent would search for who remembers what it is about: the plain words of its name, such as
            "hooks handler go"; for a number, a date or a sentence, what is being said when it is used.
        situation: what is being said when it is used, without the value: all that is known to somebody who has
            forgotten its name as well. Of a value that only a tool's call or result uses, the words around it there.
    """

    kind: str
    value: str
    query: str
    situation: str


def later_uses(
    first: Sequence[RecapTurn], rest: Sequence[RecapTurn], texts: Mapping[int, str] = MappingProxyType({})
) -> list[LaterUse]:
    """What the rest uses again, each value and sentence once, by kind and text.

    Args:
        texts: the whole text of the turns of the rest, by seq; one that is not there counts as its prose.
    """
    again = [*_values_again(first, rest, texts), *_sentences_again(first, rest)]
    return sorted(again, key=lambda use: (use.kind, use.value))


def _values_again(
    first: Sequence[RecapTurn], rest: Sequence[RecapTurn], texts: Mapping[int, str]
) -> Iterator[LaterUse]:
    known: dict[str, Mark] = {}
    for turn in first:
        for mark in turn.marks:
            if mark.kind not in SENTENCES:
                known[mark.value.casefold()] = mark
    said = next((turn.prose for turn in reversed(first) if turn.prose), "")
    for turn in rest:
        said = turn.prose or said
        for mark in turn.marks:
            before = known.pop(mark.value.casefold(), None)
            if before is None:
                continue
            situation = _around(_using(before.value, turn, said, texts), before.value)
            name = _words_of_name(before.value) if before.kind in _NAMED else ""
            asked = name or situation or before.kind
            yield LaterUse(kind=before.kind, value=before.value, query=asked, situation=situation or asked)


def _words_of_name(value: str) -> str:
    """The last words of a name and the numbers between them; nothing for a number without a name, such as 1.2.1."""
    words = _WORD.findall(value)
    named = [index for index, word in enumerate(words) if not word.isdigit()]
    return " ".join(words[named[-_NAME] if len(named) > _NAME else 0 :]).lower() if _LETTERS.search(value) else ""


def _using(value: str, turn: RecapTurn, said: str, texts: Mapping[int, str]) -> str:
    """The text that uses a value: what was said last, or what a tool was given or gave if only this has the value."""
    whole = texts.get(turn.seq, "")
    return whole if value.casefold() not in said.casefold() and value.casefold() in whole.casefold() else said


def _around(said: str, value: str) -> str:
    """What is said around a value, without the value."""
    at = max(0, said.casefold().find(value.casefold()))
    low = max(0, at - _CONTEXT // 2)
    near = said[low : low + _CONTEXT + len(value)]
    return " ".join(re.sub(re.escape(value), " ", near, flags=re.IGNORECASE).split())


def _sentences_again(first: Sequence[RecapTurn], rest: Sequence[RecapTurn]) -> Iterator[LaterUse]:
    told = {mark.value: mark.kind for turn in first for mark in turn.marks if mark.kind in SENTENCES}
    rare = _rare_terms(first)
    sentences = {value: frozenset(terms(value)) for value in told}
    sentences = {value: mine for value, mine in sentences.items() if len(mine & rare) >= _FEWEST}
    for turn in rest:
        if not sentences:
            return
        said = frozenset(terms(turn.prose))
        for value in [each for each, mine in sentences.items() if _comes_back(mine, said, rare)]:
            del sentences[value]
            situation = " ".join(turn.prose[:_CONTEXT].split())
            yield LaterUse(kind=told[value], value=value, query=situation, situation=situation)


def _rare_terms(turns: Sequence[RecapTurn]) -> frozenset[str]:
    """The terms of few turns; what many say tells nothing about what is meant."""
    spread = Counter(term for turn in turns for term in frozenset(terms(turn.prose)))
    most = max(2, int(_RARE * sum(bool(turn.prose) for turn in turns)))
    return frozenset(term for term, number in spread.items() if number <= most)


def _comes_back(mine: frozenset[str], said: frozenset[str], rare: frozenset[str]) -> bool:
    """Whether a turn with the terms `said` is about a sentence again."""
    shared = mine & said
    return len(shared) >= _SHARE * len(mine) and len(shared & rare) >= _FEWEST
