"""Every table says whether it holds text of users, and whoever has to find such text goes by that."""

import pytest

from clew.maintain.export_space import EXPORTED, LEFT_OUT
from clew.maintain.forget import REACHED
from clew.maintain.forget_proof import DECODED, RIGHTFUL, WHOLE
from clew.store.row_types import MetaRow
from clew.store.tables import TABLES, Table
from clew.types import Turn
from tests.support.memories import quiet

pytestmark = pytest.mark.requirement("F-HOUSE-24")
HOLDING = {name for name, table in TABLES.items() if table.holds_user_text}


def test_a_table_that_does_not_say_is_none() -> None:
    with pytest.raises(TypeError, match="holds_user_text"):
        Table("meta", MetaRow, 2)  # type: ignore[call-arg]  # which is what is tested


def test_forgetting_reaches_every_table_with_text_of_users() -> None:
    assert set(REACHED) == HOLDING


def test_the_proof_looks_through_every_such_table_or_says_why_it_need_not() -> None:
    assert RIGHTFUL | DECODED | set(WHOLE) == HOLDING
    assert len(RIGHTFUL) + len(DECODED) + len(WHOLE) == len(HOLDING)


def test_the_export_has_every_such_table_or_says_why_it_need_not() -> None:
    assert set(LEFT_OUT) | EXPORTED == HOLDING
    assert not EXPORTED & set(LEFT_OUT)


def test_no_such_table_holds_a_secret_that_a_turn_came_with() -> None:
    secret = "hunter2-is-Zebra"  # noqa: S105  # what is to be masked
    with quiet() as memory:
        memory.add(Turn(role="user", content=f'My mail for Ann Miller: password = "{secret}"', session="s"))
        memory.recall(f'which password = "{secret}" is it?')
        assert memory.drain()
        assert "password" in (receipt := repr(memory.explain().to_dict()))
        assert secret not in receipt
        memory.remember_when(query=f'what about password = "{secret}" last week?')
        assert secret not in repr(memory.explain().to_dict())
        memory.recall("which?", where=f"\"password = '{secret}'\"")
        assert secret not in repr(memory.explain().to_dict())
        memory.pin("s:turn:0", note=f'keep password = "{secret}" for Ann Miller')
        memory.pin(where=f"\"password = '{secret}'\"", note=f"password={secret}")
        with memory.reads.store.snapshot() as reader:
            texts = {name: repr(reader.scan(name, ("default",), ("default",))) for name in sorted(HOLDING)}
    assert "Ann Miller" in texts["turn"]
    assert "Ann Miller" in texts["pin"]
    assert [name for name, text in texts.items() if secret in text or "Zebra" in text] == []
