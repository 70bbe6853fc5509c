"""The SIGMA document's interface: its formulas by hand, its shapes on the wire, its example as it stands."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.errors import FormatError, InputError
from clew.testing import HashEmbedder
from clew.views.sigma import (
    Classification,
    ConversationEdge,
    ConversationLattice,
    ConversationTurn,
    InjectorOptions,
    OverlayScores,
    SessionState,
    TurnAnalysis,
    analyze_turn,
    build_conversation_lattice,
    calculate_novelty,
    classify_conversation_mode,
    create_session_state,
    inject_relevant_context,
    load_lattice,
    load_state,
    save_lattice,
    save_state,
    update_session_state,
    update_session_stats,
)


class Axes:
    """Vectors of two numbers, by the text."""

    name, dim = "axes", 2

    def __init__(self, **known: tuple[float, float]) -> None:
        self.known = known

    def embed(self, texts: Any) -> Any:
        return np.asarray([self.known.get(text, (1.0, 0.0)) for text in texts], dtype=np.float32)


def turn(number: int, content: str = "text", *, near: float = 1.0, **more: Any) -> TurnAnalysis:
    """A turn whose cosine with the first axis is `near`."""
    fields = {
        "turn_id": f"turn-{number}",
        "content": content,
        "role": "user",
        "timestamp": number,
        "embedding": (near, (1 - near**2) ** 0.5),
        "novelty": 0.5,
        "overlay_scores": OverlayScores(),
        "importance_score": 5.0,
        "is_paradigm_shift": False,
        "is_routine": False,
    }
    return TurnAnalysis(**{**fields, **more})


@pytest.mark.requirement("F-SIGMA-02")
def test_novelty_by_hand() -> None:
    assert calculate_novelty([1, 0], []) == 0.5
    assert calculate_novelty([1, 0], [[1, 0]]) == pytest.approx(0)
    assert calculate_novelty([1, 0], [[1, 0], [0, 1]]) == pytest.approx(0.7 * 0.5 + 0.3 * 1)
    assert calculate_novelty([0, 0], [[1, 0]]) == pytest.approx(1)
    with pytest.raises(InputError, match="vectors of 1 and 2 numbers"):
        calculate_novelty([1], [[1, 0]])


@pytest.mark.requirement("F-SIGMA-02")
def test_a_turn_is_analysed_by_the_document_s_formulas() -> None:
    told = ConversationTurn.at(1730849600000, "user", "Let's refactor the authentication service to use OAuth2")
    assert told.id == "turn-1730849600000"
    first = analyze_turn(told, [], HashEmbedder(dim=8))
    assert first.novelty == 0.5
    scores = first.overlay_scores.to_dict()
    top = sum(sorted(scores.values(), reverse=True)[:3]) / 3
    assert first.importance_score == pytest.approx(min(10, 10 * 0.5 + top))
    assert max(scores, key=lambda name: scores[name]) in {"O1_structural", "O2_security"}
    assert len(first.embedding) == 8
    again = analyze_turn(replace(told, id="turn-2"), [first], HashEmbedder(dim=8))
    assert again.novelty == pytest.approx(0, abs=1e-6)
    assert not again.is_paradigm_shift
    without = analyze_turn(told, [])
    assert without.embedding == ()
    assert without.novelty == 0.5


@pytest.mark.requirement("F-SIGMA-02")
def test_a_shift_is_new_and_important_and_a_routine_turn_is_neither() -> None:
    seen = [turn(1, "tea", near=1.0)]
    new = ConversationTurn.at(
        2, "user", "We decided to redesign the architecture: the auth service goes, OAuth2 tokens come."
    )
    assert analyze_turn(new, seen, Axes(**{new.content: (0.0, 1.0)})).is_paradigm_shift
    assert not analyze_turn(new, seen, Axes()).is_paradigm_shift
    assert analyze_turn(ConversationTurn.at(3, "user", "ok"), seen, Axes()).is_routine


@pytest.mark.requirement("F-SIGMA-03")
def test_what_is_injected_stands_before_the_message_in_the_document_s_form() -> None:
    turns = [
        turn(1, "We use OAuth2.", near=0.3, is_paradigm_shift=True, importance_score=9.0),
        turn(2, "Two modules: TokenManager and SessionStore.", role="assistant", near=0.9),
        turn(3, "nothing alike", near=0.0),
    ]
    assert inject_relevant_context("How do we test?", turns, Axes()) == (
        "[Recent context 1] I explained:\nTwo modules: TokenManager and SessionStore.\n\n"
        "[Recent context 2] You asked:\nWe use OAuth2.\n\n"
        "---\n\nBased on the above context:\nHow do we test?"
    )


@pytest.mark.requirement("F-SIGMA-03")
def test_window_threshold_number_and_length_are_those_of_the_document() -> None:
    assert InjectorOptions().to_dict() == {
        "window_size": 50,
        "max_context_turns": 5,
        "min_relevance": 0.35,
        "max_snippet_length": 500,
        "debug": False,
    }
    old = [turn(number, f"old {number}", near=0.9) for number in range(60)]
    old[3] = replace(old[3], is_paradigm_shift=True, importance_score=10.0)
    shown = inject_relevant_context("q", old, Axes())
    assert "old 3" in shown
    assert "old 4\n" not in shown
    assert shown.count("[Recent context ") == 5
    assert "[Recent context" not in inject_relevant_context("q", [turn(1, near=0.2)], Axes())
    assert inject_relevant_context("q", [turn(1, near=0.24)], Axes()).startswith("[Recent")  # 0.24 * 1.5 = 0.36
    long = inject_relevant_context("q", [turn(1, "word " * 300)], Axes())
    assert len(long.split("\n")[1]) <= 500
    assert inject_relevant_context("", old, Axes()) == ""
    assert inject_relevant_context("q", [], Axes()) == "q"
    assert inject_relevant_context("q", [turn(1, embedding=())], Axes()) == "q"
    with pytest.raises(InputError, match="with one embedder"):
        inject_relevant_context("q", [turn(1, embedding=(1.0,))], Axes())


@pytest.mark.requirement("F-SIGMA-04")
def test_the_lattice_joins_references_neighbours_and_likenesses() -> None:
    turns = [
        turn(1, near=1.0),
        turn(2, near=0.0),
        turn(3, near=0.95, references=("turn-1", "turn-9")),
        turn(4, embedding=()),
    ]
    lattice = build_conversation_lattice(turns, created_at=7, session_id="s")
    assert [node.turn_id for node in lattice.nodes] == ["turn-1", "turn-2", "turn-3", "turn-4"]
    assert {node.type for node in lattice.nodes} == {"conversation_turn"}
    assert set(lattice.edges) == {
        ConversationEdge("turn-3", "turn-1", "conversation_reference", 1.0),
        ConversationEdge("turn-1", "turn-2", "temporal", 0.5),
        ConversationEdge("turn-2", "turn-3", "temporal", 0.5),
        ConversationEdge("turn-3", "turn-4", "temporal", 0.5),
        ConversationEdge("turn-3", "turn-1", "semantic_similarity", 0.95),
    }
    fewer = build_conversation_lattice(
        turns, Classification((turns[0],), (turns[2],), (turns[1], turns[3])), created_at=7
    )
    assert [node.turn_id for node in fewer.nodes] == ["turn-1", "turn-3"]
    assert fewer.metadata.to_dict() == {
        "created_at": 7,
        "original_turn_count": 4,
        "compressed_turn_count": 2,
        "compression_ratio": 2.0,
    }
    assert build_conversation_lattice([], created_at=0).metadata.compression_ratio == 1.0


@pytest.mark.requirement("F-SIGMA-04")
@pytest.mark.parametrize(
    ("texts", "structural", "mode"),
    [
        (["hello"] * 20, 0.0, "chat"),
        (['run_shell({"command": "ls"})'] * 6, 0.0, "chat"),  # 3
        (['run_shell({"command": "ls"})'] * 6, 3.0, "quest"),  # 3 + 3
        (["```py\nx\n```"] * 4 + ["see src/a/b.py, c.ts, d.md e.json f.toml g.rs"], 0.0, "chat"),  # 2 + 2
        (["see src/a/b.py, c.ts, d.md e.json f.toml g.rs"] * 2, 8.0, "quest"),  # 3 + 2
        ([], 0.0, "chat"),
    ],
)
def test_work_is_told_from_talk_by_the_document_s_score(texts: list[str], structural: float, mode: str) -> None:
    scores = OverlayScores(O1_structural=structural)
    turns = [turn(number, text, overlay_scores=scores, embedding=()) for number, text in enumerate(texts)]
    assert classify_conversation_mode(build_conversation_lattice(turns, created_at=0)) == mode


@pytest.mark.requirement("F-SIGMA-04")
@pytest.mark.parametrize("unit", ["a-", "a/", "a.", "\n", " ", "`", "a", "x(", "../"])
def test_mode_is_found_in_one_pass(unit: str) -> None:
    lattice = build_conversation_lattice([turn(1, unit * 50_000, embedding=())], created_at=0)
    assert classify_conversation_mode(lattice) == "chat"


@pytest.mark.requirement("F-SIGMA-05")
def test_a_session_s_state_is_kept_over_the_provider_s_sessions(tmp_path: Path) -> None:
    state = create_session_state("my/project", "sdk-1", now=1)
    assert update_session_state(state, "sdk-1", "compression", now=2) is state
    state = update_session_state(state, "sdk-2", "compression", now=2, tokens=120_000)
    turns = [turn(1, novelty=0.8, importance_score=9.0, is_paradigm_shift=True), turn(2, novelty=0.25, is_routine=True)]
    state = update_session_stats(state, turns, now=3)
    path = save_state(state, tmp_path)
    assert path.name == "my%2Fproject.state.json"
    assert json.loads(path.read_text(encoding="utf-8")) == {
        "anchor_id": "my/project",
        "current_session": "sdk-2",
        "created_at": 1,
        "last_updated": 3,
        "compression_history": [
            {
                "old_session": "sdk-1",
                "new_session": "sdk-2",
                "timestamp": 2,
                "reason": "compression",
                "token_count_at_compression": 120_000,
            }
        ],
        "stats": {
            "total_turns_analyzed": 2,
            "paradigm_shifts": 1,
            "routine_turns": 1,
            "avg_novelty": "0.525",
            "avg_importance": "7.0",
        },
    }
    assert load_state(path) == state
    assert update_session_stats(state, [], now=4).stats.avg_novelty == "0.000"


@pytest.mark.requirement("F-SIGMA-05")
@given(st.text(max_size=20), st.floats(0, 1), st.sampled_from(["user", "assistant"]))
def test_shapes_survive_the_wire(content: str, novelty: float, role: Any) -> None:
    one = turn(1, content, novelty=novelty, role=role, references=("turn-0",), semantic_tags=("a",))
    assert TurnAnalysis.from_dict(json.loads(json.dumps(one.to_dict()))) == one
    lattice = build_conversation_lattice([one, turn(2)], created_at=0, session_id="s")
    record = json.loads(json.dumps(lattice.to_dict()))
    assert set(record["edges"][0]) == {"from", "to", "type", "weight"}
    assert ConversationLattice.from_dict(record) == lattice


@pytest.mark.requirement("F-SIGMA-05")
def test_what_is_no_lattice_is_refused(tmp_path: Path) -> None:
    lattice = build_conversation_lattice([turn(1, "\ud800")], created_at=0)
    path = save_lattice(lattice, tmp_path / "sigma", "a:b")
    assert path.name == "a%3Ab.lattice.json"
    assert load_lattice(path) == lattice
    for text, error in (("{", FormatError), ("[]", FormatError), ("{}", InputError), ('{"nodes": 1}', InputError)):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(error):
            load_lattice(path)
    with pytest.raises(InputError):
        ConversationEdge.from_dict({"from": "a"})
    with pytest.raises(InputError):
        SessionState.from_dict({"anchor_id": "a"})


@pytest.mark.requirement("F-SIGMA-05")
def test_overlays_have_all_their_names() -> None:
    assert OverlayScores.of({"O7_strategic": 3, "O1": 2}) == OverlayScores(O1_structural=2.0, O7_coherence=3.0)
    with pytest.raises(InputError):
        OverlayScores.of({"O8": 1})
    assert OverlayScores.from_dict({"O7_strategic": 3, "O2_security": 1}) == OverlayScores(0, 1, 0, 0, 0, 0, 3)
    both = {"O7_strategic": 3, "O7_coherence": 4}
    assert OverlayScores.from_dict(both).O7_coherence == 4, "its own name goes first"
    read = TurnAnalysis.from_dict({**turn(1).to_dict(), "overlay_scores": {"O7_strategic": 5}})
    assert read.overlay_scores.O7_coherence == 5
    for wrong in ("high", None, True, [3]):
        with pytest.raises(InputError, match=r"O7_coherence is .*expected a number"):
            OverlayScores.from_dict({"O7_strategic": wrong})


class Broken(Axes):
    """Fails whenever it is asked."""

    def embed(self, texts: Any) -> Any:
        raise ConnectionError(f"no route to the model for {len(texts)} texts")


@pytest.mark.requirement("F-SIGMA-06")
@pytest.mark.parametrize("embedder", [None, Broken()], ids=["none", "broken"])
def test_without_its_embedder_context_is_chosen_by_words(embedder: Axes | None) -> None:
    told = replace(turn(1), content="The ferry to Brest sails on Sunday at nine.")
    other = replace(turn(2), content="My aunt grows melons.")
    asked = "When does the ferry to Brest sail?"
    message = inject_relevant_context(asked, [told, other], embedder)
    assert message.startswith("[Recent context 1]")
    assert message.endswith(asked)
    assert "Sunday at nine" in message
    assert "melons" not in message
    assert inject_relevant_context("What now?", [told], embedder) == "What now?"


@pytest.mark.requirement("D-SIGMA-12")
def test_a_turn_is_analysed_by_its_words_when_the_embedder_fails() -> None:
    asked = ConversationTurn(id="t", role="user", content="We chose OAuth2 for the API.", timestamp=1)
    assert analyze_turn(asked, [turn(1)], Broken()) == analyze_turn(asked, [turn(1)])
