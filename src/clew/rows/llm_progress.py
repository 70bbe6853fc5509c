"""How far the questions to a language model have come, as rows of META, and the kinds of what they leave behind."""

from typing import Final

from clew.store.protocol import Reader
from clew.store.selections import META_VALUE

NUANCE: Final = "nuance_model"
"""The kind of annotation that holds the flags which a model found, as a list; empty when it denied them all."""


RESPONSE: Final = "tag_response"
"""The kind of question that gives turns labels of their own (Virtual Context, LLM response tagger)."""


def was_asked(reader: Reader, space: str, kind: str) -> bool:
    """Whether any turn of a space was ever asked about in this way."""
    return META_VALUE.get(reader, (space, meta_name(kind))) is not None


def meta_name(kind: str) -> str:
    """The row of META that says how far a question has come."""
    return f"asked:{kind}"
