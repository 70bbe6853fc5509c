"""What beats are about by the evidence of their turns and by the rest of the conversation."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.analyze.domain_states import PRICES, STATES, beyond_even, levels_read, likelihoods, state_levels
from clew.analyze.lexicon import DOMAINS
from clew.structure.conversation_context import BeatSubject
from clew.structure.conversation_states import subjects_by_evidence
from clew.structure.macro import MacroNode, evolution

EVIDENCE = st.lists(st.lists(st.floats(0, 3), min_size=10, max_size=10), min_size=1, max_size=20)


def beat(turns: int = 4, **evidence: float) -> tuple[str, int]:
    row = [evidence.get(domain, 0.0) for domain in DOMAINS]
    return state_levels([row] * turns, [False] * turns), turns


def found(*beats: tuple[str, int]) -> list[str | None]:
    return ["crossing" if each.crossing else each.domain for each in subjects_by_evidence(beats)]


LAW, MEDICINE, TALE = beat(legal=1.5), beat(medical=1.5), beat(narrative=1.8)


@pytest.mark.requirement("W-STRUCT-19")
@given(EVIDENCE, st.booleans())
def test_states_are_kept_to_half_a_logit(rows: list[list[float]], vector: bool) -> None:
    levels = state_levels(rows, [vector] * len(rows))
    sums = likelihoods(beyond_even(rows, [vector] * len(rows)), [vector] * len(rows)).sum(axis=0) - PRICES
    sums[0] = -1.0
    (decoded,) = levels_read([levels])
    assert len(levels) == len(STATES)
    assert decoded.tolist() == pytest.approx((sums - sums.max()).clip(-16.5).tolist(), abs=0.2501)


@pytest.mark.requirement("W-STRUCT-19")
def test_a_faint_second_domain_makes_a_crossing_only_in_a_conversation_about_both() -> None:
    faint = beat(legal=1.3, medical=1.15)
    assert found(LAW, MEDICINE, faint, LAW) == ["legal", "medical", "crossing", "legal"]
    assert found(LAW, LAW, faint, LAW) == ["legal"] * 4, "nothing else in the conversation is medical"


@pytest.mark.requirement("W-STRUCT-18")
def test_a_manner_meets_a_subject_only_where_it_is_a_subject_itself() -> None:
    told = beat(legal=1.5, narrative=1.5)
    in_a_tale = found(told, beat(medical=1.5, narrative=1.5), told, told)
    assert in_a_tale == ["legal", "medical", "legal", "legal"], "that all is told in one manner says how it is told"
    assert found(TALE, LAW, told, TALE) == ["narrative", "legal", "crossing", "narrative"]


@pytest.mark.requirement("W-STRUCT-18")
def test_of_a_subject_and_the_manner_that_goes_with_it_the_subject_is_named() -> None:
    assert found(LAW, beat(historical=1.5, narrative=1.8), LAW) == ["legal", "historical", "legal"]
    assert found(MEDICINE, beat(physics=1.6, mathematics=1.4), MEDICINE)[1] == "physics", "of two subjects the likelier"


@pytest.mark.requirement("W-STRUCT-19")
def test_a_short_beat_goes_on_with_the_conversation_and_a_long_one_about_nothing_has_no_domain() -> None:
    assert found(LAW, beat(turns=1, legal=0.6), LAW) == ["legal"] * 3
    assert found(LAW, beat(turns=8), LAW) == ["legal", None, "legal"]
    assert found(beat(turns=8)) == [None]
    assert found(LAW) == ["legal"]
    assert found() == []


@pytest.mark.requirement("W-STRUCT-19")
@given(st.lists(st.tuples(EVIDENCE, st.booleans()), min_size=1, max_size=6))
def test_every_beat_of_any_conversation_gets_a_subject(given_beats: list[tuple[list[list[float]], bool]]) -> None:
    beats = [(state_levels(rows, [vector] * len(rows)), len(rows)) for rows, vector in given_beats]
    subjects = subjects_by_evidence(beats)
    assert len(subjects) == len(beats)
    assert all(each.domain is not None for each in subjects if each.crossing)
    assert subjects == subjects_by_evidence(beats)


@pytest.mark.requirement("W-STRUCT-19")
def test_beats_from_before_states_were_kept_are_read_by_their_domains() -> None:
    def nodes(states: tuple[str, str]) -> list[MacroNode]:
        return [
            MacroNode(
                session="s",
                position=place,
                low=4 * place,
                high=4 * place + 3,
                macro_weight=0.5,
                domains={"physics": 1.0},
                states=each,
            )
            for place, each in enumerate(states)
        ]

    assert [each.domain for each in evolution(nodes((LAW[0], MEDICINE[0])))] == ["legal", "medical"]
    for unreadable in ("", LAW[0][:-1], LAW[0] + "~", "é" * len(STATES)):  # another version's, or damaged
        assert [each.domain for each in evolution(nodes((LAW[0], unreadable)))] == ["physics", "physics"]
    assert subjects_by_evidence([LAW]) == [BeatSubject("legal", False)]
