"""SIGMA's seven overlays of one turn, each 0 to 10: which aspects of a project it touches.

Each overlay takes the strongest of three sources: words (`keyword_scores`), the scores of recent turns by their own
words (`inherited`), and, where there is a project lattice, the cosine with its nodes (`meet_scores`).
`data/overlays.json` gives each overlay its words and phrases, weighted from 1 (points that way) to 3 (hardly used
otherwise). A word listed under `unless` has another sense: it does not count beside one of the words given with it, as
`token` beside `parser` or `count`, unless a stronger word of the same overlay is in the text.
"""

import json
import re
from collections.abc import Mapping, Sequence, Set
from enum import StrEnum
from functools import cache, lru_cache
from importlib import resources
from math import exp, sqrt
from typing import Final, NamedTuple

from clew.errors import InputError
from clew.text.ascii_runs import WORDS, runs
from clew.text.terms import terms


class Overlay(StrEnum):
    """The seven, in the order of the source document."""

    STRUCTURAL = "O1_structural"
    SECURITY = "O2_security"
    LINEAGE = "O3_lineage"
    MISSION = "O4_mission"
    OPERATIONAL = "O5_operational"
    MATHEMATICAL = "O6_mathematical"
    COHERENCE = "O7_coherence"

    __hash__ = str.__hash__  # that of an enumeration is made again each time it is asked for

    @classmethod
    def of(cls, name: str) -> "Overlay":
        """The overlay of a name: in full, `O1` to `O7` in either case, or the source's other name `O7_strategic`.

        Raises:
            InputError: there is no such overlay.
        """
        head, _, rest = name.partition("_")
        for overlay in cls:
            short, _, title = overlay.value.partition("_")
            if head.upper() == short and rest.lower() in {"", title, *_OTHER_NAMES.get(short, ())}:
                return overlay
        raise InputError(f"{name!r} is not an overlay; expected O1 to O7, or one of {', '.join(cls)}")


_ALL: Final = tuple(Overlay)

Scores = Mapping[Overlay, float]
"""Score by overlay, 0 to 10; an overlay that nothing raised is absent and counts as 0."""

TOP: Final = 10.0
_OTHER_NAMES: Final = {"O7": ("strategic",)}

_HALF: Final = 1.1
"""Evidence at which an overlay scores 6.3; evidence is the sum of the weights of different words, over the root of how
many content terms there are, so that a long text needs more of them, though not in proportion."""
_SMOOTHING: Final = 6

INHERIT_FROM: Final = 7.0
"""Own score of an earlier turn from which later ones inherit."""
INHERIT_DECAY: Final = 0.6
"""Factor by which an inherited score falls with each further turn."""
INHERIT_TURNS: Final = 5
"""Number of earlier turns from which scores are inherited."""

MEET_NODES: Final = 3
"""The best matches of an overlay's nodes that count (SIGMA: top 3)."""

_SURE: Final = 2
"""Weight of a word that tells in which sense a word beside it is meant."""
_PLAIN_WORD: Final = re.compile(r"\w+")
_MAX_CHARS: Final = 20_000  # as far as a text is read, like everywhere in this package


class _Lists(NamedTuple):
    words: Mapping[str, tuple[tuple[Overlay, int], ...]]  # by term
    phrases: Mapping[str, tuple[tuple[Overlay, int], ...]]
    shown: Mapping[str, str]  # a word for each term
    unless: Mapping[str, frozenset[str]]  # terms that show another sense of a term
    by_word: Mapping[str, tuple[str, ...]]  # phrases by their longest word, which is looked up before any search
    terms: frozenset[str]  # the keys of `words` and of `by_word`, which are found twice as fast in plain sets
    longest_words: frozenset[str]


def keyword_scores(text: str, found: Sequence[str] | None = None) -> dict[Overlay, float]:
    """Overlay scores from the words of a text, in overlay order. Reads the first 20,000 characters of any text.

    Args:
        found: the search terms of the text, if already known.
    """
    text = text[:_MAX_CHARS]
    content = set(terms(text) if found is None else found)
    evidence = dict.fromkeys(_ALL, 0)
    for _, raised in _matches(text, content):
        for overlay, weight in raised:
            evidence[overlay] += weight
    scale = _HALF * sqrt(len(content) + _SMOOTHING)
    return {overlay: TOP * (1 - exp(-sum_ / scale)) for overlay, sum_ in evidence.items() if sum_}


def keyword_matches(text: str) -> dict[Overlay, dict[str, int]]:
    """The listed words and phrases in a text that raise each overlay, with their weights, 1 to 3; strongest first."""
    text, shown = text[:_MAX_CHARS], _lists().shown
    counts: dict[Overlay, dict[str, int]] = {}
    for word, raised in sorted(_matches(text, set(terms(text)))):
        for overlay, weight in raised:
            counts.setdefault(overlay, {})[shown.get(word, word)] = weight
    order = {overlay: sorted(words, key=lambda word: -words[word]) for overlay, words in counts.items()}
    return {overlay: {word: counts[overlay][word] for word in order[overlay]} for overlay in _ALL if overlay in counts}


def _matches(text: str, content: Set[str]) -> list[tuple[str, tuple[tuple[Overlay, int], ...]]]:
    """The listed words among some terms, and the listed phrases of their text, with what each raises."""
    lists = _lists()
    matches = [(term, lists.words[term]) for term in lists.terms.intersection(content)]
    for term, others in lists.unless.items():
        if term in content and content & others and not _has_company(term, matches):
            matches.remove((term, lists.words[term]))
    lower = text.casefold()
    words = runs(lower, WORDS) if lower.isascii() else _PLAIN_WORD.findall(lower)
    possible = [phrase for word in lists.longest_words.intersection(words) for phrase in lists.by_word[word]]
    if held := sorted(phrase for phrase in possible if phrase in lower):
        matches += [(phrase, lists.phrases[phrase]) for phrase in set(_any_of(tuple(held)).findall(lower))]
    return matches


@lru_cache(maxsize=256)
def _any_of(phrases: tuple[str, ...]) -> re.Pattern[str]:
    """What finds some phrases, of those that begin at one place the longest."""
    longest_first = sorted(phrases, key=lambda phrase: (-len(phrase), phrase))
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, longest_first))})\b")


def _has_company(term: str, matches: Sequence[tuple[str, tuple[tuple[Overlay, int], ...]]]) -> bool:
    """Whether another word that hardly has a second sense raises an overlay of a term."""
    overlays = {overlay for overlay, _ in _lists().words[term]}
    return any(
        overlay in overlays and weight >= _SURE
        for other, raised in matches
        if other != term
        for overlay, weight in raised
    )


def inherited(recent: Sequence[Scores]) -> dict[Overlay, float]:
    """Overlay scores inherited from recent turns: their own high scores, falling with every turn in between.

    Args:
        recent: the scores of earlier turns of the session by their own words, the latest last.
    """
    handed: dict[Overlay, float] = {}
    for back, scores in enumerate(reversed(recent[-INHERIT_TURNS:]), 1):
        for overlay, score in scores.items():
            if score >= INHERIT_FROM:
                handed[overlay] = max(handed.get(overlay, 0.0), score * INHERIT_DECAY**back)
    return handed


def meet_scores(cosines: Mapping[Overlay, Sequence[float]]) -> dict[Overlay, float]:
    """Overlay scores from a project lattice: the mean cosine of each overlay's best three nodes, scaled to 0 to 10.

    Args:
        cosines: the cosines of the turn with every node of an overlay; an overlay without nodes gets no score.
    """
    best = {overlay: sorted(values, reverse=True)[:MEET_NODES] for overlay, values in cosines.items() if values}
    scores = {overlay: TOP * min(1.0, sum(values) / len(values)) for overlay, values in best.items()}
    return {overlay: score for overlay, score in scores.items() if score > 0}


def strongest(*sources: Scores) -> dict[Overlay, float]:
    """The greatest score of each overlay over several sources, in the order of overlays."""
    best: dict[Overlay, float] = {}
    for source in sources:
        for overlay, score in source.items():
            if score > best.get(overlay, 0.0):
                best[overlay] = score
    return {overlay: best[overlay] for overlay in _ALL if overlay in best}


_PART: Final = 2
"""Characters of a part of a listed word that says nothing by itself: `2fa` is listed, and `2` and `fa` are not."""


@cache
def _lists() -> _Lists:
    read = json.loads((resources.files(__package__) / "data" / "overlays.json").read_text(encoding="utf-8"))
    words: dict[str, dict[Overlay, int]] = {}
    phrases: dict[str, dict[Overlay, int]] = {}
    shown: dict[str, str] = {}
    unless: dict[str, frozenset[str]] = {}
    for overlay in Overlay:
        for word, others in read[overlay].get("unless", {}).items():
            unless[terms(word)[0]] = frozenset(terms(others)) - {terms(word)[0]}
        for weight, listed in read[overlay]["words"].items():
            for word in listed.split():
                for term in (term for term in terms(word) if len(term) > _PART or term == word):
                    shown.setdefault(term, word)
                    held = words.setdefault(term, {})
                    held[overlay] = max(held.get(overlay, 0), int(weight))
        for weight, listed in read[overlay]["phrases"].items():
            for phrase in listed:
                phrases.setdefault(phrase, {})[overlay] = int(weight)
    by_word: dict[str, list[str]] = {}
    for phrase in phrases:
        by_word.setdefault(max(_PLAIN_WORD.findall(phrase), key=len), []).append(phrase)
    return _Lists(
        {term: tuple(held.items()) for term, held in words.items()},
        {phrase: tuple(held.items()) for phrase, held in phrases.items()},
        shown,
        unless,
        {word: tuple(held) for word, held in by_word.items()},
        frozenset(words),
        frozenset(by_word),
    )
