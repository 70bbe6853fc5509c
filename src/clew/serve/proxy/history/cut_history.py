"""Lines a history that its client has shortened up with what is stored of the conversation. Pure.

A client drops the front or the middle of a history, shortens results of tools, or puts a summary in their place. The
last answer that is stored is the anchor: what comes after it is new. Before it, a message that is not stored is an edit
where it takes the place of exactly one, was put in where nothing is missing, and elsewhere stands for what was dropped.
"""

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from clew.rows.conversations import StoredMessage
from clew.serve.proxy.history.message_form import Unit


@dataclass(frozen=True, slots=True)
class Unmatched:
    """A message before the anchor that is not stored as it is.

    Attributes:
        missing: places of the turns that are missing where it stands.
        is_stand_in: whether it stands for them, rather than being somebody's words.
    """

    missing: tuple[int, ...]
    is_stand_in: bool


@dataclass(frozen=True, slots=True)
class Alignment:
    """What of a history is stored.

    Attributes:
        held: for each unit the places of its turns, which may be none; None for a unit that is not stored.
        unmatched: of these, the ones before the last stored unit, by index.
        known: how many units end with the last stored one.
        relayed: answers up to there that the proxy relayed.
        cut: whether the history lacks something that is stored.
        gaps: at how many places it lacks something.
    """

    held: tuple[tuple[int, ...] | None, ...]
    known: int
    relayed: int
    cut: bool
    unmatched: Mapping[int, Unmatched] = field(default_factory=dict)
    gaps: int = 0


Piece = tuple[Unit, bytes]
"""A message by itself, and its hash as it is stored."""


def align_cut(
    units: Sequence[Unit],
    digests: Sequence[bytes],
    stored: Sequence[StoredMessage],
    pieces: Callable[[Unit], Sequence[Piece]],
) -> Alignment | None:
    """Lines a history up; None if no message of it can be taken for the last one that is stored.

    Args:
        digests: of the units, as they are stored.
        stored: every message of the conversation.
        pieces: gives the messages of a unit of several, each by itself: answers come to stand next to each other where
            a client drops the question between them.
    """
    nodes = _in_order(stored)
    known = {node.digest for node in nodes}
    taken = [
        pieces(unit) if unit.last > unit.first and digest not in known else ((unit, digest),)
        for unit, digest in zip(units, digests, strict=True)
    ]
    if all(len(each) == 1 for each in taken):
        return _align(units, digests, nodes)
    flat = [piece for each in taken for piece in each]
    alignment = _align([unit for unit, _ in flat], [digest for _, digest in flat], nodes)
    return None if alignment is None else _folded(alignment, [len(each) for each in taken])


def _folded(alignment: Alignment, counts: Sequence[int]) -> Alignment:
    """An alignment of pieces as one of units, each of so many pieces; a unit is stored if all of its pieces are."""
    held: list[tuple[int, ...] | None] = []
    unmatched: dict[int, Unmatched] = {}
    known = place = 0
    for i, count in enumerate(counts):
        inside = range(place, place + count)
        parts = [alignment.held[at] for at in inside]
        is_held = None not in parts
        held.append(tuple(seq for part in parts for seq in part or ()) if is_held else None)
        place += count
        if place <= alignment.known:
            known = i + 1
        missing = [alignment.unmatched[at] for at in inside if at in alignment.unmatched]
        if missing and not is_held:
            unmatched[i] = missing[0]
    lost = {i: Unmatched((), is_stand_in=False) for i in range(known) if held[i] is None and i not in unmatched}
    return replace(alignment, held=tuple(held), known=known, unmatched=unmatched | lost)


def _align(units: Sequence[Unit], digests: Sequence[bytes], nodes: Sequence[StoredMessage]) -> Alignment | None:
    places: dict[bytes, list[int]] = {}
    for at, node in enumerate(nodes):
        places.setdefault(node.digest, []).append(at)
    anchor = _anchor(units, digests, places)
    if anchor is None:
        return None
    matched = _extended(digests, nodes, _matches(digests, places, anchor), anchor)
    known = sorted(matched)
    steps = [(-1, known[0]), *pairwise(known)]
    missing = {after: _missing(nodes, matched.get(before, -1), matched[after]) for before, after in steps}
    edits = {
        after
        for before, after in steps
        if _is_edit(units, before, after, missing[after], nodes[matched.get(before, -1) + 1 : matched[after]])
    }
    unmatched = {
        i: Unmatched(missing[after], bool(missing[after]) and after not in edits)
        for before, after in steps
        for i in range(before + 1, after)
    }
    return Alignment(
        held=tuple(nodes[matched[i]].turns[-1] if i in matched else None for i in range(len(units))),
        known=known[-1] + 1,
        relayed=max(1, nodes[matched[known[-1]]].relayed),
        cut=any(gap and after not in edits for after, gap in missing.items()),
        unmatched=unmatched,
        gaps=sum(map(bool, missing.values())),
    )


def _in_order(stored: Sequence[StoredMessage]) -> list[StoredMessage]:
    """The messages that have turns, in the order in which these were stored; one for each content and turn."""
    first: dict[tuple[bytes, tuple[int, ...]], StoredMessage] = {}
    for message in sorted(stored, key=lambda each: each.depth):
        if message.turns[-1]:
            first.setdefault((message.digest, message.turns[-1]), message)
    return sorted(first.values(), key=lambda each: each.turns[-1])


def _anchor(
    units: Sequence[Unit], digests: Sequence[bytes], places: Mapping[bytes, Sequence[int]]
) -> tuple[int, int] | None:
    """The last answer of the history that is stored, or else its last stored message: its index, and its node's.

    The last message of a history is never the anchor by itself: a new "yes" is not the one that was said before.
    """
    known = [i for i in range(len(units) - 1) if digests[i] in places]
    answers = [i for i in known if units[i].role == "assistant"]
    chosen = answers or known
    return (chosen[-1], places[digests[chosen[-1]]][-1]) if chosen else None


def _matches(
    digests: Sequence[bytes], places: Mapping[bytes, Sequence[int]], anchor: tuple[int, int]
) -> dict[int, int]:
    """Unit -> node, from the anchor back: each the last node of its content before the node of the next unit."""
    matched = dict([anchor])
    limit = anchor[1]
    for i in range(anchor[0] - 1, -1, -1):
        same = places.get(digests[i], ())
        if before := bisect_left(same, limit):
            matched[i] = limit = same[before - 1]
    return matched


def _extended(
    digests: Sequence[bytes], nodes: Sequence[StoredMessage], matched: dict[int, int], anchor: tuple[int, int]
) -> dict[int, int]:
    """With what follows the anchor and was stored after it; the last message only if it was stored right after it."""
    i, at = anchor
    while i + 1 < len(digests):
        start = _behind(nodes, at)
        stop = len(nodes) if i + 2 < len(digests) else _beginning_with(nodes, start)
        after = next((place for place in range(start, stop) if nodes[place].digest == digests[i + 1]), None)
        if after is None:
            break
        i, at = i + 1, after
        matched[i] = at
    return matched


def _behind(nodes: Sequence[StoredMessage], at: int) -> int:
    """The first node after the turns of one: a part of an answer stands beside the answer."""
    last = nodes[at].turns[-1][-1]
    return next((place for place in range(at + 1, len(nodes)) if nodes[place].turns[-1][0] > last), len(nodes))


def _beginning_with(nodes: Sequence[StoredMessage], start: int) -> int:
    """Where the nodes end that begin with the same turn as the node at a place."""
    stop = start
    while stop < len(nodes) and nodes[stop].turns[-1][0] == nodes[start].turns[-1][0]:
        stop += 1
    return stop


def _missing(nodes: Sequence[StoredMessage], low: int, high: int) -> tuple[int, ...]:
    """The places of the turns between two nodes."""
    first = nodes[low].turns[-1][-1] + 1 if low >= 0 else 0
    between = (seq for node in nodes[low + 1 : high] for seq in node.turns[-1])
    return tuple(dict.fromkeys(seq for seq in between if first <= seq < nodes[high].turns[-1][0]))


def _is_edit(
    units: Sequence[Unit], before: int, after: int, gap: Sequence[int], between: Sequence[StoredMessage]
) -> bool:
    """Whether a message is one of the conversation in other words: it alone takes the place of one alone."""
    if after - before != 2 or units[before + 1].results:
        return False
    replaced, last, lacking = 0, -1, set(gap)
    for node in between:
        turns = node.turns[-1]
        if turns[0] > last and not lacking.isdisjoint(turns):
            replaced += 1
            last = turns[-1]
    return replaced == 1
