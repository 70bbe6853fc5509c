"""The HSCA document's interface, statement by statement: section 6 and what 2.4, 5 and 8 say of it."""

import copy
import dataclasses
import inspect
import itertools
import json
import pickle
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from enum import Enum
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.analyze import domains, nuance
from clew.analyze.layer1 import SHORT_SCORE
from clew.errors import ConflictError, InputError, NotFoundError
from clew.evaluate.hsca.stuffing import KNOWN, UNSEEN
from clew.views.hsca import (
    ClaimGraph,
    ClaimNode,
    ContextSnapshot,
    DomainTag,
    HSCAEngine,
    NuanceFlag,
    SessionState,
    WeightedChunk,
)
from tests.support.memories import at, quiet, told

FLUENT = (
    "The cache keeps the sessions of the users, because the database was too slow for them. When a session ends, the "
    "cache drops it and tells the database. The users never notice, since the sessions come back from the cache."
)
units = st.floats(0.0, 1.0)


def chunk(layer1: float, coherence: float = 0.5, tags: tuple[str, ...] = ("legal",), name: str = "c") -> WeightedChunk:
    return WeightedChunk(name, "text", layer1, list(tags), coherence, [], None)


def engine_with(*chunks: WeightedChunk, **settings: float) -> HSCAEngine:
    engine = HSCAEngine(**settings)  # type: ignore[arg-type]  # the names of its arguments
    engine._buffer.extend(chunks)
    return engine


def fields_of(cls: type) -> list[tuple[str, bool]]:
    """Field names in order, with whether a value must be given."""
    found = dataclasses.fields(cls)
    missing = dataclasses.MISSING
    return [(each.name, each.default is missing and each.default_factory is missing) for each in found]


def values(enum: type[Enum]) -> set[str]:
    return {str(each.value) for each in enum}


def keys(full: bool = True) -> list[str]:
    return list(chunk(0.5).to_dict(include_text=full))


DOMAINS = (
    "physics mathematics legal medical poetry narrative technical_prose conversational philosophical historical "
    "cross_domain unclassified"
)
FLAGS = (
    "metaphor metaphor_model sarcasm sarcasm_model emotional_tone_positive emotional_tone_negative "
    "emotional_tone_urgent emotional_tone_neutral rhetorical_question analogy analogy_model hedged absolute "
    "narrative_thread narrative_thread_model instructional"
)
CHUNK_FIELDS = "chunk_id text layer1_score domain_tags coherence_score nuance_flags parent_id created_at"
SNAPSHOT_FIELDS = "snapshot_id chunks macro_weight domain_summary conversation_position forced created_at"

STATEMENTS: tuple[tuple[str, Callable[[], bool]], ...] = (
    ("DomainTag: names and values", lambda: values(DomainTag) == set(DOMAINS.split())),
    ("DomainTag: members are named after their values", lambda: all(e.name == e.value.upper() for e in DomainTag)),
    ("DomainTag: str Enum", lambda: issubclass(DomainTag, str) and issubclass(DomainTag, Enum)),
    ("NuanceFlag: names, and grieving", lambda: values(NuanceFlag) == {*FLAGS.split(), "emotional_tone_grieving"}),
    ("NuanceFlag: members are named after their values", lambda: all(e.name == e.value.upper() for e in NuanceFlag)),
    ("NuanceFlag: str Enum", lambda: issubclass(NuanceFlag, str) and issubclass(NuanceFlag, Enum)),
    ("layer 2 gives these tags", lambda: set(domains.TAGS) == values(DomainTag)),
    ("layer 3 gives only these flags", lambda: set(nuance.FLAGS) <= values(NuanceFlag)),
    ("WeightedChunk: fields in order", lambda: [n for n, _ in fields_of(WeightedChunk)] == CHUNK_FIELDS.split()),
    ("WeightedChunk: only created_at has a default", lambda: [n for n, m in fields_of(WeightedChunk) if not m]
        == ["created_at"]),
    ("WeightedChunk: created_at is now", lambda: abs(chunk(0.1).created_at - time.time()) < 60),  # noqa: TID251  # what now is
    ("WeightedChunk: to_dict has every field", lambda: keys() == CHUNK_FIELDS.split()),
    ("WeightedChunk: scores to 4 digits", lambda: chunk(1 / 3, 2 / 3).to_dict()["layer1_score"] == 0.3333
        and chunk(1 / 3, 2 / 3).to_dict()["coherence_score"] == 0.6667),
    ("WeightedChunk: no parent is None, and written", lambda: chunk(0.5).to_dict()["parent_id"] is None),
    ("WeightedChunk: from_dict defaults", lambda: WeightedChunk.from_dict(
        {"chunk_id": "a", "text": "t", "layer1_score": 0.5, "coherence_score": 0.25}
    ) == WeightedChunk("a", "t", 0.5, ["unclassified"], 0.25, [], None, 0.0)),
    ("8.5: weight maps without text", lambda: keys(full=False) == [n for n in CHUNK_FIELDS.split() if n != "text"]),
    ("ContextSnapshot: fields in order", lambda: [n for n, _ in fields_of(ContextSnapshot)] == SNAPSHOT_FIELDS.split()),
    ("ContextSnapshot: only created_at has a default", lambda: [n for n, m in fields_of(ContextSnapshot) if not m]
        == ["created_at"]),
    ("ContextSnapshot: to_dict has every field", lambda: list(ContextSnapshot("s", [], 0.5, {}, 0, False).to_dict())
        == SNAPSHOT_FIELDS.split()),
    ("ContextSnapshot: weights to 4 digits", lambda: ContextSnapshot("s", [], 2 / 3, {"legal": 1 / 3}, 0, False, 1.0)
        .to_dict() == {"snapshot_id": "s", "chunks": [], "macro_weight": 0.6667, "domain_summary": {"legal": 0.3333},
        "conversation_position": 0, "forced": False, "created_at": 1.0}),
    ("ContextSnapshot: from_dict defaults", lambda: ContextSnapshot.from_dict({"snapshot_id": "s", "macro_weight": 0.5})
        == ContextSnapshot("s", [], 0.5, {}, 0, False, 0.0)),
    ("HSCAEngine: defaults 0.72, 20, 5", lambda: [
        (p.name, p.default) for p in inspect.signature(HSCAEngine).parameters.values() if p.kind != p.KEYWORD_ONLY
    ] == [("snapshot_coherence_threshold", 0.72), ("max_buffer_chunks", 20), ("cooccurrence_window", 5)]),
    ("should_snapshot: an empty buffer is not due", lambda: not HSCAEngine().should_snapshot()),
    ("should_snapshot: at the threshold it is due", lambda: engine_with(chunk(0.5, 0.72)).should_snapshot()),
    ("should_snapshot: below it is not", lambda: not engine_with(chunk(0.5, 0.7199)).should_snapshot()),
    ("should_snapshot: coherence is weighted by layer 1", lambda: engine_with(
        chunk(0.9, 0.8), chunk(0.1, 0.1)).should_snapshot()
        and not engine_with(chunk(0.1, 0.8), chunk(0.9, 0.1)).should_snapshot()),
    ("should_snapshot: no weight at all is not due", lambda: not engine_with(chunk(0.0, 1.0)).should_snapshot()),
    ("should_snapshot: 19 chunks are not full", lambda: not engine_with(*[chunk(0.0)] * 19).should_snapshot()),
    ("should_snapshot: 20 chunks are, whatever they weigh", lambda: engine_with(*[chunk(0.0)] * 20).should_snapshot()),
    ("should_snapshot: the threshold is the engine's", lambda: engine_with(
        chunk(0.5, 0.3), snapshot_coherence_threshold=0.3).should_snapshot()),
    ("take_snapshot: 20 chunks are forced", lambda: engine_with(*[chunk(0.5, 1.0)] * 20).take_snapshot().forced),
    ("take_snapshot: fewer are not", lambda: not engine_with(*[chunk(0.5, 1.0)] * 19).take_snapshot().forced),
    ("take_snapshot: macro weight is the mean of layer 1", lambda: engine_with(
        chunk(0.2), chunk(0.4)).take_snapshot().macro_weight == pytest.approx(0.3)),
    ("take_snapshot: 0 when all weights are 0", lambda: engine_with(chunk(0.0)).take_snapshot().macro_weight == 0.0),
    ("take_snapshot: domains are weighted by layer 1, over all weight", lambda: engine_with(
        chunk(0.6, tags=("legal", "medical")), chunk(0.2, tags=("legal",))
    ).take_snapshot().domain_summary == pytest.approx({"legal": 1.0, "medical": 0.75})),
    ("take_snapshot: positions count from 0", lambda: [s.conversation_position for s in taken(3)] == [0, 1, 2]),
)  # fmt: skip  # one statement a line reads as the table it is


def taken(count: int) -> list[ContextSnapshot]:
    engine = HSCAEngine(snapshot_coherence_threshold=0.0)
    for _ in range(count):
        engine.ingest_turn(FLUENT)
    return engine.get_macro_context()


@pytest.mark.requirement("W-HSCA-01")
@pytest.mark.parametrize("holds", [pytest.param(check, id=name) for name, check in STATEMENTS])
def test_the_document_holds(holds: Callable[[], bool]) -> None:
    assert holds()


@pytest.mark.requirement("W-HSCA-01")
@given(
    st.lists(st.tuples(units, units, st.lists(st.sampled_from(DOMAINS.split()), max_size=3, unique=True)), max_size=25)
)
def test_rule_and_snapshot_follow_the_formulas(rows: list[tuple[float, float, list[str]]]) -> None:
    engine = engine_with(*[chunk(layer1, coherence, tuple(tags)) for layer1, coherence, tags in rows])
    total = sum(layer1 for layer1, _, _ in rows)
    due = len(rows) >= 20 or (total > 0 and sum(w * c for w, c, _ in rows) / total >= 0.72)
    assert engine.should_snapshot() == (due and bool(rows))
    if rows:
        snapshot = engine.take_snapshot()
        assert snapshot.macro_weight == pytest.approx(total / len(rows))
        assert snapshot.domain_summary == pytest.approx(
            {tag: sum(w for w, _, tags in rows if tag in tags) / (total or 1.0) for _, _, ts in rows for tag in ts}
        )


@pytest.mark.requirement("W-HSCA-02")
def test_an_engine_takes_snapshots_by_itself() -> None:
    engine = HSCAEngine(max_buffer_chunks=3, snapshot_coherence_threshold=2.0)
    chunks = [engine.ingest_turn(FLUENT) for _ in range(7)]
    macro = engine.get_macro_context()
    assert [[c.chunk_id for c in s.chunks] for s in macro] == [
        [c.chunk_id for c in chunks[:3]],
        [c.chunk_id for c in chunks[3:6]],
    ]
    assert [c.parent_id for c in chunks] == [macro[0].snapshot_id] * 3 + [macro[1].snapshot_id] * 3 + [None]
    assert all(snapshot.forced for snapshot in macro)
    engine.get_macro_context().clear()
    assert len(engine.get_macro_context()) == 2


@pytest.mark.requirement("W-HSCA-02")
def test_scoring_leaves_the_buffer_alone() -> None:
    engine = HSCAEngine(snapshot_coherence_threshold=0.0)
    scored = engine.score_layers(FLUENT)
    assert not engine.should_snapshot()
    ingested = engine.ingest_turn(FLUENT)
    assert (scored.layer1_score, scored.domain_tags, scored.coherence_score, scored.nuance_flags) == (
        ingested.layer1_score,
        ingested.domain_tags,
        ingested.coherence_score,
        ingested.nuance_flags,
    )
    assert scored.chunk_id != ingested.chunk_id
    assert scored.parent_id is None


@pytest.mark.requirement("W-HSCA-02")
def test_an_empty_snapshot_is_an_error() -> None:
    with pytest.raises(InputError, match="buffer is empty"):
        HSCAEngine().take_snapshot()


@pytest.mark.requirement("W-HSCA-02")
def test_ids_and_times_come_from_where_they_are_told() -> None:
    names = map(str, itertools.count())
    engine = HSCAEngine(0.0, clock=lambda: 12.5, new_id=lambda: next(names))
    assert engine.ingest_turn(FLUENT).to_dict() | {"text": ""} == {
        **engine.get_macro_context()[0].chunks[0].to_dict(),
        "text": "",
        "chunk_id": "0",
        "parent_id": "1",
        "created_at": 12.5,
    }


@pytest.mark.requirement("W-HSCA-02")
def test_an_engine_may_score_otherwise() -> None:
    class Flat(HSCAEngine):
        def score_layers(self, text: str) -> WeightedChunk:
            return WeightedChunk(text, text, SHORT_SCORE, ["poetry"], 0.1, [], None)

    engine = Flat()
    for number in range(5):
        engine.ingest_turn(f"Line {number}. The cache drops the session. The session ends.")
    assert [c.layer1_score for c in engine.take_snapshot().chunks] == [SHORT_SCORE] * 5


@pytest.mark.requirement("W-HSCA-03")
def test_short_chunks_are_weighed_together() -> None:
    engine = HSCAEngine(snapshot_coherence_threshold=2.0)
    said = (
        "The cache holds every session of the users.",
        "Can the users lose a session?",
        "Only if the cache is lost.",
    )
    chunks = [engine.ingest_turn(text) for text in said[:2]]
    assert [c.layer1_score for c in chunks] == [SHORT_SCORE] * 2
    chunks.append(engine.ingest_turn(said[2]))
    assert min(c.layer1_score for c in chunks) > SHORT_SCORE
    before = chunks[0].layer1_score
    engine.take_snapshot()
    for text in said:
        engine.ingest_turn(text)
    assert chunks[0].layer1_score == before, "a frozen chunk keeps its weight"


@pytest.mark.requirement("W-HSCA-03")
def test_a_short_chunk_never_falls_below_the_flat_score() -> None:
    engine = HSCAEngine(snapshot_coherence_threshold=2.0)
    chunks = [engine.ingest_turn(text) for text in ("Cats purr.", "It rained in Leeds.", "Copper is a metal.", "Ok.")]
    assert min(chunk.layer1_score for chunk in chunks) == SHORT_SCORE


@pytest.mark.requirement("W-HSCA-02")
@pytest.mark.parametrize("text", [None, 3, b"bytes"])
def test_what_is_no_text_is_refused(text: object) -> None:
    engine = HSCAEngine()
    with pytest.raises(InputError, match="expected text"):
        engine.ingest_turn(text)  # type: ignore[arg-type]  # refused for that
    assert not engine.should_snapshot()
    assert engine.get_macro_context() == []


@pytest.mark.requirement("W-HSCA-06")
@pytest.mark.usefixtures("switching_often")
def test_threads_share_an_engine() -> None:
    engine = HSCAEngine(max_buffer_chunks=3)

    def work() -> None:
        for number in range(20):
            engine.ingest_turn("Bring the key." if number % 3 else FLUENT)

    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(work) for _ in range(4)]:
            done.result()
    snapshots = engine.get_macro_context()
    assert [each.conversation_position for each in snapshots] == list(range(len(snapshots)))
    assert sum(len(each.chunks) for each in snapshots) + len(engine._buffer) == 80
    again = pickle.loads(pickle.dumps(copy.deepcopy(engine)))  # noqa: S301  # pickled here
    assert again.ingest_turn("Bring the key.").text == "Bring the key."


@pytest.mark.requirement("W-HSCA-02")
@pytest.mark.parametrize("text", ["", " ", "🙂" * 50, "\ud800", "词语" * 400, "a " * 20_000], ids=range(6))
def test_any_text_is_taken(text: str) -> None:
    engine = HSCAEngine(snapshot_coherence_threshold=2.0)
    chunk = engine.ingest_turn(text)
    assert 0.0 <= chunk.layer1_score <= 1.0
    assert 0.0 <= chunk.coherence_score <= 1.0
    assert engine.take_snapshot().chunks == [chunk]


@pytest.mark.requirement("W-HSCA-04")
@pytest.mark.parametrize("include_text", [True, False])
def test_a_session_survives_its_wire_form(include_text: bool) -> None:
    state = SessionState("s", ["did this"], taken(2))
    wire = json.loads(json.dumps(state.to_dict(include_text=include_text)))
    again = SessionState.from_dict(wire)
    assert again.to_dict(include_text=include_text) == wire
    assert {c.text for s in again.context_snapshots for c in s.chunks} == {FLUENT if include_text else ""}


@pytest.mark.requirement("W-HSCA-04")
def test_older_sessions_load_and_lose_nothing() -> None:
    older = {"session_id": "s", "task_summaries": ["did this"], "mode": "quest"}
    state = SessionState.from_dict(older)
    assert state == SessionState("s", ["did this"], [], {"mode": "quest"})
    assert state.to_dict() == older | {"context_snapshots": []}
    assert SessionState.from_dict({}) == SessionState()
    assert SessionState.from_dict({"task_summaries": None, "context_snapshots": None}) == SessionState()


@pytest.mark.requirement("W-HSCA-04")
@pytest.mark.parametrize(
    ("cls", "data", "said"),
    [
        (WeightedChunk, {"chunk_id": "a"}, "layer1_score, coherence_score"),
        (ContextSnapshot, {}, "snapshot_id, macro_weight"),
        (ClaimNode, {"claim_id": "a"}, "text, support_strength, grounding_strength"),
        (SessionState, [], "list"),
        (ClaimGraph, None, "NoneType"),
        (SessionState, {"task_summaries": "abc"}, "task_summaries is 'abc'; expected a list"),
        (SessionState, {"context_snapshots": 3}, "context_snapshots is 3; expected a list"),
        (ContextSnapshot, {"snapshot_id": "s", "macro_weight": 0.5, "chunks": {}}, "chunks is {}; expected a list"),
        (ContextSnapshot, {"snapshot_id": "s", "macro_weight": 0.5, "domain_summary": [1]}, "domain_summary is"),
        (WeightedChunk, {"chunk_id": "a", "layer1_score": 0.5, "coherence_score": 0.5, "nuance_flags": 1}, "nuance_f"),
        (ClaimGraph, {"claims": "none"}, "claims is 'none'; expected a list"),
        (ClaimGraph, {"nodes": []}, "lacks claims"),
        (ClaimGraph, {"claims": [], "min_macro_weight": [1]}, "min_macro_weight is .1.; expected a number"),
        (WeightedChunk, {"chunk_id": "a", "layer1_score": "x", "coherence_score": 0.5}, "layer1_score is 'x'"),
        (ContextSnapshot, {"snapshot_id": "s", "macro_weight": None}, "macro_weight is None; expected a number"),
        (ContextSnapshot, {"snapshot_id": "s", "macro_weight": 1, "domain_summary": {"a": ""}}, "a is ''; expected a"),
        (ClaimNode, {"claim_id": [], "text": "", "support_strength": 1, "grounding_strength": 1}, "claim_id is ..;"),
    ],
)
def test_broken_records_are_named(cls: type[WeightedChunk], data: dict[str, str], said: str) -> None:
    with pytest.raises(InputError, match=said):
        cls.from_dict(data)


def snapshot(*weights: float, domains: dict[str, float] | None = None) -> ContextSnapshot:
    chunks = [chunk(weight, name=f"c{place}") for place, weight in enumerate(weights)]
    return ContextSnapshot(
        "s", chunks, sum(weights) / len(weights), {"legal": 1.0} if domains is None else domains, 0, False
    )


@pytest.mark.requirement("W-HSCA-05")
def test_dense_snapshots_become_claims() -> None:
    graph = ClaimGraph(min_macro_weight=0.5)
    dense = snapshot(0.4, 0.8)
    loose, shapeless = snapshot(0.4, 0.5), snapshot(0.9, domains={"unclassified": 1.0})
    assert [graph.can_ground(each) for each in (dense, loose, shapeless)] == [True, False, False]
    assert graph.can_ground(snapshot(0.9, domains={"legal": 0.5, "unclassified": 0.5}))
    (claim,) = graph.from_snapshots([dense, loose, shapeless])
    assert claim.claim_id == "s:claim:0"
    assert claim.support_strength == pytest.approx(0.6)
    assert claim.grounding_strength == pytest.approx(0.6)
    assert claim.context == {"legal": 1.0}
    assert list(graph) == [graph.get("s:claim:0")] == [claim]
    assert len(graph) == 1


@pytest.mark.requirement("W-HSCA-05")
def test_support_is_the_weight_of_the_grounding_chunks() -> None:
    graph = ClaimGraph()
    ground = snapshot(0.1, 0.9, 0.5)
    strong, weak = graph.claim(ground, "strong", ["c1"]), graph.claim(ground, "weak", ["c0"])
    assert (strong.support_strength, weak.support_strength) == (0.9, 0.1)
    assert (strong.claim_id, weak.claim_id, weak.chunk_ids) == ("s:claim:0", "s:claim:1", ["c0"])
    with pytest.raises(InputError, match="'c9'"):
        graph.claim(ground, "none", ["c9"])
    with pytest.raises(InputError, match="at least one chunk"):
        graph.claim(ground, "none", [])


@pytest.mark.requirement("W-HSCA-05")
def test_stuffing_supports_less_than_prose() -> None:
    engine = HSCAEngine(snapshot_coherence_threshold=2.0)
    graph = ClaimGraph()
    support = []
    for text in (FLUENT, "Cache, session, database. Session, cache, users. Database, users, cache, session."):
        engine.ingest_turn(text)
        support.append(graph.claim(engine.take_snapshot()).support_strength)
    assert support[1] < support[0] / 2


KEYWORDS = "cache session database users latency replica index query storage memory".split()


def stuffed_text(style: str, seed: int) -> str:
    return (KNOWN | UNSEEN)[style](Random(seed), KEYWORDS)  # noqa: S311 - no secret


@pytest.mark.requirement("K-MOD-06")
@pytest.mark.parametrize("style", sorted(KNOWN | UNSEEN))
def test_a_stuffed_source_supports_no_claim(style: str) -> None:
    engine = HSCAEngine(snapshot_coherence_threshold=2.0)
    graph = ClaimGraph()
    engine.ingest_turn(FLUENT)
    prose = graph.claim(engine.take_snapshot())
    for seed in range(5):
        engine.ingest_turn(stuffed_text(style, seed))
        stuffed = engine.take_snapshot()
        assert not graph.can_ground(stuffed)
        assert graph.claim(stuffed).support_strength < prose.support_strength / 2


@pytest.mark.requirement("K-MOD-06")
def test_the_beats_of_a_memory_ground_claims() -> None:
    stuffed = [stuffed_text("headlines", seed) for seed in range(3)]
    with quiet() as memory:
        for hour, texts in enumerate([[FLUENT] * 3, stuffed, ["Lunch was fine.", "It rained.", "We left."]]):
            memory.add_many(told(text, at=at(120 * hour + place)) for place, text in enumerate(texts))
        assert memory.drain(200)
        prose, listing = memory.snapshots("s")
    graph = ClaimGraph()
    (claim,) = graph.from_snapshots([prose, listing])
    assert (claim.claim_id, claim.snapshot_id, claim.text) == ("s:beat:0:claim:0", "s:beat:0", FLUENT)
    assert claim.chunk_ids == ["s:turn:0", "s:turn:1", "s:turn:2"]
    assert claim.support_strength == pytest.approx(sum(chunk.layer1_score for chunk in prose.chunks) / 3)
    assert claim.grounding_strength == prose.macro_weight
    assert claim.context == prose.domain_summary
    assert graph.claim(listing).support_strength < claim.support_strength / 2


@pytest.mark.requirement("K-KEEP-14")
def test_a_graph_that_is_read_back_goes_on_as_it_did() -> None:
    graph = ClaimGraph(min_macro_weight=0.8)
    graph.claim(snapshot(0.9, 0.9), "one")
    again = ClaimGraph.from_dict(json.loads(json.dumps(graph.to_dict())))
    assert [graph.can_ground(snapshot(0.7)), again.can_ground(snapshot(0.7))] == [False, False]
    assert again.claim(snapshot(0.9, 0.9), "two").claim_id == graph.claim(snapshot(0.9, 0.9), "two").claim_id
    assert again.to_dict() == graph.to_dict()
    assert ClaimGraph.from_dict({"claims": []}).can_ground(snapshot(0.7))


@pytest.mark.requirement("W-HSCA-05")
def test_claims_are_found_and_kept() -> None:
    graph = ClaimGraph()
    graph.add(ClaimNode("b", "two", 0.2, 0.5, {"legal": 0.5}))
    graph.add(ClaimNode("a", "one", 0.9, 0.5, {"legal": 0.5, "medical": 0.1}))
    graph.add(ClaimNode("c", "three", 0.1, 0.5, {"legal": 0.75}))
    assert [node.claim_id for node in graph.about("legal")] == ["c", "a", "b"]
    assert graph.about("poetry") == []
    wire = json.loads(json.dumps(graph.to_dict()))
    assert ClaimGraph.from_dict(wire).to_dict() == wire
    with pytest.raises(ConflictError, match="'a'"):
        graph.add(ClaimNode("a", "again", 0.1, 0.1))
    with pytest.raises(NotFoundError, match="'z'"):
        graph.get("z")


@pytest.mark.requirement("W-HSCA-02")
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("snapshot_coherence_threshold", "0.7"),
        ("snapshot_coherence_threshold", None),
        ("snapshot_coherence_threshold", float("nan")),
        ("max_buffer_chunks", "20"),
        ("max_buffer_chunks", -3),
        ("max_buffer_chunks", 2.5),
        ("cooccurrence_window", "5"),
        ("cooccurrence_window", -1),
        ("cooccurrence_window", 1.5),
    ],
)
def test_an_engine_refuses_what_is_no_such_number(name: str, value: Any) -> None:
    with pytest.raises(InputError, match=rf"^{name} "):
        HSCAEngine(**{name: value})


@pytest.mark.requirement("W-HSCA-02")
def test_an_engine_takes_thresholds_that_nothing_or_everything_reaches() -> None:
    always, never = HSCAEngine(0, 1, 0), HSCAEngine(2.0)
    for engine in (always, never):
        engine.ingest_turn("The miller saw the broken wheel.")
    assert (len(always.get_macro_context()), len(never.get_macro_context())) == (1, 0)


@pytest.mark.requirement("W-HSCA-04")
def test_a_weight_that_is_not_a_number_is_refused() -> None:
    with pytest.raises(InputError, match="layer1_score is nan; expected a number"):
        WeightedChunk.from_dict({"chunk_id": "c", "layer1_score": float("nan"), "coherence_score": 1.0})
