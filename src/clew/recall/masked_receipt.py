"""Masks secrets in what a receipt repeats of a question, as they are masked in turns."""

from collections import Counter
from dataclasses import replace
from typing import Any

from clew.config import Config
from clew.ingest.secrets.masking import mask
from clew.types import Receipt


def without_secrets(receipt: Receipt, config: Config) -> Receipt:
    """The receipt as it may be stored.

    Secrets in the question and in the settings (an expression, words for a time) are masked. If there are any, the
    terms that were read from the question are left out, and the setting `masked` counts the secrets by kind. With
    `ingest.secrets = "keep"` nothing is changed.
    """
    if config.ingest.secrets != "mask":
        return receipt
    kinds = Counter[str]()
    query, settings = _masked(receipt.query, kinds), _masked(receipt.settings, kinds)
    if not kinds:
        return receipt
    return replace(receipt, query=query, settings={**settings, "masked": dict(sorted(kinds.items()))}, understood={})


def _masked(value: Any, kinds: Counter[str]) -> Any:
    """A value as JSON has it with the secrets in its texts masked, and counted in `kinds`."""
    if isinstance(value, str):
        text, found = mask(value)
        kinds.update(found)
        return text
    if isinstance(value, dict):
        return {name: _masked(item, kinds) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_masked(item, kinds) for item in value]
    return value
