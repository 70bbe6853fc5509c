"""Documents of other libraries, kept as turns."""

import pytest

from clew.adapters.documents import Documents
from tests.support.memories import quiet

SECRET = "AKIA" + "ABCDEFGH12345678"


@pytest.mark.requirement("P-ADP-01")
@pytest.mark.parametrize("text", ["plain", f"the key is {SECRET}", "half \ud800 a sign", "a\0b", ""])
def test_the_same_value_again_adds_nothing(text: str) -> None:
    with quiet() as memory:
        documents = Documents(memory, "documents")
        for _ in range(3):
            documents.put("a", {"text": text})
        found = documents.get("a")
        assert found is not None
        assert len(found.turn_ids) == len(memory.turns("documents")) == 1
        documents.put("a", {"text": "another"})
        assert len(memory.turns("documents")) == 2


@pytest.mark.requirement("P-ADP-01")
@pytest.mark.parametrize("key", ["plain", "", "half \ud800 a sign", "a\0b", f"key {SECRET}"])
def test_a_document_is_found_and_deleted_by_any_key(key: str) -> None:
    with quiet() as memory:
        documents = Documents(memory, "documents")
        documents.put(key, {"text": "kept"})
        found = documents.get(key)
        assert found is not None
        assert found.value == {"text": "kept"}
        assert documents.delete(key)
        assert documents.get(key) is None
        assert not documents.delete(key)
