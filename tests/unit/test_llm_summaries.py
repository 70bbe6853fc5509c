"""Summaries of beats in the background: what a model may answer, what it costs, and what stays."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from clew.errors import ModelError, ModelUnavailable
from clew.maintain.forget_proof import prove
from clew.maintain.forget_traces import traces_of
from clew.memory import Memory
from clew.models.prompt import Completion, Prompt
from clew.store.memory import MemoryStore
from clew.testing import Answer, ScriptedLLM
from clew.types import Turn
from tests.support.llm_answers import asks_for, nothing
from tests.support.memories import copied, empty_store, quiet, rendered, rows
from tests.unit.test_assemble_overview import ASKED, turns

pytestmark = pytest.mark.requirement("F-RENDER-06")

COUNT = 48


def long_turns() -> list[Turn]:
    """Twelve beats of some 1,900 characters."""
    told = " It was a long day, and all of us had to wait for the news until the evening came and the rain was over."
    return [
        Turn(role="user", speaker="Ann", content=turn.text + told * 4, session="s", at=turn.at)
        for turn in turns()[:COUNT]
    ]


def truth(prompt: Prompt) -> str:
    """A summary of sentences of the source."""
    said = [turn["text"] for turn in json.loads(prompt.messages[0].text)]
    return json.dumps({"summary": " ".join(said)[:1_200].rpartition(".")[0] + "."})


def model(summary: Any = truth, name: str = "scripted") -> ScriptedLLM:
    """Answers other questions with nothing to say."""

    def answer(prompt: Prompt) -> Answer:
        if asks_for(prompt) != "summary":
            return nothing(prompt)
        made: Answer = summary(prompt) if callable(summary) else summary
        return made

    return ScriptedLLM(answer, name=name)


def filled(llm: ScriptedLLM, place: Path | None = None) -> Memory:
    """The turns with their summaries, in a home or without a file; there they were analysed before a model came."""
    memory = quiet(copied(_analysed()) if place is None else place, llm=llm)
    if place is not None:
        memory.add_many(long_turns())
    memory.drain(None)
    return memory


@cache
def _analysed() -> MemoryStore:
    """The turns without a model; to be copied."""
    store = empty_store()
    with quiet(store) as memory:
        memory.add_many(long_turns())
        memory.drain(None)
    return store


def summaries(memory: Memory) -> dict[str, tuple[str, str]]:
    """Text and method by beat."""
    return {node: (each.text, each.method) for node, each in rendered(memory, "summary").items()}


def test_each_beat_is_summarised_once_and_the_summary_is_shown() -> None:
    llm = model()
    with filled(llm) as memory:
        found = summaries(memory)
        beats = {str(row[1]) for row in rows(memory.reads.store, "node") if row[3] == 1}
        assert set(found) == beats
        assert {method for _, method in found.values()} == {"llm:scripted"}
        asked = [prompt for prompt in llm.prompts if asks_for(prompt) == "summary"]
        assert len(asked) == len(beats)
        assert memory.drain(None)
        assert memory.stats().pending == {}
        assert len([prompt for prompt in llm.prompts if asks_for(prompt) == "summary"]) == len(beats)
        items = [item for item in memory.recall(ASKED, budget=2_000).items if item.rendering == "summary"]
    assert items
    assert all(item.text.startswith("Summary: ") for item in items)


@pytest.mark.parametrize(
    "answer",
    [
        "nonsense",
        '{"summary": ""}',
        '{"summary": "I cannot help with that."}',
        '{"summary": 7}',
        json.dumps({"summary": "Zacharias paid 4711 crowns to the guild. " * 40}),
        Completion("", 10, 1_500, "scripted"),
        ModelError("the model refused"),
    ],
    ids=["nonsense", "empty", "refusing", "no text", "invented", "nothing", "failing"],
)
def test_whatever_a_model_answers_the_extract_stands_for_it(answer: Any) -> None:
    with filled(model(answer)) as memory:
        found = summaries(memory)
        extracts = {node: each.text for node, each in rendered(memory, "salient").items()}
        assert found
        for node, (text, method) in found.items():
            assert text == extracts[node]
            assert method.startswith("extract (scripted: ")
            assert len(method) > len("extract (scripted: )")
        shown = memory.recall(ASKED, budget=2_000).items
        assert "summary" not in {item.rendering for item in shown}
        assert "salient" in {item.rendering for item in shown}
        assert next(row for row in memory.stats().details["ledger"] if row["purpose"] == "summary")["failures"] >= len(
            found
        )


def test_a_model_that_cannot_be_reached_leaves_the_extracts_and_is_asked_later() -> None:
    with filled(model(ModelUnavailable("gone"))) as memory:
        assert summaries(memory) == {}
        assert "salient" in {item.rendering for item in memory.recall(ASKED, budget=2_000).items}
        assert memory.stats().pending["summary"] > 0


def test_an_endless_answer_is_cut_after_a_sentence() -> None:
    def endless(prompt: Prompt) -> str:
        said = [turn["text"].partition(" It was a long day")[0] for turn in json.loads(prompt.messages[0].text)]
        return json.dumps({"summary": " ".join(said) + " and so on" * 5_000})

    with filled(model(endless)) as memory:
        found = summaries(memory)
    assert {method for _, method in found.values()} == {"llm:scripted"}
    for text, _ in found.values():
        assert 400 <= len(text) <= 2_000
        assert text.endswith(".")


def test_another_model_summarises_anew_and_recorded_answers_need_none(tmp_path: Path) -> None:
    with filled(model(), tmp_path) as memory:
        first = summaries(memory)
    with quiet(tmp_path, llm=model(name="other")) as memory:
        memory.drain(None)
        assert {method for _, method in summaries(memory).values()} == {"llm:other"}
    silent = ScriptedLLM([])
    with quiet(tmp_path, llm=silent, config={"llm": {"calls": "recorded"}}) as memory:
        memory.drain(None)
        assert summaries(memory) == first
    assert silent.prompts == []


def test_a_model_whose_name_is_part_of_another_s_summarises_too(tmp_path: Path) -> None:
    for name, answer in (("large-4o", truth), ("large-4", "no summary"), ("large", truth), ("rge", "no summary")):
        with quiet(tmp_path, llm=model(answer, name)) as memory:
            memory.add_many(long_turns() if name == "large-4o" else [])
            memory.drain(None)
            methods = {method for _, method in summaries(memory).values()}
        assert methods
        assert all(method.startswith((f"llm:{name}", f"extract ({name}: ")) for method in methods)


def test_a_forgotten_turn_is_in_no_summary_nor_in_a_recorded_answer(tmp_path: Path) -> None:
    with filled(model(), tmp_path) as memory:
        turn = memory.restore("s:turn:5")
        name = turn.text.split("error ")[1].split()[0]
        assert any(name in text for text, _ in summaries(memory).values())
        traces = traces_of([turn])
        memory.forget(turn_ids=["s:turn:5"])
        assert summaries(memory) == {}
        memory.drain(None)
        proof = prove(memory.reads.store, "default", traces)
        assert summaries(memory)
    assert proof.found == {}
