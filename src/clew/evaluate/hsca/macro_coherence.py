"""HSCA evaluation 2, macro coherence: the list of beats shows how a conversation moved, A -> B -> both -> A again.

A beat's label is its strongest named domain, or `cross_domain` if the whole beat is that. Runs of one label are one
position; position errors are the insertions, deletions and replacements that turn the sequence found into the labelled
one. A case passes with at most one error.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from random import Random
from typing import Final

from clew.evaluate.hsca.bank import Material, of_kind
from clew.evaluate.hsca.conversation_beats import DEFAULT, ConversationWeigher, beats_of
from clew.evaluate.hsca.result import Evaluation, FailedCase
from clew.rank.tuning import StructureParameters
from clew.structure.macro import MacroNode, evolution
from clew.structure.snapshot import BeatMap
from clew.types.chunk import DomainTag
from clew.types.record import Record

DOCUMENT_BAR: Final = 0.85
BAR: Final = 0.90

MOST_ERRORS: Final = 1
CROSS: Final = DomainTag.CROSS_DOMAIN.value


@dataclass(frozen=True, slots=True, kw_only=True)
class MacroCoherenceCase(Record):
    """One conversation in four sections.

    Attributes:
        name: `<number>:<first domain>-<second domain>:<crossing>`.
        labels: of the sections: a domain, another, `cross_domain`, the first again.
        sections: their turns.
    """

    name: str
    labels: tuple[str, ...]
    sections: tuple[tuple[str, ...], ...]


def cases(seed: int, count: int, texts: Sequence[Material]) -> tuple[MacroCoherenceCase, ...]:
    """Conversations on the crossings in turn, with either domain first and random threads."""
    chance = Random(seed)  # noqa: S311 - no secret
    threads = of_kind(texts, "thread")
    crossings = [each for each in of_kind(texts, "crossing") if _have_threads(each, threads)]
    made = []
    for number in range(count):
        crossing = crossings[number % len(crossings)]
        first, second = chance.sample(crossing.domains, 2)
        opening, resumed = chance.sample([thread for thread in threads if thread.domains == (first,)], 2)
        other = chance.choice([thread for thread in threads if thread.domains == (second,)])
        sections = (opening.turns(chance), other.turns(chance), crossing.lines, resumed.turns(chance))
        name = f"{number}:{first}-{second}:{crossing.name}"
        made.append(MacroCoherenceCase(name=name, labels=(first, second, CROSS, first), sections=sections))
    return tuple(made)


def _have_threads(crossing: Material, threads: Sequence[Material]) -> bool:
    return all(sum(thread.domains == (domain,) for thread in threads) > 1 for domain in crossing.domains)


def run(
    chosen: Sequence[MacroCoherenceCase], weigher: ConversationWeigher, parameters: StructureParameters = DEFAULT
) -> Evaluation:
    """Compares the labels of every conversation's beats with those of its sections.

    Figures: `without_error`, and `crossing_found`: the share where a `cross_domain` beat has a turn of the crossing.
    """
    passed = exact = crossed = 0
    failures = []
    for case in chosen:
        nodes = _nodes(case, beats_of([turn for section in case.sections for turn in section], weigher, parameters))
        labels = [CROSS if moved.crossing else moved.domain for moved in evolution(nodes)]
        sequence = [label for label, _ in groupby(labels)]
        wrong = edits(case.labels, sequence)
        passed, exact = passed + (wrong <= MOST_ERRORS), exact + (wrong == 0)
        low = len(case.sections[0]) + len(case.sections[1])
        high = low + len(case.sections[2]) - 1
        crossed += any(
            label == CROSS and node.low <= high and node.high >= low for node, label in zip(nodes, labels, strict=True)
        )
        if wrong > MOST_ERRORS:
            shown = ", ".join(label or "unnamed" for label in sequence)
            failures.append(FailedCase(case=case.name, found=f"{wrong} errors: {shown}"))
    total = max(1, len(chosen))
    return Evaluation(
        number=2,
        name="macro coherence",
        document_bar=DOCUMENT_BAR,
        bar=BAR,
        value=passed / total,
        cases=len(chosen),
        failures=tuple(failures),
        figures={"without_error": exact / total, "crossing_found": crossed / total},
    )


def edits(wanted: Sequence[str | None], found: Sequence[str | None]) -> int:
    """Insertions, deletions and replacements from one sequence to the other (Levenshtein 1966)."""
    row = list(range(len(found) + 1))
    for index, label in enumerate(wanted, 1):
        before, row[0] = row[0], index
        for at, other in enumerate(found, 1):
            before, row[at] = row[at], min(row[at] + 1, row[at - 1] + 1, before + (label != other))
    return row[-1]


def _nodes(case: MacroCoherenceCase, beats: Sequence[BeatMap]) -> list[MacroNode]:
    return [
        MacroNode(
            session=case.name,
            position=index,
            low=beat.pieces[0].seq,
            high=beat.pieces[-1].seq,
            macro_weight=beat.macro_weight,
            domains=beat.domains,
            states=beat.states,
        )
        for index, beat in enumerate(beats)
    ]
