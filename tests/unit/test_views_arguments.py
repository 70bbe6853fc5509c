"""Wrong arguments of the views are named where they come in: no error of Python's own reaches the caller."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from clew.errors import ClewError, InputError
from clew.memory import Memory
from clew.testing import HashEmbedder
from clew.types import Turn
from clew.views import claims, hce, hsca, sigma, sigma_compress, sigma_meet, sigma_shapes, trivector, virtual_context
from clew.views import virtual_context_config as vc_config
from tests.support.memories import quiet

WRONG: tuple[Any, ...] = (None, [], {}, 5, "x", b"x", object(), [5], [None], ["x"], 1.5, (1, 2), {1: 2}, True)

Case = tuple[Callable[..., object], dict[str, Any]]


def analysed(number: int) -> sigma.TurnAnalysis:
    return sigma.TurnAnalysis(
        turn_id=f"turn-{number}",
        content=f"We decided to use Redis {number}. It is fast.",
        role="user",
        timestamp=number,
        embedding=(1.0, 0.0),
        novelty=0.5,
        overlay_scores=sigma.OverlayScores(),
        importance_score=5.0,
        is_paradigm_shift=False,
        is_routine=False,
    )


def sigma_cases(memory: Memory, folder: Path) -> Iterator[Case]:
    turns = [analysed(number) for number in range(1, 8)]
    turn = sigma.ConversationTurn(id="t", role="user", content="hello", timestamp=1)
    lattice = sigma.build_conversation_lattice(turns, created_at=5, session_id="s")
    state = sigma.create_session_state("s", "s")
    kept = (
        sigma.save_lattice(lattice, folder, "s"),
        sigma.save_recap("x", folder, "s"),
        sigma.save_state(state, folder),
    )
    embedder = HashEmbedder(2)
    yield sigma.calculate_novelty, {"current_embed": [1.0, 0.0], "recent_embeds": [[1.0, 0.0]]}
    yield sigma.analyze_turn, {"turn": turn, "context": turns, "embedder": embedder, "options": None}
    yield sigma.analyze_turn, {"turn": turn, "context": turns, "project_registry": None}
    yield sigma.inject_relevant_context, {"user_message": "a", "turn_analyses": turns, "embedder": embedder}
    yield sigma.compress_context, {"turns": turns, "options": None, "created_at": 5, "session_id": "s", "llm": None}
    yield sigma.compress_context, {"turns": turns, "counter": "estimate"}
    yield sigma_compress.is_compression_due, {"tokens": 5, "session_tokens": 3, "turns": turns}
    yield sigma.build_conversation_lattice, {"turns": turns, "created_at": 5, "session_id": "s"}
    yield sigma.classify_conversation_mode, {"lattice": lattice}
    yield sigma.reconstruct_quest_context, {"lattice": lattice, "budget": 500, "counter": "estimate", "options": None}
    yield sigma.reconstruct_chat_context, {"lattice": lattice, "budget": 500, "counter": "estimate"}
    yield sigma.create_session_state, {"anchor_id": "s", "sdk_session": "s", "now": 5}
    yield sigma.update_session_state, {"state": state, "new_session": "x", "reason": "restart", "now": 5, "tokens": 5}
    yield sigma.update_session_stats, {"state": state, "stats": turns, "now": 5}
    yield sigma.save_lattice, {"lattice": lattice, "folder": folder, "session": "s"}
    yield sigma.save_recap, {"text": "x", "folder": folder, "session": "s"}
    yield sigma.save_state, {"state": state, "folder": folder}
    for load, path in zip((sigma.load_lattice, sigma.load_recap, sigma.load_state), kept, strict=True):
        yield load, {"path": path}
        with pytest.raises(ClewError, match="cannot be read"):
            load(folder)
    yield sigma.anchor, {"memory": memory, "provider_session": "x"}
    yield sigma.continue_session, {"memory": memory, "session": "s", "provider_session": "p", "tokens": 5}
    yield sigma.session_state, {"memory": memory, "session": "s"}
    yield sigma.session_turns, {"memory": memory, "session": "s"}
    yield sigma.export_session, {"memory": memory, "session": "s", "folder": folder, "options": None, "archive": False}
    yield sigma.import_session, {"memory": memory, "folder": folder, "anchor_id": "s"}
    yield sigma.CompressorOptions, {"target_size": 5, "preserve_threshold": 1.0, "use_llm_summary": False}
    yield sigma.AnalyzerOptions, {"overlay_threshold": 5.0, "paradigm_shift_threshold": 0.5}
    yield sigma.InjectorOptions, {"window_size": 5, "max_context_turns": 3, "min_relevance": 0.1, "debug": False}
    yield sigma.ConversationTurn, {"id": "t", "role": "user", "content": "x", "timestamp": 5}
    record = {name: getattr(turns[0], name) for name in sigma.TurnAnalysis.__slots__}
    yield sigma.TurnAnalysis, record
    yield sigma_shapes.Classification, {"preserved": (), "summarized": (), "discarded": ()}
    yield sigma.ConversationLattice, {"nodes": lattice.nodes, "edges": lattice.edges, "metadata": lattice.metadata}
    yield sigma.OverlayScores.of, {"scores": {"O1_structural": 5.0}}
    yield sigma_meet.OverlayRegistry, {"query": lambda _text, _vector: {}}


def other_cases(memory: Memory, folder: Path) -> Iterator[Case]:
    engine = hsca.HSCAEngine()
    engine.ingest_turn("A plan. A pot. A hive.")
    snapshot = engine.take_snapshot()
    stored = [memory.get("s:turn:0")]
    buffer, pipeline, graph = hce.SlidingFocusBuffer(5), hce.HCEPipeline(), claims.ClaimGraph(0.0)
    pipeline.save(folder)
    yield hce.estimate_tokens, {"text": "a b"}
    yield hce.context_budgeting, {"candidates": [hce.ContextCandidate("a", "tree", 1.0, 5)], "budget": 5}
    yield hce.SlidingFocusBuffer, {"max_size": 5}
    yield buffer.add, {"role": "user", "content": "x"}
    yield buffer.restore, {"entries": []}
    yield buffer.get_recent, {"n": 5}
    yield hce.EntityExtractor().extract, {"text": "Ann met Bob"}
    yield hce.HCEPipeline, {"max_focus": 5, "context_budget": 5, "graph": None, "tree": None}
    yield pipeline.retrieve_context, {"query": "x"}
    yield pipeline.update, {"user_query": "x", "ai_response": "y"}
    yield pipeline.save, {"directory": folder}
    yield pipeline.load, {"directory": folder}
    yield hsca.HSCAEngine, {"snapshot_coherence_threshold": 0.5, "max_buffer_chunks": 5, "cooccurrence_window": 5}
    yield engine.ingest_turn, {"text": "x"}
    yield claims.ClaimGraph, {"min_macro_weight": 0.5}
    yield graph.claim, {"snapshot": snapshot, "text": None, "chunk_ids": None}
    yield graph.from_snapshots, {"snapshots": [snapshot]}
    yield graph.about, {"domain": "x"}
    yield trivector.chunk_session, {"turns": stored, "options": None}
    yield trivector.execute_tri_vector_extraction, {"session": stored, "options": None}
    yield trivector.run_state, {"memory": memory, "session": "s"}
    yield trivector.TriVectorOptions, {"memory": None, "llm": None, "concurrency": 1, "on_run": None}
    yield virtual_context.assemble, {"memory": memory, "query": "x", "config": None, "tag_rules": (), "hint": None}
    yield virtual_context.assemble, {"memory": memory, "query": "x", "strategy": "default"}
    yield virtual_context.vc_find_quote, {"memory": memory, "query": "clay", "max_results": 5}
    yield virtual_context.vc_recall_all, {"memory": memory}
    yield virtual_context.vc_query_facts, {"memory": memory, "subject": "a", "status": None}
    yield virtual_context.vc_restore_tool, {"memory": memory, "ref": "s:turn:0"}
    yield vc_config.VirtualContextConfig, {"context_window": 1000, "retrieval": vc_config.RetrievalConfig()}
    yield vc_config.VirtualContextConfig.from_yaml, {"text": ""}
    yield vc_config.unread, {"values": {}}


@pytest.mark.requirement("F-VIEWS-01")
@pytest.mark.parametrize("cases", [sigma_cases, other_cases])
def test_no_wrong_argument_ends_in_an_error_of_pythons_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cases: Callable[[Memory, Path], Iterator[Case]]
) -> None:
    monkeypatch.chdir(tmp_path)  # where a folder "x" is made
    raw = []
    with quiet() as memory:
        memory.add(Turn(role="user", content="We chose clay pots.", session="s"))
        assert memory.drain(200)
        for call, arguments in cases(memory, tmp_path / "files"):
            call(**arguments)
            for name in arguments:
                for value in WRONG:
                    try:
                        call(**{**arguments, name: value})
                    except ClewError:  # which names the argument
                        pass
                    except Exception as error:  # noqa: BLE001  # each is one too many, and all are told
                        raw.append(f"{getattr(call, '__qualname__', call)}({name}={value!r}): {error!r}")
    assert raw == []


WORDS: dict[str, tuple[Callable[[], object], str]] = {
    "number": (lambda: sigma.CompressorOptions(target_size=WRONG[1]), "target_size is []; expected a whole number"),
    "turns": (lambda: sigma.compress_context(WRONG[7]), "turns is [5]; expected a list, each TurnAnalysis"),
    "options": (
        lambda: sigma.compress_context([], WRONG[3]),
        "options is 5; expected CompressorOptions or a mapping or None",
    ),
    "flag": (lambda: sigma.InjectorOptions(debug=WRONG[3]), "debug is 5; expected True or False"),
    "path": (lambda: sigma.load_recap(WRONG[3]), "path is 5; expected Path or text, as a str"),
    "function": (lambda: trivector.TriVectorOptions(on_run=WRONG[3]), "on_run is 5; expected a function or None"),
}


@pytest.mark.requirement("F-VIEWS-01")
@pytest.mark.parametrize("name", WORDS)
def test_the_argument_and_what_was_expected_are_named(name: str) -> None:
    call, message = WORDS[name]
    with pytest.raises(InputError, match=re.escape(message)):
        call()
