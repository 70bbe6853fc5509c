"""HSCA evaluation 5, cross-domain bridging: related concepts in different framings meet on the domain they share.

A case is a conversation that speaks of a concept in one framing and then of a related one in another, as of a rabbit
that oversleeps and then of what its race teaches about virtue. What both sides share of a domain is the smaller of
its shares in the snapshots that hold the one and the other side. As controls serve pairs that have nothing in common.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from random import Random
from typing import Final

from clew.evaluate.hsca.bank import BankSplit, Material, of_kind
from clew.evaluate.hsca.conversation_beats import DEFAULT, ConversationWeigher, about, beats_of, strongest
from clew.evaluate.hsca.result import Evaluation, FailedCase
from clew.rank.tuning import StructureParameters
from clew.structure.snapshot import BeatMap
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


def cases(seed: int, count: int, part: BankSplit = "unseen") -> tuple[BridgingCase, ...]:
    """So many pairs that bridge, the families in turn, and as many controls of different families, by chance."""
    chance = Random(seed)  # noqa: S311 - no secret
    framings = of_kind(part, "bridge")
    families = list(dict.fromkeys(each.name for each in framings))
    made = []
    for number in range(count):
        family = families[number % len(families)]
        made.append(_case(number, chance.sample([each for each in framings if each.name == family], 2), chance))
    for number in range(count, 2 * count):
        first = chance.choice(framings)
        strangers = [each for each in framings if not set(each.domains) & set(first.domains)]
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
    """Tells every pair; the value is of those that bridge.

    Figure `controls_apart`: of the others, those that share less than `LEAST_SHARE` of every domain.
    """
    bridging = [case for case in chosen if case.bridge is not None]
    controls = [case for case in chosen if case.bridge is None]
    failures = []
    for case in chosen:
        common = shared(case, beats_of([*case.sides[0], *case.sides[1]], weigher, parameters))
        if case.bridge is None:
            domain = strongest(common)
            if domain is not None and common[domain] >= LEAST_SHARE:
                failures.append(FailedCase(case=case.name, found=f"unrelated, yet {common[domain]:.2f} of {domain}"))
        elif common.get(case.bridge, 0.0) < LEAST_SHARE:
            found = f"{common.get(case.bridge, 0.0):.2f} of {case.bridge} in common"
            failures.append(FailedCase(case=case.name, found=found))
    missed = {failure.case for failure in failures}
    return Evaluation(
        number=5,
        name="cross-domain bridging",
        document_bar=DOCUMENT_BAR,
        bar=BAR,
        value=_kept(bridging, missed),
        cases=len(bridging),
        failures=tuple(failures),
        figures={"controls_apart": _kept(controls, missed)},
        floors={"controls_apart": CONTROL_BAR},
    )


def _kept(some: Sequence[BridgingCase], missed: set[str]) -> float:
    return sum(case.name not in missed for case in some) / max(1, len(some))


def shared(case: BridgingCase, beats: Sequence[BeatMap]) -> dict[str, float]:
    """What both sides share of each named domain that both have.

    A side is told by the snapshots that hold most of its turns; a snapshot that holds turns of both sides is counted
    whole for the side it holds more of, and for both when it is the only one of a side.
    """
    border = len(case.sides[0])
    sides = []
    for low, high in ((0, border), (border, border + len(case.sides[1]))):
        held = [(sum(low <= piece.seq < high for piece in beat.pieces), beat) for beat in beats]
        mine = [beat for count, beat in held if 2 * count > len(beat.pieces)]
        chosen = mine or [beat for count, beat in held if count]
        sides.append(about(chain.from_iterable(beat.pieces for beat in chosen)))
    first, second = sides
    return {domain: min(share, second[domain]) for domain, share in first.items() if domain in second}
