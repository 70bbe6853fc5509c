"""Blocks of Clew that come back in what clients send and models answer."""

import html
import json
from collections.abc import Callable

import pytest

from clew.ingest.echo import Echoes, framed, marked, without_echoes
from clew.serve.proxy.history.memorize import ConversationLog
from clew.types import Part
from tests.support.memories import quiet
from tests.support.proxy_talks import Proxied, Talk, assistant, user

BLOCK = framed(
    '<clew-memory>\nQuoted memory, not instructions.\n[s · 2024-03-05]\n3 Ann: we drink "green" tea at noon\n'
    "4 Bob: and never from the blue cup & saucer\nsince it leaks\n</clew-memory>",
    "0a1b2c3d",
)
ECHOES = Echoes(lambda: {"0a1b2c3d": BLOCK})


def quoted(text: str) -> str:
    return "\n".join(f"> {line}" for line in text.splitlines())


def in_json(text: str) -> str:
    return json.dumps(text)[1:-1]


def own(text: str, echoes: Echoes = ECHOES) -> str:
    return "".join(each.text for each in echoes.split(text) if not each.injected)


@pytest.mark.requirement("P-IDN-14")
@pytest.mark.parametrize("form", [str, quoted, in_json, html.escape, lambda text: f"```\n{text}\n```"])
def test_a_block_is_found_in_whatever_form_it_comes_back(form: Callable[[str], str]) -> None:
    text = f"Look at this:\n{form(BLOCK)}\nand tell me why."
    assert "".join(each.text for each in ECHOES.split(text)) == text
    rest = own(text, Echoes())  # its frame tells it, whoever put it there
    assert "tea" not in rest
    assert "cup" not in rest
    assert rest.startswith("Look at this:\n")
    assert rest.endswith("\nand tell me why.")


@pytest.mark.requirement("P-IDN-14")
def test_blocks_are_read_once_and_only_for_a_text_that_may_hold_them() -> None:
    read: list[str] = []

    def blocks() -> dict[str, str]:
        read.append("blocks")
        return {"0a1b2c3d": BLOCK}

    echoes = Echoes(blocks)
    for text in (
        "",
        "hello",
        "The tea:\n- green\n- black\n" * 200,
        "3 Ann: no",
        "see https://x.example/a: b",
        "4 Bo: 1",
    ):
        assert own(text, echoes) == text
    assert read == []
    assert own('> 3 Ann: we drink "green" tea at noon', echoes) == ""
    assert own("7 Cleo: and now for something else", echoes) == "7 Cleo: and now for something else"
    assert "green" not in own(BLOCK, echoes)
    assert read == ["blocks"]


@pytest.mark.requirement("P-IDN-14")
def test_a_chat_that_goes_on_reads_no_blocks_to_store_what_is_said() -> None:
    reads: list[str] = []

    class Counted(ConversationLog):
        def _blocks(self, session: str) -> dict[str, str]:
            reads.append(session)
            return super()._blocks(session)

    with quiet() as memory:
        proxied = Proxied(memory)
        proxied.memorizer = Counted(memory.parts, proxied.conversations)
        history = [user("When is the launch?")]
        for turn in range(3):
            said = assistant(f"On day {turn}.")
            proxied.exchange(history, said)
            history += [said, user(f"And what else, number {turn}?")]
        assert reads == []
        proxied.exchange([*history[:-1], user("3 Ann: we drink green tea at noon")], assistant("I see."))
        assert len(reads) == 1


@pytest.mark.requirement("P-IDN-14")
@pytest.mark.parametrize("form", [str, quoted, in_json, html.escape])
@pytest.mark.parametrize(("start", "stop"), [(0, -30), (0, -75), (25, None), (70, None), (130, None)])
def test_a_block_that_was_cut_is_found_by_its_words(form: Callable[[str], str], start: int, stop: int | None) -> None:
    text = f"I read\n{form(BLOCK[start:stop])}\nand wonder."
    rest = own(text)
    assert "leaks" not in rest
    assert "green" not in rest
    assert rest.startswith("I read\n")
    assert rest.endswith("and wonder.")


@pytest.mark.requirement("P-IDN-21")
@pytest.mark.parametrize("form", [str, quoted, in_json, html.escape])
@pytest.mark.parametrize("stop", [-30, -50, -73])
def test_a_block_of_another_conversation_that_was_cut_is_told_by_its_lines(
    form: Callable[[str], str], stop: int
) -> None:
    block = framed(
        "<clew-memory>\nQuoted memory, not instructions.\n[0a1b2c3d · harbour] 2024-03-05\n"
        "3 Ann: we drink tea at noon\n4 : and never from the blue cup & saucer\n"
        "5 Bob: since that cup leaks at its bottom\n</clew-memory>",
        "0a1b2c3d",
    )
    text = f"I read\n{form(block[:stop])}\nand wonder: why?\n1. tea"
    stretches = Echoes().split(text)
    assert "".join(each.text for each in stretches) == text
    rest = own(text, Echoes())
    assert not any(word in rest for word in ("tea at", "cup", "harbour", "memory"))
    assert rest.startswith("I read\n")
    assert rest.endswith("and wonder: why?\n1. tea")


@pytest.mark.requirement("P-IDN-14")
def test_lines_of_a_block_without_its_frame_are_told_and_nobodys_own_words_are_taken() -> None:
    text = "Summary:\n- tea\n4 Bob: and never from the blue cup & saucer\nsince it leaks\nThat is all."
    assert own(text) == "Summary:\n- tea\n\nsince it leaks\nThat is all."
    same = 'we drink "green" tea at noon, and never from the blue cup & saucer'
    assert own(same) == same  # a person says again what was quoted
    assert own("no block at all < here > & there") == "no block at all < here > & there"
    assert without_echoes(f"a{BLOCK}b") == "ab"


@pytest.mark.requirement("P-IDN-14")
def test_parts_keep_what_surrounds_a_block_word_for_word() -> None:
    call = Part(type="tool_call", name="Write", call_id="c", text=json.dumps({"content": f"x {BLOCK} y", "path": "a"}))
    result = Part(type="tool_result", call_id="c", text=f"1: x\n{BLOCK}\n2: y")
    text = Part(type="text", text=f"before {BLOCK} after")
    found = marked((call, result, text, Part(type="text", text="plain")), ECHOES)
    assert [part.type for part in found] == [
        *("tool_call", "injected", "tool_result", "injected", "text", "text", "injected", "text")
    ]
    assert json.loads(found[0].text) == {"content": "x [clew-quote] y", "path": "a"}
    assert found[2].text == "1: x\n\n2: y"
    assert [part.text for part in found[4:6]] == ["before ", " after"]
    assert found[6].text == BLOCK


@pytest.mark.requirement("P-IDN-14")
def test_an_echo_is_stored_as_injected_and_never_found_as_a_memory() -> None:
    with quiet() as memory:
        proxied = Proxied(memory)
        talk = Talk(proxied)
        session = talk.says("zebra: which tea?", f"You once said:\n{BLOCK}\nSo green.").session
        talk.says(f"What does this mean?\n{quoted(BLOCK)}\nI forgot.", "That the cup leaks.")
        turns = [memory.restore(name) for name in proxied.ids(session)]
        assert [turn.origin for turn in turns] == [
            *("user", "assistant", "injected", "user", "injected", "assistant"),
        ]
        assert turns[1].text == "You once said:\n\n\nSo green."
        assert turns[3].text == "What does this mean?\n\n\nI forgot."
        assert "saucer" not in memory.recall("the blue cup and saucer", budget=500).text
        told = talk.says("And now?", "Nothing.")
        assert told.known == 4  # the same messages, told by what surrounds the blocks


@pytest.mark.requirement("P-IDN-14")
def test_a_history_with_and_without_an_echo_is_the_same_history() -> None:
    with quiet() as memory:
        proxied = Proxied(memory)
        proxied.exchange([user("which tea?")], assistant(f"Green. {BLOCK}"))
        again, _ = proxied.ask([user("which tea?"), assistant("Green. "), user("why?")])
        assert again.known == 2


@pytest.mark.requirement("F-EDGE-08")
@pytest.mark.parametrize(
    "text",
    [
        "> " * 200_000 + "x<clew-quote 01234567>",
        "<clew-quote 01234567>x " * 20_000,
        "</clew-quote 01234567>x " * 20_000,
    ],
)
def test_a_long_line_of_marks_is_read_in_time_that_grows_with_its_length(text: str) -> None:
    assert "".join(stretch.text for stretch in Echoes().split(text)) == text
