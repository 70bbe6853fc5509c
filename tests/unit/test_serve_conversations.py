"""Which conversation a request belongs to, and what of it becomes turns."""

import pytest

from clew.rows.conversations import messages_of
from clew.serve.proxy.exchange import Answer, ChatRequest, ClientMark, SideRequest
from clew.serve.proxy.history.message_form import units_of
from clew.types import Turn
from tests.support.chat_requests import LISTS, chat_request
from tests.support.memories import quiet
from tests.support.proxy_talks import NOBODY, Message, Proxied, Talk, assistant, user

CODE = ClientMark(name="claude-code", session="0b7f")


@pytest.mark.requirement("P-IDN-01")
def test_a_history_that_is_sent_again_is_one_conversation_and_adds_what_is_new() -> None:
    with quiet() as memory:
        proxied = Proxied(memory)
        talk = Talk(proxied)
        first = talk.says("which tea?", "green")
        proxied.restart()
        second = talk.says("and which cup?", "the blue one")
        assert (first.session, first.fresh, first.known) == (second.session, True, 0)
        assert (second.fresh, second.known, second.cut) == (False, 2, False)
        assert [len(ids) for ids in second.turn_ids] == [1, 1, 1]
        assert proxied.stored(first.session) == ["which tea?", "green", "and which cup?", "the blue one"]


@pytest.mark.requirement("P-IDN-02")
def test_the_same_first_message_begins_two_conversations() -> None:
    with quiet() as memory:
        proxied = Proxied(memory)
        one, other = Talk(proxied), Talk(proxied)
        assert one.says("hi", "Hello Ann").session != other.says("hi", "Hello Bob").session
        assert one.says("who am I?", "Ann").known == 2
        assert other.says("who am I?", "Bob").known == 2
        assert len(proxied.sessions()) == 2


@pytest.mark.requirement("P-IDN-02")
def test_conversations_with_one_and_the_same_beginning_go_on_apart() -> None:
    with quiet() as memory:
        proxied = Proxied(memory)
        one, other = Talk(proxied), Talk(proxied)
        first, second = one.says("hi", "Hello!").session, other.says("hi", "Hello!").session
        ways = {one.says("tea please", "here").session, other.says("coffee please", "there").session}
        assert ways == {first, second}
        again = Talk(proxied, messages=[user("hi"), assistant("Hello!")])
        assert again.says("cocoa please", "nowhere").session not in ways  # nobody can tell whose this is


@pytest.mark.requirement("P-IDN-02")
def test_examples_that_a_program_sends_with_every_request_join_nobody() -> None:
    with quiet() as memory:
        proxied = Proxied(memory)
        examples = [user("2+2"), assistant("4"), user("3+3"), assistant("6")]
        one, other = Talk(proxied, messages=list(examples)), Talk(proxied, messages=list(examples))
        assert one.says("5+5", "10").session != other.says("7+7", "14").session
        assert one.says("and doubled?", "20").known == 6
        assert other.says("and doubled?", "28").known == 6


@pytest.mark.requirement("P-IDN-03")
def test_the_header_is_the_session_and_ids_of_two_clients_never_meet() -> None:
    with quiet() as memory:
        proxied = Proxied(memory)
        asked, _ = proxied.ask([user("one")], CODE, header="My Project")
        assert asked.session == "My Project"
        code, _ = proxied.ask([user("two")], CODE)
        cursor, _ = proxied.ask([user("two")], ClientMark(name="cursor", session="0b7f"))
        assert (code.session, cursor.session) == ("claude-code/0b7f", "cursor/0b7f")


@pytest.mark.requirement("P-IDN-03")
def test_a_new_id_whose_history_goes_on_is_a_second_name() -> None:
    with quiet() as memory:
        proxied = Proxied(memory)
        talk = Talk(proxied, client=CODE)
        first = talk.says("which tea?", "green")
        talk.client = ClientMark(name="claude-code", session="77aa")
        resumed = talk.says("and now?", "black")
        assert (resumed.session, resumed.known) == (first.session, 2)
        talk.messages = [user("Something else entirely")]
        assert proxied.ask(talk.messages, talk.client)[0].session == first.session


@pytest.mark.requirement("P-IDN-03")
def test_a_sub_agent_is_a_conversation_of_its_own() -> None:
    with quiet() as memory:
        proxied = Proxied(memory)
        main = Talk(proxied, client=CODE)
        session = main.says("Find the bug", "I ask an agent").session
        ids = ("0b7f/a1", None)
        agents = [Talk(proxied, client=ClientMark("claude-code", name, subagent=True)) for name in ids]
        names = {agent.says(f"Look at {n}.py", f"found {n}").session for n, agent in enumerate(agents)}
        assert len(names | {session}) == 3
        assert agents[0].says("More", "done").session in names
        assert proxied.stored(session) == ["Find the bug", "I ask an agent"]
        turn = memory.restore(proxied.ids(min(names))[0])
        assert turn.origin == "assistant"  # no person wrote that


@pytest.mark.requirement("P-IDN-04")
def test_an_edit_and_another_answer_open_branches() -> None:
    with quiet() as memory:
        proxied = Proxied(memory)
        talk = Talk(proxied)
        session = talk.says("which tea?", "green").session
        talk.says("which cup?", "blue")
        edited = proxied.exchange([*talk.messages[:2], user("which pot?")], assistant("the old one"))
        assert (edited.session, edited.known) == (session, 2)
        again = proxied.exchange(talk.messages[:3], assistant("red"))
        assert (again.session, again.known) == (session, 3)
        wanted = ["which tea?", "green", "which cup?", "blue", "edit-1: which pot?", "edit-1: the old one"]
        assert proxied.stored(session) == [*wanted, "edit-2: red"]
        assert memory.verify().ok


@pytest.mark.requirement("P-IDN-05")
def test_a_retry_adds_nothing() -> None:
    with quiet() as memory:
        proxied = Proxied(memory)
        talk = Talk(proxied)
        session = talk.says("which tea?", "green").session
        asked = [*talk.messages, user("which cup?")]
        first, second = proxied.ask(asked), proxied.ask(asked)
        proxied.answered(first, assistant("blue"))
        proxied.answered(second, assistant("blue"))
        assert proxied.stored(session) == ["which tea?", "green", "which cup?", "blue"]


@pytest.mark.requirement("P-IDN-05")
def test_a_first_message_is_that_of_before_only_where_it_got_no_answer() -> None:
    with quiet() as memory:
        proxied = Proxied(memory)
        failed = proxied.ask([user("which tea?")])
        proxied.answered(failed, complete=False)
        again = proxied.ask([user("which tea?")])
        assert again[0].session == failed[0].session
        retried, _ = proxied.ask([user("which tea?")], headers={"x-stainless-retry-count": "1"})
        assert retried.session == failed[0].session
        proxied.answered(again, assistant("green"))
        assert proxied.ask([user("which tea?")])[0].session != failed[0].session


@pytest.mark.requirement("P-IDN-05")
def test_a_question_that_got_no_answer_is_gone_on_from() -> None:
    with quiet() as memory:
        proxied = Proxied(memory)
        said = []
        for question in ("which tea?", "are you there?", "hello?"):  # of which the client keeps all
            said.append(user(question))
            asked = proxied.ask(said)
            proxied.answered(asked, complete=False)
        session = proxied.exchange([*said, user("so?")], assistant("green")).session
        assert session == asked[0].session
        assert proxied.stored(session) == ["which tea?", "are you there?", "hello?", "so?", "green"]
        assert proxied.exchange([user("which tea?"), user("quick!")], assistant("black")).session != session
        assert len(proxied.sessions()) == 2


@pytest.mark.requirement("P-IDN-24")
@pytest.mark.parametrize("client", [NOBODY, CODE])
@pytest.mark.parametrize("shown", ["It is a long", ""])
@pytest.mark.parametrize("before", [0, 2])
def test_an_answer_that_the_client_broke_off_is_gone_on_from(client: ClientMark, shown: str, before: int) -> None:
    with quiet() as memory:
        proxied = Proxied(memory)
        said: list[Message] = [user("hello"), assistant("Hi.")][:before]
        if before:
            proxied.exchange(said[:1], said[1], client)
        said.append(user("tell me a tale"))
        asked = proxied.ask(said, client)
        proxied.answered(asked, assistant("It is a long tale of"), client=client, complete=False)
        proxied.restart()
        said += [assistant(shown)] if shown else []
        said.append(user("shorter, please"))
        on = proxied.exchange(said, assistant("They met."), client)
        assert on.session == asked[0].session
        branch = "" if shown else "edit-1: "
        wanted = ["tell me a tale", "It is a long tale of", f"{branch}shorter, please", f"{branch}They met."]
        assert proxied.stored(on.session)[before:] == wanted
        proxied.restart()
        proxied.exchange([*said, assistant("They met."), user("and then?")], assistant("They parted."), client)
        assert proxied.stored(on.session)[before:] == [*wanted, f"{branch}and then?", f"{branch}They parted."]
        assert len(proxied.sessions()) == 1
        assert memory.verify().ok


@pytest.mark.requirement("P-IDN-24")
@pytest.mark.parametrize(("stored", "shown"), [("It is a long", "It is short"), ("It is", "It is a long tale of")])
def test_another_answer_than_the_one_that_broke_off_is_no_beginning_of_it(stored: str, shown: str) -> None:
    with quiet() as memory:
        proxied = Proxied(memory)
        asked = proxied.ask([user("tell me a tale")])
        proxied.answered(asked, assistant(stored), complete=False)
        history = [user("tell me a tale"), assistant(shown), user("go on")]
        assert proxied.exchange(history, assistant("No.")).session != asked[0].session


@pytest.mark.requirement("P-IDN-05")
def test_an_answer_that_the_client_sends_back_before_it_is_stored_is_stored_once() -> None:
    with quiet() as memory:
        proxied = Proxied(memory)
        asked = proxied.ask([user("which tea?")])
        second, _ = proxied.ask([user("which tea?"), assistant("green"), user("and which cup?")])
        proxied.answered(asked, assistant("green"))
        assert second.session == asked[0].session
        assert proxied.stored(second.session) == ["which tea?", "green", "and which cup?"]


@pytest.mark.requirement("P-IDN-06")
def test_side_requests_pauses_and_patterns_keep_messages_out() -> None:
    with quiet(config={"ingest": {"exclude": ["text:unspeakable"]}}) as memory:
        proxied = Proxied(memory)
        proxied.ask([user("Name this chat")], ClientMark(side=SideRequest.TITLE))
        assert proxied.sessions() == []
        talk = Talk(proxied)
        session = talk.says("which tea?", "the unspeakable one").session
        memory.pause()
        talk.says("a secret of the pause", "kept")
        memory.resume()
        assert talk.says("after it", "heard").session == session
        assert proxied.stored(session) == ["which tea?", "after it", "heard"]


@pytest.mark.requirement("P-IDN-06")
def test_an_answer_that_broke_off_is_stored_as_far_as_it_came() -> None:
    with quiet() as memory:
        proxied = Proxied(memory)
        asked = proxied.ask([user("which tea?")])
        (name,) = proxied.answered(asked, assistant("gre"), complete=False)
        turn = memory.restore(name)
        assert (turn.text, turn.metadata["incomplete"]) == ("gre", True)


@pytest.mark.requirement("P-IDN-07")
def test_what_was_forgotten_does_not_come_back_with_its_history() -> None:
    with quiet() as memory:
        proxied = Proxied(memory)
        talk = Talk(proxied)
        session = talk.says("which tea?", "green").session
        memory.forget(session=session)
        talk.says("and which cup?", "blue")
        assert [text for name in proxied.sessions() for text in proxied.stored(name)] == ["and which cup?", "blue"]
        assert memory.verify().ok


@pytest.mark.requirement("P-IDN-08")
def test_a_history_without_its_beginning_is_recognised_by_its_end() -> None:
    with quiet() as memory:
        proxied = Proxied(memory)
        talk = Talk(proxied)
        for n in range(6):
            session = talk.says(f"question {n}", f"answer {n}").session
        before = proxied.stored(session)
        del talk.messages[:5]
        shorter = talk.says("question 6", "answer 6")
        assert (shorter.session, shorter.cut, shorter.known) == (session, True, 7)
        talk.says("question 7", "answer 7")
        del talk.messages[2:5]
        talk.says("question 8", "answer 8")
        new = [f"{kind} {n}" for n in (6, 7, 8) for kind in ("question", "answer")]
        assert proxied.stored(session) == before + new


@pytest.mark.requirement("P-IDN-08")
def test_two_conversations_with_the_same_end_are_not_taken_for_one_another() -> None:
    with quiet() as memory:
        proxied = Proxied(memory)
        talks = [Talk(proxied), Talk(proxied)]
        for n, talk in enumerate(talks):
            talk.says(f"question of {n}", f"answer to {n}")
            talk.says("are you sure?", "yes")
            talk.says("really?", "yes, really")
        known = set(proxied.sessions())
        tail = Talk(proxied, messages=talks[0].messages[2:])
        assert tail.says("fine", "good").session not in known


@pytest.mark.requirement("P-IDN-09")
def test_a_summary_in_place_of_a_history_is_nobodys_word_and_what_it_replaces_stays() -> None:
    with quiet() as memory:
        proxied = Proxied(memory)
        talk = Talk(proxied, client=CODE)
        for n in range(4):
            session = talk.says(f"question {n}", f"answer {n}").session
        side = [*talk.messages, user("Summarise what was said")]
        proxied.ask(side, ClientMark("claude-code", "0b7f", side=SideRequest.COMPACTION))
        talk.messages = [user("Four questions about numbers were asked and answered.")]
        compacted = proxied.exchange([*talk.messages], assistant("I go on"), CODE)
        assert (compacted.session, compacted.cut) == (session, True)
        assert len(proxied.stored(session)) == 10
        assert memory.restore(proxied.ids(session)[8]).origin == "injected"


@pytest.mark.requirement("P-IDN-09")
def test_results_that_the_client_shortened_are_not_stored_again() -> None:
    def call(n: int) -> dict[str, object]:
        about = {"name": "Read", "arguments": '{"path":"a.py"}'}
        return {"role": "assistant", "content": None, "tool_calls": [{"id": f"c{n}", "function": about}]}

    with quiet() as memory:
        proxied = Proxied(memory)
        messages = [user("read it")]
        for n in range(3):
            proxied.answered(proxied.ask(messages, CODE), call(n), client=CODE)
            messages += [call(n), {"role": "tool", "tool_call_id": f"c{n}", "content": f"line {n} of a long file"}]
        proxied.answered(proxied.ask(messages, CODE), assistant("read"), client=CODE)
        before = proxied.stored("claude-code/0b7f")
        messages[2] = {**messages[2], "content": "[Old tool result content cleared]"}
        shorter = proxied.exchange([*messages, assistant("read"), user("and?")], assistant("done"), CODE)
        assert shorter.cut
        assert shorter.turn_ids[2] == ()  # it is not in the request any more, and may be recalled
        assert proxied.stored("claude-code/0b7f") == [*before, "and?", "done"]


@pytest.mark.requirement("P-IDN-17")
def test_a_request_that_names_the_answer_it_goes_on_from_is_found_by_that() -> None:
    def asked(text: str, *, after: str | None) -> ChatRequest:
        about = {} if after is None else {"previous_response_id": after}
        return chat_request("responses", [{"type": "message", "role": "user", "content": text}], **about)

    with quiet() as memory:
        proxied = Proxied(memory)
        for n in range(3):
            request = asked(f"question {n}", after=f"resp-{n - 1}" if n else None)
            found = proxied.conversations.identify(request, NOBODY)
            assert (found.cut, len(found.shown)) == (False, 2 * n)  # what the provider keeps is in the request, too
            conversation = proxied.memorizer.store_request(found, request, NOBODY)
            said = {"type": "message", "role": "assistant", "content": f"answer {n}"}
            proxied.memorizer.store_answer(conversation, request, NOBODY, Answer((said,), id=f"resp-{n}"))
            proxied.restart()
        other = asked("another way", after="resp-0")
        branch = proxied.memorizer.store_request(proxied.conversations.identify(other, NOBODY), other, NOBODY)
        assert proxied.sessions() == [branch.session]
        straight = [f"{kind} {n}" for n in range(3) for kind in ("question", "answer")]
        assert proxied.stored(branch.session) == [*straight, "edit-1: another way"]
        unknown = asked("hello", after="resp-of-another-server")
        assert proxied.conversations.identify(unknown, NOBODY).session != branch.session
        resumed = proxied.conversations.identify(asked("and now?", after="resp-2"), ClientMark("codex", session="new"))
        assert (resumed.session, resumed.name) == (branch.session, "codex/new")


@pytest.mark.requirement("P-IDN-17")
def test_only_answers_of_responses_are_kept_by_their_ids() -> None:
    def kept(wire: str, number: str) -> int:
        with quiet() as memory:
            proxied = Proxied(memory)
            request = chat_request(wire, [user("which tea?")])
            asked = proxied.conversations.identify(request, NOBODY)
            conversation = proxied.memorizer.store_request(asked, request, NOBODY)
            said = {"type": "message", **assistant("green")}
            proxied.memorizer.store_answer(conversation, request, NOBODY, Answer((said,), id=number))
            with memory.reads.store.snapshot() as reader:
                return len(messages_of(reader, memory.space, conversation.key))

    counts = {wire: kept(wire, "id-1") - kept(wire, "") for wire in LISTS}
    assert counts == {"anthropic": 0, "openai": 0, "responses": 1, "gemini": 0}


@pytest.mark.requirement("P-IDN-18")
def test_a_session_that_was_stored_by_others_is_lined_up_by_its_content() -> None:
    with quiet() as memory:
        memory.add_many([Turn(role="user", content="which tea?", session="s")])
        memory.add_many([Turn(role="assistant", content="green", session="s")])
        talk = Talk(Proxied(memory), header="s", messages=[user("which tea?"), assistant("green")])
        talk.says("and which cup?", "blue")
        talk.says("and which pot?", "the old one")
        wanted = ["which tea?", "green", "and which cup?", "blue", "and which pot?", "the old one"]
        assert talk.proxied.stored("s") == wanted
        memory.add(Turn(role="user", content="said elsewhere", session="s"))
        talk.says("and when?", "now")
        assert talk.proxied.stored("s") == [*wanted, "said elsewhere", "and when?", "now"]
        assert memory.verify().ok


@pytest.mark.requirement("P-IDN-09")
def test_a_history_that_begins_with_its_own_summary_is_the_same_conversation() -> None:
    summary = "## Summary\nThe user asked four questions about numbers, and each of them was answered at once."
    compaction = ClientMark("opencode", side=SideRequest.COMPACTION)
    client = ClientMark("opencode")
    with quiet() as memory:
        proxied = Proxied(memory)
        talks = [Talk(proxied, client=client) for _ in range(2)]
        for n in range(4):
            sessions = [talk.says(f"question {n}", f"answer {n} to {at}").session for at, talk in enumerate(talks)]
        asked = proxied.ask([*talks[1].messages, user("Summarise what was said")], compaction)
        proxied.answered(asked, assistant(summary), client=compaction)
        proxied.restart()
        begun = [user(f"What happened before:\n{summary}\nGo on from there."), assistant("I go on."), user("And now?")]
        found = proxied.exchange(begun, assistant("Nothing."), client)
        assert (found.session, found.cut) == (sessions[1], True)
        turns = [memory.restore(name) for name in proxied.ids(found.session)[8:]]
        assert [turn.origin for turn in turns] == ["injected", "assistant", "user", "assistant"]
        assert len(proxied.sessions()) == 2


@pytest.mark.requirement("P-IDN-02")
def test_a_failed_first_message_is_joined_by_no_other_id() -> None:
    with quiet() as memory:
        proxied = Proxied(memory)
        failed = proxied.ask([user("hi")], CODE)
        proxied.answered(failed, client=CODE, complete=False)
        other = proxied.ask([user("hi")], ClientMark(name="claude-code", session="77aa"))
        assert other[0].session != failed[0].session


@pytest.mark.requirement("P-IDN-06")
def test_what_was_said_in_private_hides_nobody_elses_same_words() -> None:
    with quiet() as memory:
        proxied = Proxied(memory)
        request = chat_request("openai", [user("hi")])
        proxied.memorizer.pass_over(request, Answer((assistant("Hello!"),)))
        assert proxied.sessions() == []
        talk = Talk(proxied, messages=[user("hi"), assistant("Hello!")])
        session = talk.says("now for everyone", "good").session
        assert proxied.stored(session) == ["now for everyone", "good"]
        other = Talk(proxied)
        session = other.says("hi", "Hello!").session
        other.says("and now?", "tea")
        assert proxied.stored(session) == ["hi", "Hello!", "and now?", "tea"]


@pytest.mark.requirement("P-IDN-01")
@pytest.mark.parametrize(
    ("one", "other"),
    [
        (user("tea"), {"role": "user", "content": [{"type": "text", "text": "tea", "cache_control": {}}]}),
        (
            {"role": "model", "parts": [{"text": "gr"}, {"text": "een"}, {"thought": True, "text": "hm"}]},
            {"role": "model", "parts": [{"text": "green", "thoughtSignature": "x"}]},
        ),
        (
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": "1", "function": {"arguments": '{"a":1,"b":2}'}}],
            },
            {"role": "assistant", "tool_calls": [{"id": "2", "function": {"arguments": '{"b": 2, "a": 1}'}}]},
        ),
        (
            {
                "role": "user",
                "content": [{"type": "text", "text": "<system-reminder>x</system-reminder>"}, {"text": "a"}],
            },
            user("a"),
        ),
        (
            {"type": "message", "id": "m1", "status": "completed", "role": "assistant", "content": "x"},
            {"role": "assistant", "content": [{"type": "output_text", "text": "x", "annotations": []}]},
        ),
    ],
)
def test_the_form_of_a_message_makes_no_difference(one: Message, other: Message) -> None:
    assert [unit.digest for unit in units_of([one])] == [unit.digest for unit in units_of([other])]


@pytest.mark.requirement("P-IDN-01")
@pytest.mark.parametrize(
    ("one", "other"),
    [
        (user("tea"), assistant("tea")),
        (
            {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {"status": "ok"}}}]},
            {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {"status": "failed"}}}]},
        ),
        (
            {"role": "user", "content": [{"type": "image", "source": {"data": "AAAA", "id": 1}}]},
            {"role": "user", "content": [{"type": "image", "source": {"data": "AAAA", "id": 2}}]},
        ),
        (
            {"type": "function_call_output", "call_id": "c", "output": "1"},
            {"type": "function_call_output", "call_id": "c", "output": "2"},
        ),
        (
            {"type": "function_call", "name": "f", "arguments": '{"id": 1}'},
            {"type": "function_call", "name": "f", "arguments": '{"id": 2}'},
        ),
    ],
)
def test_what_a_message_says_makes_one(one: Message, other: Message) -> None:
    assert [unit.digest for unit in units_of([one])] != [unit.digest for unit in units_of([other])]
