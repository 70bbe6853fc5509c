"""HSCA evaluation 1, snapshot fidelity: a thread of short turns defines a beat's subject, not the longest turn.

Each case is a conversation in short turns about one subject, with one long passage of another domain among them. The
passage is longer than any turn of the thread, and often longer than all of them together.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from random import Random
from statistics import fmean
from typing import Final

from clew.analyze.lexicon import DOMAINS
from clew.evaluate.hsca.bank import Material, of_kind
from clew.evaluate.hsca.conversation_beats import DEFAULT, ConversationWeigher, beats_of, domain_shares, strongest
from clew.evaluate.hsca.result import Evaluation, FailedCase
from clew.rank.tuning import StructureParameters
from clew.types.record import Record

DOCUMENT_BAR: Final = 0.80
BAR: Final = 0.90


@dataclass(frozen=True, slots=True, kw_only=True)
class FidelityCase(Record):
    """One conversation.

    Attributes:
        name: `<number>:<domain>:<thread>:<passage>`.
        domain: what the thread is about, as labelled by hand.
        turns: the conversation.
        asides: which of them are long passages.
    """

    name: str
    domain: str
    turns: tuple[str, ...]
    asides: tuple[int, ...]


def cases(seed: int, count: int, texts: Sequence[Material], asides: int = 1) -> tuple[FidelityCase, ...]:
    """Conversations on the domains in turn, with random threads, passages and positions; deterministic by the seed.

    Args:
        asides: passages in each conversation; the document has one, more make it harder.
    """
    chance = Random(seed)  # noqa: S311 - no secret
    threads, passages = of_kind(texts, "thread"), of_kind(texts, "passage")
    made = []
    for number in range(count):
        domain = DOMAINS[number % len(DOMAINS)]
        thread = chance.choice([candidate for candidate in threads if candidate.domains == (domain,)])
        chosen = chance.sample([aside for aside in passages if aside.domains != (domain,)], asides)
        told = thread.turns(chance)
        indexes = sorted(chance.sample(range(len(told) + asides), asides))
        turns = list(told)
        for index, passage in zip(indexes, chosen, strict=True):
            turns.insert(index, passage.text)
        name = f"{number}:{domain}:{thread.name}:{'; '.join(passage.name for passage in chosen)}"
        made.append(FidelityCase(name=name, domain=domain, turns=tuple(turns), asides=tuple(indexes)))
    return tuple(made)


def run(
    chosen: Sequence[FidelityCase], weigher: ConversationWeigher, parameters: StructureParameters = DEFAULT
) -> Evaluation:
    """Compares the domain of every conversation's beats with the label.

    Figure `thread_heavier`: the share where the mean layer 1 of the thread's turns is above that of any passage.
    """
    right = heavier = 0
    failures = []
    for case in chosen:
        pieces = list(chain.from_iterable(beat.pieces for beat in beats_of(case.turns, weigher, parameters)))
        found = strongest(domain_shares(pieces))
        thread = fmean(piece.layer1 for piece in pieces if piece.seq not in case.asides)
        aside = max(pieces[index].layer1 for index in case.asides)
        right, heavier = right + (found == case.domain), heavier + (thread > aside)
        if found != case.domain:
            failures.append(FailedCase(case=case.name, found=f"about {found or 'nothing that has a name'}"))
    total = max(1, len(chosen))
    return Evaluation(
        number=1,
        name="snapshot fidelity",
        document_bar=DOCUMENT_BAR,
        bar=BAR,
        value=right / total,
        cases=len(chosen),
        failures=tuple(failures),
        figures={"thread_heavier": heavier / total},
    )
