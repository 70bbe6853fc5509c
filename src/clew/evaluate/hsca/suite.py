"""All five evaluations of the HSCA specification's section 7, in its order."""

from collections.abc import Callable, Iterator
from typing import Final

from clew.evaluate.hsca import adversarial, bridging, fidelity, macro_coherence, self_improvement
from clew.evaluate.hsca.bank import BankSplit, bank
from clew.evaluate.hsca.conversation_beats import ConversationWeigher
from clew.evaluate.hsca.result import Evaluation

SEED: Final = 2026
CASES: Final = 120
"""Cases of each evaluation; the third has as many for each history, the fifth as many controls in addition."""


def run_all(
    weigher: ConversationWeigher,
    *,
    seed: int = SEED,
    count: int = CASES,
    part: BankSplit = "unseen",
    on_progress: Callable[[str], object] = str,
) -> Iterator[Evaluation]:
    """Runs the five evaluations one after the other.

    Args:
        weigher: the rules and, if there is one, an embedder; evaluation 4 uses layer 1 alone.
        seed: all random choices depend on it alone.
        count: number of cases, at least 1.
        part: the split of the material: `unseen` for figures, `seen` to look at failures.
        on_progress: called with the name of each evaluation as it begins.

    Raises:
        ModelError: the embedder failed.
    """
    texts = bank(part)
    on_progress("snapshot fidelity")
    yield fidelity.run(fidelity.cases(seed, count, texts), weigher)
    on_progress("macro coherence")
    yield macro_coherence.run(macro_coherence.cases(seed, count, texts), weigher)
    on_progress("self-improvement")
    yield self_improvement.run(self_improvement.cases(seed, count, texts), weigher)
    on_progress("adversarial shallow content")
    yield adversarial.run(adversarial.cases(seed, count))
    on_progress("cross-domain bridging")
    yield bridging.run(bridging.cases(seed, count, texts), weigher)
