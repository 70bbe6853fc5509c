"""A beat whose subjects change on the way closes as several."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.structure.beats import BeatRule, segment
from clew.structure.features import TurnFeatures, features
from clew.structure.subjects import LEAST_TURNS, parts

NEVER = BeatRule(evidence=99.0, max_turns=40)


def turns(*said: dict[str, float], vectors: list[int] | None = None) -> list[TurnFeatures]:
    """Turns with this evidence; each vector is an axis, tilted a little."""
    made = []
    for seq, domains in enumerate(said):
        vector = None
        if vectors is not None:
            vector = np.full(8, 0.1)
            vector[vectors[seq]] = 1.0
        made.append(features("", (0.5, 0.5, domains), seq=seq, vector=vector))
    return made


LAW, BOTH, MEDICINE = {"legal": 1.8}, {"legal": 1.6, "medical": 1.6}, {"medical": 1.8}
WEAK = {"legal": 1.2, "historical": 0.4}
HALF = [LAW] * 5 + [BOTH] * 4 + [MEDICINE] * 5


@pytest.mark.requirement("W-STRUCT-11")
def test_a_beat_is_divided_where_its_subjects_change_by_half() -> None:
    assert parts(turns(*HALF)) == (range(5), range(5, 9), range(9, 14))
    beats = segment(turns(*HALF), NEVER)
    assert [(beat.low, beat.high, beat.reason) for beat in beats] == [(0, 4, "topic"), (5, 8, "topic"), (9, 13, "end")]


@pytest.mark.requirement("W-STRUCT-11")
@pytest.mark.parametrize(
    "said",
    [
        [LAW] * 9,
        [BOTH] * 9,
        [{}] * 9,
        [LAW, MEDICINE] * 5,  # two subjects all along are one mix
        [LAW] * 4 + [MEDICINE] + [LAW] * 4,  # one turn is an aside
        [{"legal": 0.3}] * 4 + [{"medical": 0.3}] * 4,  # too faint to know
        [{"conversational": 2.0}] * 9 + [LAW] * 2 + [{}] * 4 + [MEDICINE] * 2,  # small talk: subjects come and go
        [LAW, MEDICINE, MEDICINE],
    ],
)
def test_what_stays_together(said: list[dict[str, float]]) -> None:
    assert parts(turns(*said)) == (range(len(said)),)


@pytest.mark.requirement("W-STRUCT-11")
def test_turns_that_say_little_each_are_clear_together() -> None:
    other = {"physics": 1.2, "legal": 0.4}
    assert parts(turns(*[WEAK] * 6, *[other] * 6)) == (range(6), range(6, 12))


@pytest.mark.requirement("W-STRUCT-11")
def test_one_turn_full_of_terms_counts_as_one_turn() -> None:
    assert parts(turns(*[LAW] * 5, {"medical": 40.0}, *[LAW] * 5)) == (range(11),)


@pytest.mark.requirement("W-STRUCT-11")
def test_the_subject_that_is_being_talked_about_stays_open_when_a_beat_is_full() -> None:
    said = [*[LAW] * 16, *[MEDICINE] * 14]
    beats = segment(turns(*said), BeatRule(evidence=99.0))
    assert [(beat.low, beat.high, beat.reason) for beat in beats] == [(0, 15, "topic"), (16, 29, "end")]


@pytest.mark.requirement("W-STRUCT-16")
def test_evidence_of_words_alone_needs_to_be_less() -> None:
    faint = [{"legal": 1.0}] * 6 + [{"physics": 1.0}] * 6
    assert parts(turns(*faint)) == (range(6), range(6, 12))
    assert parts(turns(*faint, vectors=[0] * 12)) == (range(12),), "a vector adds to the evidence for every domain"
    assert len(parts(turns(*[LAW] * 6, *[MEDICINE] * 6, vectors=[0] * 12))) == 2


SUBJECTS = st.dictionaries(st.sampled_from(("legal", "medical", "physics", "conversational")), st.floats(0, 50))


@pytest.mark.requirement("W-STRUCT-11")
@given(st.lists(SUBJECTS, min_size=1, max_size=20), st.booleans())
def test_parts_cover_the_beat_and_are_large_enough(said: list[dict[str, float]], directed: bool) -> None:
    beat = turns(*said, vectors=[len(each) for each in said] if directed else None)
    found = parts(beat)
    assert [place for part in found for place in part] == list(range(len(said)))
    if len(found) > 1:
        for part in found:
            assert len(part) >= LEAST_TURNS
    assert parts(beat) == found
