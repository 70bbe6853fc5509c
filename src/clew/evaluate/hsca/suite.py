"""All five evaluations of the HSCA specification's section 7, in its order."""

from collections.abc import Callable, Iterator
from typing import Final

from clew.evaluate.hsca import adversarial, bridging, fidelity, macro_coherence, self_improvement
from clew.evaluate.hsca.bank import BankSplit
from clew.evaluate.hsca.conversation_beats import ConversationWeigher
from clew.evaluate.hsca.result import Evaluation

SEED: Final = 2026
CASES: Final = 120
"""Cases of each evaluation; the third has as many for each of its histories, the fifth as many controls besides."""


def run_all(
    weigher: ConversationWeigher,
    *,
    seed: int = SEED,
    count: int = CASES,
    part: BankSplit = "unseen",
    on_progress: Callable[[str], object] = str,
) -> Iterator[Evaluation]:
    """Runs one after the other.

    Args:
        listener: the rules, and an embedder where there is one; evaluation 4 is of layer 1 alone and asks none.
        seed: what is by chance depends on it alone.
        count: cases, at least 1.
        part: of the material: `unseen` for figures, `seen` to look at failures.
        on_progress: told the name of each evaluation as it begins.

    Raises:
        ModelError: the embedder failed.
    """
    on_progress("snapshot fidelity")
    yield fidelity.run(fidelity.cases(seed, count, part), weigher)
    on_progress("macro coherence")
    yield macro_coherence.run(macro_coherence.cases(seed, count, part), weigher)
    on_progress("self-improvement")
    yield self_improvement.run(self_improvement.cases(seed, count, part), weigher)
    on_progress("adversarial shallow content")
    yield adversarial.run(adversarial.cases(seed, count))
    on_progress("cross-domain bridging")
    yield bridging.run(bridging.cases(seed, count, part), weigher)
