"""What comes at once, from threads or from other processes, is stored as if it came in turn: nothing twice."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from clew.memory import Memory
from clew.store.rows import turn_from_row
from clew.store.tables import TURN
from clew.testing import FrozenClock
from tests.support.interrupted import InterruptedStore
from tests.support.memories import at, quiet
from tests.support.proxy_talks import Proxied, assistant, user

NEW = [user("question 0")]
LATER = [user("question 0"), assistant("answer 0"), user("question 1")]
LATER_ON = FrozenClock(at(1))

Storing = Callable[[Memory, list[dict[str, Any]], str], Any]


def updated(memory: Memory, asked: list[dict[str, Any]], answer: str) -> None:
    memory.update([*asked], answer, session="s")


def wrapped(memory: Memory, asked: list[dict[str, Any]], answer: str) -> None:
    memory.wrap_chat(lambda _: answer, session="s")([*asked])


def stored(memory: Memory, session: str = "s") -> list[tuple[str, str]]:
    """The branch and the text of each turn, in the order of arrival."""
    key = (memory.space, session)
    with memory.reads.store.snapshot() as reader:
        turns = [turn_from_row(row) for row in TURN.scan(reader, key, key)]
    return [(turn.branch, turn.text) for turn in turns]


@pytest.mark.requirement("F-INGEST-95")
@pytest.mark.parametrize("history", [NEW, LATER])
@pytest.mark.parametrize("stores", [updated, wrapped])
def test_a_history_that_another_process_brings_at_the_same_moment_is_stored_once(
    stores: Storing, history: list[dict[str, Any]]
) -> None:
    store = InterruptedStore()
    with quiet(store) as memory, quiet(store, clock=LATER_ON) as other:
        store.before = [lambda: stores(other, history, "its answer")]
        stores(memory, history, "my answer")
        asked = [("", message["content"]) for message in history]
        assert stored(memory) == [*asked, ("", "its answer"), ("edit-1", "my answer")]


@pytest.mark.requirement("F-INGEST-95")
def test_what_another_stores_between_two_batches_gives_no_time_to_what_was_said_before() -> None:
    history = [user(f"question {n}") if n % 2 == 0 else assistant(f"answer {n}") for n in range(9)]
    store, config = InterruptedStore(), {"ingest": {"batch": 4}}
    with quiet(store, config=config) as memory, quiet(store, config=config, clock=LATER_ON) as other:
        store.before = [None, lambda: updated(other, history[:4], "its answer")]
        updated(memory, history, "my answer")
        with store.snapshot() as reader:
            turns = [turn_from_row(row) for row in TURN.scan(reader, (memory.space, "s"), (memory.space, "s"))]
    said = [turn.text for turn in turns if turn.text not in ("its answer", "my answer")]
    assert len(said) == len(set(said)) == len(history)
    assert [turn.text for turn in turns if turn.at is None] == [message["content"] for message in history[:8]]


@pytest.mark.requirement("F-INGEST-95")
@pytest.mark.parametrize("stores", [updated, wrapped])
def test_answers_of_two_processes_to_one_question_are_in_branches_of_their_own(stores: Storing) -> None:
    store = InterruptedStore()
    with quiet(store) as memory, quiet(store, clock=LATER_ON) as other:
        store.before = [None, lambda: stores(other, NEW, "its answer")]
        stores(memory, NEW, "my answer")
        assert stored(memory) == [("", "question 0"), ("", "its answer"), ("edit-1", "my answer")]
        assert memory.get("s:turn:2").parent == "s:turn:0"


@pytest.mark.requirement("P-IDN-27")
@pytest.mark.parametrize("header", [None, "s"])
@pytest.mark.parametrize("is_other_space_empty", [True, False])
def test_a_new_history_that_two_servers_are_asked_at_once_is_one_conversation(
    header: str | None, is_other_space_empty: bool
) -> None:
    store = InterruptedStore()
    with quiet(store) as memory, quiet(store) as other:
        mine, its = Proxied(memory), Proxied(other)
        if not is_other_space_empty:
            mine.exchange([user("something else")], assistant("yes"))
        store.before = [lambda: its.answered(its.ask(LATER, header=header), assistant("its answer"))]
        asked = mine.ask(LATER, header=header)
        mine.answered(asked, assistant("my answer"))
        texts = [message["content"] for message in LATER]
        assert mine.stored(asked[0].session) == [*texts, "its answer", "edit-1: my answer"]
        assert len(mine.sessions()) == 2 - is_other_space_empty


@pytest.mark.requirement("P-IDN-27")
def test_two_windows_of_one_chat_at_once_store_their_question_once() -> None:
    store = InterruptedStore()
    with quiet(store) as memory, quiet(store) as other:
        mine, its = Proxied(memory), Proxied(other)
        history = [user("question 0"), assistant("answer 0"), user("question 1"), assistant("answer 1")]
        for end in (1, 3):
            mine.exchange(history[:end], history[end], header="s")
        whole = [*history, user("question 2")]
        store.before = [lambda: its.exchange(whole, assistant("its answer"), header="s")]
        asked = mine.ask(whole[1:], header="s")
        mine.answered(asked, assistant("my answer"))
        texts = [message["content"] for message in whole]
        assert mine.stored("s") == [*texts, "its answer", "edit-1: my answer"]


@pytest.mark.requirement("P-IDN-27")
def test_a_window_whose_question_another_client_asked_goes_on_in_the_same_conversation() -> None:
    with quiet() as memory:
        proxied = Proxied(memory)
        history = [user("question 0"), assistant("answer 0"), user("question 1"), assistant("answer 1")]
        for end in (1, 3):
            proxied.exchange(history[:end], history[end])
        asked = [*history, user("question 2")]
        proxied.exchange(asked, assistant("its answer"))
        proxied.exchange(asked[1:], assistant("my answer"))
        later = [*asked, assistant("my answer"), user("question 3")]
        proxied.exchange(later[-3:], assistant("answer 3"))
        (session,) = proxied.sessions()
        ends = ["its answer", "edit-1: my answer", "edit-1: question 3", "edit-1: answer 3"]
        assert proxied.stored(session) == [*(message["content"] for message in asked), *ends]


@pytest.mark.requirement("P-IDN-27")
def test_answers_through_two_servers_at_once_open_branches_of_their_own() -> None:
    store = InterruptedStore()
    with quiet(store) as memory, quiet(store) as other:
        mine, its = Proxied(memory), Proxied(other)
        asked = mine.ask(NEW, header="s")
        store.before = [lambda: its.exchange(NEW, assistant("its answer"), header="s")]
        mine.answered(asked, assistant("my answer"))
        assert mine.stored("s") == ["question 0", "its answer", "edit-1: my answer"]


@pytest.mark.requirement("P-IDN-27")
def test_strangers_who_begin_alike_at_the_same_moment_stay_apart() -> None:
    store = InterruptedStore()
    with quiet(store) as memory, quiet(store) as other:
        mine, its = Proxied(memory), Proxied(other)
        store.before = [lambda: its.exchange(NEW, assistant("its answer"))]
        mine.exchange(NEW, assistant("my answer"))
        assert sorted(mine.stored(session) for session in mine.sessions()) == [
            ["question 0", "its answer"],
            ["question 0", "my answer"],
        ]


@pytest.mark.requirement("P-IDN-27")
def test_a_request_is_stored_although_others_store_something_of_its_conversation_all_the_time() -> None:
    store = InterruptedStore()
    with quiet(store) as memory, quiet(store) as other:
        mine, its = Proxied(memory), Proxied(other)
        mine.exchange(NEW, assistant("answer 0"), header="s")

        def others(n: int) -> None:
            its.ask([user("question 0"), assistant("answer 0"), user(f"edited {n}")], header="s")

        store.before = [partial(others, n) for n in range(40)]
        asked = mine.ask(LATER, header="s")
        assert asked[0].turn_ids[-1] != ()
        assert sum(text.endswith("question 1") for text in mine.stored("s")) == 1
