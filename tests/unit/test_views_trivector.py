"""The Tri-Vector document's interface: one session in, its vectors out or None, and the state of the run."""

from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from clew.errors import InputError, NotFoundError
from clew.types.ids import parse_turn_id
from clew.views import trivector
from clew.views.trivector import (
    SAFE_PROCESSING_LIMIT_TOKENS,
    ChunkRecord,
    ExtractionRun,
    ExtractionState,
    TriVectorOptions,
    chunk_session,
    execute_tri_vector_extraction,
    run_state,
)
from tests.support.extraction import LIMIT, asked, copying, long_talk, model, turns_of
from tests.support.memories import quiet, told

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.requirement("K-TRI-27")


def test_a_small_session_of_turns_takes_one_pass() -> None:
    llm, runs = model(), list[ExtractionRun]()
    options = TriVectorOptions(llm=llm, on_run=runs.append)
    vector = execute_tri_vector_extraction(long_talk(), options)
    assert vector is not None
    assert vector.summary == "The mill of Arden turns slowly."
    assert len(llm.prompts) == 1
    assert (runs[0].state, runs[0].mode, runs[0].telemetry["limit"]) == (
        ExtractionState.DONE,
        "single",
        SAFE_PROCESSING_LIMIT_TOKENS,
    )


def test_a_large_one_is_read_in_chunks_in_order() -> None:
    llm, runs = model(), list[ExtractionRun]()
    options = TriVectorOptions(safe_processing_limit_tokens=LIMIT, llm=llm, on_run=runs.append)
    assert execute_tri_vector_extraction(long_talk(), options) is not None
    assert len(asked(llm)) == len(runs[0].chunks) == 2
    assert [chunk.id for chunk in runs[0].chunks] == ["s:chunk:0", "s:chunk:1"]


@pytest.mark.requirement("K-KEEP-12")
def test_what_two_chunks_name_is_one_node_of_the_session() -> None:
    runs = list[ExtractionRun]()
    options = TriVectorOptions(safe_processing_limit_tokens=LIMIT, llm=model(), on_run=runs.append)
    vector = execute_tri_vector_extraction(long_talk(), options)
    assert vector is not None
    (ann,) = [node for node in vector.nodes if (node.type, node.name) == ("person", "Ann")]
    first, second = runs[0].chunks
    seqs = [parse_turn_id(name)[1] for name in ann.turn_ids]
    assert seqs == sorted(set(seqs))
    assert min(seqs) <= first.last < second.first <= max(seqs)


@pytest.mark.requirement("K-KEEP-13")
def test_the_strategy_is_told_where_it_is_met() -> None:
    runs = list[ExtractionRun]()
    options = TriVectorOptions(safe_processing_limit_tokens=LIMIT, llm=model(), on_run=runs.append)
    assert execute_tri_vector_extraction(long_talk(), options) is not None
    page = (ROOT / "docs/extraction.md").read_text(encoding="utf-8")
    names = {*runs[0].telemetry, *(field.name for field in fields(ChunkRecord)), *ExtractionState}
    assert sorted(name for name in names if f"`{name}`" not in page) == []
    told = f"{trivector.__doc__}{execute_tri_vector_extraction.__doc__}"
    assert all(word in told for word in ("safe_processing_limit_tokens", "`<session>:chunk:<n>`", "None", "one pass"))


def test_a_chunk_that_fails_means_none_and_a_recorded_reason() -> None:
    def second_fails(prompt: Any) -> Any:
        return copying(prompt) if turns_of(prompt)[0]["turn"] == 0 else "nonsense"

    runs = list[ExtractionRun]()
    options = TriVectorOptions(safe_processing_limit_tokens=LIMIT, llm=model(second_fails), on_run=runs.append)
    assert execute_tri_vector_extraction(long_talk(), options) is None
    assert [chunk.state for chunk in runs[0].chunks] == [ExtractionState.DONE, ExtractionState.FAILED]
    assert str(runs[0].reason).startswith("s:chunk:1: ")


def test_an_error_of_the_state_writer_is_raised() -> None:
    def unavailable(_run: ExtractionRun) -> None:
        raise OSError("the state cannot be written")

    with pytest.raises(OSError, match="cannot be written"):
        execute_tri_vector_extraction(long_talk(), TriVectorOptions(llm=model(), on_run=unavailable))


def test_a_stored_session_keeps_its_state() -> None:
    with quiet(llm=model()) as memory:
        memory.add_many(long_talk())
        assert run_state(memory, "s") is None
        options = TriVectorOptions(safe_processing_limit_tokens=LIMIT, memory=memory)
        assert execute_tri_vector_extraction("s", options) is not None
        state = run_state(memory, "s")
        assert state is not None
        stored = memory.turns("s")
        assert [chunk.first for chunk in chunk_session(stored, options)] == [chunk.first for chunk in state.chunks]
        assert len(chunk_session(stored)) == 1
        with pytest.raises(NotFoundError):
            execute_tri_vector_extraction("other", options)


def test_without_a_model_rules_extract() -> None:
    turns = [told("We picked Redis for the sessions in Lisbon.", speaker="Ann")]
    vector = execute_tri_vector_extraction(turns)
    assert vector is not None
    assert {"Lisbon", "Redis", "Ann"} <= {node.name for node in vector.nodes}


def test_what_cannot_be_meant_is_refused() -> None:
    with pytest.raises(InputError, match=r"options\.memory is None"):
        execute_tri_vector_extraction("s")
    with pytest.raises(InputError, match="of 2 sessions"):
        execute_tri_vector_extraction([told("a"), told("b", session="t")])
    with pytest.raises(InputError, match="of 0 sessions"):
        execute_tri_vector_extraction([])
    with pytest.raises(InputError, match="never stored"):
        chunk_session([told("a")])


@pytest.mark.requirement("D-TRI-02")
def test_options_may_be_given_by_name() -> None:
    turns, runs = long_talk(), list[ExtractionRun]()
    given = {"safe_processing_limit_tokens": LIMIT, "llm": model(), "on_run": runs.append}
    assert execute_tri_vector_extraction(turns, given) is not None
    assert len(runs[0].chunks) == 2
    with pytest.raises(InputError, match="unknown options: limit; there are safe_processing_limit_tokens"):
        execute_tri_vector_extraction(turns, {"limit": 5})
    with pytest.raises(InputError, match="expected TriVectorOptions"):
        execute_tri_vector_extraction(turns, 5)  # type: ignore[arg-type]  # what a caller without types may give


@pytest.mark.requirement("D-TRI-01")
def test_turns_without_text_are_refused() -> None:
    with pytest.raises(InputError, match="none of the 2 turns holds any text"):
        execute_tri_vector_extraction([told(""), told("  ")])


@pytest.mark.requirement("D-TRI-01")
def test_what_is_neither_a_name_nor_turns_is_refused() -> None:
    for given in (None, 5, ["a text"], {"id": "s", "turns": []}):
        with pytest.raises(InputError, match=r"^(session is|the session has) "):
            execute_tri_vector_extraction(given)  # type: ignore[arg-type]  # what a caller without types may give


@pytest.mark.requirement("K-TRI-27")
def test_turns_have_the_relations_that_a_stored_session_has() -> None:
    turns = [told("Tom works at Boeing. He lives in Seattle."), told("I see.", role="assistant")]
    with quiet() as memory:
        memory.add_many(turns)
        memory.drain()
        stored = execute_tri_vector_extraction("s", {"memory": memory})
    given = execute_tri_vector_extraction(turns)
    assert stored is not None
    assert given is not None
    assert [(edge.source, edge.verb, edge.target) for edge in given.edges] == [
        ("Tom", "works at", "Boeing"),
        ("Tom", "lives in", "Seattle"),
    ]
    assert given == stored


@pytest.mark.requirement("D-TRI-02")
@pytest.mark.parametrize("name", ["safeProcessingLimitTokens", "safe_limit_tokens"])
def test_the_limit_may_have_the_name_of_the_document_or_of_the_setting(name: str) -> None:
    runs = list[ExtractionRun]()
    given = {name: LIMIT, "llm": model(), "on_run": runs.append}
    assert execute_tri_vector_extraction(long_talk(), given) is not None
    assert len(runs[0].chunks) == 2
