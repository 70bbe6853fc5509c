"""The adapters behind the real libraries: ./dev test-adapters installs them."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypedDict

import pytest

from clew import Memory
from tests.support.memories import quiet

pytest.importorskip("langgraph", reason="./dev test-adapters runs these")

from agents import Agent, Model, ModelResponse, Runner, Usage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.store.base import MatchCondition, PutOp
from llama_index.core.base.llms.types import ToolCallBlock
from llama_index.core.llms import ChatMessage
from openai.types.responses import ResponseOutputMessage, ResponseOutputText

from clew.adapters.langgraph import ClewStore, RememberingSaver
from clew.adapters.llama_index import ClewMemory
from clew.adapters.openai_agents import ClewSession
from clew.errors import InputError

pytestmark = pytest.mark.filterwarnings("default")  # the libraries' own


@pytest.fixture
def memory() -> Iterator[Memory]:
    with quiet() as opened:
        yield opened


# ------------------------------------------------------------------------------------------------------------ LangGraph


@pytest.mark.requirement("P-ADP-01")
def test_the_store_keeps_items_by_namespace_and_key(memory: Memory) -> None:
    store = ClewStore(memory)
    store.put(("users", "ann"), "food", {"text": "Ann loves pizza with olives"})
    store.put(("users", "ann"), "job", {"title": "baker", "since": 2019})
    store.put(("users", "bob / eve"), "food", {"text": "Bob eats no fish"})
    store.put(("users", "ann"), "food", {"text": "Ann is tired of pizza"})
    found = store.get(("users", "ann"), "food")
    assert found is not None
    assert found.value == {"text": "Ann is tired of pizza"}
    assert found.created_at <= found.updated_at
    assert store.get(("users",), "food") is None
    store.delete(("users", "ann"), "food")
    assert store.get(("users", "ann"), "food") is None
    assert "pizza" not in str([hit.turn.text for hit in memory.search("pizza")])
    assert store.list_namespaces() == [("users", "ann"), ("users", "bob / eve")]
    assert store.list_namespaces(suffix=("ann",)) == [("users", "ann")]
    assert store.list_namespaces(max_depth=1) == [("users",)]
    assert MatchCondition("prefix", ("users", "*")).path == ("users", "*")
    assert store.list_namespaces(prefix=("users", "*"), limit=1, offset=1) == [("users", "bob / eve")]


@pytest.mark.requirement("P-ADP-01")
def test_the_store_searches_by_words_and_by_filter(memory: Memory) -> None:
    store = ClewStore(memory)
    for number, city in enumerate(("Lima", "Oslo", "Rome")):
        store.put(("trips",), city.lower(), {"text": f"A week in {city}", "cost": number * 100, "kind": "holiday"})
    store.put(("trips", "old"), "bonn", {"text": "A day in Bonn", "cost": 20, "kind": "work"})
    best = store.search(("trips",), query="when were we in Oslo?", limit=1)
    assert [item.key for item in best] == ["oslo"]
    assert best[0].score is not None
    assert {item.key for item in store.search(("trips",), filter={"cost": {"$gte": 20, "$lt": 200}})} == {
        "oslo",
        "bonn",
    }
    assert [item.key for item in store.search(("trips", "old"))] == ["bonn"]
    assert [item.key for item in store.search((), filter={"kind": "work"})] == ["bonn"]
    assert [item.key for item in store.search(("trips",), limit=2, offset=1)] == ["oslo", "rome"]
    store.put(("trips",), "oslo", {"text": "A month in Bergen"})
    assert "Oslo" not in str([item.value for item in store.search(("trips",), query="Oslo")])  # the newest counts
    with pytest.raises(InputError, match=r"\$near"):
        store.search(("trips",), filter={"cost": {"$near": 3}})


@pytest.mark.requirement("P-ADP-01")
def test_the_store_works_for_several_stores_batches_and_restarts(tmp_path: Path) -> None:
    with quiet(tmp_path / "home") as memory:
        first, second = ClewStore(memory), ClewStore(memory)
        first.put(("a",), "k", {"n": 1})
        assert second.get(("a",), "k") is not None
        second.delete(("a",), "k")
        assert first.get(("a",), "k") is None
        asyncio.run(first.abatch([PutOp(("a",), "k", {"n": number}) for number in range(3)]))
        with pytest.raises(InputError, match="JSON"):
            first.put(("a",), "bad", {"x": object()})
    with quiet(tmp_path / "home") as memory:
        found = ClewStore(memory).get(("a",), "k")
        assert found is not None
        assert found.value == {"n": 2}


class _State(TypedDict):
    messages: list[Any]


@pytest.mark.requirement("P-ADP-02")
def test_the_saver_remembers_what_a_graph_trims(memory: Memory) -> None:
    def answer(state: _State) -> _State:
        said = state["messages"][-1]["content"]
        return {"messages": [*state["messages"], {"role": "assistant", "content": f"Noted: {said}"}][-2:]}

    builder = StateGraph(_State)
    builder.add_node("answer", answer)
    builder.add_edge(START, "answer")
    builder.add_edge("answer", END)
    saver = RememberingSaver(InMemorySaver(), memory)
    graph = builder.compile(checkpointer=saver)
    config: Any = {"configurable": {"thread_id": "t1"}}
    graph.invoke({"messages": [{"role": "user", "content": "The gate code is 4711"}]}, config)
    before = graph.get_state(config).values["messages"]
    graph.invoke({"messages": [*before, {"role": "user", "content": "We meet at noon"}]}, config)
    assert [turn.text for turn in memory.turns("t1")] == [
        "The gate code is 4711",
        "Noted: The gate code is 4711",
        "We meet at noon",
        "Noted: We meet at noon",
    ]
    assert len(graph.get_state(config).values["messages"]) == 2
    memory.pause()
    graph.invoke({"messages": [{"role": "user", "content": "This is between us"}]}, config)
    assert graph.get_state(config).values["messages"][-1]["content"] == "Noted: This is between us"
    assert len(memory.turns("t1")) == 4
    saver.delete_thread("t1")
    assert not graph.get_state(config).values


@pytest.mark.requirement("P-ADP-01")
def test_the_saver_keeps_what_a_subgraph_says_out_of_the_thread_until_the_graph_has_it(memory: Memory) -> None:
    def look(_: MessagesState) -> Any:
        return {"messages": [{"role": "assistant", "content": "The tin is behind the flour", "id": "found"}]}

    inner = StateGraph(MessagesState).add_node("look", look).add_edge(START, "look").compile(checkpointer=True)

    def ask(_: MessagesState) -> Any:
        inner.invoke({"messages": [{"role": "user", "content": "Look for the tin", "id": "order"}]})
        return {"messages": [{"role": "assistant", "content": "There is green tea"}]}

    saver = RememberingSaver(InMemorySaver(), memory)
    graph = StateGraph(MessagesState).add_node("ask", ask).add_edge(START, "ask").compile(checkpointer=saver)
    config: Any = {"configurable": {"thread_id": "tea"}}
    for question in ("Which tea do we have?", "Really?"):
        graph.invoke({"messages": [{"role": "user", "content": question}]}, config)
    assert [turn.text for turn in memory.turns("tea")] == [
        "Which tea do we have?",
        "There is green tea",
        "Really?",
        "There is green tea",
    ]
    assert {turn.branch for turn in memory.turns("tea")} == {""}


# ---------------------------------------------------------------------------------------------------------- Agents SDK


class _Scripted(Model):
    """A model that answers with the number of items that it was given."""

    def __init__(self) -> None:
        self.asked: list[Any] = []

    async def get_response(self, *_: Any, **said: Any) -> ModelResponse:
        input = said["input"]  # noqa: A001  # the SDK's name
        self.asked.append(input)
        text = ResponseOutputText(type="output_text", text=f"{len(input)} items", annotations=[])
        message = ResponseOutputMessage(
            id=f"m{len(self.asked)}", type="message", role="assistant", status="completed", content=[text]
        )
        return ModelResponse(output=[message], usage=Usage(), response_id=None)

    def stream_response(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError


@pytest.mark.requirement("P-ADP-03")
def test_an_agent_continues_its_session(memory: Memory) -> None:
    async def talk() -> list[str]:
        model = _Scripted()
        agent = Agent(name="a", model=model)
        first = await Runner.run(agent, "My dog is called Bello", session=ClewSession(memory, "s"))
        second = await Runner.run(agent, "And my cat Mia", session=ClewSession(memory, "s"))
        return [first.final_output, second.final_output]

    assert asyncio.run(talk()) == ["1 items", "3 items"]
    assert [(turn.role, turn.text) for turn in memory.turns("s")][:2] == [
        ("user", "My dog is called Bello"),
        ("assistant", "1 items"),
    ]
    assert "Bello" in memory.recall("what is my dog called?").text


@pytest.mark.requirement("P-ADP-03")
def test_a_session_gives_items_back_as_they_came(memory: Memory) -> None:
    items: list[Any] = [
        {"role": "user", "content": [{"type": "input_text", "text": "Run it"}]},
        {"type": "reasoning", "id": "r1", "summary": [], "encrypted_content": "gAAA"},
        {"type": "function_call", "call_id": "c1", "name": "run", "arguments": '{"cmd": "ls"}'},
        {"type": "function_call_output", "call_id": "c1", "output": "a.txt"},
        {"type": "something_new", "payload": {"x": 1}},
        {"role": "user", "content": "ok"},
        {"role": "user", "content": "ok"},
    ]

    async def story() -> None:
        session = ClewSession(memory, "s")
        await session.add_items(items)
        assert await ClewSession(memory, "s").get_items() == items
        assert await session.get_items(2) == items[-2:]
        assert await session.get_items(0) == []
        assert await session.pop_item() == items[-1]
        assert await session.get_items() == items[:-1]
        await session.clear_session()
        assert await session.get_items() == []
        assert await ClewSession(memory, "s").get_items() == []
        assert await session.pop_item() is None
        await session.add_items(items[:1])
        assert await ClewSession(memory, "s").get_items() == items[:1]
        with pytest.raises(InputError, match="object"):
            await session.add_items(["text"])

    asyncio.run(story())
    assert [turn.role for turn in memory.turns("s")][2:4] == ["assistant", "tool"]
    assert len(memory.turns("s")) == 6  # cleared, and still there


@pytest.mark.requirement("P-ADP-03")
def test_each_item_is_popped_by_one_caller(memory: Memory) -> None:
    items: list[Any] = [{"role": "user", "content": f"step {number}"} for number in range(12)]

    async def story() -> list[Any]:
        one, other = ClewSession(memory, "s"), ClewSession(memory, "s")
        await one.add_items(items)
        return list(await asyncio.gather(*(session.pop_item() for session in (one, other) * 6)))

    popped = asyncio.run(story())
    assert sorted(item["content"] for item in popped) == sorted(item["content"] for item in items)


# ---------------------------------------------------------------------------------------------------------- LlamaIndex


@pytest.mark.requirement("P-ADP-04")
def test_llama_index_gets_the_newest_messages_and_what_is_recalled(memory: Memory) -> None:
    chat = ClewMemory.from_defaults(memory=memory, session="s", token_limit=60)
    chat.put(ChatMessage(role="user", content="The boiler's serial number is QX-9911"))
    for number in range(30):
        chat.put(ChatMessage(role="user" if number % 2 else "assistant", content=f"Small talk number {number}"))
    got = chat.get("what is the serial number of the boiler?")
    assert got[0].role.value == "system"
    assert "QX-9911" in str(got[0].content)
    assert got[-1].content == "Small talk number 29"
    assert len(got) < 20
    assert len(chat.get_all()) == 31
    chat.set([*chat.get_all(), ChatMessage(role="user", content="And now?")])
    assert len(chat.get_all()) == 32
    chat.set([ChatMessage(role="user", content="Another history")])
    assert [message.content for message in chat.get_all()] == ["Another history"]
    chat.reset()
    assert chat.get_all() == []
    assert len(memory.turns("s")) == 32
    assert asyncio.run(chat.aget("boiler serial number"))[0].role.value == "system"
    with pytest.raises(InputError, match=r"clew\.Memory"):
        ClewMemory.from_defaults(session="s")


@pytest.mark.requirement("P-ADP-04")
def test_the_call_of_a_tool_in_a_message_of_llama_index_is_found(memory: Memory) -> None:
    chat = ClewMemory.from_defaults(memory=memory, session="s")
    call = ToolCallBlock(tool_call_id="c1", tool_name="look_up_tide", tool_kwargs={"harbour": "Bergen", "days": [1, 2]})
    chat.put(ChatMessage(role="assistant", blocks=[call]))
    assert chat.get_all()[0].blocks == [call]
    assert [[hit.turn.session for hit in memory.search(words)] for words in ("look_up_tide", "Bergen")] == [
        ["s"],
        ["s"],
    ]


# -------------------------------------------------------------------------------------------------------------- refused


@pytest.mark.requirement("P-ADP-03")
def test_wrong_arguments_are_named_where_they_come_in(memory: Memory) -> None:
    saver: Any = "a checkpointer"
    with pytest.raises(InputError, match="expected a checkpointer of LangGraph"):
        RememberingSaver(saver, memory)
    text: Any = "Hello."
    with pytest.raises(InputError, match="expected a clew"):
        ClewStore(text)
    chat = ClewMemory.from_defaults(memory=memory, session="s")
    with pytest.raises(InputError, match="expected a ChatMessage of LlamaIndex"):
        chat.put(text)
    with pytest.raises(InputError, match="expected a whole number: the number of newest items"):
        asyncio.run(ClewSession(memory, "s").get_items(limit=text))
