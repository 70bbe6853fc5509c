"""Commands typed into a chat, through the pipeline's outer layer, in the four formats."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from clew.errors import ModelError
from clew.memory import Memory
from clew.serve.access import EVERYTHING, AccessScope, Principal
from clew.serve.proxy.commands import MARK, Command, Commands, answered, command_in, without_commands
from clew.serve.proxy.exchange import ChatRequest
from clew.serve.proxy.wires import WIRES
from tests.support.calls import calls_of
from tests.support.memories import at, quiet, told
from tests.support.proxy_talks import assistant, user
from tests.support.tool_loops import request_of

WIRE_NAMES = sorted(WIRES)
LINES = ("We looked at the", "Please mend the", "They broke the", "I like the")


@pytest.fixture
def memory() -> Iterator[Memory]:
    with quiet() as opened:
        opened.add_many(
            told(f"{line} {topic}.", session="api", at=at(90 * place + minute))
            for place, topic in enumerate(("login page", "deployment", "umbrella"))
            for minute, line in enumerate(LINES)
        )
        opened.add(told("Something else.", session="other"))
        assert opened.drain(200)
        yield opened


def commands(memory: Memory, scopes: frozenset[AccessScope] = EVERYTHING, session: str = "api") -> Commands:
    return Commands(memory, Principal(memory.space, scopes), session)


def read(wire: str, value: dict[str, Any], path: str = "") -> ChatRequest:
    return WIRES[wire].read(path or request_of(wire, "x")[0], {}, json.dumps(value).encode())


@pytest.mark.requirement("S-REST-04")
def test_a_conversation_is_paused_and_resumed(memory: Memory) -> None:
    assert commands(memory).answer(Command("pause")).startswith("Paused.")
    assert list(memory.stats().details["paused_sessions"]) == ["api"]
    assert "is stored" in commands(memory).answer(Command("resume"))
    assert memory.stats().details["paused_sessions"] == {}
    assert "X-Clew-Incognito" in commands(memory, session="").answer(Command("pause"))
    memory.pause()
    assert "whole space is paused" in commands(memory).answer(Command("resume"))
    reader = commands(memory, frozenset({AccessScope.READ}))
    assert "scope write" in reader.answer(Command("pause"))


@pytest.mark.requirement("P-SRF-30")
@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("clew status", Command("status")),
        ("  /clew Recall the old plan \n", Command("recall", "the old plan")),
        ("VCATTACH my label", Command("attach", "my label")),
        ("vcstatus", Command("status")),
        ("clew status please\nand more", None),
        ("what does clew status do?", None),
        ("clew statusbar", None),
        ("clew", None),
        ("", None),
    ],
)
def test_a_command_is_a_whole_message(text: str, command: Command | None) -> None:
    assert command_in(text) == command


@pytest.mark.requirement("P-SRF-31")
@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("wire", WIRE_NAMES)
def test_the_answer_has_the_shape_of_the_client_s_api(wire: str, stream: bool) -> None:
    path, value = request_of(wire, "clew status", stream=stream)
    local = answered(WIRES[wire], read(wire, value, path), "Two\nlines, é.")
    reader = WIRES[wire].reader()
    reader.feed(local.body)
    answer = reader.answer()
    assert answer.complete
    assert "Two" in json.dumps(answer.messages)
    assert local.content_type.startswith("text/event-stream" if stream else "application/json")
    if wire == "gemini" and stream:
        listed = answered(WIRES[wire], read(wire, value, path.replace("?alt=sse", "")), "Listed.")
        assert "Listed." in json.dumps(json.loads(listed.body))


@pytest.mark.requirement("P-SRF-32")
@pytest.mark.parametrize("wire", WIRE_NAMES)
def test_commands_and_their_answers_are_taken_out_wherever_they_stand(wire: str) -> None:
    proxy_wire = WIRES[wire]
    member = {"responses": "input", "gemini": "contents"}.get(wire, "messages")

    def person(text: str) -> Any:
        return request_of(wire, text)[1][member][0]

    def model(text: str) -> list[Any]:
        local = answered(proxy_wire, read(wire, request_of(wire, "x")[1]), text)
        return list(proxy_wire.read_answer(local.body).messages)

    plain = model("Plain.")
    for message in plain:
        text = json.dumps(message).replace(MARK, "")
        message.clear()
        message.update(json.loads(text))
    _, value = request_of(wire, "x")
    kept = [person("Hello."), *plain, person("And now?")]
    history = [
        *(person("clew status"), *model("Conversation: x")),
        *(person("clew attach api"), *model("Attached to api\nWhat is said from here on belongs to it.")),
        kept[0],
        *plain,
        *(person("clew list"), *model("api: ...")),
        kept[-1],
    ]
    cleaned = without_commands(proxy_wire, read(wire, {**value, member: history}))
    assert cleaned.command is None
    assert cleaned.attached == "api"
    assert cleaned.request is not None
    assert json.loads(cleaned.request.body)[member] == kept
    asked = without_commands(proxy_wire, read(wire, {**value, member: [*history, *plain, person("clew compact")]}))
    assert asked.command == Command("compact")
    assert asked.request is not None
    assert json.loads(asked.request.body)[member] == [*kept, *plain]
    alone = without_commands(proxy_wire, read(wire, {**value, member: [person("clew list")]}))
    assert (alone.command, alone.request) == (Command("list"), None)
    said = without_commands(proxy_wire, read(wire, {**value, member: [person("clew status"), *plain, person("Hm?")]}))
    assert said.request is not None
    assert len(json.loads(said.request.body)[member]) == 2 + len(plain), "that was answered by a model"


@pytest.mark.requirement("P-SRF-30")
@pytest.mark.parametrize("wire", WIRE_NAMES)
def test_of_a_long_history_only_the_last_question_is_read_as_a_command(wire: str) -> None:
    proxy_wire, (_, value) = WIRES[wire], request_of(wire, "and then?")
    member = proxy_wire.messages_member
    talk = [*value[member]] if isinstance(value[member], list) else [user(value[member])]
    answer = {"role": "model", "parts": [{"text": "Noted."}]} if wire == "gemini" else assistant("Noted.")
    request = read(wire, {**value, member: [*(talk[-1], answer) * 40, talk[-1]]})
    with calls_of(command_in) as done:
        assert without_commands(proxy_wire, request).request is request
    assert done == ["command_in"]


@pytest.mark.requirement("P-SRF-30")
def test_what_the_commands_say(memory: Memory) -> None:
    chat = commands(memory)
    assert chat.answer(Command("label")) == "This conversation is called 'We looked at the login page.'."
    assert chat.answer(Command("label", "Web shop")) == "This conversation is now called 'Web shop'."
    status = chat.answer(Command("status"))
    assert "Conversation: api\nLabel: Web shop\nTurns: 12 here, 13 in 2 conversations" in status
    assert "login-page (1 segment)" in status
    assert "api: Web shop, 12 turns" in chat.answer(Command("list"))
    assert "Please mend the deployment." in chat.answer(Command("recall", "what about the deployment?"))
    assert chat.answer(Command("attach", "web SHOP")).startswith("Attached to api\n")
    assert chat.answer(Command("attach", "oth")).startswith("Attached to other\n")
    assert chat.answer(Command("attach", "zebra")).startswith("Not done: there is no session 'zebra'")
    assert "Name the conversation" in chat.answer(Command("attach"))
    assert chat.answer(Command("compact")).startswith("Condensed; the recap has ")
    assert commands(memory, session="none").answer(Command("compact")).startswith("Not done: ")
    assert "Nothing of this conversation" in commands(memory, session="none").answer(Command("label", "x"))


class Broken:
    """An embedder that is not there."""

    name, dim = "broken@1", 4

    def embed(self, texts: Any) -> Any:
        raise ModelError(f"{len(texts)} texts cannot be embedded")


@pytest.mark.requirement("P-SRF-30")
def test_the_status_tells_what_waits_by_its_kind() -> None:
    with quiet(embedder=Broken()) as waiting:
        waiting.add(told("We looked at the login page.", session="api"))
        told_last = commands(waiting).answer(Command("status")).splitlines()[-1]
    assert told_last.startswith("Waiting in the background: ")
    assert "1 embed" in told_last


@pytest.mark.requirement("P-SRF-33")
def test_forgetting_asks_first(memory: Memory) -> None:
    chat = commands(memory)
    asked = chat.answer(Command("forget", "deployment"))
    assert "4 turns about 'deployment' would be deleted for good" in asked
    assert memory.labelled("deployment")
    wrong = chat.answer(Command("forget", "deployment 000000"))
    assert wrong.startswith("That is another number of turns than before.")
    assert memory.labelled("deployment")
    code = asked.rpartition(" ")[2]
    assert chat.answer(Command("forget", f"deployment {code}")).startswith("Deleted 4 turns about 'deployment'")
    assert memory.drain(200)
    assert memory.labelled("deployment") == []
    assert "No topic is called 'zebra'; there are: login-page" in chat.answer(Command("forget", "zebra"))
    assert "Name the topic" in chat.answer(Command("forget"))


@pytest.mark.requirement("P-SRF-30")
def test_a_conversation_whose_name_has_several_lines_is_not_attached(memory: Memory) -> None:
    for name in ("two\u2028lines", "two\rlines", "two\nlines"):
        memory.add(told("Hello.", session=name))
        assert "has a line break in its name" in commands(memory).answer(Command("attach", name))
    talk = [user("clew attach x"), assistant("[clew] Attached to "), user("Hm?")]
    assert without_commands(WIRES["openai"], read("openai", {"messages": talk})).attached is None


@pytest.mark.requirement("P-SRF-33")
def test_a_token_needs_the_scope(memory: Memory) -> None:
    reader = commands(memory, frozenset({AccessScope.READ, AccessScope.PROXY}))
    for name, scope in (("forget", "forget"), ("label", "write"), ("compact", "write")):
        assert reader.answer(Command(name, "x")) == f"This token does not allow {name}; it needs the scope {scope}."
    assert "Conversation: api" in reader.answer(Command("status"))
