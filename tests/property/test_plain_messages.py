"""Messages of text alone, which most are, are read and counted by short ways that give what the long ones do."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.condense.message_tokens import message_tokens, part_tokens
from clew.errors import TurnRejected
from clew.ingest.importers.message_fields import read_message
from clew.text.counters import counter

COUNT = counter("estimate")
VALUES: st.SearchStrategy[Any] = st.one_of(
    st.text(max_size=12), st.none(), st.integers(0, 3), st.lists(st.fixed_dictionaries({"text": st.text(max_size=5)}))
)
MEMBERS = st.sampled_from(("type", "text", "role", "content", "name"))
ROLES = st.sampled_from(("user", "assistant", "system", "tool", "model", "User", "Ann"))


@pytest.mark.requirement("P-RLY-61")
@given(st.dictionaries(MEMBERS, VALUES, max_size=3))
def test_a_part_costs_what_a_list_of_it_costs(part: dict[str, Any]) -> None:
    assert part_tokens(part, "anthropic", COUNT) == message_tokens([part], "anthropic", COUNT)


@pytest.mark.requirement("P-RLY-61")
@given(ROLES, VALUES)
def test_a_message_of_a_role_and_a_content_is_read_as_one_with_a_member_that_says_nothing(
    role: str, content: Any
) -> None:
    def read(message: dict[str, Any]) -> Any:
        try:
            return read_message(message)
        except TurnRejected as error:
            return str(error)

    assert read({"role": role, "content": content}) == read({"role": role, "content": content, "name": None})
