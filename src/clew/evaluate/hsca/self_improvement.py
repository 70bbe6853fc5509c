"""HSCA evaluation 3, self-improvement: parameters learned from use make evaluation 1 come out better.

A history is made of conversations of the part `seen` of the bank: each interaction is about one of them, and uses some
turns of its thread, and now and then a passage. `clew.rank.tuning` learns from its first 100 and 1,000 interactions,
as `clew tune` does, and adopts only what is significantly better on history that did not choose it. What it learned is
judged by evaluation 1 on other conversations, of the part `unseen`, with more passages, so that there is room above.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from clew.evaluate.hsca import fidelity
from clew.evaluate.hsca.bank import BankSplit
from clew.evaluate.hsca.conversation_beats import DEFAULT, ConversationWeigher
from clew.evaluate.hsca.result import Evaluation, FailedCase
from clew.rank.tuning import Interaction, StructureParameters, tune_structure, weighed_together
from clew.types.record import Record

SIZES: Final = (0, 100, 1000)
"""Interactions that parameters are learned from; nothing is learned from none."""

HISTORIES: Final = 3
"""Histories that are learned from, each from the same start; pass rates are means over them."""

CONVERSATIONS: Final = 50
ASIDES: Final = 3
"""Passages in each conversation."""

USED_OF_THREAD: Final = 0.6
USED_OF_ASIDE: Final = 0.05
"""How often a turn of the thread, and a passage, is used by an interaction."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImprovementCase(Record):
    """One history, and the conversations that what it taught is judged by.

    Attributes:
        told: the conversations that it is about.
        held: others, of other texts.
    """

    name: str
    seed: int
    told: tuple[fidelity.FidelityCase, ...]
    held: tuple[fidelity.FidelityCase, ...]


def cases(seed: int, count: int, part: BankSplit = "unseen") -> tuple[ImprovementCase, ...]:
    """`HISTORIES` histories and, the same for all, `count` conversations to judge by."""
    held = fidelity.cases(seed, count, part, ASIDES)
    made = []
    for number in range(1, HISTORIES + 1):
        told = fidelity.cases(seed + number, CONVERSATIONS, "seen", ASIDES)
        made.append(ImprovementCase(name=f"history {number}", seed=seed + number, told=told, held=held))
    return tuple(made)


def history(case: ImprovementCase) -> Iterator[Interaction]:
    """Interactions without end, on the conversations in turn; which turns they use is chance."""
    chance = Random(case.seed)  # noqa: S311 - no secret
    weighed = [weighed_together(told.turns) for told in case.told]
    while True:
        for told, chunks in zip(case.told, weighed, strict=True):
            used = (chance.random() < (USED_OF_ASIDE if at in told.asides else USED_OF_THREAD) for at in _places(told))
            yield Interaction(told.name, chunks, tuple(used))


def _places(told: fidelity.FidelityCase) -> range:
    return range(len(told.turns))


def run(
    chosen: Sequence[ImprovementCase], weigher: ConversationWeigher, start: StructureParameters = DEFAULT
) -> Evaluation:
    """Learns and judges. The value is evaluation 1's pass rate after 1,000 interactions.

    The bars depend on the run: ours is one case more than without learning, with figure `after_100` no lower than
    `after_0`; the document's, monotonic, is besides no lower than `after_100`.
    """
    rates: dict[int, list[float]] = {size: [] for size in SIZES}
    failures = []
    known: dict[str, float] = {}
    for case in chosen:
        endless = history(case)
        past = [next(endless) for _ in range(max(SIZES))]
        for size in SIZES:
            learned = tune_structure(past[:size], start).parameters
            name = str(sorted(learned.values().items()))
            if name not in known:
                known[name] = fidelity.run(case.held, weigher, learned).value
            rates[size].append(known[name])
        before, _, after = (rates[size][-1] for size in SIZES)
        if after <= before:
            failures.append(FailedCase(case=case.name, found=f"{before:.3f} before, {after:.3f} after {max(SIZES):,}"))
    before, between, after = (sum(found) / max(1, len(found)) for found in rates.values())
    judged = sum(len(case.held) for case in chosen)
    better = before + 1 / max(1, judged)
    return Evaluation(
        number=3,
        name="self-improvement",
        document_bar=round(max(better, between), 6),
        bar=round(better, 6),
        value=round(after, 6),
        cases=judged,
        failures=tuple(failures),
        figures={"after_0": round(before, 6), "after_100": round(between, 6)},
        floors={"after_100": round(before, 6)},
    )
