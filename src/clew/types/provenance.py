"""Who made an annotation or a label, as rows and results name it."""

from enum import StrEnum
from typing import Final


class Provenance(StrEnum):
    """The makers without a name of their own; a model's is `model:<name>`, see `model_provenance`.

    Attributes:
        RULE: Clew's own rules.
        USER: a person, through the interface.
    """

    RULE = "rule"
    USER = "user"


_MODEL: Final = "model:"


def model_provenance(name: str) -> str:
    """The provenance of what a model made."""
    return _MODEL + name


def is_model(provenance: str) -> bool:
    """Whether a model made what has this provenance."""
    return provenance.startswith(_MODEL)
