"""What stands for turns that a compaction covers: SIGMA's three classes, and VC's two tiers.

A preserved turn stands for itself. The other turns of a beat (a topic segment) are summarised: the summary has at most
500 tokens (VC), and no more than its summarised turns and a tenth of its routine turns have together (SIGMA). Beats
of one compaction that share labels are one group. Where all of this is more than there is room for, the oldest
groups are shown as digests, then as titles, then the oldest preserved turns as titles; at last only the recap speaks of
the oldest. Texts are made once, when the turns are covered; nothing is summarised twice. Decisions and constraints come
first, and a short turn keeps its sentence rather than the keywords of its beat.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from clew.condense.loss import LINE, TurnLedger
from clew.condense.statements import is_settled, statements
from clew.text.counters import CHARS_PER_TOKEN, Counter
from clew.text.sentences import sentence_spans
from clew.types.shown import ShownAs

SUMMARY: Final = 500
"""Most tokens of the summary of a beat, unless the setting `condense.max_summary_tokens` says otherwise (VC)."""

DIGEST: Final = 100
"""Most tokens of the digest of a beat: less than the least of a summary (VC)."""

TITLE: Final = 24
"""Most tokens of the title of a beat or turn."""

SENTENCE: Final = 20
"""Tokens that a turn's own sentence may cost more than the title in its place."""

ROUTINE_SHARE: Final = 0.1
"""Share of its tokens that a routine turn has in a summary (SIGMA)."""

_OVERLAP: Final = 0.5
"""Share of the labels of the beat that has fewer from which two beats are of one group."""

_GROUP: Final = 8
"""Most beats of a group, and how many groups back a beat looks for its own."""

_TIERS: Final[tuple[ShownAs, ...]] = ("summary", "digest", "title")

_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d")

_SETTLED: Final = frozenset({"decision", "constraint"})

SHORTER: Final[Mapping[ShownAs, ShownAs]] = {"full": "title", "summary": "digest", "digest": "title", "title": "recap"}
"""The next shorter way to show something."""


@dataclass(frozen=True, slots=True)
class CoveredTurns:
    """Turns that are covered together: those of a beat, or loose ones.

    Attributes:
        texts: shorter texts, by the way in which they show the turns.
        method: who made the summary, as in `Rendering`.
    """

    turns: Sequence[TurnLedger]
    texts: Mapping[ShownAs, str]
    labels: frozenset[str] = frozenset()
    method: str = "extract"


@dataclass(frozen=True, slots=True)
class StandIn:
    """What stands for some turns, at least one.

    Attributes:
        low: seq of the first of the turns, which no other stand-in has.
        tokens: of the text as it is shown.
        full_tokens: of the turns.
        texts: the texts by the way in which they show the turns, each with its tokens; a preserved turn's own text is
            not among them.
    """

    seqs: tuple[int, ...]
    rendering: ShownAs
    tokens: int
    full_tokens: int
    texts: Mapping[ShownAs, tuple[str, int]] = field(default_factory=dict)
    labels: tuple[str, ...] = ()
    method: str = "extract"

    @property
    def low(self) -> int:
        """Seq of its first turn."""
        return self.seqs[0]

    @property
    def text(self) -> str:
        """What it shows; empty for a turn in full, whose text is in the log."""
        return self.texts.get(self.rendering, ("", 0))[0]


def stand_ins(passages: Sequence[CoveredTurns], count: Counter, most: int = SUMMARY) -> list[StandIn]:
    """What stands for the turns of one compaction, by their first turns; each turn is in exactly one.

    Args:
        most: tokens of the summary of a beat.
    """
    made = [_preserved(turn, count) for passage in passages for turn in passage.turns if turn.grade == "preserved"]
    rest = [replace(whole, turns=[turn for turn in whole.turns if turn.grade != "preserved"]) for whole in passages]
    made += [_summarised(group, count, most) for group in grouped([passage for passage in rest if passage.turns])]
    return sorted(made, key=lambda each: each.low)


def grouped(passages: Sequence[CoveredTurns]) -> list[list[CoveredTurns]]:
    """Groups passages by how far their labels overlap; one without labels stays alone."""
    groups: list[list[CoveredTurns]] = []
    for passage in passages:
        near = [group for group in groups[-_GROUP:] if len(group) < _GROUP]
        best = max(near, key=lambda group: _overlap(passage, group), default=None)
        if best is not None and _overlap(passage, best) >= _OVERLAP:
            best.append(passage)
        else:
            groups.append([passage])
    return groups


def shorter(each: StandIn) -> StandIn:
    """The same turns, shown in the next shorter way."""
    rendering = SHORTER[each.rendering]
    return replace(each, rendering=rendering, tokens=each.texts.get(rendering, ("", 0))[1])


def summary_room(turns: Sequence[TurnLedger], most: int = SUMMARY) -> int:
    """Most tokens of the summary of turns that are not preserved."""
    summarised = sum(turn.tokens for turn in turns if turn.grade == "summarised")
    routine = sum(turn.tokens for turn in turns if turn.grade == "routine")
    return min(most, summarised + int(ROUTINE_SHARE * routine))


def cut_to(text: str, most: float, count: Callable[[str], int]) -> str:
    """A text that has at most so many tokens: whole lines, or the first words of the first line; else nothing.

    A script without spaces is cut at a character, ASCII ("src/a/very/long/path") is not.
    """
    lines = text.split("\n")
    while len(lines) > 1 and count("\n".join(lines)) > most:
        lines.pop()
    head = "\n".join(lines)
    while head and (tokens := count(head)) > most:
        end = min(len(head), int(CHARS_PER_TOKEN * most))
        at = max(0, head.rfind(" ", 0, end))
        if at < end // 2 and not head[at:end].isascii():
            at = min(end, len(head) - 1, int(len(head) * most / tokens))
        head = head[:at].rstrip()
    return head


def _overlap(passage: CoveredTurns, group: Sequence[CoveredTurns]) -> float:
    labels = frozenset[str]().union(*(stand_in.labels for stand_in in group))
    least = min(len(labels), len(passage.labels))
    return len(labels & passage.labels) / least if least else 0.0


def _preserved(turn: TurnLedger, count: Counter) -> StandIn:
    said = [*_settled(turn), *_first_sentence(turn)]
    fitting = (text for text in said if count(text) <= min(TITLE + SENTENCE, turn.tokens))
    title = next(fitting, "") or cut_to(turn.line, min(TITLE, turn.tokens), count)
    return StandIn((turn.seq,), "full", turn.tokens, turn.tokens, {"title": (title, count(title))})


def _summarised(group: Sequence[CoveredTurns], count: Counter, most: int) -> StandIn:
    seqs = tuple(sorted(turn.seq for passage in group for turn in passage.turns))
    texts: dict[ShownAs, tuple[str, int]] = {}
    room = sum(summary_room(stand_in.turns, most) for stand_in in group)
    shown = [_shown(stand_in, count, most) for stand_in in group]
    for number, rendering in enumerate(_TIERS):
        text = cut_to(_by_day(lines[number] for lines in shown if lines[number]), room, count)
        texts[rendering] = text, (room := count(text))
    shared = [passage.labels for passage in group]
    return StandIn(
        seqs,
        "summary" if texts["summary"][0] else "recap",
        texts["summary"][1],
        sum(turn.tokens for passage in group for turn in passage.turns),
        texts,
        tuple(sorted(frozenset[str]().union(*shared))),
        max((passage.method for passage in group), key=lambda method: method != "extract"),
    )


def _by_day(texts: Iterable[str]) -> str:
    """The texts of neighbouring beats; a day that several of them begin with is told once."""
    lines: list[str] = []
    day = ""
    for line in "\n".join(texts).split("\n"):
        if _DAY.fullmatch(line) is None:
            lines.append(line)
        elif line != day:
            lines.append(day := line)
    return "\n".join(lines)


def _shown(turns: CoveredTurns, count: Counter, longest: int) -> list[str]:
    """Summary, digest and title, each within its room and no longer than the one before; empty where nothing fits."""
    room = summary_room(turns.turns, longest)
    found: list[str] = []
    settled = [text for turn in turns.turns for text in _settled(turn)]
    said = list(dict.fromkeys([*settled, *(text for turn in turns.turns for text in _first_sentence(turn))]))
    for number, most in enumerate((longest, DIGEST)):
        room = min(room, most)
        fitting = (text for way in _TIERS[number:2] if (text := turns.texts.get(way, "")) and count(text) <= room)
        text = next(fitting, "")
        if text and turns.method == "extract":
            text = _with_settled(text, settled, room, count)
        text = text or _whole(said, room, count) or cut_to(turns.texts.get("title", ""), room, count)
        found.append(text)
        room = count(text)
    title = cut_to(turns.texts.get("title", ""), min(room, TITLE), count)
    own = said if len(turns.turns) == 1 else settled
    found.append(_whole(own[:1], min(room, max(TITLE, count(title) + SENTENCE)), count) or title)
    return found


def _with_settled(text: str, settled: Sequence[str], room: int, count: Counter) -> str:
    """A text below the decisions and constraints that it leaves out; those have half of the room where not all fits."""
    flat = " ".join(text.split()).casefold()
    missing = [value for value in settled if value.casefold() not in flat]
    if count(whole := "\n".join([*missing, text])) <= room:
        return whole
    head = _whole(missing, room // 2, count)
    if not head:
        return text
    return f"{head}\n{cut_to(text, max(0, room - count(head) - 1), count)}".rstrip()


def _whole(sentences: Sequence[str], room: int, count: Counter) -> str:
    """The sentences that fit, the first ones first, each on a line."""
    told = ""
    for sentence in sentences:
        longer = f"{told}\n{sentence}".strip()
        if count(longer) <= room:
            told = longer
    return told


def _settled(turn: TurnLedger) -> list[str]:
    """The decisions and constraints of a turn that are in its line as a whole."""
    found = [(end, turn.line[start:end]) for start, end, kind in statements(turn.line) if kind in _SETTLED]
    return [text for end, text in found if is_settled(text) and (end < len(turn.line) or not _is_cut(turn))]


def _first_sentence(turn: TurnLedger) -> list[str]:
    """The first sentence of a turn, if its line has all of it."""
    spans = sentence_spans(turn.line)
    if not spans or (len(spans) == 1 and _is_cut(turn)):
        return []
    return [turn.line[slice(*spans[0])]]


def _is_cut(turn: TurnLedger) -> bool:
    return len(turn.line) >= LINE - 1
