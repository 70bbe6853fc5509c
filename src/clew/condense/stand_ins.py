"""What stands for turns that a compaction covers: SIGMA's three classes, and VC's two tiers.

A preserved turn stands for itself. The other turns of a beat (a topic segment) are summarised: the summary has at most
500 tokens (VC), and no more than its summarised turns and a tenth of its routine turns have together (SIGMA). Beats
of one compaction that share labels are one group. Where all of this is more than there is room for, the oldest
groups are shown as digests, then as titles, then the oldest preserved turns as titles; at last only the recap speaks of
the oldest. Texts are made once, when the turns are covered; nothing is summarised twice.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from clew.condense.loss import TurnLedger
from clew.text.counters import CHARS_PER_TOKEN, Counter
from clew.types.shown import ShownAs

SUMMARY: Final = 500
"""Most tokens of the summary of a beat (VC)."""

DIGEST: Final = 100
"""Most tokens of the digest of a beat: less than the least of a summary (VC)."""

TITLE: Final = 24
"""Most tokens of the title of a beat or turn."""

ROUTINE_SHARE: Final = 0.1
"""Share of its tokens that a routine turn has in a summary (SIGMA)."""

_OVERLAP: Final = 0.5
"""Share of the labels of the beat that has fewer from which two beats are of one group."""

_GROUP: Final = 8
"""Most beats of a group, and how many groups back a beat looks for its own."""

_TIERS: Final[tuple[ShownAs, ...]] = ("summary", "digest", "title")

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


def stand_ins(passages: Sequence[CoveredTurns], count: Counter) -> list[StandIn]:
    """What stands for the turns of one compaction, by their first turns; each turn is in exactly one."""
    made = [_preserved(turn, count) for passage in passages for turn in passage.turns if turn.grade == "preserved"]
    rest = [replace(each, turns=[turn for turn in each.turns if turn.grade != "preserved"]) for each in passages]
    made += [_summarised(group, count) for group in grouped([passage for passage in rest if passage.turns])]
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


def summary_room(turns: Sequence[TurnLedger]) -> int:
    """Most tokens of the summary of turns that are not preserved."""
    summarised = sum(turn.tokens for turn in turns if turn.grade == "summarised")
    routine = sum(turn.tokens for turn in turns if turn.grade == "routine")
    return min(SUMMARY, summarised + int(ROUTINE_SHARE * routine))


def cut_to(text: str, most: int, count: Callable[[str], int]) -> str:
    """A text that has at most so many tokens: whole lines, or the first words of the first line; else nothing."""
    lines = text.split("\n")
    while len(lines) > 1 and count("\n".join(lines)) > most:
        lines.pop()
    head = "\n".join(lines)
    while head and count(head) > most:
        at = head[: CHARS_PER_TOKEN * most].rfind(" ") if len(head) > CHARS_PER_TOKEN * most else head.rfind(" ")
        head = head[:at].rstrip() if at > 0 else ""
    return head


def _overlap(passage: CoveredTurns, group: Sequence[CoveredTurns]) -> float:
    labels = frozenset[str]().union(*(each.labels for each in group))
    least = min(len(labels), len(passage.labels))
    return len(labels & passage.labels) / least if least else 0.0


def _preserved(turn: TurnLedger, count: Counter) -> StandIn:
    title = cut_to(turn.line, min(TITLE, turn.tokens), count)
    return StandIn((turn.seq,), "full", turn.tokens, turn.tokens, {"title": (title, count(title))})


def _summarised(group: Sequence[CoveredTurns], count: Counter) -> StandIn:
    seqs = tuple(sorted(turn.seq for passage in group for turn in passage.turns))
    texts: dict[ShownAs, tuple[str, int]] = {}
    room = sum(summary_room(each.turns) for each in group)
    shown = [_shown(each, count) for each in group]
    for number, rendering in enumerate(_TIERS):
        text = cut_to("\n".join(each[number] for each in shown if each[number]), room, count)
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


def _shown(turns: CoveredTurns, count: Counter) -> list[str]:
    """Summary, digest and title, each within its room and no longer than the one before; empty where nothing fits."""
    room, found = summary_room(turns.turns), []
    for number, most in enumerate((SUMMARY, DIGEST, TITLE)):
        room = min(room, most)
        fitting = (text for way in _TIERS[number:] if (text := turns.texts.get(way, "")) and count(text) <= room)
        text = next(fitting, "") or cut_to(turns.texts.get("title", ""), room, count)
        found.append(text)
        room = count(text)
    return found
