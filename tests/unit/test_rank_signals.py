"""Every signal on turns made for it, and what keeps turns out of a ranking."""

import math
from dataclasses import replace
from datetime import timedelta
from math import nan
from typing import Any

import numpy as np
import pytest

from clew.config import RecallConfig
from clew.index.view import IndexView
from clew.memory import Memory
from clew.rank.anchors import WeightedRange
from clew.rank.graph_context import GraphContext, HierarchyNode
from clew.rank.labels import QuestionLabels
from clew.rank.search import rank
from clew.rank.signals import SIGNALS
from clew.testing import FrozenClock, HashEmbedder
from tests.support.ranking_spaces import BY_NAME, NOON, answered, asked, day, said, space, values
from tests.unit import test_rank_agents, test_rank_bursts, test_rank_stretch

OFF = ("fact", "graph", "tree", "label", "beat", "importance")
"""Signals without a weight."""
AGENT = ("agent", "brief", "coverage")
"""Signals that need an assistant which does more than half of the talking."""
ALL_ON: dict[str, Any] = dict.fromkeys(OFF, 1.5)


@pytest.mark.requirement("F-RANKING-05")
def test_every_signal_has_a_test() -> None:
    every = (*globals(), *vars(test_rank_agents), *vars(test_rank_bursts), *vars(test_rank_stretch))
    tests = [name for name in every if name.startswith("test_signal_")]
    assert [name for name in BY_NAME if not any(test.startswith(f"test_signal_{name}_") for test in tests)] == []


@pytest.mark.requirement("F-RANKING-05", "K-SUR-02")
def test_signal_fact_gives_what_was_looked_up() -> None:
    frame = asked(space("wine", "bread"), "wine")
    assert values("fact", frame) is None
    assert values("fact", replace(frame, facts=np.array([0.5, 0.0]))) == [0.5, 0]


@pytest.mark.requirement("F-RANKING-05")
def test_signal_lexical_reads_a_turn_with_its_neighbours() -> None:
    view = space("Which wine?", "The red one.", "Fine.", "Fine.", "Fine.", said("The red one.", session="t"))
    found = values("lexical", asked(view, "wine"))
    assert found is not None
    assert found[0] > found[1] > found[2] > found[3] > 0 == found[4] == found[5]


@pytest.mark.requirement("F-RANKING-05")
def test_signal_lexical_counts_a_turn_as_its_best_piece() -> None:
    filler = "Nothing of note was said about anything else at all. " * 12
    view = space(said(filler + "The wine is red.", session="a"), said(filler, session="b"))
    frame = asked(view, "wine")
    assert frame.piece_scores is not None
    assert values("lexical", frame) == [round(float(frame.piece_scores.max()), 3), 0]
    assert view.turns.piece_count.tolist()[0] > 1
    assert frame.best_piece(0) == view.turns.piece_count[0] - 1


@pytest.mark.requirement("F-RANKING-05")
def test_signal_lexical_has_no_opinion_without_a_term() -> None:
    frame = asked(space("wine"), "what was it?")
    assert values("lexical", frame) is None
    assert frame.best_piece(0) == 0


@pytest.mark.requirement("F-RANKING-05")
def test_signal_dense_and_its_other_form_are_the_cosines() -> None:
    frame = asked(space("wine", "tea"), "wine", np.array([[0.25, nan], [0.5, nan]]))
    assert str(values("dense", frame)) == "[0.25, nan]"
    assert str(values("dense_rewritten", frame)) == "[0.5, nan]"


@pytest.mark.requirement("F-RANKING-05")
@pytest.mark.parametrize("name", ["dense", "dense_rewritten"])
def test_signal_dense_rewritten_and_dense_need_vectors(name: str) -> None:
    assert values(name, asked(space("wine"), "wine")) is None


@pytest.mark.requirement("F-RANKING-05")
def test_the_rewritten_question_is_embedded_by_itself() -> None:
    with Memory.open(":memory:", embedder=HashEmbedder(256), clock=FrozenClock(NOON)) as memory:
        memory.add_many([said("Dogs bark.", speaker="Ann"), said("I like tea.", speaker="Ann", session="t")])
        assert memory.drain(200)
        frame = memory.reads.ranker.frame("Ann tea", NOON)
    assert frame.intent.rewritten == "you tea"
    assert frame.similarity is not None
    # A turn's vector is that of "Ann: I like tea.", whose terms are ann, like and tea.
    assert frame.similarity[:, 1] == pytest.approx([2 / math.sqrt(2 * 3), 1 / math.sqrt(3)], abs=0.02)


def people() -> IndexView:
    return space(
        said("I paint.", speaker="Ann Lee"),
        said("Paint dries.", speaker="Ann Lee"),
        said("I paint too.", speaker="Bob"),
        said("We paint.", speaker=None),
    )


@pytest.mark.requirement("F-RANKING-05")
def test_signal_speaker_is_1_for_who_is_named() -> None:
    assert values("speaker", asked(people(), "What does Ann paint?")) == [1, 1, 0, 0]
    assert values("speaker", asked(people(), "What do Ann and Bob paint?")) == [1, 1, 1, 0]
    assert values("speaker", asked(people(), "Who paints?")) is None


@pytest.mark.requirement("F-RANK-01")
def test_signal_speaker_is_1_for_the_one_of_two_whose_words_are_asked_for() -> None:
    assert values("speaker", asked(people(), "What does Bob say of Ann's paint?")) == [0, 0, 1, 0]
    assert values("speaker_first_person", asked(people(), "What does Ann tell Bob?")) == [1, 0, 0, 0]


@pytest.mark.requirement("F-RANKING-05")
def test_signal_speaker_first_person_wants_both() -> None:
    assert values("speaker_first_person", asked(people(), "What does Ann paint?")) == [1, 0, 0, 0]
    assert values("speaker_first_person", asked(people(), "Who paints?")) is None


@pytest.mark.requirement("F-RANKING-05")
def test_signal_first_person_is_1_for_who_speaks_of_himself() -> None:
    assert values("first_person", asked(people(), "anything")) == [1, 0, 1, 1]


@pytest.mark.requirement("F-RANKING-05")
def test_signal_question_is_1_for_who_asks() -> None:
    assert values("question", asked(space("Is it red?", "It is red.", "Red. Or not?"), "red")) == [1, 0, 1]


@pytest.mark.requirement("F-RANKING-05")
def test_a_question_mark_in_a_tools_result_asks_nothing() -> None:
    listing = said('strings.TrimSuffix(red, "?") ...?', role="tool")
    assert values("question", asked(space("Is it red?", answered("Or not?"), listing), "red")) == [1, 1, 0]


@pytest.mark.requirement("F-RANKING-05")
def test_signal_statement_counts_characters_outside_of_questions() -> None:
    found = values("statement", asked(space("Is it red?", "It is red."), "red"))
    assert found == [0, round(math.log(1 + len("It is red.")), 3)]
    assert values("statement", asked(space("Is it red?", answered("It is red.")), "red")) is None


@pytest.mark.requirement("F-RANKING-22")
def test_signal_answer_is_how_near_the_question_before_is() -> None:
    turns = ("Where do you live?", "In Rome.", "Nice.", said("So?", session="t"), said("Hm.", session="t"))
    similarity = np.array([[0.0] * 5, [0.9, 0.1, 0.2, nan, 0.3]])
    found = values("answer", asked(space(*turns), "Rome", similarity))
    assert found is not None
    assert found[1] > 1.0
    assert found[0] == found[2] == found[3] == found[4] == 0.0, "only what answers; what has no vector says nothing"
    assert values("answer", asked(space(*turns), "Rome")) is None
    assert values("answer", asked(space(*turns[:4], answered("Hm.", session="t")), "Rome", similarity)) is None


@pytest.mark.requirement("F-RANKING-29")
def test_signal_window_is_the_best_three_turns_that_hold_a_turn() -> None:
    turns = ("We went out.", "To the lake.", "It rained.", "Then home.", said("Elsewhere.", session="t"))
    similarity = np.array([[0.0] * 5, [0.9, 0.3, 0.0, nan, 0.2]])
    found = values("window", asked(space(*turns), "lake", similarity))
    assert found == [0.6, 0.6, 0.4, 0.15, 0.2], "ends have a window of two; what has no vector is left out of a mean"
    alone = np.array([[0.0] * 5, [nan, nan, nan, 0.5, nan]])
    assert str(values("window", asked(space(*turns), "lake", alone))) == "[nan, 0.5, 0.5, 0.5, nan]"
    assert values("window", asked(space(*turns), "lake")) is None
    assert values("window", asked(space(*turns[:4], answered("Hm.", session="t")), "lake", similarity)) is None


@pytest.mark.requirement("F-RANKING-05")
def test_signal_beat_is_bm25_of_the_beat_as_one_text() -> None:
    view = space("The wine is red.", "Yes, it is.", "Wine, and wine again.", "The sea is cold.", "More wine.")
    around = GraphContext(
        nodes=(HierarchyNode("s", 0, 3, -1), HierarchyNode("s", 0, 1, 0), HierarchyNode("s", 2, 3, 0))
    )
    frame = replace(asked(view, "wine, or the sea?"), around=around)
    found = np.asarray(BY_NAME["beat"].compute(frame), dtype=np.float64)
    assert found[0] == found[1]
    assert found[2] == found[3] > found[0] > 0
    assert math.isnan(found[4]), "in no closed beat yet"
    pieces = view.pieces.length.tolist()
    lengths = {0: sum(pieces[:2]), 2: sum(pieces[2:4])}
    factor = {"wine": math.log(1 + 0.5 / 2.5) * 2.2, "sea": math.log(1 + 1.5 / 1.5) * 2.2}
    average = sum(lengths.values()) / 2

    def share(term: str, count: int, length: int) -> float:
        return float(factor[term] * count / (count + 1.2 * (0.25 + 0.75 * length / average)))

    assert found[0] == pytest.approx(share("wine", 1, lengths[0]))
    assert found[2] == pytest.approx(share("wine", 2, lengths[2]) + share("sea", 1, lengths[2]))
    assert values("beat", asked(view, "wine")) is None
    assert values("beat", replace(asked(view, "the"), around=around)) is None


@pytest.mark.requirement("F-RANKING-05")
def test_signal_importance_is_that_of_the_turn_or_the_mean_where_it_is_not_known() -> None:
    frame = asked(space("One.", "Two.", "Three."), "red")
    assert values("importance", replace(frame, importance=np.array([2.0, nan, 7.0]))) == [2, 4.5, 7]
    assert values("importance", replace(frame, importance=np.array([nan, nan, nan]))) is None
    assert values("importance", frame) is None


@pytest.mark.requirement("F-RANKING-05")
def test_beats_and_importance_reach_a_recall_when_they_have_a_weight() -> None:
    words = ["The wine of the harbour is red.", "Engines need oil and care."]
    with Memory.open(":memory:", embedder="none", config={"recall": {"beat": 2.0, "importance": 1.0}}) as memory:
        for place in range(8):  # a pause of hours ends a beat
            at = NOON + timedelta(hours=5 * place)
            memory.add_many([said(words[place % 2], at=at), said("So it is, I think, and was.", at=at)])
        assert memory.drain(200)
        assert memory.snapshots("s")
        receipt = memory.explain(memory.recall("wine", budget=2000).receipt_id)
    assert {"beat", "importance"} <= {name for row in receipt.chosen for name in row["signals"]}
    assert receipt.settings["weights"]["beat"] == 2.0
    for row in receipt.chosen:
        assert row["score"] == pytest.approx(sum(row["signals"].values()), abs=1e-5)


@pytest.mark.requirement("F-GRAPH-09")
def test_signal_graph_is_the_energy_of_what_a_turn_names() -> None:
    view = space("Ingrid Berg bakes.", "Ingrid sails.", "The berg is far. Ingrid?", "Rye bread by Ingrid.")
    near = ((("Ingrid Berg",), 0.25), (("rye bread", "bread"), 0.1))
    found = values("graph", replace(asked(view, "Zoltan?"), around=GraphContext(near=near)))
    assert found == [0.25, 0, 0.25, 0.1]
    assert values("graph", asked(view, "Zoltan?")) is None


@pytest.mark.requirement("F-LABEL-01", "F-LABEL-02")
def test_signal_label_is_the_share_of_the_questions_labels() -> None:
    view = space("One.", "Two.", "Three.", "Four.")
    frame = asked(view, "two", label=2.0)
    assert values("label", frame) is None
    told = replace(frame, labels=QuestionLabels(values=np.array([0.0, 1.0, 0.25, nan])))
    assert values("label", told) == pytest.approx([0, 1, 0.25, nan], nan_ok=True)
    assert [each.shares.get("label", 0.0) for each in sorted(rank(told, limit=9))] == [0, 2, 0.5, 0]
    assert rank(told, limit=1).rows([0]).ranks() == [{"lexical": 1, "label": 1}]


@pytest.mark.requirement("F-TREE-03")
def test_signal_tree_is_a_turn_with_its_beat() -> None:
    view = space("One.", "Two.", "Three.")
    similarity = np.array([[0.0, 0.0, 0.0], [0.8, 0.4, 0.2]])
    around = GraphContext(nodes=(HierarchyNode("s", 0, 1, -1),))
    found = values("tree", replace(asked(view, "red", similarity), around=around))
    assert found == [pytest.approx(0.7 * 0.8 + 0.3 * 0.6), pytest.approx(0.7 * 0.4 + 0.3 * 0.6), 0.2]
    assert values("tree", asked(view, "red", similarity)) is None
    assert values("tree", replace(asked(view, "red"), around=around)) is None


@pytest.mark.requirement("F-RANKING-22")
def test_signal_dated_is_1_for_a_named_time_when_asked_for_one() -> None:
    view = space(said("We met last week.", at=NOON), said("We met.", at=NOON), "On 4 May 2023 we met.")
    assert values("dated", asked(view, "When did we meet?")) == [1, 0, 1]
    assert values("dated", asked(view, "Which day was it?")) == [1, 0, 1]
    assert values("dated", asked(view, "Whom did we meet?")) is None


@pytest.mark.requirement("F-RANKING-22")
def test_signal_standing_brings_wishes_for_always_to_a_request() -> None:
    turns = ("Always show the code first.", "Show it.", "I'd prefer short answers.", answered("I never do."))
    view = space(*turns)
    assert values("standing", asked(view, "Can you help me with the parser?")) == [1, 0, 1, 0]
    assert values("standing", asked(view, "Can you tell what we discussed so far?")) is None
    assert values("standing", asked(view, "the parser")) is None
    assert values("standing", asked(space(*turns[:3]), "Can you help me with the parser?")) is None
    shares = [
        {name for each in rank(asked(view, "Please help me: code", standing=weight), limit=9) for name in each.shares}
        for weight in (0.0, 2.0)
    ]
    assert shares[1] - shares[0] == {"standing"}


@pytest.mark.requirement("F-RANKING-22")
def test_words_count_more_where_there_are_no_vectors() -> None:
    view = space("wine", "tea")
    alone = rank(asked(view, "wine"), limit=1)[0].shares["lexical"]
    beside = rank(asked(view, "wine", np.ones((2, 2))), limit=1)[0].shares["lexical"]
    assert alone == pytest.approx(1.35 * beside, abs=1e-5)


WHEN = (day(1), day(3), day(4), day(5), day(6), day(8), day(12), day(13), None)


@pytest.mark.requirement("F-RANKING-05")
@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("on 5 March 2024", [0, 0.3, 0.3, 1, 0.6, 0.4, 0.4, 0, 0]),
        ("today", [0, 0.3, 0.3, 1, 0.6, 0.4, 0.4, 0, 0]),
        ("this week", [0, 0, 0.8, 0.8, 0.8, 0.8, 0, 0, 0]),
        ("last weekend", [0, 0.8, 0, 0, 0, 0, 0, 0, 0]),
        ("in the first quarter of 2024", [0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0]),
        ("in March 2024", [0.7, 0.7, 0.7, 0.7, 0.7, 0.7, 0.7, 0.7, 0]),
        ("in February 2024", [0.35, 0.35, 0.35, 0.35, 0.35, 0.35, 0.35, 0.35, 0]),
        ("in January 2024", [0.35, 0, 0, 0, 0, 0, 0, 0, 0]),
        ("in 2024", [0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0]),
        ("before 5 March 2024", [0.3, 0.3, 0.3, 0, 0, 0, 0, 0, 0]),
        ("after 5 March 2024", [0, 0, 0, 0, 0.3, 0.3, 0.3, 0.3, 0]),
        ("since 5 March 2024", [0, 0, 0, 0.3, 0.3, 0.3, 0.3, 0.3, 0]),
        ("between 4 and 6 March 2024", [0, 0, 0.8, 0.8, 0.8, 0, 0, 0, 0]),
        ("red but not on 5 March 2024", [0.3, 0.3, 0.3, -1, 0.3, 0.3, 0.3, 0.3, 0]),
        ("in March 2024 except on 5 March 2024", [0.7, 0.7, 0.7, -1, 0.7, 0.7, 0.7, 0.7, 0]),
    ],
)
def test_signal_time_by_when_a_turn_was_said(question: str, expected: list[float]) -> None:
    view = space(*(said("red", at=at) for at in WHEN))
    assert values("time", asked(view, question)) == expected


@pytest.mark.requirement("F-RANKING-05")
@pytest.mark.parametrize(
    ("question", "words", "value"),
    [
        ("on 9 May 2023", "We met on 9 May 2023.", 1.2),
        ("in May 2023", "We met in May 2023.", 1.0),
        ("in 2023", "We met in 2023.", 0.0),
        ("before 9 May 2023", "We met on 9 May 2023.", 0.0),
        ("on 9 May 2023", "We met on 8 May 2023.", 0.0),
    ],
)
def test_signal_time_by_the_date_a_turn_names(question: str, words: str, value: float) -> None:
    assert values("time", asked(space(said(words, at=day(1)), said("No.", at=day(1))), question)) == [value, 0]


@pytest.mark.requirement("F-RANKING-05")
def test_signal_time_by_the_week_a_turn_names() -> None:
    view = space(said("We met last week.", at=day(6)), said("We met.", at=day(6)), said("We met last week.", at=day(1)))
    assert values("time", asked(view, "last week")) == [0.8, 0, 0.8]


@pytest.mark.requirement("F-RANKING-05")
def test_signal_time_has_no_opinion_without_a_date_and_takes_the_best_of_several() -> None:
    view = space(*(said("red", at=at) for at in WHEN[:4]))
    assert values("time", asked(view, "red")) is None
    assert values("time", asked(view, "on 1 March 2024 or on 5 March 2024")) == [1, 0.6, 0.4, 1]


@pytest.mark.requirement("W-STAGE-09")
def test_signal_position_values_turns_by_how_near_they_are() -> None:
    frame = asked(space(*["red"] * 5, said("red", session="t")), "red")
    assert values("position", frame) is None
    near = (WeightedRange("s", 1, 2, 1.0), WeightedRange("s", 2, 3, 0.5), WeightedRange("nowhere", 0, 9, 1.0))
    assert values("position", replace(frame, region=near)) == [0, 1, 1, 0.5, 0, 0]


@pytest.mark.requirement("F-RANKING-05")
def test_signal_quote_wants_all_words_in_one_piece() -> None:
    far = "the red fox. " + "Nothing else was said here. " * 40 + "a barn owl."
    view = space("A red barn stands there.", "red", "barn, red", far)
    assert values("quote", asked(view, 'Who said "red barn"?')) == [1, 0, 1, 0]
    assert values("quote", asked(view, 'Who said "red barn" or "fox"?')) == [1, 0, 1, 1]
    assert values("quote", asked(view, "Who said red barn?")) is None
    assert values("quote", asked(view, 'Who said "it is"?')) is None


@pytest.mark.requirement("F-RANKING-05")
def test_signal_user_prefers_the_person_beside_an_assistant() -> None:
    assert values("user", asked(space("tea", answered("Tea."), said("t", role="tool")), "tea")) == [1, 0, 0]
    assert values("user", asked(space("tea", answered("Tea.", speaker="Bob")), "tea")) is None
    assert values("user", asked(space("tea", answered("Tea.", speaker="Assistant")), "tea")) == [1, 0]
    assert values("user", asked(space(*["tea"] * 10, answered("Tea.")), "tea")) is None


@pytest.mark.requirement("F-RANKING-05")
def test_signal_assistant_is_1_when_its_words_are_asked_for() -> None:
    view = space("tea", answered("Tea."))
    assert values("assistant", asked(view, "What did you recommend about tea?")) == [0, 1 + 6 / 4]  # no agent's work
    assert values("assistant", asked(view, "What did you recommend about tea?", user=0.0)) == [0, 1]
    assert values("assistant", asked(view, "Summarise what was said about tea")) == [0, 1.75]
    assert values("assistant", asked(view, "What did you recommend about tea?", assistant=0.0)) == [0, 1]
    assert values("assistant", asked(view, "What about tea?")) is None
    assert values("assistant", asked(space("tea"), "What did you recommend about tea?")) is None


@pytest.mark.requirement("F-RARE-01")
def test_signal_exact_finds_the_turns_with_every_word_of_a_search() -> None:
    view = space("red barn owl", "red", "barn", *["red tea"] * 6)
    assert values("exact", asked(view, "barn red")) == [1, *[0] * 8]
    assert values("exact", asked(view, "the red barn")) is None
    assert values("exact", asked(space(*["red tea"] * 60, "red tea barn"), "red tea")) is None


@pytest.mark.requirement("F-RARE-02")
def test_signal_rare_counts_what_a_term_is_rarer_than_one_turn_in_400() -> None:
    view = space("the zebra sleeps", *["the fox sleeps"] * 999)
    frame = asked(view, "Where does the zebra sleep?")
    assert values("rare", frame) == [round(math.log(1 + 999.5 / 1.5) - 6, 3), *[0] * 999]
    assert values("rare", asked(view, "Where does the fox sleep?")) is None


@pytest.mark.requirement("F-RARE-03")
def test_signal_unembedded_puts_words_in_the_place_of_a_vector() -> None:
    similarity = np.array([[0.2, nan, 0.1]] * 2)
    found = values("unembedded", asked(space("tea", "wine", "milk"), "wine", similarity))
    assert found is not None
    assert found[0] == found[2] == 0 < found[1]


@pytest.mark.requirement("F-HOP-01")
def test_signal_hop_reads_a_turns_own_words() -> None:
    frame = asked(space("Marta is here.", "Fine.", "Bob is not."), "tea")
    assert values("hop", frame) is None
    found = values("hop", replace(frame, hop=("marta",)))
    assert found is not None
    assert found[0] > 0
    assert found[1:] == [0, 0]


@pytest.mark.requirement("F-SUMMARY-03")
def test_signal_opening_falls_from_the_first_turn_of_a_session_for_a_summary() -> None:
    view = space("tea", answered("Tea."), said("tea", session="t"), answered("Tea.", session="t"), "Tea again.")
    assert values("opening", asked(view, "Summarise what was said about tea")) == [1, 0.667, 1, 0.5, 0.333]
    assert values("opening", asked(view, "What was said about tea?")) is None
    assert values("opening", asked(space("tea"), "Summarise what was said about tea")) is None
    found = rank(asked(view, "Summarise what was said about tea", opening=2.0), limit=9)
    shares = {candidate.position: candidate.shares["opening"] for candidate in found}
    assert shares == {0: 2.0, 1: 1.333333, 2: 2.0, 3: 1.0, 4: 0.666667}


@pytest.mark.requirement("F-RANKING-05")
def test_signal_cost_is_the_logarithm_of_tokens_and_fifty() -> None:
    assert values("cost", asked(space("12345678", "x" * 400), "x")) == [
        -round(math.log(52), 3),
        -round(math.log(150), 3),
    ]


@pytest.mark.requirement("F-RANKING-05")
@pytest.mark.parametrize("beside", [False, True], ids=["people", "assistant"])
@pytest.mark.parametrize("name", list(BY_NAME))
def test_a_weight_of_0_switches_a_signal_off(name: str, beside: bool) -> None:
    turns = [said("I said: red barn on 5 March. Or not?", speaker="Ann", at=NOON), said("Red.", at=NOON)]
    view = space(*turns, *([answered("Red barn.", session="u")] if beside else []))
    question = "When did you tell Ann about the 'red barn' on 5 March?"
    similarity = np.linspace(0.1, 0.9, 2 * len(view.turns.at)).reshape(2, -1)
    never = {True: {"answer", "statement", "window"}, False: {"user", "assistant", *AGENT}}[beside]
    never |= {"position", "standing", "opening", "hop", *OFF}  # not asked for, or no weight
    never |= {
        "unembedded",
        "exact",
        "rare",
        "call",
        "terse",
        "lengthy",
        "users_words",
    }  # a sentence, few turns, all vectors, no tool
    never |= {"failure", "decision", "cause", "closing", "sequel", "session"}  # not asked for, few sessions
    never |= {"burst", "stretch"}  # two speakers, who say little
    weight = "cost_assistant" if beside and name == "cost" else name

    def shares(**weights: Any) -> set[str]:
        frame = asked(view, question, similarity, floor=-1e9, **weights)
        return {signal for each in rank(frame, limit=9) for signal in each.shares}

    assert shares() == set(BY_NAME) - never
    assert shares(**{weight: 0.0}) == set(BY_NAME) - never - {name}
    assert shares(fusion="rrf", **{weight: 0.0}).isdisjoint({name})


@pytest.mark.requirement("F-RANKING-05")
def test_every_weight_can_be_set() -> None:
    for signal in SIGNALS:
        assert (signal.weight(RecallConfig(), False) == 0) == (signal.name in OFF), signal.name
        assert signal.weight(replace(RecallConfig(), **ALL_ON), False) != 0, signal.name
    assert BY_NAME["cost"].weight(RecallConfig(), True) == RecallConfig().cost_assistant
