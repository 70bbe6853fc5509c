"""The progress of the questions to a language model, as rows of META, and the kinds of rows that they make."""

import json
from collections import Counter
from collections.abc import Mapping
from typing import Final

from clew.store.protocol import Reader, Transaction
from clew.store.row_types import MetaRow
from clew.store.rows import dumps
from clew.store.selections import META_VALUE
from clew.store.tables import META

NUANCE: Final = "nuance_model"
"""The kind of annotation that holds the flags which a model found, as a list; empty when it denied them all."""

RESPONSE: Final = "tag_response"
"""The kind of question that gives turns labels of their own (Virtual Context, LLM response tagger)."""

FACTS: Final = "model_facts"
"""The kind of question that reads the facts of turns."""

_COUNTS: Final = "counted:facts"


def was_asked(reader: Reader, space: str, kind: str) -> bool:
    """Whether a language model was asked this kind of question about any turn of a space."""
    return META_VALUE.get(reader, (space, meta_name(kind))) is not None


def meta_name(kind: str) -> str:
    """The name of the META row with the progress of a kind of question."""
    return f"asked:{kind}"


def fact_counts(reader: Reader, space: str) -> dict[str, int]:
    """How many facts of the model were accepted, and rejected by reason; empty if it was not asked for facts."""
    return _fact_counts(reader, space)[1]


def count_facts(tx: Transaction, space: str, provenance: str, counts: Mapping[str, int]) -> None:
    """Adds to the result of `fact_counts`; counts of another model are dropped."""
    maker, known = _fact_counts(tx, space)
    total = Counter(known if maker == provenance else {})
    total.update(counts)
    META.put(tx, [MetaRow(space, _COUNTS, dumps([provenance, {name: total[name] for name in sorted(total)}]))])


def _fact_counts(reader: Reader, space: str) -> tuple[str, dict[str, int]]:
    text = META_VALUE.get(reader, (space, _COUNTS))
    maker, counts = ("", {}) if text is None else json.loads(text)
    return maker, counts
