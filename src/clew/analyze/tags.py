"""What a turn is about, as a few tags: its own phrases, known labels that occur in it, and tags carried over.

The tags are the union of two taggers (Virtual Context, tagging pipeline): the inbound tagger finds known labels and
invents none, the response tagger takes phrases of the text itself. Tags of the turns just before are carried over
unless the bleed gate detects that the subject has changed.
"""

import re
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from itertools import chain
from typing import Final, NamedTuple

from clew.analyze.concepts import is_sound, names_nothing
from clew.analyze.foreign_tokens import is_clause
from clew.analyze.keyphrases import (
    KEPT_CHARS,
    MOST_WORDS,
    TEXTS_KEPT,
    Keyphrase,
    keyphrases,
    keyphrases_of,
    tag_key,
)
from clew.text.names import greeting_aliases
from clew.text.scripts import MARKS
from clew.text.small_talk import without_courtesies
from clew.text.text_cache import cached_by_text, cached_by_word

MOST_TAGS: Final = 5
"""Most tags of a turn, and most labels of a beat."""

LOOKBACK: Final = 4
"""Earlier turns of a branch whose tags are carried over (the source's `active_tag_lookback`)."""

DECAY: Final = 0.5
"""Factor by which a carried tag's weight falls with each further turn."""

GATE: Final = 0.1
"""Share of the words in a turn's tags that recent tags must contain, or nothing is carried over (docs/tags.md)."""

OWN: Final = 3
"""Phrases that the response tagger takes from one turn."""

STRONG: Final = 0.5
"""Weight from which a phrase of a turn becomes its tag; the strongest phrase has 1."""

KNOWN: Final = 0.6
"""Weight of a known label that occurs in a text without being one of its phrases."""

_SHORT_FORM: Final = 3
"""Letters of a short form at least, as in a question (`clew.rank.intent.reading`)."""

LONGEST: Final = 48
"""Most characters of a name; nobody would search for anything longer."""

_READ: Final = 20_000  # characters, as everywhere in this package
_CANDIDATES: Final = 12
_WORK: Final = frozenset(
    """
    file directory folder code command task step test line value result output project function script repo repository
    user change tool content string rule
    """.split()
)
"""Keys of words that every session with an agent uses, which name nothing unless another word stands beside them."""
_FORMS_KEPT: Final = 1 << 14
_WORD: Final = re.compile(rf"[^\W_](?:[\w{MARKS}.'/+#-]*[\w{MARKS}+#])?")
_BREAK: Final = re.compile(
    r"[.!?\n;:,()\[\]{}\"](?:\s|(?<=\n))"
)  # one set of characters begins it, which is found fast

Tags = Mapping[str, float]
"""Weight by name, 0 to 1, strongest first; ties in text order."""


_Form = tuple[str, str, str]
"""Of a word: itself in lower case, its key, and the first part of the key. Plain, as thousands are kept (`words`)."""


class _Forms(dict[str, _Form]):
    """A cache from a word as written to its form, cleared when full. Its content never changes a result."""

    def __missing__(self, raw: str) -> _Form:
        name = raw.casefold().removesuffix("'s")
        key = tag_key(name)
        form = (name, key, key.partition("-")[0])
        if len(raw) <= LONGEST:
            if len(self) >= _FORMS_KEPT:
                self.clear()
            self[raw] = form
        return form


_forms = _Forms()


@cached_by_text(TEXTS_KEPT, KEPT_CHARS)
def _parts(text: str) -> tuple[tuple[_Form, ...], ...]:
    """The words of a text between stops."""
    form = _forms.__getitem__
    return tuple([tuple(map(form, _WORD.findall(part))) for part in _BREAK.split(text[:_READ])])


class _WordKeys(NamedTuple):
    keys: frozenset[str]  # of single words
    heads: frozenset[str]


def _word_keys(parts: Iterable[Sequence[_Form]]) -> _WordKeys:
    forms = [form for part in parts for form in part]
    return _WordKeys(frozenset([key for _, key, _ in forms]), frozenset([head for _, _, head in forms]))


def _runs(part: Sequence[_Form], first: int) -> list[tuple[str, str]]:
    """Key and name of each run of words that begins at `first`, the shortest first."""
    name, key, _ = part[first]
    if len(name) > LONGEST:
        return []
    found = [(key, name)]
    for next_name, next_key, _ in part[first + 1 : first + MOST_WORDS]:
        name = f"{name}-{next_name}"
        if len(name) > LONGEST:
            break
        key = f"{key}-{next_key}"
        found.append((key, name))
    return found


def standing(text: str) -> dict[str, str]:
    """The runs of up to three words of a text: the form in which each first occurs, by its key.

    Reads 20,000 characters.
    """
    names: dict[str, str] = {}
    for part in _parts(text):
        for first in range(len(part)):
            for key, name in _runs(part, first):
                names.setdefault(key, name)
    return names


def _stands(key: str, parts: Iterable[Sequence[_Form]]) -> bool:
    """Whether a text of such parts contains a run of up to three words with this key, see `standing`."""
    head = key.partition("-")[0]
    for part in parts:
        for first, (_, _, own) in enumerate(part):
            if own == head and any(run == key for run, _ in _runs(part, first)):
                return True
    return False


@cached_by_word(1 << 13, LONGEST)
def is_name(name: str) -> bool:
    """Whether a phrase can name a subject: amounts, numbers, clauses and phrases longer than `LONGEST` cannot.

    `2fa`, `s3` and `gpt-4` can; `15-minutes`, `21.84s` and `8fb3a3` cannot.
    """
    if name.replace("-", "").isalpha():
        return len(name) <= LONGEST and not is_clause(name)  # as most phrases
    first = name.partition("-")[0]
    return (
        len(name) <= LONGEST
        and _digits(name) < 1
        and not is_clause(name)
        and not (name[:1].isdigit() and _digits(first) >= 0)
    )


def _digits(word: str) -> int:
    """How many more digits a word has than letters; a word without either counts as a number."""
    letters = sum(map(str.isalpha, word))
    return sum(map(str.isdigit, word)) - letters if letters else 1


def own_tags(text: str) -> dict[str, float]:
    """The tags from the response tagger without a model: the strongest phrases of the turn."""
    phrases = (phrase for phrase in keyphrases(without_courtesies(text), OWN) if phrase.weight >= STRONG)
    return {phrase.name: phrase.weight for phrase in phrases if is_name(phrase.name)}


def known_tags(text: str, is_known: Callable[[str], bool], heads: Container[str] | None = None) -> dict[str, float]:
    """The known labels that occur in a text, as written there; of nested labels only the longest.

    Args:
        is_known: whether there is a label with a key.
        heads: the first words of all keys that may be known, to spare calls of `is_known`; None checks every run.
    """
    labels: dict[str, str] = {}
    for part in _parts(text):
        for first, (_, _, head) in enumerate(part):
            if heads is None or head in heads:
                for key, name in _runs(part, first):
                    if key not in labels and is_known(key):
                        labels[key] = name
    ranked = sorted(labels, key=lambda key: -key.count("-"))  # stable: in the order of the text
    chosen: list[str] = []
    for key in ranked:
        if len(chosen) < MOST_TAGS and not any(f"-{key}-" in f"-{other}-" for other in chosen):
            chosen.append(key)
    return {labels[key]: KNOWN for key in chosen}


def union(*found: Tags) -> dict[str, float]:
    """The strongest `MOST_TAGS` tags, each with its highest weight; forms of one word are merged under the first."""
    names: dict[str, str] = {}
    weights: dict[str, float] = {}
    for tags in found:
        for name, weight in tags.items():
            key = tag_key(name)
            if key not in names:
                names[key], weights[key] = name, max(weight, 0.0)
            elif weight > weights[key]:
                weights[key] = weight
    ranked = sorted(weights, key=weights.__getitem__, reverse=True)  # stable: equal ones stay in order
    return {names[key]: weights[key] for key in ranked[:MOST_TAGS]}


def overlap(now: Tags, history: Sequence[Tags]) -> float | None:
    """The share of the words in a turn's tags that occur in the tags of earlier turns; None without tags."""
    words = _words(now)
    if not words:
        return None
    return len(words & _words(*history)) / len(words)


def with_carried(now: Tags, history: Sequence[Tags]) -> dict[str, float]:
    """A turn's tags together with those carried over to it.

    Args:
        now: the tags of the turn itself, from both taggers.
        history: the tags of the turns before it on its branch, oldest first; the last `LOOKBACK` are used.
    """
    recent = history[-LOOKBACK:]
    same = overlap(now, recent)
    if same is not None and same < GATE:
        return union(now)
    aged = [(DECAY**age, tags) for age, tags in enumerate(reversed(recent), start=1)]
    return union(now, *[{name: weight * decay for name, weight in tags.items()} for decay, tags in aged])


def beat_phrases(texts: Sequence[str], speakers: Iterable[str] = ()) -> tuple[Keyphrase, ...]:
    """The strongest phrases of a beat that can name a subject, from which its labels and its title are chosen.

    Words of any work come last. The names of those who talk name none, nor do short forms and names by which they are
    greeted: people call each other by name all the time. What could be of any text ("things", "seeing") names the beat
    only where it has nothing else, and sounds ("mm-hmm") and what people only greet, thank and part with never.
    """
    who = {word for speaker in speakers for word in speaker.casefold().split()}
    said = [without_courtesies(text) for text in texts]
    phrases = [phrase for phrase in keyphrases_of(said, _CANDIDATES) if is_name(phrase.name)]
    if who:
        who |= {alias.name.casefold() for text in texts for alias in greeting_aliases(text)}
        who |= {phrase.name for phrase in phrases if _is_short_form(phrase.name, who, texts)}
        phrases = [phrase for phrase in phrases if not who.issuperset(phrase.name.split("-"))]
    told = [phrase for phrase in phrases if not names_nothing(phrase.name.replace("-", " "))]
    told = told or [phrase for phrase in phrases if not all(map(is_sound, phrase.name.split("-")))]
    return tuple(sorted(told, key=lambda phrase: phrase.key in _WORK))  # stable: by strength


def _is_short_form(word: str, names: Iterable[str], texts: Sequence[str]) -> bool:
    """Whether a word is a name that begins as one of the names, or as which one begins, always with a capital."""
    near = [name for name in names if min(len(name), len(word)) >= _SHORT_FORM and _begins(name, word)]
    if not near or not word.isalpha():
        return False
    found = [match[0] for text in texts for match in re.finditer(rf"\b{word}\b", text, re.IGNORECASE)]
    return bool(found) and all(form[0].isupper() for form in found)


def _begins(one: str, other: str) -> bool:
    return one.startswith(other) or other.startswith(one)


def beat_labels(texts: Sequence[str], phrases: Sequence[Keyphrase] | None = None) -> dict[str, float]:
    """The phrases of a beat that become labels: the strongest one, and those that occur in at least two of its turns.

    Args:
        texts: the texts of its turns.
        phrases: their `beat_phrases`, if already known.
    """
    candidates = beat_phrases(texts) if phrases is None else phrases
    parts = [_parts(text) for text in texts]  # once: those of long texts are not cached
    words = [_word_keys(each) for each in parts]

    def comes_again(key: str) -> bool:
        head, _, more = key.partition("-")
        if not more:
            return len([1 for word in words if key in word.keys]) > 1
        holding = [part for part, word in zip(parts, words, strict=True) if head in word.heads]
        return len(holding) > 1 and len([1 for part in holding if _stands(key, part)]) > 1

    return union(
        {
            phrase.name: phrase.weight
            for place, phrase in enumerate(candidates)
            if place == 0 or comes_again(tag_key(phrase.name))
        }
    )


def _words(*found: Tags) -> set[str]:
    return set().union(*map(_words_of, chain.from_iterable(found)))


@cached_by_word(1 << 12)
def _words_of(name: str) -> tuple[str, ...]:
    return tuple(tag_key(name).split("-"))
