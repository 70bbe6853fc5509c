"""Extractive renderings of a node of the hierarchy: `salient`, `digest` and `title` of what several turns say.

Whole sentences of the turns in their order, each turn's on a line that begins with its speaker, below a line with the
day; then the files and commands that tools were called with. Pure and deterministic. Start at `render_node`.
"""

import hashlib
import re
from collections import Counter as Tally
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import chain, pairwise
from math import sqrt
from typing import Final, NamedTuple

from clew.condense.renderings import ELLIPSIS, TITLE, Rendering, title
from clew.condense.sentence_worth import FULL, LEAD, MARK, MOST_NEW, NAME, form_of, marks_in, names_in, words_of
from clew.text.counters import Counter
from clew.text.sentences import sentence_spans
from clew.text.text_cache import cached_by_text

SOURCE_BYTES: Final = 8
"""Of the SHA-256 that names what a rendering was made from."""

# What a sentence is worth: its turn's relational weight, its own where it is known, and its centrality, each in [0, 1],
# then up to two new marks of evidence and two new names; and the share of its terms that is new.
_OPENING: Final = 0.3  # the first sentence of a turn
_LEAST: Final = 0.1  # part of what the first sentence adds: less is not worth a line
_OFFSET: Final = 80  # characters added to each length, so that scraps do not win by shortness alone
_REMARK: Final = 300  # characters of a turn whose sentences are worth what they are
_FEW: Final = 5  # sentences of a turn that may be without a full stop, as in a chat; of more they are headings
_ENDS: Final = (".", "!", "?", "\u2026", "\u3002", "\uff01", "\uff1f", ")", '"', "\u201d", "]")
_NONE: Final[frozenset[str]] = frozenset()
_GAP: Final = f" {ELLIPSIS} "
_SHARE: Final = 5  # part of what was said
_DIGEST: Final = 3  # part of `salient`
_LONGEST: Final = 320  # characters of a sentence that is quoted
_READ: Final = 6_000  # characters of one turn that are read
_SENTENCES: Final = 400  # of one node
_TURNS_KEPT: Final = 512  # cut into sentences, since the renderings of a node and of those above it quote the same
_KEPT_CHARS: Final = 2_000
_SIGNS: Final = 0.3  # greatest share of digits and signs in a sentence
_SIGN: Final = re.compile(r"[^\w\s]|[\d_]")
_NO_SIGNS: Final = bytes([code for code in range(128) if chr(code).isalpha() or chr(code).isspace()])
"""The characters in ASCII that `_SIGN` does not match."""
_VALUES: Final = 0.3  # share of a rendering for files and commands


class NodeLine(NamedTuple):
    """What one speaker said in one turn.

    Attributes:
        day: of the turn, as YYYY-MM-DD; empty where it is unknown.
        text: prose.
        weight: layer 1 of the turn in its beat, 0..1.
        weights: layer 1 of each sentence of `text`; empty where it is not known.
    """

    day: str
    speaker: str
    text: str
    weight: float = 0.2
    weights: Sequence[float] = ()


@dataclass(frozen=True, slots=True)
class NodeSource:
    """What the renderings of one node are made from.

    Attributes:
        lines: in the order of the log.
        values: files and commands that tools were called with, repeated ones included, by kind.
        hashes: of the turns or nodes that it was read from, in order.
        title: what the node is about, as the hierarchy names it; None where it does not.
        words: a label's terms; sentences with one of them are preferred.
        turns: the turns that the lines are sentences of, by seq; empty where they are not kept apart.
    """

    lines: Sequence[NodeLine]
    values: Sequence[tuple[str, str]] = ()
    hashes: Sequence[bytes] = ()
    title: str | None = None
    words: frozenset[str] = frozenset()
    turns: Sequence[tuple[int, NodeLine]] = ()

    def digest(self) -> bytes:
        """A hash of the source, by which a stored rendering is known to be up to date."""
        return hashlib.sha256(b"".join(self.hashes)).digest()[:SOURCE_BYTES]


class NodeSize(NamedTuple):
    """Characters of the `salient` rendering: the shortest and the longest that it may need; a digest has a third.

    Between the two it may take `_SHARE` of what was said.
    """

    least: int
    most: int

    def scaled(self, factor: float) -> "NodeSize":
        """The size by a factor."""
        return NodeSize(round(factor * self.least), round(factor * self.most))

    def salient(self, source: NodeSource) -> int:
        """Most characters of the `salient` rendering of a source."""
        said = sum(len(line.text) for line in source.lines)
        return min(self.most, max(self.least, said // _SHARE))


def render_node(source: NodeSource, size: NodeSize, counter: Counter) -> list[Rendering]:
    """The renderings of a node that has anything to show: `salient`, `digest` and `title`; none for an empty one.

    A digest that would say the same as `salient` is left out.
    """
    sentences = _sentences(source)
    most = size.salient(source)
    values = _values(source.values, int(_VALUES * most))
    order = _chosen(sentences, most - sum(map(len, values)))
    salient = _text(sentences, order, values)
    if not salient:
        return []
    digest = _text(sentences, _first(sentences, order, most // _DIGEST), () if order else values[:1])
    name = source.title or title(sentences[order[0]].text if order else salient)
    shown = {"salient": salient, "digest": digest, "title": name[:TITLE]}
    if digest == salient:
        del shown["digest"]
    marks = {mark for sentence in sentences for mark in sentence.marks} | {value for _, value in source.values}
    named = source.digest().hex()
    return [
        Rendering(kind=kind, text=text, tokens=counter(text), source=named, coverage=_coverage(text, marks))
        for kind, text in shown.items()
    ]


def lengths_of(source: NodeSource, sizes: Sequence[NodeSize]) -> tuple[str, ...]:
    """The `salient` rendering without lists in several sizes, as parts of the largest; empty for an empty source."""
    sentences = _sentences(source)
    rooms = [size.salient(source) for size in sizes]
    order = _chosen(sentences, max(rooms))
    return tuple(_text(sentences, _first(sentences, order, room), ()) for room in rooms)


def lines_of(salient: str) -> list[NodeLine]:
    """The lines of a `salient` rendering, from which those of the node above are made."""
    found, day = [], ""
    for line in salient.split("\n"):
        if _DAY.fullmatch(line):
            day = line
        elif not line.startswith(tuple(_HEADED.values())):
            speaker, colon, text = line.partition(": ")
            if colon:
                found += [NodeLine(day, speaker, part) for part in text.split(_GAP)]
    return found


_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d")
_HEADED: Final = {"path": "- files: ", "command": "- commands: "}


@dataclass(slots=True)
class _Sentence:
    line: int
    place: int  # within its line
    text: str
    day: str
    speaker: str
    share: float  # of what an only sentence of a short turn adds
    worth: float
    terms: frozenset[str]
    marks: frozenset[str] = _NONE
    names: Collection[str] = ()


def _sentences(source: NodeSource) -> list[_Sentence]:
    cut = [piece for number, line in enumerate(source.lines) for piece in _cut(number, line)][:_SENTENCES]
    speakers = {line.speaker.casefold() for line in source.lines}
    shared = Tally(chain.from_iterable([piece.terms for piece in cut]))
    for piece in cut:
        terms = piece.terms
        central = len([term for term in terms if shared[term] > 1]) / len(terms) if terms else 0.0
        asked = 1.0 if not source.words or terms & source.words else LEAD
        piece.worth += central
        piece.share *= asked * form_of(piece.text)
        piece.marks = marks_in(piece.text)
        piece.names = [name for name in names_in(piece.text) if name.casefold() not in speakers]
    return cut


def _cut(number: int, line: NodeLine) -> Iterator[_Sentence]:
    """The sentences of one turn that can be quoted, with the worth that they have by themselves.

    What a turn says is shared by its sentences: each of a document's many is worth less than a remark's only one.
    """
    share = min(1.0, sqrt(_REMARK / max(1, min(len(line.text), _READ))))
    for place, _, _, shown in _quotable(line.text):
        terms = words_of(shown)
        own = line.weights[place] if place < len(line.weights) else line.weight
        opening = _OPENING if place == 0 else 0.0
        worth = (line.weight + own) / 2 + opening
        yield _Sentence(number, place, shown, line.day, line.speaker, share, worth, terms)


@cached_by_text(_TURNS_KEPT, _KEPT_CHARS)
def _quotable(said: str) -> tuple[tuple[int, int, int, str], ...]:
    """The sentences of one turn that can be quoted: place among all of them, begin and end, and how it is shown."""
    return tuple(_quotable_in(said[:_READ]))


def _quotable_in(text: str) -> Iterator[tuple[int, int, int, str]]:
    spans = sentence_spans(text)
    for place, (start, end) in enumerate(spans):
        shown = text[start:end]
        shown = shown if shown.isprintable() and "  " not in shown else " ".join(shown.split())
        if _is_prose(shown) and (len(spans) <= _FEW or shown.endswith(_ENDS)):
            yield place, start, end, shown


def runs_in(lines: Sequence[NodeLine], text: str) -> list[tuple[int, list[int]]] | None:
    """Where in lines the words of a rendering are: for each line that it quotes, its number, and its runs of sentences.

    A run is two numbers, where it begins and how long it is; there are none where all of the line is quoted. `quoted`
    makes the same text of them. None where the text has other words, such as lists of files, or another order.
    """
    stretches: list[tuple[int, list[int]]] = []
    before: _Sentence | None = None
    at = 0
    for number, line in enumerate(lines):
        runs: list[int] = []
        for place, start, end, shown in _quotable(line.text):
            if shown not in text:
                continue
            each = _Sentence(number, place, shown, line.day, line.speaker, 0.0, 0.0, _NONE)
            part = _opening(each, before) + shown
            if text.startswith(part, at):
                if before is not None and (number, place) == (before.line, before.place + 1):
                    runs[-1] = end - runs[-2]
                else:
                    runs += [start, end - start]
                at += len(part)
                before = each
        if runs:
            stretches.append((number, [] if runs == [0, len(line.text)] else runs))
    is_whole = at == len(text) and quoted((lines[number], runs) for number, runs in stretches) == text
    return stretches if is_whole else None


def quoted(lines: Iterable[tuple[NodeLine, Sequence[int]]]) -> str:
    """A rendering made of lines: of each its runs (start, size, start, size, ...), or all of it without runs."""
    parts = []
    before: NodeLine | None = None
    for line, runs in lines:
        if before is not None and (line.speaker, line.day) == (before.speaker, before.day):
            parts.append(_GAP)
        else:
            parts.append(_heading(line, before))
        said = line.text
        cut = [said[start : start + size] for start, size in zip(runs[::2], runs[1::2], strict=True)]
        parts.append(_GAP.join(cut) if cut else said)
        before = line
    return "".join(parts)


def _is_prose(sentence: str) -> bool:
    """Whether a sentence can be quoted: not too long, and made of words."""
    size = len(sentence)
    return size <= _LONGEST and " " in sentence and _signs_in(sentence) <= _SIGNS * size


def _signs_in(sentence: str) -> int:
    """How many characters are not letters and no white space."""
    if sentence.isascii():
        return len(sentence.encode("ascii").translate(None, _NO_SIGNS))
    return len(_SIGN.findall(sentence))


def _chosen(sentences: Sequence[_Sentence], room: int) -> list[int]:
    """The sentences to show, the best first: greedy by what each adds per length; ties go to the earlier.

    What a sentence adds can only fall as others are chosen, so one is weighed again only when it comes first.
    """
    said: set[str] = set()
    waiting = [(-round(_adds(each, said), 6), number, 0) for number, each in enumerate(sentences)]
    heapify(waiting)
    order: list[int] = []
    least = 0.0
    while waiting:
        gain, number, seen = heappop(waiting)
        each = sentences[number]
        if gain >= least:
            return order
        if _cost(each) > room:
            continue
        if seen < len(order):
            heappush(waiting, (-round(_adds(each, said), 6), number, len(order)))
            continue
        order.append(number)
        least = least or _LEAST * gain
        said |= each.terms | each.marks
        said.update(each.names)
        room -= _cost(each)
    return order


def _cost(sentence: _Sentence) -> int:
    return len(sentence.text) + len(sentence.speaker) + 3


def _adds(each: _Sentence, said: set[str]) -> float:
    if not each.terms:
        return 0.0
    fresh, full = len(each.terms - said) / len(each.terms), min(1.0, len(each.terms) / FULL)
    gain = each.worth + fresh
    if each.marks:
        gain += MARK * min(MOST_NEW, len(each.marks - said))
    if each.names:
        gain += NAME * min(MOST_NEW, sum(name not in said for name in each.names))
    return gain * full * fresh * each.share / (len(each.text) + _OFFSET)


def _first(sentences: Sequence[_Sentence], order: Sequence[int], most: int) -> list[int]:
    """The first of the chosen sentences that fit; the first of all in any case."""
    kept: list[int] = []
    room = most
    for number in order:
        cost = _cost(sentences[number])
        if cost <= room or not kept:
            kept.append(number)
            room -= cost
    return kept


def _text(sentences: Sequence[_Sentence], order: Iterable[int], values: Sequence[str]) -> str:
    """The chosen sentences in the order of the log: a line for each day, then one for each turn."""
    shown = [sentences[number] for number in sorted(order)]
    parts = [_opening(shown[0], None)] if shown else []
    for before, each in pairwise(shown):
        parts.append(_opening(each, before))
    text = "".join(part + each.text for part, each in zip(parts, shown, strict=True))
    return "\n".join(filter(None, (text, *values)))


def _opening(each: _Sentence, before: _Sentence | None) -> str:
    """What stands before a sentence: day and speaker, or the gap to the sentence before it in the same turn."""
    if before is not None and (each.speaker, each.day) == (before.speaker, before.day):
        return " " if (each.line, each.place) == (before.line, before.place + 1) else _GAP
    return _heading(each, before)


def _heading(each: _Sentence | NodeLine, before: _Sentence | NodeLine | None) -> str:
    start = "" if before is None else "\n"
    day = f"{each.day}\n" if each.day and (before is None or each.day != before.day) else ""
    return f"{start}{day}{each.speaker}: "


def _values(values: Sequence[tuple[str, str]], room: int) -> list[str]:
    """A line of files and a line of commands: those used most often first, then the last."""
    lines = []
    for kind, head in _HEADED.items():
        used = Tally(value for each, value in values if each == kind)
        last = {value: place for place, (each, value) in enumerate(values) if each == kind}
        kept: list[str] = []
        left = room // len(_HEADED) - len(head)
        for value in sorted(used, key=lambda value: (-used[value], -last[value])):
            one = " ".join(value.split())
            if len(one) + 2 <= left:
                kept.append(one)
                left -= len(one) + 2
        if kept:
            lines.append(head + ("; " if kind == "command" else ", ").join(kept))
    return lines


def _coverage(text: str, marks: Iterable[str]) -> float:
    known = sorted(set(marks))
    folded = text.casefold()
    return round(sum(mark.casefold() in folded for mark in known) / len(known), 4) if known else 1.0
