"""The SIGMA view as the document writes its calls: arguments, registry of overlays, shapes of lists, files."""

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from clew import Memory, Turn
from clew.analyze.overlays import Overlay
from clew.errors import InputError, NotFoundError
from clew.testing import HashEmbedder
from clew.views import sigma
from clew.views.sigma import (
    AnalyzerOptions,
    Classification,
    ConversationLattice,
    ConversationTurn,
    InjectorOptions,
    OverlayRegistry,
    OverlayScores,
    SessionState,
    SessionStats,
    TurnAnalysis,
    analyze_turn,
    build_conversation_lattice,
    compress_context,
    create_session_state,
    inject_relevant_context,
    load_lattice,
    load_recap,
    load_state,
    reconstruct_chat_context,
    reconstruct_quest_context,
    save_lattice,
    save_recap,
    save_state,
    update_session_state,
    update_session_stats,
)
from tests.support.memories import quiet, told
from tests.support.projects import made

PLAIN = ConversationTurn.at(1, "user", "The weather was mild by the lake.")


class Lengths:
    """An embedder that notes the lengths of its texts."""

    name, dim = "lengths", 2

    def __init__(self) -> None:
        self.seen: list[int] = []

    def embed(self, texts: Any) -> Any:
        self.seen += [len(text) for text in texts]
        return np.asarray([(1.0, 0.0)] * len(texts), dtype=np.float32)


def of_lists(number: int = 1) -> TurnAnalysis:
    given: dict[str, Any] = {
        "turn_id": f"turn-{number}",
        "content": "We chose OAuth2.",
        "role": "user",
        "timestamp": number,
        "embedding": np.asarray([1.0, 0.0]),
        "novelty": 0.9,
        "overlay_scores": {"O1_structural": 8, "O2": 9},
        "importance_score": 8,
        "is_paradigm_shift": True,
        "is_routine": False,
        "references": ["turn-0"],
        "semantic_tags": ["oauth2"],
    }
    return TurnAnalysis(**given)


@pytest.mark.requirement("D-SIGMA-01")
def test_the_functions_need_only_the_document_s_arguments() -> None:
    before = time.time_ns() // 1_000_000
    state = create_session_state("anchor", "first")
    assert before <= state.created_at == state.last_updated
    moved = update_session_state(state, "second", "compression")
    assert moved.compression_history[0].timestamp == moved.last_updated >= state.created_at
    stats = SessionStats(total_turns_analyzed=3, avg_novelty="0.500")
    assert update_session_stats(moved, stats, now=7) == SessionState(
        anchor_id="anchor",
        current_session="second",
        created_at=state.created_at,
        last_updated=7,
        compression_history=moved.compression_history,
        stats=stats,
    )
    with pytest.raises(InputError, match="'boredom' is unknown; expected one of initial, compression"):
        update_session_state(state, "third", "boredom")  # type: ignore[arg-type]  # what is refused


@pytest.mark.requirement("D-SIGMA-01")
def test_a_lattice_is_made_of_turns_and_a_classification() -> None:
    turns = [of_lists(1), of_lists(2), of_lists(5)]
    named = build_conversation_lattice(turns, {"preserved": turns[:1], "summarized": [turns[2]], "discarded": []})
    assert named == build_conversation_lattice(turns, Classification((turns[0],), (turns[2],)))
    assert [node.turn_id for node in named.nodes] == ["turn-1", "turn-5"]
    assert named.metadata.created_at == 5
    with pytest.raises(InputError, match="kept are unknown; expected preserved, summarized, discarded"):
        build_conversation_lattice(turns, {"kept": turns})


@pytest.mark.requirement("D-SIGMA-02")
def test_a_turn_is_met_with_the_nodes_of_a_project() -> None:
    nodes = {"O4": ["mild weather by the lake", "tax forms"], "O7_strategic": ["nothing alike"]}
    embedder = HashEmbedder(dim=512)
    for chosen in (None, embedder):
        alone = analyze_turn(PLAIN, [], chosen, None)
        met = analyze_turn(PLAIN, [], chosen, OverlayRegistry.of(nodes, chosen))
        assert alone.overlay_scores.O4_mission == 0
        assert 3 < met.overlay_scores.O4_mission <= 5.5  # the mean of one that is near and one that is not
        assert met.importance_score > alone.importance_score
    assert analyze_turn(PLAIN, [], embedder, OverlayRegistry.of({}, embedder)) == analyze_turn(PLAIN, [], embedder)
    assert analyze_turn(PLAIN, [], None, OverlayRegistry.of(nodes, embedder)) == analyze_turn(PLAIN, [])
    with pytest.raises(InputError, match="vectors of 512 and 64 numbers"):
        analyze_turn(PLAIN, [], embedder, OverlayRegistry.of(nodes, HashEmbedder(dim=64)))


@pytest.mark.requirement("D-SIGMA-02")
def test_only_the_three_nearest_nodes_of_an_overlay_count() -> None:
    near = ["mild weather by the lake"] * 3
    few, many = (OverlayRegistry.of({"O6": texts}) for texts in (near, [*near, *["tax forms"] * 50]))
    assert few.query(PLAIN.content, None) == many.query(PLAIN.content, None) != {}


@pytest.mark.requirement("D-SIGMA-02")
def test_the_projects_of_a_memory_are_a_registry(tmp_path: Path) -> None:
    text = "# Login\n\n## Passwords\n\nA password is stored after encryption, for authentication.\n"
    made(tmp_path, {"docs/login.md": text})
    with Memory.open(":memory:", embedder="none") as memory:
        assert OverlayRegistry.of_memory(memory) is None
        memory.attach_project(tmp_path)
        registry = OverlayRegistry.of_memory(memory)
        assert registry is not None
        assert registry.query("after encryption the password is stored", None)[Overlay.SECURITY] > 2
        assert registry.query("", None) == {}


@pytest.mark.requirement("D-SIGMA-03")
def test_shapes_of_lists_equal_those_that_are_read() -> None:
    made = of_lists()
    assert made == TurnAnalysis.from_dict(made.to_dict())
    assert made.overlay_scores == OverlayScores(O1_structural=8, O2_security=9)
    assert made.embedding == (1.0, 0.0)
    lattice = build_conversation_lattice([made])
    listed = ConversationLattice(list(lattice.nodes), list(lattice.edges), lattice.metadata)  # type: ignore[arg-type]  # what is taken too
    assert listed == lattice == ConversationLattice.from_dict(lattice.to_dict())
    assert inject_relevant_context("which?", [made], Lengths()).startswith("[Recent context 1] You asked:\nWe chose")


@pytest.mark.requirement("D-SIGMA-03")
def test_the_injector_s_options_are_read_by_the_document_s_names() -> None:
    told = {"windowSize": 20, "maxContextTurns": 2, "minRelevance": 0.5, "maxSnippetLength": 90, "debug": True}
    options = InjectorOptions(window_size=20, max_context_turns=2, min_relevance=0.5, max_snippet_length=90, debug=True)
    assert InjectorOptions.from_dict(told) == options == InjectorOptions.from_dict(options.to_dict())
    with pytest.raises(InputError, match="expected a mapping"):
        InjectorOptions.from_dict(["windowSize"])  # type: ignore[arg-type]  # what is refused


@pytest.mark.requirement("D-SIGMA-04")
def test_files_are_named_by_text_or_path_and_missed_by_name(tmp_path: Path) -> None:
    lattice, state = build_conversation_lattice([of_lists()]), create_session_state("a", "s", now=1)
    for folder in (tmp_path, str(tmp_path)):
        assert load_lattice(str(save_lattice(lattice, folder, "s"))) == lattice
        assert load_state(str(save_state(state, folder))) == state
        assert load_recap(str(save_recap("what was said", folder, "s"))) == "what was said"
    for load in (load_lattice, load_state, load_recap):
        with pytest.raises(NotFoundError, match="there is no file '"):
            load(tmp_path / "nothing.json")


@pytest.mark.requirement("D-SIGMA-04")
def test_the_files_of_a_session_are_written_and_read_through_the_same_module(tmp_path: Path) -> None:
    with quiet() as memory, quiet() as other:
        memory.add(told("We chose OAuth2.", session="gateway"))
        sigma.continue_session(memory, "gateway", "first")
        files = sigma.export_session(memory, "gateway", str(tmp_path))
        assert [files.lattice.name, files.recap.name, files.state.name] == [
            "first.lattice.json",
            "first.recap.txt",
            "gateway.state.json",
        ]
        assert sigma.import_session(other, str(tmp_path), "gateway").added == 1
        assert [turn.content for turn in sigma.session_turns(other, "gateway")] == ["We chose OAuth2."]
        assert sigma.session_state(other, "gateway").current_session == "first"


@pytest.mark.requirement("D-SIGMA-09")
def test_what_is_left_of_a_routine_turn_ends_with_a_word() -> None:
    short = replace(of_lists(), importance_score=1.0, is_routine=True, is_paradigm_shift=False)
    longer = replace(short, content="Thanks, that is all for today, and see you tomorrow at the station. " * 2)
    (node,) = compress_context([short]).lattice.nodes
    assert (node.compression, node.content) == ("compressed", "We\N{HORIZONTAL ELLIPSIS}")
    assert compress_context([longer]).lattice.nodes[0].content == "Thanks,\N{HORIZONTAL ELLIPSIS}"


@pytest.mark.requirement("D-SIGMA-09")
def test_a_session_of_few_turns_is_exported_whole(tmp_path: Path) -> None:
    words = "Thanks, that is all for today, and see you tomorrow at the station."
    for number, is_whole in ((4, True), (5, False)):
        with quiet() as memory:
            memory.add_many(told(f"{words} Until {place}.", session="s") for place in range(number))
            lattice = load_lattice(sigma.export_session(memory, "s", tmp_path).lattice)
        assert all(words in node.content for node in lattice.nodes) is is_whole


@pytest.mark.requirement("D-SIGMA-10")
def test_the_threshold_of_overlays_decides_what_a_recap_lists() -> None:
    said = replace(of_lists(), is_paradigm_shift=False, overlay_scores=OverlayScores(O1_structural=6))
    lattice = build_conversation_lattice([said])
    high = AnalyzerOptions(overlay_threshold=7)
    assert "### Mental Map" in reconstruct_quest_context(lattice)
    assert "### Mental Map" not in reconstruct_quest_context(lattice, options=high)
    assert "### O1 Structural" in reconstruct_chat_context(lattice)
    assert "### Other Points" in reconstruct_chat_context(lattice, options=high)


@pytest.mark.requirement("D-SIGMA-05")
def test_an_embedder_of_the_caller_s_gets_the_beginning_and_end_of_long_texts() -> None:
    embedder = Lengths()
    turn = analyze_turn(ConversationTurn.at(1, "user", "word " * 2_000), [], embedder)
    inject_relevant_context("why " * 2_000, [turn], embedder)
    with Memory.open(":memory:", embedder=embedder) as memory:
        memory.add(Turn(role="user", content="word " * 2_000))
        memory.drain()
        memory.recall("why " * 2_000)
    assert max(embedder.seen) == 1_500
    assert embedder.seen.count(1_500) >= 3


@pytest.mark.requirement("D-SIGMA-01")
def test_turns_of_the_same_time_stay_in_order() -> None:
    turns = [replace(of_lists(number), timestamp=7, references=(), importance_score=4.0) for number in range(12)]
    classes = {"preserved": turns[1::2], "summarized": turns[::2]}
    for lattice in (
        build_conversation_lattice(turns),
        build_conversation_lattice(turns, classes),
        compress_context(turns).lattice,
    ):
        assert [node.turn_id for node in lattice.nodes] == [f"turn-{number}" for number in range(12)]
        following = [edge.to_turn for edge in lattice.edges if edge.type == "temporal"]
        assert following == [f"turn-{number}" for number in range(1, 12)]


@pytest.mark.requirement("D-SIGMA-01")
def test_turns_that_repeat_each_other_have_a_bounded_number_of_edges() -> None:
    like = (1.0, 0.0), (0.8, 0.6)  # cosine 0.8
    turns = [replace(of_lists(number), references=(), embedding=like[number < 4]) for number in range(40)]
    edges = build_conversation_lattice(turns).edges
    likenesses = [edge for edge in edges if edge.type == "semantic_similarity"]
    assert len(likenesses) == sum(min(10, number) for number in range(40))
    of_last = [(edge.to_turn, edge.weight) for edge in likenesses if edge.from_turn == "turn-39"]
    assert of_last == [(f"turn-{number}", 1.0) for number in range(29, 39)], "the nearest of those most like it"


@pytest.mark.requirement("D-SIGMA-01")
def test_turns_with_one_id_keep_their_own_class() -> None:
    turns = [
        replace(of_lists(1), timestamp=7, is_paradigm_shift=False, importance_score=importance)
        for importance in (8.0, 4.0, 2.0)
    ]
    kept = compress_context(turns).lattice.nodes
    assert {node.importance_score: node.compression for node in kept} == {
        8.0: "preserved",
        4.0: "summarized",
        2.0: "compressed",
    }


@pytest.mark.requirement("D-SIGMA-01")
def test_no_turn_refers_to_itself_and_each_reference_is_one_edge() -> None:
    turns = [of_lists(1), replace(of_lists(2), references=("turn-1", "turn-2", "turn-1"))]
    edges = build_conversation_lattice(turns).edges
    told = [(edge.from_turn, edge.to_turn) for edge in edges if edge.type == "conversation_reference"]
    assert told == [("turn-2", "turn-1")]


@pytest.mark.requirement("D-SIGMA-01")
def test_options_and_statistics_may_be_mappings() -> None:
    turns: list[TurnAnalysis] = [replace(of_lists(number), importance_score=2.0) for number in range(3)]
    only = {"maxContextTurns": 1}
    assert inject_relevant_context("What did we choose?", turns, Lengths(), only).count("[Recent context") == 1
    kept = compress_context(turns, {"preserve_threshold": 1})
    assert kept.preserved_turns == ("turn-0", "turn-1", "turn-2")
    assert analyze_turn(PLAIN, [], options={"routine_threshold": 11}).is_routine
    lattice = build_conversation_lattice(turns)
    assert "O2" in reconstruct_chat_context(build_conversation_lattice([replace(turns[0], is_paradigm_shift=False)]))
    assert reconstruct_quest_context(lattice, options={"overlay_threshold": 5}) == reconstruct_quest_context(lattice)
    stats = {"total_turns_analyzed": 3, "avg_novelty": "0.512"}
    assert update_session_stats(create_session_state("a", "b"), stats).stats.avg_novelty == "0.512"


@pytest.mark.requirement("D-SIGMA-01")
@pytest.mark.parametrize(
    "call",
    [
        lambda: sigma.calculate_novelty([float("nan")], [[1.0]]),
        lambda: sigma.calculate_novelty([1e300], [[1e300]]),
        lambda: sigma.calculate_novelty([1.0], [[float("inf")]]),
        lambda: sigma.calculate_novelty("ab", [[1.0]]),  # type: ignore[arg-type]  # of another type
        lambda: sigma.calculate_novelty(None, [[1.0]]),  # type: ignore[arg-type]  # of another type
        lambda: sigma.calculate_novelty([[1.0, 2.0]], [[1.0]]),  # type: ignore[list-item]  # of another type
        lambda: ConversationTurn.at(1, "user", None),  # type: ignore[arg-type]  # of another type
        lambda: replace(of_lists(), content=None),  # type: ignore[arg-type]  # of another type
        lambda: replace(of_lists(), embedding=None),  # type: ignore[arg-type]  # of another type
        lambda: InjectorOptions.from_dict({"windowSize": "3"}),
        lambda: inject_relevant_context("what?", [of_lists()], Lengths(), [3]),  # type: ignore[arg-type]  # of another type
        lambda: inject_relevant_context(None, [of_lists()], Lengths()),  # type: ignore[arg-type]  # of another type
        lambda: compress_context([of_lists()], {"target_size": None}),
        lambda: update_session_stats(create_session_state("a", "b"), None),  # type: ignore[arg-type]  # of another type
        lambda: update_session_state(create_session_state("a", "b"), "c", "compression", tokens=-1),
    ],
)
def test_values_of_another_form_are_refused_in_words(call: Any) -> None:
    with pytest.raises(InputError, match="expected"):
        call()


@pytest.mark.requirement("D-SIGMA-01")
def test_tags_of_a_turn_are_names() -> None:
    assert analyze_turn(ConversationTurn.at(1, "user", "a" * 200 + ". It uses OAuth2."), []).semantic_tags == (
        "oauth2",
    )


@pytest.mark.requirement("D-SIGMA-01")
def test_undated_turns_are_exported_in_their_order(tmp_path: Path) -> None:
    with quiet() as memory:
        memory.add_many([Turn(role="user", content=f"Fact number {place}.", session="s") for place in range(12)])
        path = sigma.export_session(memory, "s", tmp_path).lattice
    assert [node.turn_id for node in load_lattice(path).nodes] == [f"s:turn:{place}" for place in range(12)]


@pytest.mark.requirement("D-SIGMA-01")
def test_what_the_document_does_not_allow_is_refused_by_name() -> None:
    turn = of_lists(1)
    with pytest.raises(InputError, match="role is 'tool'; expected one of user, assistant"):
        replace(turn, role="tool")  # type: ignore[arg-type]  # what is refused
    with pytest.raises(InputError, match="type is 'friend'; expected one of conversation_reference"):
        sigma.ConversationEdge("a", "b", "friend", 0.5)  # type: ignore[arg-type]  # what is refused
    with pytest.raises(InputError, match=r"weight is 1.5; expected 0 to 1"):
        sigma.ConversationEdge.from_dict({"from": "a", "to": "b", "type": "temporal", "weight": 1.5})
    with pytest.raises(InputError, match="preserve_treshold is unknown; expected some of target_size"):
        compress_context([turn], {"preserve_treshold": 5})
    with pytest.raises(InputError, match="target_size is -1; expected 0 to"):
        compress_context([turn], {"target_size": -1})
    with pytest.raises(InputError, match="preserve_threshold is 99; expected 0 to 10"):
        compress_context([turn], {"preserve_threshold": 99})
    with pytest.raises(InputError, match="anchor_id is empty"):
        create_session_state("", "first")
    for reconstruct in (reconstruct_quest_context, reconstruct_chat_context):
        with pytest.raises(InputError, match="-1 is not a number of tokens"):
            reconstruct(build_conversation_lattice([turn]), budget=-1)
    with pytest.raises(InputError, match="-5 is not a number of tokens"):
        sigma.is_compression_due(-5, 100, [turn])
    assert inject_relevant_context("Hello", [], None, {"windowSize": 3, "max_context_turns": 2}) == "Hello"
