"""HSCA evaluation 5, cross-domain bridging: related concepts in different framings meet on the domain they share.

A case is a conversation about a concept in one framing and then a related one in another framing, such as a rabbit that
oversleeps and then what its race teaches about virtue. The two sides share what the snapshots of either have in common
(`structure.common_domains`). Pairs that have nothing in common serve as controls.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from clew.evaluate.hsca.bank import Material, of_kind
from clew.evaluate.hsca.conversation_beats import (
    DEFAULT,
    ConversationWeigher,
    beats_of,
    compared,
    compared_turns,
    strongest,
)
from clew.evaluate.hsca.result import Evaluation, FailedCase
from clew.rank.tuning import StructureParameters
from clew.structure.common_domains import StretchBeat, in_common
from clew.types.record import Record

DOCUMENT_BAR: Final = 0.75
BAR: Final = 0.85
CONTROL_BAR: Final = 0.90

LEAST_SHARE: Final = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class BridgingCase(Record):
    """Two sides of one conversation.

    Attributes:
        name: `<number>:<first framing>-<second framing>:<family>`, or the names of both families of a control.
        bridge: the domain that both sides share by their labels; None for a control.
        sides: the turns of each.
    """

    name: str
    bridge: str | None
    sides: tuple[tuple[str, ...], tuple[str, ...]]


def cases(seed: int, count: int, texts: Sequence[Material]) -> tuple[BridgingCase, ...]:
    """`count` bridging pairs, the families in turn, and `count` random controls from different families."""
    chance = Random(seed)  # noqa: S311 - no secret
    framings = of_kind(texts, "bridge")
    families = list(dict.fromkeys(framing.name for framing in framings))
    made = []
    for number in range(count):
        family = families[number % len(families)]
        made.append(
            _case(number, chance.sample([framing for framing in framings if framing.name == family], 2), chance)
        )
    for number in range(count, 2 * count):
        first = chance.choice(framings)
        strangers = [framing for framing in framings if not set(framing.domains) & set(first.domains)]
        made.append(_case(number, [first, chance.choice(strangers)], chance))
    return tuple(made)


def _case(number: int, pair: Sequence[Material], chance: Random) -> BridgingCase:
    first, second = pair
    related = first.name == second.name
    name = first.name if related else f"{first.name} / {second.name}"
    return BridgingCase(
        name=f"{number}:{first.domains[-1]}-{second.domains[-1]}:{name}",
        bridge=first.domains[0] if related else None,
        sides=(first.turns(chance), second.turns(chance)),
    )


def run(
    chosen: Sequence[BridgingCase], weigher: ConversationWeigher, parameters: StructureParameters = DEFAULT
) -> Evaluation:
    """Runs every pair; the value is the share of bridging pairs that meet on their domain.

    Figure `controls_apart`: the share of controls that have less than `LEAST_SHARE` of every domain in common. Figures
    `by_turns` and `controls_apart_by_turns`: both shares where each side is described by its own turns, whichever beats
    have them, instead of whole snapshots.
    """
    bridging = [case for case in chosen if case.bridge is not None]
    controls = [case for case in chosen if case.bridge is None]
    failures = []
    missed_by_turns = set()
    for case in chosen:
        turns = [*case.sides[0], *case.sides[1]]
        beats = beats_of(turns, weigher, parameters)
        miss = _miss(case, shared(case, compared(beats, turns, weigher)))
        if miss is not None:
            failures.append(FailedCase(case=case.name, found=miss))
        border = len(case.sides[0])
        first, second = (compared_turns(beats, turns, weigher, *side) for side in ((0, border), (border, len(turns))))
        if _miss(case, in_common(first, second).shared) is not None:
            missed_by_turns.add(case.name)
    missed = {failure.case for failure in failures}
    return Evaluation(
        number=5,
        name="cross-domain bridging",
        document_bar=DOCUMENT_BAR,
        bar=BAR,
        value=_kept(bridging, missed),
        cases=len(bridging),
        failures=tuple(failures),
        figures={
            "controls_apart": _kept(controls, missed),
            "by_turns": _kept(bridging, missed_by_turns),
            "controls_apart_by_turns": _kept(controls, missed_by_turns),
        },
        floors={"controls_apart": CONTROL_BAR},
    )


def _miss(case: BridgingCase, common: Mapping[str, float]) -> str | None:
    """How a case misses the criterion, by what its sides share of each domain; None if it does not."""
    if case.bridge is None:
        domain = strongest(common)
        if domain is not None and common[domain] >= LEAST_SHARE:
            return f"unrelated, yet {common[domain]:.2f} of {domain}"
    elif common.get(case.bridge, 0.0) < LEAST_SHARE:
        return f"{common.get(case.bridge, 0.0):.2f} of {case.bridge} in common"
    return None


def _kept(some: Sequence[BridgingCase], missed: set[str]) -> float:
    return sum(case.name not in missed for case in some) / max(1, len(some))


def shared(case: BridgingCase, beats: Sequence[StretchBeat]) -> dict[str, float]:
    """How much of each named domain both sides share.

    A side is described by the snapshots with a majority of its turns; a snapshot with turns of both sides counts as a
    whole for the side it has more of, and for both if it is the only snapshot of a side.
    """
    border = len(case.sides[0])
    sides = []
    for low, high in ((0, border), (border, border + len(case.sides[1]))):
        parts = [(sum(low <= piece.seq < high for piece in beat.beat.pieces), beat) for beat in beats]
        mine = [each for count, each in parts if 2 * count > len(each.beat.pieces)]
        sides.append(mine or [each for count, each in parts if count])
    first, second = sides
    return in_common(first, second).shared
