"""HSCA evaluation 3, self-improvement: parameters learned from use improve the result of evaluation 1.

A history consists of conversations from the bank's split `seen`: each interaction is about one of them, and uses some
turns of its thread and sometimes a passage. `clew.rank.tuning` learns from its first 100 and 1,000 interactions, as
`clew tune` does, and adopts only what is significantly better on held-out history. The learned parameters are judged by
evaluation 1 on conversations from the split `unseen`, with more passages, so that there is room to improve.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from clew.evaluate.hsca import fidelity
from clew.evaluate.hsca.bank import Material, bank
from clew.evaluate.hsca.conversation_beats import DEFAULT, ConversationWeigher
from clew.evaluate.hsca.result import Evaluation, FailedCase
from clew.rank.tuning import Interaction, StructureParameters, tune_structure, weighed_together
from clew.types.record import Record

SIZES: Final = (0, 100, 1000)
"""Numbers of interactions that parameters are learned from; 0 is the baseline."""

HISTORIES: Final = 3
"""Number of histories, each learned from the same start; pass rates are means over them."""

CONVERSATIONS: Final = 50
ASIDES: Final = 3
"""Passages in each conversation."""

USED_OF_THREAD: Final = 0.6
USED_OF_ASIDE: Final = 0.05
"""How often a turn of the thread, and a passage, is used by an interaction."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImprovementCase(Record):
    """One history to learn from, and the conversations to judge the result by.

    Attributes:
        told: the conversations of the history.
        held: held-out conversations with other texts.
    """

    name: str
    seed: int
    learned_from: tuple[fidelity.FidelityCase, ...]
    held_out: tuple[fidelity.FidelityCase, ...]


def cases(seed: int, count: int, texts: Sequence[Material]) -> tuple[ImprovementCase, ...]:
    """`HISTORIES` histories, all judged by the same `count` conversations."""
    held_out = fidelity.cases(seed, count, texts, ASIDES)
    made = []
    for number in range(1, HISTORIES + 1):
        learned_from = fidelity.cases(seed + number, CONVERSATIONS, bank("seen"), ASIDES)
        made.append(
            ImprovementCase(name=f"history {number}", seed=seed + number, learned_from=learned_from, held_out=held_out)
        )
    return tuple(made)


def history(case: ImprovementCase) -> Iterator[Interaction]:
    """An endless sequence of interactions on the conversations in turn, using random turns."""
    chance = Random(case.seed)  # noqa: S311 - no secret
    weighed = [weighed_together(conversation.turns) for conversation in case.learned_from]
    while True:
        for conversation, chunks in zip(case.learned_from, weighed, strict=True):
            used = (
                chance.random() < (USED_OF_ASIDE if at in conversation.asides else USED_OF_THREAD)
                for at in _places(conversation)
            )
            yield Interaction(conversation.name, chunks, tuple(used))


def _places(conversation: fidelity.FidelityCase) -> range:
    return range(len(conversation.turns))


def run(
    chosen: Sequence[ImprovementCase], weigher: ConversationWeigher, start: StructureParameters = DEFAULT
) -> Evaluation:
    """Learns and judges. The value is evaluation 1's pass rate after 1,000 interactions.

    The bars depend on the run: Clew's is one case more than without learning, with `after_100` no lower than `after_0`;
    the specification's (monotonic improvement) is also no lower than `after_100`.
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
                known[name] = fidelity.run(case.held_out, weigher, learned).value
            rates[size].append(known[name])
        before, _, after = (rates[size][-1] for size in SIZES)
        if after <= before:
            failures.append(FailedCase(case=case.name, found=f"{before:.3f} before, {after:.3f} after {max(SIZES):,}"))
    before, between, after = (sum(found) / max(1, len(found)) for found in rates.values())
    judged = sum(len(case.held_out) for case in chosen)
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
