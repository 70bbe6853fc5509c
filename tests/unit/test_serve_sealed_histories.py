"""Histories of OpenAI Responses of which the provider keeps a part: nobody else's begins with the same."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.memories import quiet
from tests.proxy_talks import Proxied, assistant, user


def sealed(name: str) -> dict[str, Any]:
    return {"type": "compaction", "id": f"cmp_{name}", "encrypted_content": f"sealed {name}"}


@pytest.mark.requirement("P-IDN-01")
@pytest.mark.parametrize(
    "begins", [sealed, lambda name: {"type": "item_reference", "id": name}, lambda name: {**sealed(name), "id": None}]
)
def test_histories_that_a_provider_keeps_are_told_apart(begins: Callable[[str], dict[str, Any]]) -> None:
    with quiet() as memory:
        proxied = Proxied(memory, "responses")
        stored = []
        for name in ("x", "y"):
            asked = [begins(name), user("What is next?")]
            session = proxied.exchange(asked, assistant(f"The end of {name}.")).session
            asked += [assistant(f"The end of {name}."), user("And then?")]
            assert proxied.exchange(asked, assistant("Nothing.")).session == session
            stored.append(proxied.stored(session)[1:])
        assert stored == [["What is next?", f"The end of {name}.", "And then?", "Nothing."] for name in ("x", "y")]


@pytest.mark.requirement("P-IDN-01")
def test_a_history_that_begins_with_what_a_provider_sealed_in_an_answer_goes_on_there() -> None:
    with quiet() as memory:
        proxied = Proxied(memory, "responses")
        sessions = []
        for name in ("x", "y"):
            asked = proxied.ask([user(f"The port of {name} is 8123.")])
            answer = (sealed(name), assistant("Noted."))
            proxied.answered(asked, *answer)
            after = [*answer, user("What is next?")]
            assert proxied.exchange(after, assistant("Sleep.")).session == asked[0].session
            sessions.append(proxied.stored(asked[0].session))
        assert [told[0] for told in sessions] == ["The port of x is 8123.", "The port of y is 8123."]
        assert [told[-3:] for told in sessions] == [["Noted.", "What is next?", "Sleep."]] * 2
