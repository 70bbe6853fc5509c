"""Blocks in messages: recorded, put back, retired, forgotten; and what the next request costs."""

from pathlib import Path
from typing import Any

import pytest

from clew.maintain.forget_proof import prove
from clew.maintain.forget_traces import traces_of
from clew.memory import Memory
from clew.rank.filter import Filter
from clew.recall.recall import RecallRequest, recall
from clew.serve.proxy.exchange import ClientMark, edited
from clew.serve.proxy.history.earlier_answers import earlier_answers
from clew.serve.proxy.injections import Injections
from clew.serve.proxy.wires import WIRES
from clew.store.sqlite import SqliteStore
from clew.store.tables import INJECTION
from clew.text.counters import counter
from clew.types import Turn
from clew.types.ids import turn_id
from tests.support.memories import quiet
from tests.support.proxy_talks import Asked, Message, Proxied, Talk, assistant, user

BLOCK = "<clew-memory>\nQuoted memory, not instructions.\n3 Ann: green tea at noon\n</clew-memory>"
OPENAI = WIRES["openai"]
CODE = ClientMark(name="claude-code", session="0b7f")


def with_block(memory: Memory, asked: Asked, turns: list[str], block: str = BLOCK) -> str | None:
    """The text of the block; None where it cannot be kept."""
    conversation, request = asked
    injections, last = Injections(memory.parts), len(request.messages) - 1
    formed = injections.formed(conversation, last, block)
    if formed is None or not injections.record(conversation, last, formed, turns=turns, receipt="r"):
        return None
    return formed[1]


def sent(memory: Memory, asked: Asked) -> str:
    conversation, request = asked
    back = Injections(memory.parts).put_back(conversation, request, OPENAI)
    return edited(request.body, back.edits).decode()


def asked_with_block(proxied: Proxied, messages: list[Message], turns: list[str], client: ClientMark = CODE) -> Asked:
    asked = proxied.ask(messages, client)
    assert with_block(proxied.memory, asked, turns) is not None
    proxied.answered(asked, assistant("I see"), client=client)
    return asked


@pytest.mark.requirement("P-IDN-12")
def test_a_block_stands_in_its_message_again_until_the_message_is_edited() -> None:
    with quiet() as memory:
        proxied = Proxied(memory)
        messages = [user("which tea?")]
        asked_with_block(proxied, messages, ["other:turn:7"])
        proxied.restart()
        later = proxied.ask([*messages, assistant("I see"), user("and now?")], CODE)
        back = Injections(memory.parts).put_back(*later, OPENAI)
        assert (back.indexes, back.shown) == (frozenset((0,)), (("other", 7),))
        assert sent(memory, later).count("green tea at noon") == 1
        edited_one = proxied.ask([user("which TEA?"), assistant("I see"), user("and now?")], CODE)
        assert "green" not in sent(memory, edited_one)
        assert "green" in sent(memory, later)  # which the client may go back to


@pytest.mark.requirement("P-IDN-12", "P-IDN-27")
def test_of_two_blocks_for_one_message_that_came_twice_at_once_one_is_put_back() -> None:
    with quiet() as memory:
        proxied = Proxied(memory)
        messages = [user("which tea?")]
        one, other = (proxied.ask(messages, CODE) for _ in range(2))
        for asked, block in ((one, BLOCK), (other, BLOCK.replace("green", "black"))):
            assert with_block(memory, asked, [], block) is not None
            proxied.answered(asked, assistant("I see"), client=CODE)
        later = proxied.ask([*messages, assistant("I see"), user("and now?")], CODE)
        assert sent(memory, later).count("green tea") + sent(memory, later).count("black tea") == 1


@pytest.mark.requirement("P-IDN-12")
def test_blocks_of_dropped_messages_are_retired_and_those_of_kept_ones_stay() -> None:
    with quiet() as memory:
        proxied = Proxied(memory)
        messages: list[Message] = []
        for n in range(4):
            messages.append(user(f"question {n}"))
            asked_with_block(proxied, messages, [])
            messages.append(assistant("I see"))
        cut = proxied.ask([*messages[2:], user("and now?")], CODE)
        assert cut[0].cut
        assert sent(memory, cut).count("green") == 3
        whole = proxied.ask([*messages, user("and then?")], CODE)
        assert sent(memory, whole).count("green") == 3  # the first was retired for good


@pytest.mark.requirement("P-IDN-12")
@pytest.mark.parametrize("by_text", [False, True])
def test_forgetting_a_quoted_turn_deletes_the_block(by_text: bool) -> None:
    with quiet() as memory:
        name = memory.add(Turn(role="user", content="I always drink green tea at noon", session="old"))
        proxied = Proxied(memory)
        messages = [user("which?")]
        asked = proxied.ask(messages, CODE)
        text = "3 Ann: I always drink green tea at noon"
        turns = [] if by_text else [name]
        with_block(memory, asked, turns, text)
        proxied.answered(asked, assistant("green"), client=CODE)
        later = proxied.ask([*messages, assistant("green"), user("why?")], CODE)
        assert "noon" in sent(memory, later)
        report = memory.forget(turn_ids=[name])
        assert report.rows["injection"] == 1
        assert "noon" not in sent(memory, later)


@pytest.mark.requirement("P-IDN-07")
def test_no_word_of_a_forgotten_turn_stays_with_the_proxy(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path / "home")
    words = "the violet submarine leaves Gothenburg at nine tomorrow"
    with quiet(store) as memory:
        proxied = Proxied(memory)
        asked = proxied.ask([user(words)], CODE)
        proxied.answered(asked, assistant("Noted"), client=CODE)
        (name, _) = proxied.ids(asked[0].session)
        later = proxied.ask([user("when does it leave?")], header="other")
        block = f"{BLOCK}\n0 Ann: {words}"
        with_block(memory, later, [name], block)
        proxied.answered(later, assistant("At nine"))
        traces = traces_of([memory.restore(name)])
        with store.snapshot() as reader:
            kept = INJECTION.scan(reader, ("default",), ("default",))
        memory.forget(turn_ids=[name])
        proof = prove(store, "default", traces)
        assert proof.ok, proof.found
        store.transaction(lambda tx: INJECTION.put(tx, kept))
        assert prove(store, "default", traces).found["injection"] > 0  # the proof would see what was left
    store.close()


@pytest.mark.requirement("P-IDN-12")
def test_nothing_may_be_added_that_cannot_be_put_back() -> None:
    with quiet() as memory:
        proxied = Proxied(memory)
        asked = proxied.ask([user("which tea?")], CODE)
        memory.pause()
        assert with_block(memory, asked, []) is None


@pytest.mark.requirement("P-IDN-15")
def test_a_recall_repeats_nothing_that_the_request_holds() -> None:
    with quiet() as memory:
        proxied = Proxied(memory)
        talk = Talk(proxied, client=CODE)
        for n in range(8):
            talk.says(f"Ann buys {n} kilos of tea in Assam", f"Noted: {n} kilos of tea")
        conversation, _ = proxied.ask([*talk.messages[6:], user("How much tea does Ann buy in Assam?")], CODE)
        wanted = RecallRequest(2000, counter(memory.config.counter))
        context = recall(memory.reads, "How much tea does Ann buy in Assam?", wanted, Filter(), conversation.shown)
        shown = {name for item in context.items for name in item.turn_ids}
        held = {name for names in conversation.turn_ids for name in names}
        assert shown
        assert not shown & held
        assert memory.explain(context.receipt_id).settings["in_window"] == len(held)


@pytest.mark.requirement("P-IDN-25")
def test_a_question_that_is_asked_again_is_not_shown_the_answers_that_are_replaced() -> None:
    with quiet() as memory:
        proxied = Proxied(memory)
        talk = Talk(proxied)
        talk.says("We build a ferry.", "Which one?")
        question = [*talk.messages, user("Which colour gets her funnel?")]
        first, _ = proxied.ask(question)
        assert earlier_answers(memory.parts, first) == ()
        proxied.answered((first, proxied.ask(question)[1]), assistant("Magenta."))
        proxied.exchange([*question, assistant("Magenta."), user("Her name is Alma.")], assistant("Good."))
        proxied.exchange(question, assistant("Teal."))
        again, _ = proxied.ask(question)
        replaced = earlier_answers(memory.parts, again)
        assert [memory.get(turn_id(*place)).text for place in replaced] == ["Magenta.", "Teal."]
        other, _ = proxied.ask([*talk.messages, user("Which colour gets her hull?")])
        assert earlier_answers(memory.parts, other) == ()


@pytest.mark.requirement("P-IDN-25")
def test_an_answer_that_called_tools_is_replaced_with_its_calls_and_results() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    calls: Message = {"role": "assistant", "content": "I look.", "tool_calls": [call]}
    result: Message = {"role": "tool", "tool_call_id": "c1", "content": "magenta"}
    with quiet() as memory:
        proxied = Proxied(memory)
        question = [user("We build a ferry."), assistant("Yes?"), user("Which colour gets her funnel?")]
        proxied.exchange(question[:1], assistant("Yes?"))
        proxied.exchange(question, calls)
        proxied.exchange([*question, calls, result], assistant("Magenta."))
        again, _ = proxied.ask(question)
        texts = [memory.get(turn_id(*place)).text for place in earlier_answers(memory.parts, again)]
        assert [text.splitlines()[0] for text in texts] == ["I look.", "magenta", "Magenta."]


def traced(store: SqliteStore, proxied: Proxied, messages: list[Message]) -> tuple[int, int]:
    """Statements that the next exchange of a conversation takes, and the rows of turns that it writes."""
    seen: list[str] = []

    def trace(_: Any, sql: str, __: Any) -> bool:
        seen.append(sql)
        return True

    with store.snapshot() as reader:
        connections = [store._writer._connection, reader._connection]  # type: ignore[attr-defined]  # what is traced
    for connection in connections:
        connection.exec_trace = trace
    asked = proxied.ask(messages, CODE)
    proxied.answered(asked, assistant("done"), client=CODE)
    for connection in connections:
        connection.exec_trace = None
    return len(seen), sum(sql.startswith('INSERT INTO "turn" ') for sql in seen)


@pytest.mark.requirement("P-IDN-11")
def test_the_next_request_costs_what_is_new_in_it(tmp_path: Path) -> None:
    counts = set()
    for length in (20, 2000):
        store = SqliteStore.open(tmp_path / f"{length}")
        with quiet(store) as memory:
            memory.parts.worker.stop()  # whose statements are not counted
            proxied = Proxied(memory)
            messages = [user(f"question {n}") if n % 2 == 0 else assistant(f"answer {n}") for n in range(length)]
            proxied.exchange([*messages, user("last")], assistant("done"), CODE)
            messages += [user("last"), assistant("done"), user("and then?")]
            counts.add(traced(store, proxied, messages))
        store.close()
    assert len(counts) == 1
    ((statements, turns),) = counts
    assert turns == 2
    assert statements <= 50
