"""Programs that hand their message lists to a memory: whatever part they send, all that was said is stored once."""

import threading
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.memory import Memory
from clew.store.rows import turn_from_row
from clew.store.tables import TURN
from tests.support.effort import examples
from tests.support.memories import NOON, quiet

Message = dict[str, str]


@dataclass
class Clock:
    """A clock that goes on with every look, so that no two turns are of one time."""

    now: datetime = NOON

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now


@dataclass
class Program:
    """A chat program that sends a part of its history with every question.

    Attributes:
        head: how many first messages it keeps.
        window: how many last ones it sends behind them.
        put_in: how many messages it puts in the place of what it leaves out.
    """

    memory: Memory
    head: int
    window: int
    put_in: int
    instructions: bool
    is_wrapped: bool
    history: list[Message] = field(default_factory=list)
    said: Counter[str] = field(default_factory=Counter)
    summaries: set[str] = field(default_factory=set)

    def asks(self, question: str, answer: str) -> None:
        self.history.append({"role": "user", "content": question})
        self.said[question] += 1
        self.gets(answer)

    def gets(self, answer: str) -> None:
        sent = self.sent()
        if self.is_wrapped:
            self.memory.wrap_chat(lambda _: answer, session="s")(sent)
        else:
            self.memory.update(sent, answer, session="s")
        self.history.append({"role": "assistant", "content": answer})
        self.said[answer] += 1

    def sent(self) -> list[Message]:
        first = [{"role": "system", "content": "Be kind."}] if self.instructions else []
        if len(self.history) <= self.head + self.window:
            return [*first, *self.history]
        place = f"after {len(self.history) // 4}"
        between = [("user", f"Summary {place}"), ("assistant", f"Understood {place}")][: self.put_in]
        self.summaries.update(text for _, text in between)
        middle = [{"role": role, "content": text} for role, text in between]
        return [*first, *self.history[: self.head], *middle, *self.history[-self.window :]]

    def stored(self) -> list[tuple[str, str]]:
        """Text and branch of each stored turn but the program's instructions."""
        key = (self.memory.space, "s")
        with self.memory.reads.store.snapshot() as reader:
            turns = [turn_from_row(row) for row in TURN.scan(reader, key, key)]
        return [(turn.text, turn.branch) for turn in turns if turn.role != "system"]


def programs(memory: Memory, data: st.DataObject, least: int) -> Program:
    return Program(
        memory,
        head=data.draw(st.integers(0, 4), "head"),
        window=data.draw(st.integers(least, 9), "window"),
        put_in=data.draw(st.integers(0, 2), "put in"),
        instructions=data.draw(st.booleans(), "instructions"),
        is_wrapped=data.draw(st.booleans(), "wrapped"),
    )


def steps(*kinds: Any) -> st.SearchStrategy[list[Any]]:
    return st.lists(st.sampled_from(kinds), min_size=5, max_size=25)


@pytest.mark.requirement("F-INGEST-93", "F-INGEST-94")
@settings(max_examples=examples(12, 150), deadline=None)
@given(st.data(), steps("ask", "ask", "ask", "edit", "again"))
def test_windows_edits_and_other_answers_are_stored_once_each_in_its_branch(
    data: st.DataObject, kinds: list[str]
) -> None:
    with quiet(clock=Clock()) as memory:
        program, edits = programs(memory, data, 2), 0
        for n, kind in enumerate(kinds):
            if kind == "ask" or len(program.history) < 4:
                program.asks(f"question {n}", f"answer {n}")
                continue
            edits += 1
            program.history.pop()
            if kind == "again":
                program.gets(f"another answer {n}")
            else:
                program.history.pop()
                program.asks(f"edited question {n}", f"answer {n}")
        stored = program.stored()
        assert Counter(text for text, _ in stored) == program.said + Counter(program.summaries)
        assert len({branch for _, branch in stored}) == edits + 1
        assert memory.verify().ok


@pytest.mark.requirement("F-INGEST-93")
@settings(max_examples=examples(12, 150), deadline=None)
@given(st.data(), steps("yes", "ok", "else"))
def test_short_words_that_are_said_again_and_again_are_neither_lost_nor_stored_twice(
    data: st.DataObject, kinds: list[str]
) -> None:
    with quiet(clock=Clock()) as memory:
        program = programs(memory, data, 3)
        for n, kind in enumerate(kinds):
            program.asks(f"question {n}" if kind == "else" else kind, f"answer {n}")
        stored = program.stored()
        assert Counter(text for text, _ in stored) == program.said + Counter(program.summaries)
        assert memory.verify().ok


@pytest.mark.requirement("F-INGEST-94")
def test_an_answer_to_an_edited_message_follows_it_in_its_branch() -> None:
    with quiet(clock=Clock()) as memory:
        program = Program(memory, head=0, window=99, put_in=0, instructions=False, is_wrapped=False)
        for n in range(2):
            program.asks(f"question {n}", f"answer {n}")
        del program.history[2:]
        program.asks("edited question", "its answer")
        program.asks("question 2", "answer 2")
        program.history.pop()
        program.gets("another answer")
        assert [text for text, branch in program.stored() if branch == "edit-1"] == [
            "edited question",
            "its answer",
            "question 2",
            "answer 2",
        ]
        assert [text for text, branch in program.stored() if branch == "edit-2"] == ["another answer"]


@pytest.mark.requirement("F-INGEST-94")
def test_an_answer_follows_its_question_when_the_list_that_asked_has_grown_meanwhile() -> None:
    history: list[Message] = [{"role": "user", "content": "question 0"}]

    def chat(sent: list[Message]) -> str:
        if len(sent) == 2:
            return "answer 1"
        history.append({"role": "user", "content": "question 1"})
        wrapped(history)
        return "answer 0"

    with quiet(clock=Clock()) as memory:
        wrapped = memory.wrap_chat(chat, session="s")
        assert wrapped(history) == "answer 0"
        assert memory.get("s:turn:2").text == "answer 1"
        assert (memory.get("s:turn:3").text, memory.get("s:turn:3").parent) == ("answer 0", "s:turn:0")


@pytest.mark.requirement("F-INGEST-94")
def test_answers_that_come_at_once_open_branches_of_their_own() -> None:
    asked = [{"role": "user", "content": "question 0"}]
    count = 6
    with quiet(clock=Clock()) as memory:
        at_once = threading.Barrier(count)

        def chat(_: list[Message]) -> str:
            at_once.wait()
            return f"answer of {threading.current_thread().name}"

        memory.update(asked, "answer 0", session="s")
        wrapped = memory.wrap_chat(chat, session="s")
        threads = [threading.Thread(target=wrapped, args=([*asked],)) for _ in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        stored = Program(memory, 0, 0, 0, instructions=False, is_wrapped=True).stored()
        assert sorted(branch for _, branch in stored) == ["", "", *(f"edit-{n + 1}" for n in range(count))]
