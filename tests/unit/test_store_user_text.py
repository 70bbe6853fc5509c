"""Every table says whether it holds text of users, and whoever has to find such text goes by that."""

import pytest

from clew.maintain.forget import REACHED
from clew.maintain.forget_proof import DECODED, RIGHTFUL, WHOLE
from clew.store.row_types import MetaRow
from clew.store.tables import TABLES, Table

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
