"""A client that keeps the first messages of a chat and sends the last ones behind them."""

from collections.abc import Sequence

import pytest

from clew.memory import Memory
from clew.serve.proxy.exchange import ClientMark
from clew.serve.proxy.injections import Injections
from clew.serve.proxy.wires import WIRES
from clew.types import Turn
from tests.support.memories import quiet
from tests.support.proxy_talks import Message, Proxied, assistant, user

OPENAI = WIRES["openai"]


@pytest.mark.requirement("P-IDN-26")
@pytest.mark.parametrize("head", [1, 2, 3])
@pytest.mark.parametrize("window", [3, 4, 5])
def test_a_window_of_short_words_goes_on_at_the_end_and_keeps_its_blocks(head: int, window: int) -> None:
    with quiet() as memory:
        proxied, client = Proxied(memory), ClientMark("open-webui", "c1")
        injections, history, blocks = Injections(memory.parts), list[Message](), dict[str, str]()
        for n in range(14):
            is_short = n % 3 == 2
            history.append(user("yes" if is_short else f"question {n}"))
            sent = history if len(history) <= head + window else [*history[:head], *history[-window:]]
            conversation, request = proxied.ask(sent, client)
            back = injections.put_back(conversation, request, OPENAI)
            held = [str(message["content"]) for message in sent]
            assert set(back.texts) == {block for text, block in blocks.items() if text in held}
            if not is_short:
                formed = injections.formed(conversation, len(sent) - 1, f"Quoted for {n}.")
                if formed is not None and injections.record(conversation, len(sent) - 1, formed, turns=[]):
                    blocks[f"question {n}"] = formed[1]
            answer = assistant("ok" if is_short else f"answer {n}")
            proxied.answered((conversation, request), answer, client=client)
            history.append(answer)
        assert proxied.stored("open-webui/c1") == [str(message["content"]) for message in history]


@pytest.mark.requirement("P-IDN-26")
def test_a_window_that_begins_in_the_middle_of_an_answer_is_known() -> None:
    def call(n: int, path: str) -> Message:
        return {"type": "function_call", "call_id": f"c{n}", "name": "Read", "arguments": f'{{"path": "{path}"}}'}

    def result(n: int, text: str) -> Message:
        return {"type": "function_call_output", "call_id": f"c{n}", "output": text}

    with quiet() as memory:
        proxied, client = Proxied(memory, "responses"), ClientMark("", "c1")
        history = [user("Read both.")]
        for n in range(0, 6, 2):
            asked = proxied.ask(history, client)
            said = [assistant(f"I read {n}."), call(n, f"{n}.py"), call(n + 1, f"{n + 1}.py")]
            proxied.answered(asked, *said, client=client)
            history += [*said, result(n, f"lines of {n}"), result(n + 1, f"lines of {n + 1}")]
        proxied.answered(proxied.ask(history, client), assistant("Done."), client=client)
        before = proxied.stored("client/c1")
        whole = [*history, assistant("Done."), user("And now?")]
        for cut in range(2, len(whole) - 2):
            window = [*whole[:2], *whole[cut:]]
            asked = proxied.ask(window, client)
            assert proxied.stored("client/c1") == [*before, "And now?"], cut
            assert asked[0].cut is (cut > 2)


@pytest.mark.requirement("P-IDN-18")
@pytest.mark.parametrize("is_restarted", [False, True])
@pytest.mark.parametrize("window", range(3, 10))
def test_windows_of_a_session_that_others_stored_store_no_message_again(window: int, is_restarted: bool) -> None:
    with quiet() as memory:
        history = [made(n) for n in range(6) for made in (_question, _answer)]
        stored = _stored_after(memory, history, [window] * 4, is_restarted=is_restarted)
        assert stored == [said["content"] for said in history]


@pytest.mark.requirement("P-IDN-18")
@pytest.mark.parametrize("is_restarted", [False, True])
@pytest.mark.parametrize("further", [5, 7, 13])
def test_more_of_a_session_that_others_stored_is_known_after_a_window_of_it(further: int, is_restarted: bool) -> None:
    with quiet() as memory:
        history = [made(n) for n in (0, 1, 2, 2, 3, 4) for made in (_question, _answer)]
        stored = _stored_after(memory, history, (3, further, 3, further + 2, 40), is_restarted=is_restarted)
        assert stored == [said["content"] for said in history]


def _stored_after(memory: Memory, history: list[Message], windows: Sequence[int], *, is_restarted: bool) -> list[str]:
    """What is stored of a history that others stored and that a client goes on with, by windows of these lengths."""
    memory.add_many(Turn(role=said["role"], content=said["content"], session="s") for said in history)
    proxied = Proxied(memory)
    for n, window in enumerate(windows, 6):
        history.append(_question(n))
        proxied.exchange(history[-window:], _answer(n), header="s")
        history.append(_answer(n))
        if is_restarted:
            proxied.restart()
    return proxied.stored("s")


def _question(n: int) -> Message:
    return user(f"question {n}")


def _answer(n: int) -> Message:
    return assistant(f"answer {n}")
