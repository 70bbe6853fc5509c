"""Extractive renderings of one text: `salient`, its most informative sentences, and `title`, one line.

Pure and deterministic, for any text in any script: the words shown are the text's own, in order, with an ellipsis where
something is left out. Renderings do not depend on a question; recall chooses the pieces that suit one.
"""

import hashlib
from collections import Counter as Tally
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from clew.analyze.layer1 import relational_weight
from clew.text.counters import Counter
from clew.text.evidence import MOST, evidence
from clew.text.names import capitalised_names
from clew.text.sentences import sentence_spans, sentences_in
from clew.text.terms import terms
from clew.types.record import Record

SALIENT: Final = 480
"""Most characters of a salient rendering without its ellipses: the length of a piece."""

TITLE: Final = 80
"""Most characters of a title."""

ELLIPSIS: Final = "…"

# What a sentence is worth, as a sum: its relational weight and its centrality are in [0, 1], and so is what it says
# that those already chosen do not; each new mark of evidence and each new name adds as much, up to two of each.
_MARK: Final = 0.6
_NAME: Final = 0.3
_OPENING: Final = 0.3
_MOST_NEW: Final = 2
# Sentences weighed of one text; characters added to each one's length, so that scraps do not win by shortness alone.
_SENTENCES: Final = 300
_OFFSET: Final = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendering(Record):
    """One way to show a text.

    Attributes:
        kind: `salient`, `digest`, `title` or `summary`.
        tokens: token count of `text`, by the counter that was passed.
        source: SHA-256 of the whole text, in hexadecimal; a rendering of another text is out of date.
        method: `extract`: every sentence is the text's own; `llm:<name>`: a language model wrote it.
        coverage: 0..1, the share of the text's different marks of evidence that are shown; 1 when it has none.
    """

    kind: str
    text: str
    tokens: int
    source: str
    coverage: float
    method: str = "extract"


def render_salient(
    text: str, counter: Counter, *, weights: Sequence[float] | None = None, most: int = SALIENT
) -> Rendering:
    """The `salient` rendering of a text with its metadata; see `salient`."""
    return _rendering("salient", text, salient(text, weights=weights, most=most), counter)


def render_title(text: str, counter: Counter) -> Rendering:
    """The `title` rendering of a text with its metadata; see `title`."""
    return _rendering("title", text, title(text), counter)


def title(text: str) -> str:
    """One line of at most `TITLE` characters: the first sentence of three words, else the first words there are."""
    first: str | None = None
    for start, end in sentences_in(text[: 4 * SALIENT]):
        line = " ".join(text[start:end].strip("#*_ \n\t").split())
        if line.count(" ") > 1:
            return cut(line, TITLE)
        first = line if first is None else first
    return cut(first or "", TITLE)


def salient(text: str, *, weights: Sequence[float] | None = None, most: int = SALIENT) -> str:
    """The most informative sentences, in order, within `most` characters; the whole text when it fits.

    Sentences are chosen greedily by what each adds per length to those already chosen: relational weight (layer 1),
    centrality (how far its words recur in other sentences), novelty, marks of evidence and names. Ties go to the
    earlier sentence.

    Args:
        weights: layer 1 of each sentence, as in the annotation `layer1:sentences`; None computes them here.
        most: most characters without the ellipses, at least 1.
    """
    whole = text.strip()
    if len(whole) <= most:
        return whole
    spans = sentence_spans(text[:MOST])[:_SENTENCES]
    if not spans:
        return cut(" ".join(whole.split()), most)
    chosen = _chosen(text, spans, relational_weight(text[:MOST]).sentences if weights is None else weights, most)
    if not chosen:
        start, end = spans[0]
        return f"{cut(text[start:end], most).removesuffix(ELLIPSIS).rstrip()} {ELLIPSIS}"
    return _joined(text, [spans[number] for number in chosen])


@dataclass(frozen=True, slots=True)
class _Sentence:
    size: int
    worth: float
    terms: frozenset[str]
    marks: frozenset[str]
    names: frozenset[str]


def _chosen(text: str, spans: Sequence[tuple[int, int]], weights: Sequence[float], most: int) -> list[int]:
    sentences = _read(text, spans, weights)
    chosen: list[int] = []
    said: set[str] = set()
    room = most
    while fitting := [number for number, each in enumerate(sentences) if each.size <= room and number not in chosen]:
        best = max(fitting, key=lambda number: (round(_adds(sentences[number], said), 6), -number))
        each = sentences[best]
        chosen.append(best)
        said |= each.terms | each.marks | each.names
        room -= each.size
    return sorted(chosen)


def _read(text: str, spans: Sequence[tuple[int, int]], weights: Sequence[float]) -> list[_Sentence]:
    marks = evidence(text)
    words = [frozenset(terms(text[start:end])) for start, end in spans]
    shared = Tally(term for those in words for term in those)
    found = []
    for number, (start, end) in enumerate(spans):
        those = words[number]
        central = sum(shared[term] > 1 for term in sorted(those)) / len(those) if those else 0.0
        weight = weights[number] if number < len(weights) else 0.0
        found.append(
            _Sentence(
                end - start,
                weight + central + (_OPENING if number == 0 else 0.0),
                those,
                frozenset(text[low:high].casefold() for low, high, _ in marks if start <= low < end),
                frozenset(capitalised_names(text[start:end])),
            )
        )
    return found


def _adds(each: _Sentence, said: set[str]) -> float:
    """What a sentence adds to those already chosen, relative to its length."""
    fresh = len(each.terms - said) / len(each.terms) if each.terms else 0.0
    marks, names = min(_MOST_NEW, len(each.marks - said)), min(_MOST_NEW, len(each.names - said))
    return (each.worth + fresh + _MARK * marks + _NAME * names) * fresh / (each.size + _OFFSET)


def _joined(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """The sentences as written, with an ellipsis wherever words are left out before, between or after them."""
    parts = [] if not text[: spans[0][0]].strip() else [f"{ELLIPSIS} "]
    last = spans[0][0]
    for start, end in spans:
        between = text[last:start]
        parts += [f" {ELLIPSIS} " if between.strip() else between, text[start:end]]
        last = end
    if text[last:].strip():
        parts.append(f" {ELLIPSIS}")
    return "".join(parts)


def cut(line: str, most: int) -> str:
    """At most `most` characters of a line, cut after a word where possible, with an ellipsis."""
    if len(line) <= most:
        return line
    if most < 2:
        return ELLIPSIS[:most]
    head = line[: most - 1]
    at = head.rfind(" ")
    return (head[:at] if at >= most // 2 else head).rstrip() + ELLIPSIS


def _rendering(kind: str, source: str, shown: str, counter: Counter) -> Rendering:
    marks = {source[start:end].casefold() for start, end, _ in evidence(source)}
    kept = sum(mark in shown.casefold() for mark in sorted(marks))
    return Rendering(
        kind=kind,
        text=shown,
        tokens=counter(shown),
        source=hashlib.sha256(source.encode("utf-8", "surrogatepass")).hexdigest(),
        coverage=kept / len(marks) if marks else 1.0,
    )
