"""The names of all fields that expressions may use."""

from collections.abc import Mapping
from typing import Final

from clew.analyze import nuance_model
from clew.analyze.domains import TAGS
from clew.analyze.nuance import FLAGS as RULE_FLAGS
from clew.analyze.overlays import Overlay
from clew.errors import InputError

OVERLAYS: Final = tuple(overlay.value for overlay in Overlay)
OWN_SCORES: Final = ("layer1", "coherence", "novelty", "importance")
WEIGHED: Final = ("layer1", "coherence")
"""Scores that rules compute from the turn alone, without earlier turns."""

SCORES: Final = (*OVERLAYS, *OWN_SCORES)
"""Names of scores: overlays 0 to 10, importance 1 to 10, the others 0 to 1."""

FLAGS: Final = ("paradigm_shift", "preserved", "routine")

MODEL_FLAGS: Final = tuple(f"{name}_model" for name in nuance_model.FLAGS)
"""Nuance flags that only a language model sets: unknown for turns that no model has judged."""

NUANCES: Final = (*RULE_FLAGS, *MODEL_FLAGS)
DOMAINS: Final = TAGS

TAG, DOMAIN, OVERLAY, NUANCE = "tag", "domain", "overlay", "nuance"
LISTED: Final[Mapping[str, tuple[str, ...]]] = {DOMAIN: DOMAINS, NUANCE: NUANCES}
"""Namespaces with a fixed list of names."""

NAMESPACES: Final = (TAG, DOMAIN, OVERLAY, NUANCE)
NAMES: Final = ("role", "speaker", "session")
ABOUT: Final = ("file", "edited", "symbol", "commit")
"""What turns say of files and do with them."""

TEXT: Final = "text"
TIMES: Final = ("before", "after", "since", "on")


def overlay_of(name: str) -> str | None:
    """The full name of an overlay given as `O2`, `o2_security` or `O7_strategic`; None for any other name."""
    try:
        return Overlay.of(name).value
    except InputError:
        return None


def score_of(name: str) -> str | None:
    """The stored name of a score, in whatever case it was written; None for any other name."""
    folded = name.casefold()
    return folded if folded in OWN_SCORES else overlay_of(name)
