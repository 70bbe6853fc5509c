"""Where beats end, and that the step function keeps its promises."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from clew.analyze.weigh import weigh
from clew.errors import InputError
from clew.ingest.importers import ImportedTurn, read_path
from clew.structure.beats import Beat, BeatRule, OpenBeat, advance, finish, is_mature, reopen, segment
from clew.structure.boundary import SIMILARITY, calibrate, evidence, gap_at
from clew.structure.cues import TurnCue, cues_of
from clew.structure.features import MAX_TERMS, TurnFeatures, features, packed, unpacked

SAMPLE = Path(__file__).resolve().parents[2] / "src" / "clew" / "cli" / "sample" / "conversation.jsonl"
START = datetime(2026, 3, 25, 9, 0, tzinfo=UTC)
TRIP = (
    "We should plan the trip to Lisbon in May.",
    "Lisbon in May is lovely, the trip takes three hours.",
    "Are the flights to Lisbon cheap in May?",
    "The cheap flights leave on Monday, so the trip would start then.",
)
REPAIR = (
    "I need a new battery for my laptop, can you find one?",
    "Which laptop do you have? The battery depends on the model.",
    "It is the old model with the removable battery.",
    "Then this battery fits the model, and the laptop will start again.",
)
PLAIN = "The trip to Lisbon starts in May and the flights leave on Monday."


def turns(*texts: str, apart: float = 1.0, first: int = 0, roles: str = "") -> list[TurnFeatures]:
    """The texts as turns, `apart` minutes after each other; roles by letter, users when there is none."""
    made = []
    for place, text in enumerate(texts):
        said = weigh(text)
        role = {"a": "assistant", "t": "tool"}.get(roles[place : place + 1], "user")
        weights = (said.layer1.score, said.coherence, said.domain_weights)
        at = START + timedelta(minutes=apart * place)
        made.append(features(text, weights, seq=first + place, at=at, role=role))
    return made


def lows(items: list[TurnFeatures], rule: BeatRule | None = None) -> list[int]:
    return [beat.low for beat in segment(items, rule or BeatRule())]


@pytest.mark.requirement("W-STRUCT-01")
def test_a_beat_ends_where_the_topic_does() -> None:
    assert lows(turns(*TRIP, *REPAIR)) == [0, 4]
    assert lows(turns(*TRIP)) == [0]


@pytest.mark.requirement("W-STRUCT-01")
def test_vectors_find_what_words_do_not_say() -> None:
    east, north = np.eye(2)
    plain = turns(*["Well then."] * 6)
    near = [features("Well then.", (0.2, 0.5, {}), seq=t.seq, vector=east) for t in plain]
    far = [features("Well then.", (0.2, 0.5, {}), seq=t.seq, vector=east if t.seq < 3 else north) for t in plain]
    assert (lows(plain), lows(near), lows(far)) == ([0], [0], [0, 3])


@pytest.mark.requirement("W-STRUCT-02")
@pytest.mark.parametrize(("minutes", "expected"), [(30.0, [0]), (30.1, [0, 1, 2])])
def test_a_silence_of_more_than_half_an_hour_ends_every_beat(minutes: float, expected: list[int]) -> None:
    found = segment(turns(PLAIN, PLAIN, PLAIN, apart=minutes))
    assert [beat.low for beat in found] == expected
    assert {beat.reason for beat in found[:-1]} <= {"gap"}


@pytest.mark.requirement("W-STRUCT-02")
def test_twenty_turns_end_a_beat() -> None:
    found = segment(turns(*[PLAIN] * 45))
    assert [(len(beat.seqs), beat.reason, beat.forced) for beat in found] == [
        (20, "forced", True),
        (20, "forced", True),
        (5, "end", False),
    ]


@pytest.mark.requirement("W-STRUCT-02")
def test_something_done_and_something_asked_end_a_beat() -> None:
    said = ("The tests of the parser fail on dates.", "I changed the parser, and all tests pass.", "Great.")
    new = "I would like to see the invoices of last week."
    going_on = gap_at(turns(*said), turns(new), 3)
    assert going_on.signals["requests"] == 1.0
    finished = gap_at(turns(*said[:2]), turns(new), 2)
    assert finished.signals["done"] == 1.0
    assert evidence(finished) > evidence(gap_at(turns(said[0], "I changed the parser of the tests."), turns(new), 2))


@pytest.mark.requirement("W-STRUCT-03")
def test_a_mature_beat_needs_less_to_end() -> None:
    items = turns(*TRIP, *REPAIR)
    strength = evidence(gap_at(items[:4], items[4:6], 4))
    young = OpenBeat(weight=1.0, coherence=0.71)
    assert not is_mature(young)
    assert is_mature(OpenBeat(weight=1.0, coherence=0.72))
    assert not is_mature(OpenBeat())
    strict = BeatRule(evidence=strength - 0.1, immature=0.2)
    fluent = [TurnFeatures.from_dict({**t.to_dict(), "coherence": 0.9}) for t in items]
    halting = [TurnFeatures.from_dict({**t.to_dict(), "coherence": 0.3}) for t in items]
    assert 4 in lows(fluent, strict)
    assert 4 not in lows(halting, strict)


@pytest.mark.requirement("W-STRUCT-03")
def test_an_assistant_seldom_raises_a_topic() -> None:
    by_person = gap_at(turns(*TRIP), turns("Do you have any idea what the weather will be?"), 4)
    by_assistant = gap_at(turns(*TRIP), turns("Do you need any idea what the weather will be?"), 4)
    assert evidence(by_assistant) < evidence(by_person) - 0.9


@pytest.mark.requirement("W-STRUCT-13")
def test_a_meeting_of_many_speakers_is_not_cut_into_scraps() -> None:
    talk = turns(*[each.turn.text for each in read_path(SAMPLE) if isinstance(each, ImportedTurn)][:200])
    chat, meeting = ([replace(turn, speaker=1 + turn.seq % count) for turn in talk] for count in (2, 4))
    assert 2 * len(segment(meeting)) < len(segment(chat))
    long = [replace(turn, speaker=1 + turn.seq % 4) for turn in turns(*[PLAIN] * 1_200)]
    assert max(len(beat.seqs) for beat in segment(long)) <= BeatRule().meeting_turns
    silent = [*long[:50], replace(long[50], at=START + timedelta(hours=3))]
    assert [beat.high for beat in segment(silent) if beat.reason == "gap"] == [49]


def of_a_meeting(topics: int = 3, turns_each: int = 120) -> list[TurnFeatures]:
    """Turns of six speakers; each topic has its own words, and another two people do most of the talking."""
    found = []
    for seq in range(topics * turns_each):
        topic, step = divmod(seq, turns_each)
        speaker = 1 + (2 * topic + step % 2 if step % 5 else step % 6)
        words = tuple(sorted({1_000 * topic + (step * step + 5 * n) % 61 for n in range(8)}))
        at = START + timedelta(seconds=10 * seq)
        found.append(
            TurnFeatures(
                seq=seq, at=at, layer1=0.3, coherence=0.5, terms=words, cues=0, domains={}, vector=None, speaker=speaker
            )
        )
    return found


@pytest.mark.requirement("W-STRUCT-14")
def test_a_meeting_is_divided_where_words_and_speakers_change() -> None:
    found = lows(of_a_meeting())
    assert all(min(abs(low - border) for low in found) <= 8 for border in (120, 240))
    assert len(found) <= 5


@pytest.mark.requirement("W-STRUCT-14")
def test_what_speakers_are_called_does_not_decide_the_beats_of_a_meeting() -> None:
    meeting = of_a_meeting()
    assert lows([replace(turn, speaker=100 - turn.speaker) for turn in meeting]) == lows(meeting)


@pytest.mark.requirement("W-STRUCT-14")
def test_the_state_of_a_meeting_can_be_made_from_stored_turns() -> None:
    state, low, items = OpenBeat(), 0, of_a_meeting()
    closed: list[Beat] = []
    for count, turn in enumerate(items, 1):
        step = advance(state, turn)
        state = step.state
        closed += step.closed
        low = step.closed[-1].high + 1 if step.closed else low
        if count % 7 == 0 or step.closed:
            state = OpenBeat.from_dict(json.loads(json.dumps(state.to_dict())))
            assert reopen(items[:low], items[low:count], state.heard) == state
    assert len(closed) > 1
    assert (*closed, *finish(state)) == segment(items)


@pytest.mark.requirement("W-STRUCT-14")
def test_a_meeting_in_which_nothing_changes_is_divided_by_length_at_last() -> None:
    alike = [replace(turn, terms=(1, 2, 3), speaker=1 + turn.seq % 4) for turn in of_a_meeting(4, 120)]
    sizes = [len(beat.seqs) for beat in segment(alike, BeatRule(meeting_turns=200))]
    assert max(sizes) <= 200
    assert sum(sizes) == len(alike)


@pytest.mark.requirement("W-STRUCT-04")
def test_the_state_survives_its_wire_form_at_every_turn() -> None:
    state = OpenBeat()
    found: list[Beat] = []
    for turn in turns(*TRIP, *REPAIR, *[PLAIN] * 30):
        step = advance(OpenBeat.from_dict(json.loads(json.dumps(state.to_dict()))), turn)
        state = step.state
        found += step.closed
    assert [*found, *finish(state)] == list(segment(turns(*TRIP, *REPAIR, *[PLAIN] * 30)))


@pytest.mark.requirement("W-STRUCT-04")
def test_the_state_stays_small() -> None:
    state = OpenBeat()
    vector = np.linspace(-1.0, 1.0, 384)
    sizes = []
    for seq in range(60):
        text = " ".join(f"word{seq}x{n}" for n in range(500))
        state = advance(state, features(text, (0.2, 0.5, {"legal": 1.0}), seq=seq, vector=vector)).state
        sizes.append(len(json.dumps(state.to_dict())))
    assert max(sizes) < 32_000
    assert len(state.recent[0].terms) == MAX_TERMS


@pytest.mark.requirement("W-STRUCT-04")
def test_the_state_can_be_made_from_stored_turns() -> None:
    items = turns(*TRIP, *REPAIR, *TRIP, *REPAIR)
    state, low = OpenBeat(), 0
    for count, turn in enumerate(items, 1):
        step = advance(state, turn)
        state = step.state
        if step.closed:
            low = step.closed[0].high + 1
        assert reopen(items[:low], items[low:count]) == state


@pytest.mark.requirement("W-STRUCT-04")
def test_turns_out_of_order_are_refused() -> None:
    first, second = turns(PLAIN, PLAIN)
    state = advance(OpenBeat(), second).state
    with pytest.raises(InputError, match="turn 0 came after turn 1"):
        advance(state, first)
    with pytest.raises(InputError, match="turn 1 came after turn 1"):
        advance(state, second)


@pytest.mark.requirement("W-STRUCT-04")
def test_nothing_said_gives_no_beat() -> None:
    assert finish(OpenBeat()) == ()
    assert [beat.seqs for beat in segment(turns(PLAIN))] == [(0,)]


@pytest.mark.requirement("W-STRUCT-03")
@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Do you like cats?", TurnCue.ASKS | TurnCue.ASKS_YOU),
        ("これは何ですか？", TurnCue.ASKS),
        ("ok, can you book a table", TurnCue.REQUESTS),
        ("Hello there", TurnCue.GREETS | TurnCue.POINTS_BACK),
        ("Thanks, bye", TurnCue.THANKS),
        ("You're welcome!", TurnCue.THANKS),
        ("You are welcome to join", TurnCue.THANKS),
        ("It's merged", TurnCue.DONE),
        ("They said that is it", TurnCue.POINTS_BACK | TurnCue.POINTS_BACK_OFTEN),
        ("Nice. Where did your sister study?", TurnCue.ASKS | TurnCue.ASKS_ABOUT_YOURS | TurnCue.TELLS_AND_ASKS),
        ("Your sister left. Why?", TurnCue.ASKS | TurnCue.TELLS_AND_ASKS),
        ("so any hobbies", TurnCue.ACQUAINTS),
        ("Hey, how are you?", TurnCue.ASKS | TurnCue.ASKS_YOU | TurnCue.GREETS | TurnCue.ASKS_HOW_YOU_ARE),
        ("We like my boat", TurnCue.ABOUT_SELF),
        ("I’ve sold my boat", TurnCue.ABOUT_SELF | TurnCue.ABOUT_SELF_OFTEN),
        ("", TurnCue(0)),
        ("\ud800🙂", TurnCue(0)),
    ],
)
def test_cues(text: str, found: TurnCue) -> None:
    assert cues_of(text) == found


@pytest.mark.requirement("W-STRUCT-03")
@pytest.mark.parametrize(
    ("role", "text", "assistant"),
    [
        ("user", "Would you like me to book it? The phone number is 01223.", True),
        ("assistant", "Would you like me to book it? The phone number is 01223.", True),
        ("assistant", "Here it is:\n\n1. Open the file.\n2. Save it.", True),
        ("assistant", "I went hiking and it was great!", False),
        ("user", "I went hiking and it was great!", False),
        ("tool", "exit code 0", True),
    ],
)
def test_who_serves_is_read_from_the_words_and_not_from_the_role(role: str, text: str, assistant: bool) -> None:
    assert (TurnCue.ASSISTANT in cues_of(text, role)) == assistant


@pytest.mark.requirement("W-STRUCT-12")
def test_roles_of_people_who_chat_do_not_decide_their_beats() -> None:
    talk = [each.turn.text for each in read_path(SAMPLE) if isinstance(each, ImportedTurn)][:120]
    alternating = segment(turns(*talk, roles="ua" * 60))
    assert alternating == segment(turns(*talk, roles="u" * 120)) == segment(turns(*talk, roles="a" * 120))
    assert len(alternating) > 5


@pytest.mark.requirement("W-STRUCT-03")
def test_long_turns_are_read_at_both_ends() -> None:
    middle = "The report goes on and on. " * 100
    assert cues_of(f"Find help. {middle}") == TurnCue.REQUESTS | TurnCue.ASSISTANT
    asked = TurnCue.ASKS | TurnCue.TELLS_AND_ASKS
    assert cues_of(f"The start. {middle} Anything else?") == asked | TurnCue.DONE | TurnCue.ASSISTANT
    assert cues_of(f"The start. {middle}Why?{middle}") == TurnCue.ASSISTANT


@pytest.mark.requirement("W-STRUCT-04")
def test_features_hold_no_text() -> None:
    (turn,) = turns("Zanzibar is far away from Lisbon.")
    assert "zanzibar" not in json.dumps(turn.to_dict()).lower()
    assert turn.terms == tuple(sorted(set(turn.terms)))


@pytest.mark.requirement("W-STRUCT-04")
def test_vectors_keep_their_direction() -> None:
    vector = np.array([3.0, -4.0, 0.5])
    kept = packed(vector)
    assert kept is not None
    assert unpacked(kept) @ vector / np.linalg.norm(vector) > 0.9999
    assert packed(None) is packed(np.zeros(3)) is packed(np.array([np.nan])) is None


@pytest.mark.requirement("W-STRUCT-03")
def test_another_embedder_is_measured_by_its_own_cosines() -> None:
    assert calibrate([]) == calibrate([0.5]) == calibrate([0.5, 0.5]) == SIMILARITY
    assert calibrate([0.7, 0.9]) == pytest.approx((0.8, 0.1))
    one, two = (features("So.", (0.2, 0.5, {}), seq=n, vector=v) for n, v in enumerate(([1.0, 0.0], [0.8, 0.6])))
    gap = gap_at([one], [two], 1)
    assert evidence(gap, (0.8, 0.1)) > evidence(gap), "0.8 is nothing special for an embedder whose mean it is"


@pytest.mark.requirement("W-STRUCT-03")
def test_six_turns_back_are_remembered() -> None:
    said = ["Giraffes graze.", *("Clouds drift." for _ in range(5)), "Giraffes graze.", "Giraffes graze."]
    state = OpenBeat()
    for turn in turns(*said):
        state = advance(state, turn, BeatRule(evidence=99.0)).state
    assert [turn.seq for turn in state.recent] == [1, 2, 3, 4, 5, 6]
    near, far = (gap_at(turns(*said[start:6]), turns(*said[6:]), 2).signals["new"] for start in (0, 1))
    assert (near, far) == (0.0, 1.0)


@pytest.mark.requirement("W-STRUCT-03")
def test_what_an_assistant_asks_for_raises_no_topic() -> None:
    text = "Please give me your name. Do you {} one?"
    person, assistant = (gap_at(turns(*TRIP), turns(text.format(verb)), 4).signals for verb in ("have", "need"))
    assert (person["requests"], person["asks_you"], person["assistant"]) == (1.0, 1.0, 0.0)
    assert (assistant["requests"], assistant["asks_you"], assistant["assistant"]) == (0.0, 0.0, 1.0)


@pytest.mark.requirement("W-STRUCT-15")
@pytest.mark.parametrize(
    ("before", "opens", "stays"),
    [
        ("The ferry was late.", "What do you do for fun?", "What do they do there?"),
        ("The ferry was late.", "Too bad. Where does your sister live?", "Where does the ferry go?"),
        ("How are you today?", "The ferry was late.", None),
    ],
)
def test_small_talk_without_a_model_is_divided_by_what_people_ask(before: str, opens: str, stays: str | None) -> None:
    def spoken(left: str, right: str) -> float:
        return evidence(gap_at(turns("The boats left.", left), turns(right, "Giraffes graze."), 2))

    if stays is None:
        assert spoken(before, opens) < spoken("The bus was early today.", opens), "a greeting is answered first"
    else:
        assert spoken(before, opens) > spoken(before, stays) + 0.5


@pytest.mark.requirement("W-STRUCT-15")
def test_a_subject_that_goes_on_speaks_for_a_border_before_it() -> None:
    on, off = (
        gap_at(turns("The boats left."), turns("Giraffes graze.", then), 2)
        for then in ("Giraffes sleep.", "Bread rises.")
    )
    assert (on.signals["goes_on"], off.signals["goes_on"]) == (1.0, 0.0)
    assert evidence(on) > evidence(off)
