"""Beats cover all turns, once and in order, however the turns are batched."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.structure.beats import Beat, BeatRule, OpenBeat, advance, finish, segment
from clew.structure.features import TurnFeatures, features

START = datetime(2026, 1, 1, tzinfo=UTC)
units = st.floats(0.0, 1.0)
texts = st.text(max_size=40) | st.sampled_from(["Do you like cats?", "I need a train.", "Thanks, bye", "It is done."])
vectors = st.none() | st.lists(st.floats(-1.0, 1.0), min_size=4, max_size=4)
domains = st.dictionaries(st.sampled_from(["legal", "physics", "conversational"]), units, max_size=2)


@st.composite
def sessions(draw: st.DrawFn) -> list[TurnFeatures]:
    made = []
    at = START
    for place in range(draw(st.integers(0, 28))):
        at += timedelta(minutes=draw(st.sampled_from([1.0, 1.0, 1.0, 40.0])))
        vector = draw(vectors)
        made.append(
            features(
                draw(texts),
                (draw(units), draw(units), draw(domains)),
                seq=2 * place,
                at=draw(st.sampled_from([at, at, None])),
                role=draw(st.sampled_from(["user", "assistant", "tool"])),
                vector=None if vector is None else np.array(vector),
            )
        )
    return made


@pytest.mark.requirement("W-STRUCT-05")
@given(sessions(), st.integers(1, 25), st.data())
def test_each_turn_is_in_one_beat_or_in_the_state(turns: list[TurnFeatures], most: int, data: st.DataObject) -> None:
    rule = BeatRule(max_turns=most)
    stop = data.draw(st.integers(0, len(turns)))
    state = OpenBeat()
    closed: list[Beat] = []
    for turn in turns[:stop]:
        step = advance(state, turn, rule)
        state = step.state
        closed += step.closed
    pending = () if state.pending is None else (state.pending.seq,)
    covered = [seq for beat in closed for seq in beat.seqs]
    assert [*covered, *state.seqs, *pending] == [turn.seq for turn in turns[:stop]]
    assert all(1 <= len(beat.seqs) <= most for beat in closed)
    for turn in turns[stop:]:
        step = advance(state, turn, rule)
        state = step.state
        closed += step.closed
    assert (*closed, *finish(state, rule)) == segment(turns, rule)


@pytest.mark.requirement("W-STRUCT-05")
@given(sessions())
def test_closed_beats_never_change(turns: list[TurnFeatures]) -> None:
    whole = segment(turns)
    for count in range(0, len(turns), 5):
        state = OpenBeat()
        closed: list[Beat] = []
        for turn in turns[:count]:
            step = advance(state, turn)
            state = step.state
            closed += step.closed
        assert tuple(closed) == whole[: len(closed)]
