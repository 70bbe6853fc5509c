"""Divide a closed beat where its subject changes for good.

`boundary` sees a few turns around a gap, enough to notice that somebody changes the subject. Where the subject stays
half the same (law, then law and medicine, then medicine), no gap stands out, but the turns on either side, taken
together, do differ. So a beat is divided where that describes the evidence of its turns better: each part is about no
domain, one or two (`clew.analyze.domain_states`), its turns are scored by that, and every part has a cost (the maximum
likelihood division of Utiyama and Isahara, 2001, over domains instead of words).
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from clew.analyze.domain_states import PRICES, beyond_even, likelihoods
from clew.analyze.lexicon import DOMAINS
from clew.structure.features import TurnFeatures

LEAST_TURNS: Final = 2
"""Fewest turns in a part: a single turn is an aside."""

LEAST_EVIDENCE: Final = 0.25
"""Least evidence for a subject, beyond where it is as likely as another (`domain_states.beyond_even`), that two
neighbouring turns of a beat need together, in the mean over the beat: small talk touches on many domains and is about
none, and stays whole."""

# A domain that is a manner of speaking, no subject.
_MANNER: Final = DOMAINS.index("conversational")

# Cost of a part, in logits, and of one of only `LEAST_TURNS` turns in addition. The last part need not pay that: its
# topic may go on.
_COST: Final = 1.7
_SHORT: Final = 1.5

_DIGITS: Final = 6


def parts(turns: Sequence[TurnFeatures]) -> tuple[range, ...]:
    """Divide a beat where its subjects change.

    Args:
        turns: the beat's turns in order, at least one. The cost grows with the square of their number, which is
            bounded by the longest beat.

    Returns:
        Index ranges of `turns` that cover all of them in order; one range when nothing speaks for a division. Ties go
        to the division with fewer parts, then to the one with the later first border.
    """
    count = len(turns)
    rows = np.array([[turn.domains.get(domain, 0.0) for domain in DOMAINS] for turn in turns])
    vectors = [turn.vector is not None for turn in turns]
    beyond = beyond_even(rows, vectors)
    if count < 2 * LEAST_TURNS or _clear(beyond) < LEAST_EVIDENCE:
        return (range(count),)
    sums = np.zeros((count + 1, len(PRICES)))
    likelihoods(beyond, vectors).cumsum(axis=0, out=sums[1:])
    # Of the best division of the turns before each place: its value, and where its last part begins.
    best, start = np.full(count + 1, -np.inf), [0] * (count + 1)
    best[0] = 0.0
    for high in (*range(LEAST_TURNS, count - LEAST_TURNS + 1), count):
        ends = high - LEAST_TURNS + 1
        fits = (sums[high] - sums[:ends] - PRICES).max(axis=1) + best[:ends] - _COST
        if high < count:
            fits[-1] -= _SHORT
        start[high] = int(fits.round(_DIGITS).argmax())
        best[high] = fits[start[high]]
    found: list[range] = []
    high = count
    while high > 0:
        found.append(range(start[high], high))
        high = start[high]
    return tuple(found[::-1])


def _clear(beyond: NDArray[np.float64]) -> float:
    """How clear the subject of two neighbouring turns is together, in the mean."""
    subjects = np.delete(beyond, _MANNER, axis=1)
    return float(((subjects[:-1] + subjects[1:]) / 2.0).max(axis=1).mean())
