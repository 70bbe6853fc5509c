"""The SIGMA document's compression with real budgets, and its two recaps in the document's form."""

import json
from dataclasses import replace
from typing import Any

import pytest

from clew.errors import InputError, ModelError
from clew.testing import ScriptedLLM
from clew.text.counters import counter
from clew.views.sigma import (
    MINIMUM_TURNS,
    CompressionResult,
    CompressorOptions,
    OverlayScores,
    TurnAnalysis,
    build_conversation_lattice,
    classify_conversation_mode,
    compress_context,
    is_compression_due,
    reconstruct_chat_context,
    reconstruct_quest_context,
)
from tests.unit.test_views_sigma import turn

COUNT = counter()
LONG = " ".join(f"The worker of queue {n} wrote to src/shop/cart_{n}.py and waited {n} ms." for n in range(60))


def scored(number: int, content: str, importance: float, **more: Any) -> TurnAnalysis:
    fields = {"importance_score": importance, "is_routine": importance < 3, "embedding": (), **more}
    return turn(number, content, **fields)


def session() -> list[TurnAnalysis]:
    """A shift, an important turn, two in between, and two routine ones."""
    return [
        scored(1, f"We decided to keep carts in Redis. {LONG}", 6.9, is_paradigm_shift=True),
        scored(2, LONG, 7.0, role="assistant"),
        scored(3, LONG, 6.99),
        scored(4, LONG, 3.0, role="assistant"),
        scored(5, LONG, 2.99),
        scored(6, "ok", 1.0),
    ]


@pytest.mark.requirement("F-SIGMAVIEW-01")
def test_the_classes_are_the_document_s_and_have_real_budgets() -> None:
    turns = session()
    made = compress_context(turns, session_id="s", created_at=9)
    assert made.preserved_turns == ("turn-1", "turn-2"), "a shift, and importance 7"
    assert made.summarized_turns == ("turn-3", "turn-4"), "3 to 7"
    assert made.compressed_turns == ("turn-5", "turn-6"), "below 3"
    assert made.discarded_turns == ()
    kept = {node.turn_id: node for node in made.lattice.nodes}
    whole = {each.turn_id: each for each in turns}
    for name in made.preserved_turns:
        assert kept[name].content == whole[name].content
        assert kept[name].compression == "preserved"
    for name, share in (("turn-3", 0.3), ("turn-4", 0.3), ("turn-5", 0.1)):
        assert 0 < COUNT(kept[name].content) <= share * COUNT(whole[name].content)
    assert kept["turn-6"].content == "ok"
    assert [kept[f"turn-{n}"].compression for n in (3, 4, 5)] == ["summarized", "summarized", "compressed"]


@pytest.mark.requirement("F-SIGMAVIEW-01")
def test_the_reported_ratio_is_counted() -> None:
    turns = session()
    made = compress_context(turns, counter="words")
    words = counter("words")
    assert made.counter == "words"
    assert made.original_tokens == sum(words(each.content) for each in turns)
    assert made.compressed_tokens == sum(words(node.content) for node in made.lattice.nodes)
    assert made.compression_ratio == made.original_tokens / made.compressed_tokens
    assert made.lattice.metadata.compression_ratio == made.compression_ratio
    assert made.lattice.metadata.original_turn_count == made.lattice.metadata.compressed_turn_count == 6
    assert made.lattice.metadata.created_at == 6, "the time of the last turn, unless one is given"


@pytest.mark.requirement("F-SIGMAVIEW-01")
def test_what_is_preserved_stays_whatever_the_target_and_routine_goes_first() -> None:
    turns = session()
    tight = compress_context(turns, CompressorOptions(target_size=COUNT(LONG) * 3))
    assert tight.preserved_turns == ("turn-1", "turn-2")
    none = compress_context(turns, CompressorOptions(target_size=0))
    assert none.preserved_turns == ("turn-1", "turn-2")
    assert none.summarized_turns == ("turn-3", "turn-4")
    assert none.discarded_turns == ("turn-5", "turn-6")
    whole = COUNT(LONG)
    assert all(COUNT(node.content) <= whole * 0.1 for node in none.lattice.nodes if node.compression == "summarized"), (
        "no room is left, so that summaries get a tenth"
    )
    assert CompressorOptions().to_dict() == {
        "target_size": 40_000,
        "preserve_threshold": 7.0,
        "use_llm_summary": False,
    }
    assert compress_context(turns, CompressorOptions(preserve_threshold=9)).preserved_turns == ("turn-1",)


@pytest.mark.requirement("F-SIGMAVIEW-01")
def test_a_compression_is_due_above_the_threshold_with_five_turns() -> None:
    assert MINIMUM_TURNS == 5
    assert is_compression_due(100_001, 100_000, session()[:5])
    assert not is_compression_due(100_000, 100_000, session())
    assert not is_compression_due(200_000, 100_000, session()[:4])


@pytest.mark.requirement("F-SIGMAVIEW-01")
def test_edges_and_mode_are_those_of_the_whole_turns() -> None:
    calls = "\n".join(f'Read({{"path": "src/a{n}.py"}})' for n in range(9))
    work = [scored(n, f"{calls}\n{LONG}", 4.0, overlay_scores=OverlayScores(O1_structural=4)) for n in range(8)]
    work[5] = replace(work[5], references=("turn-2",))
    made = compress_context(work)
    assert made.lattice.metadata.mode == classify_conversation_mode(made.lattice) == "quest"
    assert "mode" not in build_conversation_lattice(work, created_at=0).metadata.to_dict()
    assert ("turn-5", "turn-2") in {
        (edge.from_turn, edge.to_turn) for edge in made.lattice.edges if edge.type == "conversation_reference"
    }
    assert sum(edge.type == "temporal" for edge in made.lattice.edges) == 7


@pytest.mark.requirement("F-SIGMAVIEW-02")
def test_a_result_survives_the_wire_and_an_empty_one_is_a_result() -> None:
    made = compress_context(session(), session_id="s")
    assert CompressionResult.from_dict(json.loads(json.dumps(made.to_dict()))) == made
    empty = compress_context([])
    assert (empty.compression_ratio, empty.lattice.nodes, empty.original_tokens) == (1.0, (), 0)
    with pytest.raises(InputError, match="expected lattice, preserved_turns"):
        CompressionResult.from_dict({"lattice": {}})
    same = [scored(1, LONG, 4.0), scored(1, "other words, of the same millisecond", 8.0)]
    assert {node.content == LONG for node in compress_context(same).lattice.nodes} == {False}


@pytest.mark.requirement("F-SIGMAVIEW-03")
@pytest.mark.parametrize(
    ("answer", "used"),
    [
        ("The workers wrote to src/shop/cart_1.py and waited.", True),
        ("The workers wrote to src/shop/cart_99.py.", False),
        ("They waited 7777 ms.", False),
        ("", False),
        (LONG, False),
        ("fail", False),
    ],
)
def test_a_summary_by_a_model_is_used_when_every_value_of_it_is_in_the_turn(answer: str, used: bool) -> None:
    turns, scripted = [scored(1, LONG, 5.0)], ModelError("not there") if answer == "fail" else answer
    made = compress_context(turns, CompressorOptions(use_llm_summary=True), llm=ScriptedLLM([scripted]))
    (node,) = made.lattice.nodes
    assert (node.content == answer) is used
    assert node.content
    assert compress_context(turns, llm=ScriptedLLM([scripted])).lattice.nodes[0].content != answer, "off by default"


@pytest.mark.requirement("F-SIGMAVIEW-03")
def test_a_model_is_not_asked_about_a_turn_that_is_short_enough() -> None:
    turns, scripted = [scored(1, "We went to the sea.", 5.0), scored(2, "", 5.0)], ScriptedLLM([])
    made = compress_context(turns, CompressorOptions(use_llm_summary=True), llm=scripted)
    assert [node.content for node in made.lattice.nodes] == ["We went to the sea.", ""]
    assert scripted.prompts == []


def quest() -> list[TurnAnalysis]:
    structural = OverlayScores(O1_structural=8, O2_security=2)
    return [
        scored(1, "Please add OAuth2 to the gateway.", 5.0),
        scored(
            2,
            "We decided to use JWT in src/auth/token.py, since sessions are shared.",
            8.0,
            role="assistant",
            is_paradigm_shift=True,
            overlay_scores=structural,
            semantic_tags=("jwt tokens",),
        ),
        scored(
            3,
            "The architecture splits TokenManager from SessionStore.",
            7.0,
            role="assistant",
            overlay_scores=structural,
            semantic_tags=("token manager",),
        ),
        scored(4, "Next, write tests for src/auth/session.py.", 4.0, overlay_scores=structural),
        scored(5, "I ran them; two fail.", 3.0, role="assistant"),
    ]


@pytest.mark.requirement("F-SIGMAVIEW-04")
def test_a_quest_is_told_in_the_document_s_form() -> None:
    text = reconstruct_quest_context(build_conversation_lattice(quest(), created_at=0))
    assert text.startswith("## Current Quest: Please add OAuth2 to the gateway.")
    sections = [line for line in text.splitlines() if line.startswith("### ")]
    assert sections == [
        "### Paradigm Shifts",
        "### Mental Map",
        "### Key Decisions",
        "### Open Tasks",
        "### Last Action",
        "### Query Functions",
    ]
    assert "**Status:** In Progress\n" in text
    assert "**Files:** " in text
    assert "src/auth/session.py" in text.partition("**Files:** ")[2].splitlines()[0]
    assert "1. \u2705 We decided to use JWT" in text
    assert "3. \u2192 Next, write tests for src/auth/session.py. (current focus) [turn-4]" in text
    assert 'You can ask:\n\n- "What was said about jwt tokens?"' in text
    assert "### Last Action\n\n- [turn-5] Assistant: I ran them; two fail." in text


@pytest.mark.requirement("F-SIGMAVIEW-04")
def test_the_mental_map_has_every_step_once() -> None:
    structural = OverlayScores(O1_structural=8)
    turns = [
        scored(1, "The gateway has two modules, tokens and sessions.", 5.0, overlay_scores=structural),
        scored(2, "Please write the tests for src/auth/session.py.", 6.0, overlay_scores=structural),
        scored(3, "Please split the token manager from src/auth/store.py.", 4.0, overlay_scores=structural),
    ]
    told = reconstruct_quest_context(build_conversation_lattice(turns)).partition("### Mental Map\n\n")[2]
    assert told.partition("\n\n")[0].splitlines() == [
        "1. \u2705 The gateway has two modules, tokens and sessions. [turn-1]",
        "2. \u2192 Please split the token manager from src/auth/store.py. (current focus) [turn-3]",
        "3. \u25cb Please write the tests for src/auth/session.py. (pending) [turn-2]",
    ]


@pytest.mark.requirement("F-SIGMAVIEW-04")
def test_a_quest_has_the_title_that_its_user_gave_it() -> None:
    turns = [
        scored(1, "Let's implement OAuth2 for the API gateway. We'll need to handle token refresh, too.", 5.0),
        scored(2, "Let's see how the gateway reads its tokens first. The gateway reads tokens once.", 5.0),
    ]
    turns[1] = replace(turns[1], role="assistant")
    text = reconstruct_quest_context(build_conversation_lattice(turns))
    assert text.startswith("## Current Quest: Let's implement OAuth2 for the API gateway.")
    assert "Assistant: The gateway reads tokens once." in text, "an assistant only announces its next step"


@pytest.mark.requirement("F-SIGMAVIEW-04")
def test_a_chat_is_told_by_breakthroughs_and_overlays() -> None:
    turns = [
        scored(1, "Everything changed when we moved to Oslo.", 8.0, is_paradigm_shift=True),
        scored(2, "The keys are in the safe, nobody else may have them.", 6.0, overlay_scores=OverlayScores(0, 7)),
        scored(3, "Run the heater at 20 degrees.", 5.0, overlay_scores=OverlayScores(O5_operational=5)),
        scored(4, "It snows.", 4.0, overlay_scores=OverlayScores(O5_operational=4.9)),
    ]
    text = reconstruct_chat_context(build_conversation_lattice(turns, created_at=0))
    assert "### Breakthroughs\n\n- [turn-1] User: Everything changed when we moved to Oslo." in text
    assert "### O2 Security\n\n- [turn-2] User: The keys" in text
    assert "### O5 Operational\n\n- [turn-3] User: Run the heater" in text
    assert "### Other Points\n\n- [turn-4] User: It snows." in text, "4.9 is below the overlay's threshold of 5"


@pytest.mark.requirement("F-SIGMAVIEW-04")
def test_an_empty_lattice_has_a_recap_as_well() -> None:
    empty = build_conversation_lattice([], created_at=0)
    assert reconstruct_quest_context(empty).startswith("## Current Quest: (nothing was said)")
    assert reconstruct_chat_context(empty).startswith("## Conversation: (nothing was said)")
    assert reconstruct_chat_context(empty, budget=0) == ""


@pytest.mark.requirement("F-SIGMAVIEW-04")
def test_turns_of_a_memory_have_short_names_and_calls_their_labels() -> None:
    turns = [
        scored(1, "Please add OAuth2 to the gateway, with tests.", 9.0, is_paradigm_shift=True, turn_id="a%2Fb:turn:7"),
        scored(
            2,
            'Write({"file_path": "src/auth.py", "content": "' + "x" * 500 + '"})',
            9.0,
            role="assistant",
            is_paradigm_shift=True,
            turn_id="a%2Fb:turn:19",
        ),
    ]
    text = reconstruct_quest_context(build_conversation_lattice(turns, created_at=0))
    assert text.startswith("## Current Quest: Please add OAuth2 to the gateway, with tests.\n[#n] is a%2Fb:turn:n\n")
    assert "- [#7] User: Please add OAuth2" in text
    assert "- [#19] Assistant: Write(" in text
    assert "xxxxx" not in text
