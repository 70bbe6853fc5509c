"""The summary that a client wrote is found where what it sums up is not stored, whichever way it comes."""

import json
from pathlib import Path
from typing import Any

import pytest

from clew import Memory, Part, Turn
from clew.serve.proxy.exchange import ClientMark
from tests.support.memories import quiet
from tests.support.proxy_talks import Message, Proxied, assistant, user

SUMMARY = (
    "This session is being continued from a previous conversation that ran out of context. "
    "The user chose Valkey for the sessions."
)
QUESTION = "was it Valkey for the sessions?"


def summary(text: str = SUMMARY, **fields: Any) -> Turn:
    return Turn(role="user", session="s", content=(Part(type="injected", text=text),), **fields)


def boundary(tokens: int) -> Turn:
    parts = (Part(type="injected", text="Conversation compacted"),)
    return Turn(role="system", session="s", content=parts, metadata={"compacted": {"preTokens": tokens}})


def said(role: Any, text: str) -> Turn:
    return Turn(role=role, session="s", content=text)


HISTORY = [said("user", "Which store shall we take?"), said("assistant", "Valkey, I would say.")]
NEXT = said("user", "Go on with the tests.")


def origins(memory: Memory) -> list[tuple[str, str | None]]:
    return [(turn.role, turn.origin) for turn in memory.turns() if "Valkey for the sessions" in turn.text]


@pytest.mark.requirement("RNK-SUMMARY-01")
@pytest.mark.parametrize(
    "turns",
    [
        [summary(), NEXT],
        [NEXT, summary()],
        [summary("We chose Valkey for the sessions.", metadata={"summary": True})],
        [*HISTORY, boundary(150_000), summary(), NEXT],
        [*HISTORY, boundary(15_000), said("assistant", "x" * 2_000), summary("Older."), boundary(90_000), summary()],
    ],
    ids=["at the beginning", "after a request", "as the importer notes it", "most is missing", "since the last one"],
)
@pytest.mark.parametrize("way", ["add_many", "add"])
def test_a_summary_of_what_is_not_stored_is_the_assistants_and_is_found(turns: list[Turn], way: str) -> None:
    with quiet() as memory:
        if way == "add_many":
            memory.add_many(turns)
        else:
            for turn in turns:
                memory.add(turn)
        assert origins(memory) == [("assistant", "assistant")]
        assert "Valkey for the sessions" in memory.recall(QUESTION).text


@pytest.mark.requirement("RNK-SUMMARY-01")
@pytest.mark.parametrize("calls", [1, 2], ids=["in one call", "in two calls"])
@pytest.mark.parametrize("tokens", [0, 13_020], ids=["of unknown length", "of known length"])
def test_a_summary_of_what_is_stored_stays_nobodys_words(calls: int, tokens: int) -> None:
    after = [boundary(tokens), summary(), NEXT]
    with quiet() as memory:
        for turns in [[*HISTORY, *after]] if calls == 1 else [HISTORY, after]:
            memory.add_many(turns)
        assert origins(memory) == [("user", "injected")]
        assert "Valkey for the sessions" not in memory.recall(QUESTION).text


@pytest.mark.requirement("RNK-SUMMARY-01")
@pytest.mark.parametrize(
    ("client", "summarised"),
    [
        ("claude-code", SUMMARY),
        ("codex", f"Another language model started to solve this problem. {SUMMARY}"),
        ("gemini-cli", f"<state_snapshot>\n<overall_goal>{SUMMARY}</overall_goal>\n</state_snapshot>"),
    ],
)
def test_a_history_through_the_proxy_that_begins_with_a_summary_is_found(client: str, summarised: str) -> None:
    code = ClientMark(name=client, session="0b7f")
    reminder = "<system-reminder>Use the list.</system-reminder>"
    blocks = [{"type": "text", "text": text} for text in (reminder, summarised, "Go on with the tests.")]
    talk: list[Message] = [{"role": "user", "content": blocks}]
    with quiet() as memory:
        proxied = Proxied(memory)
        for answer in ("They pass.", "Released."):
            proxied.exchange(talk, assistant(answer), code)
            talk += [assistant(answer), user("And now?")]
        told = [(turn.role, turn.origin) for turn in memory.turns()]
        kept = [("user", "injected"), ("assistant", "assistant"), ("user", "user"), ("assistant", "assistant")]
        assert told == [*kept, ("user", "user"), ("assistant", "assistant")]
        assert origins(memory) == [("assistant", "assistant")]
        assert "Valkey for the sessions" in memory.recall(QUESTION).text


@pytest.mark.requirement("RNK-SUMMARY-01")
def test_a_summary_through_the_proxy_of_what_it_has_stored_stays_nobodys_words() -> None:
    code = ClientMark(name="claude-code", session="0b7f")
    with quiet() as memory:
        proxied = Proxied(memory)
        proxied.exchange([user("Which store shall we take?")], assistant("Valkey, I would say."), code)
        proxied.exchange([user(SUMMARY), user("Go on with the tests.")], assistant("They pass."), code)
        assert origins(memory) == [("user", "injected")]


@pytest.mark.requirement("RNK-SUMMARY-01")
def test_other_text_of_a_client_stays_nobodys_words() -> None:
    with quiet() as memory:
        memory.add_many([summary("<system-reminder>The user chose Valkey for the sessions.</system-reminder>"), NEXT])
        assert origins(memory) == [("user", "injected")]


@pytest.mark.requirement("RNK-SUMMARY-02")
@pytest.mark.parametrize("ids", [False, True])
@pytest.mark.parametrize("before", [[], [*HISTORY, boundary(150_000)]], ids=["alone", "most is missing"])
def test_a_summary_that_comes_again_is_known(tmp_path: Path, before: list[Turn], ids: bool) -> None:
    turns = [*before, summary(), NEXT, said("assistant", "They pass.")]
    lines = [
        json.dumps(turn.to_dict() | ({"external_id": f"e{place}"} if ids else {})) for place, turn in enumerate(turns)
    ]
    with quiet() as memory:
        for name, added in (("a.jsonl", len(turns)), ("b.jsonl", 0)):
            (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
            report = memory.import_path(tmp_path / name)
            assert (report.added, report.rejected) == (added, ())
        assert origins(memory) == [("assistant", "assistant")]
