"""How sure a recall is of what it found."""

import io
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from math import exp, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from clew.analyze.word_rarity import LEAST
from clew.cli.explain import print_receipt
from clew.index.bm25 import idf
from clew.models.function_embedder import FunctionEmbedder
from clew.rank.confidence import (
    ALIKE,
    FEW,
    MOSTLY,
    UNLIKELY,
    WITH_VECTORS,
    WITHOUT,
    Features,
    Model,
    confidence,
    features,
    gathered,
)
from clew.rank.information import information, without_dates
from clew.rank.intent import read_intent
from clew.rank.search import Ranking, rank
from clew.testing import HashEmbedder
from clew.text.terms import terms
from clew.types.context import DOUBTFUL
from tests.support.memories import quiet, told
from tests.support.ranking_spaces import asked, said, space

TALK = (
    said("I sold my red bicycle to a neighbour.", speaker="Ann"),
    said("I went to Oslo by ferry.", speaker="Bob"),
    said("Lunch was fine.", speaker="Ann"),
)
NEAR, FAR = (0.7, 0.1, 0.2), (0.2, 0.1, 0.1)


def found(question: str, cosines: tuple[float, ...] | None = None) -> Ranking:
    frame = asked(space(*TALK), question, None if cosines is None else np.array([cosines, cosines]))
    return rank(replace(frame, cosines=None if cosines is None else np.array(cosines)), limit=9)


def weights(question: str) -> dict[str, float]:
    return information(read_intent(question, ("Ann", "Bob"), datetime(2024, 3, 5, tzinfo=UTC), with_assistant=False))


@pytest.mark.requirement("F-SURE-01")
def test_a_best_turn_without_a_vector_is_judged_by_its_words() -> None:
    view = space("I sold my red bicycle to a neighbour.", *(f"Lunch on day {day} was fine." for day in range(30)))
    question = "Who sold a red bicycle to a neighbour?"
    new = rank(asked(view, question, np.array([[np.nan] + [0.1] * 30] * 2)), limit=9)
    assert int(new.positions[0]) == 0
    assert confidence(new).parts.keys() == confidence(rank(asked(view, question), limit=9)).parts.keys()
    assert confidence(new).value > DOUBTFUL


@pytest.mark.requirement("F-SURE-01")
def test_what_follows_a_date_of_several_years_is_told_as_well() -> None:
    covered = (date(2021, 1, 1), date(2024, 3, 5))
    now = datetime(2024, 3, 5, tzinfo=UTC)
    many = read_intent("What did we paint in March on Skye?", (), now, with_assistant=False, covered=covered)
    one = read_intent("What did we paint in March on Skye?", (), now, with_assistant=False)
    assert len(many.dates) > len(one.dates) == 1
    assert information(many) == information(one)
    assert without_dates(many) == "What did we paint in   on Skye?"


@pytest.mark.requirement("F-SURE-01")
@pytest.mark.parametrize(("cosines", "used"), [(None, WITHOUT), (NEAR, WITH_VECTORS)], ids=["words", "vectors"])
def test_it_can_be_recomputed_by_hand(cosines: tuple[float, ...] | None, used: Model) -> None:
    ranking = found("Did Ann sell her red bicycle, or lend Tandem?", cosines)
    seen, sure = features(ranking), confidence(ranking)
    total = used.constant + sum(getattr(used.weights, name) * getattr(seen, name) for name in Features.__slots__)
    assert sure.value == round(1 / (1 + exp(-total)), 3)
    assert sum(sure.parts.values()) == pytest.approx(total, abs=0.01)
    assert 0 < seen.together < 1
    assert 0 < seen.scene < 1
    assert 0 < seen.words < 1
    assert seen.strange == 0.5, "Tandem, and not Ann"
    assert seen.near == (0 if cosines is None else 0.7)
    assert seen.worded == (0 if cosines is None else 1), "the nearest turn has most of the words too"
    assert seen.agent == 0


@pytest.mark.requirement("F-SURE-01")
def test_what_another_one_said_makes_it_less_sure() -> None:
    right, wrong = (found(f"Where did {name} sell the red bicycle?") for name in ("Ann", "Bob"))
    assert features(right).own > 0 > features(wrong).own
    assert confidence(right).value > confidence(wrong).value + 0.2
    assert features(found("Where did Ann and Bob sell it?")).own == 0


@pytest.mark.requirement("F-SURE-06")
def test_whose_story_it_is_shows_in_what_people_tell_of_themselves() -> None:
    talk = space(
        said("What made you study the violin?", speaker="Ann"),
        said("I heard one in Oslo.", speaker="Bob"),
        said("Lunch was fine.", speaker="Ann"),
        said("You were great.", speaker="Bob"),
    )

    def own(question: str) -> float:
        return features(rank(asked(talk, question), limit=9)).own

    assert own("What made Bob study the violin?") > 0.9, "he answered, in other words"
    assert own("What made Ann study the violin?") < -0.9, "she only asked"
    assert own("Who studied the violin?") == 0


@pytest.mark.requirement("F-SURE-01")
def test_words_that_nobody_said_make_it_less_sure() -> None:
    known, strange = (confidence(found(each)).value for each in ("red bicycle", "red bicycle tandem velocipede"))
    assert known > strange > 0


@pytest.mark.requirement("F-SURE-03")
def test_a_name_that_nobody_mentioned_makes_it_less_sure() -> None:
    known, strange = (found(f"Who went to {place} by ferry?") for place in ("Oslo", "Bergen"))
    assert (features(known).strange, features(strange).strange) == (0, 1)
    assert confidence(known).value > confidence(strange).value + 0.2
    assert features(found("Did Ann sell the bicycle in May 2024?")).strange == 0, "months and speakers are no names"


@pytest.mark.requirement("F-SURE-09")
def test_a_name_whose_words_stand_in_different_sessions_is_another_one() -> None:
    talk = space(
        said("I am Clara.", session="first"),
        said("My family name is Diaz.", session="first"),
        said("Elias Novak, please book.", session="second"),
    )

    def strange(name: str) -> float:
        return features(rank(asked(talk, f"When did {name} call?"), limit=9)).strange

    assert [strange(name) for name in ("Clara Diaz", "Elias Novak", "Clara")] == [0, 0, 0]
    assert [strange(name) for name in ("Clara Novak", "Elias Diaz", "Clara Birtwhistle")] == [1, 1, 1]


@pytest.mark.requirement("F-SURE-08")
def test_a_cosine_counts_for_what_stands_out_from_turns_that_are_all_alike() -> None:
    talk = space(*(f"Lunch {number}" for number in range(FEW)))
    frame = replace(asked(talk, "lunch"), cosines=np.full(FEW, 0.8))

    def near(alike: float) -> float:
        return features(rank(replace(frame, alike=alike), limit=9)).near

    assert near(0.0) == near(ALIKE) == 0.8
    assert near(0.65) == pytest.approx(0.6)
    assert near(0.9) == near(1.0) == 0
    few = replace(asked(space("Lunch 1", "Lunch 2"), "lunch"), cosines=np.full(2, 0.8), alike=0.9)
    assert features(rank(few, limit=9)).near > 0.75, "two turns may be alike by chance"


@pytest.mark.requirement("F-SURE-08")
@pytest.mark.parametrize(
    ("question", "telling"),
    [
        ("Welche Farbe hat das Fahrrad, das wir gekauft haben?", "Farbe Fahrrad gekauft"),
        ("Où est-ce que la sœur de Paul se marie avec lui ?", "sœur Paul marie"),
        ("¿Cuándo llegó el tren con el retraso?", "llegó tren retraso"),
        ("我们在哪里买了那个红色的自行车?", "买 红色 自行车"),
        ("健太はどこで赤い自転車を買ったのですか?", "健太 赤 自転車 買"),
        ("لماذا تأخر القطار في الثلج؟", "تأخر القطار الثلج"),
        ("रेलगाड़ी देर से क्यों आई?", "रेलगाड़ी देर आई"),
    ],
)
def test_function_words_of_other_languages_tell_nothing(question: str, telling: str) -> None:
    told_by = weights(question)
    assert {term for term, value in told_by.items() if value > LEAST} == set(terms(telling)) - {
        term for term, value in told_by.items() if value <= LEAST
    }
    assert set(terms(telling)) <= set(told_by)
    assert sum(value > LEAST for value in told_by.values()) >= 3


@pytest.mark.requirement("F-SURE-03")
def test_evidence_in_one_place_is_worth_more_than_the_same_words_far_apart() -> None:
    def seen(apart: int) -> Features:
        between = ["Lunch was fine."] * apart
        talk = space("We picked Redis.", *between, "For sessions, of course.", *(["Yes."] * 20))
        return features(rank(asked(talk, "Redis for sessions?"), limit=9))

    adjacent, near, far = seen(1), seen(8), seen(17)
    assert adjacent.together == 1 > near.together
    assert near.scene == 1 > far.scene > 0
    nothing = features(rank(asked(space("We met."), "Redis or Kafka?", np.array([[0.9], [0.9]])), limit=9))
    assert (nothing.together, nothing.scene) == (0, 0)


@pytest.mark.requirement("F-SURE-03")
@given(
    held=st.lists(st.sets(st.sampled_from(["oslo", "ferry", "redis"])), min_size=1, max_size=60),
)
def test_the_best_stretch_is_that_of_all_stretches(held: list[set[str]]) -> None:
    frame = asked(space(*(" ".join(["lunch", *sorted(words)]) for words in held)), "oslo ferry redis")
    told_by = {term: idf(frame.size, max(frame.view.document_frequency(term), 1)) for term in frame.intent.terms}
    told_by = {term: told_by[term] * value for term, value in information(frame.intent).items()}
    stems = {"oslo": "oslo", "ferry": "ferri", "redis": "redi"}
    assert set(stems.values()) == set(told_by)

    def best(reach: int) -> float:
        windows = (set().union(*held[max(at - reach, 0) : at + reach + 1]) for at in range(len(held)))
        return max(sum(told_by[stems[word]] for word in window) for window in windows) / sum(told_by.values())

    seen = features(rank(replace(frame, cosines=np.ones(frame.size)), limit=9)) if any(held) else None
    if seen is not None:
        assert [seen.together, seen.scene] == pytest.approx([best(1), best(8)])


@pytest.mark.requirement("F-SURE-03")
def test_what_is_near_by_its_words_alone_tells_less() -> None:
    worded, meant = (found("red bicycle", cosines) for cosines in ((0.7, 0.1, 0.2), (0.2, 0.1, 0.7)))
    assert features(worded).worded == 1
    assert 0 < features(meant).worded < 0.5
    assert features(worded).near == features(meant).near
    assert confidence(worded).value < confidence(meant).value


@pytest.mark.requirement("F-SURE-03")
def test_work_of_an_agent_is_less_like_questions_about_it() -> None:
    talk = space("Please mend the build.", *(said("The build is mended.", role="assistant") for _ in range(30)))
    assert features(rank(asked(talk, "Is the build mended?"), limit=9)).agent == MOSTLY
    chat = space("Please mend the build.", said("The build is mended.", role="assistant"))
    assert features(rank(asked(chat, "Is the build mended?"), limit=9)).agent == 0


@pytest.mark.requirement("F-SURE-03")
def test_a_word_that_everybody_uses_tells_little_and_a_time_too() -> None:
    told_by = weights("What about the ZX-81 in the school last year?")
    assert told_by["zx81"] == 1
    assert told_by["school"] < 0.3
    assert told_by.get("year", LEAST) == LEAST
    assert weights("Где мой зонтик?")["зонтик"] == 1, "what the vocabulary lacks"


@pytest.mark.requirement("F-SURE-03")
def test_a_question_that_is_near_to_no_turn_is_judged_by_its_vector_too() -> None:
    near, far = (confidence(found("red bicycle", cosines)).value for cosines in (NEAR, FAR))
    assert near > far
    assert features(found("red bicycle", (np.nan, 0.5, 0.1))).near == 0.5, "a turn without a vector has no say"


@pytest.mark.requirement("F-FAST-04")
@pytest.mark.parametrize(
    ("cosines", "near"),
    [((0.1, 0.9, np.nan, 0.7), 0.9), ((np.nan, -0.2, -0.1), -0.1), ((0.4,), 0.4), ((np.nan, np.nan), 0.0)],
)
def test_the_highest_cosine_counts(cosines: tuple[float, ...], near: float) -> None:
    talk = space(*(f"Lunch {number}" for number in range(len(cosines))))
    frame = replace(asked(talk, "lunch"), cosines=np.array(cosines))
    assert features(rank(frame, limit=9)).near == near


@pytest.mark.requirement("F-SURE-02")
def test_every_context_carries_it_and_nothing_found_is_none_at_all() -> None:
    with quiet(embedder=HashEmbedder(64)) as memory:
        memory.add_many([told("We picked Redis for sessions."), told("Lunch is at noon.")])
        assert memory.drain(200)
        context = memory.recall("what did we pick for sessions?")
        assert context.confidence is not None
        assert DOUBTFUL < context.confidence <= 1
        assert not context.is_doubtful
        parts = memory.explain(context.receipt_id).confidence
        assert 1 / (1 + exp(-sum(parts.values()))) == pytest.approx(context.confidence, abs=0.01)
        assert memory.recall("what did we pick for sessions?", budget=1).confidence == 0
        assert memory.recall("").confidence == 0
        assert memory.recall("Redis", strategy="sigma").confidence is None


@pytest.mark.requirement("F-SURE-04")
def test_a_block_stops_where_nothing_is_relevant() -> None:
    with quiet(embedder="none") as memory:
        memory.add_many(
            [told(f"We talked of plan number {n} for the garden and the house at length.") for n in range(60)]
        )
        answered = memory.recall("Which plan for the garden and the house?", budget=1200)
        nothing = memory.recall(
            "Which plan did Zebulon Quagmire and Xenophon Birtwhistle sign in Ouagadougou?", budget=1200
        )
        assert nothing.confidence is not None
        assert nothing.confidence < UNLIKELY
        assert nothing.is_doubtful
        assert nothing.items
        assert nothing.tokens <= 300 < answered.tokens <= 1200
        assert nothing.budget == 1200
        memory.pin(answered.items[0].turn_ids[0])
        assert (
            memory.recall(
                "Which plan did Zebulon Quagmire and Xenophon Birtwhistle sign in Ouagadougou?", budget=1200
            ).tokens
            > 300
        ), "what must be there is not cut short"


@pytest.mark.requirement("F-SURE-05")
def test_a_block_does_not_stop_where_a_question_says_little() -> None:
    with quiet(embedder="none") as memory:
        memory.add_many([told(f"We did talk of plan {n} for the garden and the house at length.") for n in range(60)])
        found = memory.recall("What is the plan of my profession?", budget=1200)
        assert found.confidence is not None
        assert found.confidence < UNLIKELY
        assert found.is_doubtful
        assert found.tokens > 300


@pytest.mark.requirement("M-TRY-06")
def test_a_block_stops_where_none_of_the_few_words_occurs() -> None:
    def likeness(texts: Sequence[str]) -> list[list[float]]:
        near = [1.0 if "this" in text else 0.03 * (len(text) % 12) for text in texts]
        return [[each, sqrt(1.0 - each**2)] for each in near]

    with quiet(embedder=FunctionEmbedder("likeness", likeness)) as memory:
        memory.add_many([told(f"We met{' again' * (n % 9)}, {n} of us, in the garden at length.") for n in range(90)])
        memory.drain()
        unknown, known = (memory.recall(f"Which {word} is this?", budget=1200) for word in ("ticket", "garden"))
        rooms = [memory.explain(context.receipt_id).settings.get("room") for context in (unknown, known)]
        page = io.StringIO()
        print_receipt(Console(file=page, width=300), memory, memory.explain(unknown.receipt_id))
    assert rooms == [300, None]
    assert "probably nothing is relevant, so the block has 300 tokens at most" in page.getvalue()
    assert unknown.confidence is not None
    assert 0 < unknown.confidence < UNLIKELY
    assert 0 < unknown.tokens <= 300
    assert known.tokens > 300


@pytest.mark.requirement("F-MENDED-10")
def test_among_few_turns_common_words_are_no_evidence() -> None:
    talk = ["I fly to Lisbon in May.", "Book a hotel please.", "There is something by the river.", "Take it.", "Fine."]
    with quiet() as memory:
        for text in talk:
            memory.add(told(text))
        assert memory.recall("Is something there?").is_doubtful
        assert not memory.recall("Which hotel in Lisbon?").is_doubtful
        for number in range(FEW):
            memory.add(told(f"Number {number} is late."))
        parts = memory.explain(memory.recall("Is something there?").receipt_id).confidence
        assert "thin" not in parts


@pytest.mark.requirement("F-SURE-03")
@pytest.mark.parametrize("size", [121, 40_000], ids=["all turns", "gaps closed"])
@given(held=st.lists(st.sets(st.integers(0, 120), min_size=1, max_size=9), min_size=1, max_size=20))
def test_few_turns_among_many_are_as_near_to_each_other_as_alone(size: int, held: list[set[int]]) -> None:
    weights = [1.0 + number for number in range(len(held))]

    def best(reach: int) -> float:
        around = (range(at - reach, at + reach + 1) for at in range(121))
        sums = (
            sum(weight for weight, turns in zip(weights, held, strict=True) if turns & set(some)) for some in around
        )
        return max(sums) / sum(weights)

    places = [np.array(sorted(turns), dtype=np.intp) for turns in held]
    assert gathered(size, places, weights) == pytest.approx((best(1), best(8)))
