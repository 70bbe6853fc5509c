"""What two stretches of conversation have in common, by the evidence of their beats and by how related they are."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.analyze.domain_states import state_levels
from clew.analyze.lexicon import DOMAINS
from clew.structure.common_domains import InCommon, StretchBeat, in_common, stretch_beat
from clew.structure.snapshot import BeatMap, Piece
from tests.support.calls import Call, observed

HARE = ("The hare raced the tortoise.", "The hare slept under a hedge, far ahead of the tortoise.")
VIRTUE = ("What is patience, if the tortoise was only slow?", "And was the hare idle, asleep by the hedge, or proud?")
TAXES = ("Enter the amount in the third column.", "Sign the form before the end of the quarter.")
TALE, VERDICT = {"narrative": 1.6}, {"legal": 1.8}
FAINT = {"philosophical": 1.15, "narrative": 0.8}


def beat(node: str, texts: tuple[str, ...], evidence: dict[str, float], **more: Any) -> StretchBeat:
    rows = [[evidence.get(domain, 0.0) for domain in DOMAINS] for _ in texts]
    named = (max(evidence, key=lambda domain: evidence[domain]),) if evidence else ("unclassified",)
    pieces = tuple(Piece(seq=seq, layer1=0.5, coherence=0.5, tags=named) for seq in range(len(texts)))
    states = more.get("states", state_levels(rows, [False] * len(rows)))
    frozen = BeatMap.made(pieces=pieces, links=(), reason="end", states=states)
    vectors = more.get("vectors", [None] * len(texts))
    return stretch_beat(node, frozen, zip(texts, vectors, strict=True))


@pytest.mark.requirement("W-STRUCT-20")
def test_a_faint_domain_is_shared_by_what_is_related_and_not_by_what_is_not() -> None:
    tale, thought = beat("a", HARE, TALE), beat("b", VIRTUE, FAINT)
    met, apart = in_common([tale], [thought]), in_common([tale], [beat("b", TAXES, FAINT)])
    assert met.related > 0.5 > apart.related
    assert met.shared["narrative"] >= 0.5
    assert apart.shared.get("narrative", 0.0) < 0.2
    assert next(iter(met.second)) == "narrative", "in the light of the tale"
    assert next(iter(apart.second)) == "philosophical"
    assert met.first["narrative"] > 0.9
    assert met.shared == {domain: min(met.first[domain], met.second[domain]) for domain in met.shared}


@pytest.mark.requirement("W-STRUCT-20")
def test_what_is_clear_is_shared_without_a_word_in_common() -> None:
    found = in_common([beat("a", HARE, VERDICT)], [beat("b", TAXES, VERDICT)])
    assert found.related < 0.2
    assert found.shared["legal"] > 0.9
    other = in_common([beat("a", HARE * 6, VERDICT)], [beat("b", HARE * 6, {"physics": 1.8})])
    assert other.related > 0.9
    assert not other.shared, "related by its words, and clearly about something else"


@pytest.mark.requirement("W-STRUCT-20")
def test_of_beats_that_speak_for_no_domain_nothing_is_listed() -> None:
    silent = in_common([beat("a", TAXES[:1], {})], [beat("b", HARE[:1], {})])
    assert (silent.first, silent.second, silent.shared) == ({}, {}, {})
    heard = in_common([beat("a", TAXES[:1], {})], [beat("b", HARE[:1], TALE)])
    assert set(heard.first) | set(heard.second) == {"narrative"}, "what neither speaks for is left out"


@pytest.mark.requirement("W-STRUCT-20")
def test_vectors_tell_what_is_related_where_there_are_any() -> None:
    one, like, unlike = (np.array(each, np.float32) for each in ((3.0, 0.0), (0.4, 0.3), (0.0, 2.0)))
    tale = beat("a", HARE, TALE, vectors=[one, one])
    near = in_common([tale], [beat("b", TAXES, FAINT, vectors=[like, None])])
    far = in_common([tale], [beat("b", TAXES, FAINT, vectors=[unlike, unlike])])
    assert near.related > 0.9
    assert far.related < 0.1
    assert near.shared["narrative"] > 0.3 > far.shared.get("narrative", 0.0)
    without = in_common([tale], [beat("b", TAXES, FAINT)])
    nought = in_common([tale], [beat("b", TAXES, FAINT, vectors=[0 * one, 0 * one])])
    assert without == nought, "a vector of zeros is none"


@pytest.mark.requirement("W-STRUCT-20")
def test_long_beats_are_not_related_because_they_are_long() -> None:
    def of(name: str, turns: int) -> StretchBeat:
        usual = [f"people{seq % 5} said thing{seq % 7}" for seq in range(turns)]
        return beat(name, tuple(f"{text} of {name}{seq} at {name}x{seq}" for seq, text in enumerate(usual)), {})

    short, long = (in_common([of("red", turns)], [of("blue", turns)]).related for turns in (4, 20))
    assert long < short + 0.1


FIELD = ("A hare ran along the river in the rain.", "Mud and clover lay on every path.", "Birds sang in the oak above.")
OFFICE = ("Enter the amount in the third column.", "Sign the form at the desk.", "Letters go out in a grey envelope.")


def related(here: str, there: str) -> float:
    return in_common([beat("a", (*FIELD, here), TALE)], [beat("b", (*OFFICE, there), FAINT)]).related


@pytest.mark.requirement("W-STRUCT-20")
def test_a_rare_word_in_common_says_more_than_a_common_one() -> None:
    met = "People met an old tortoise."
    rarely, commonly = related(met, "It costs one tortoise."), related(met, "It costs many people money.")
    assert rarely > commonly + 0.1
    assert commonly < related(met, "It costs a penny.") + 0.1


@pytest.mark.requirement("W-STRUCT-20")
def test_a_word_is_related_to_a_longer_one_that_begins_or_ends_with_it() -> None:
    equal, longer, apart = (
        related("It went to sleep.", f"They {verb} here.") for verb in ("sleep", "oversleep", "wait")
    )
    assert equal > longer + 0.1
    assert longer > apart + 0.1
    assert related("It was 12345.", "They got 123456.") == related("It was 12345.", "They got 987654.")


@pytest.mark.requirement("W-STRUCT-20")
def test_a_beat_in_both_stretches_is_read_by_itself_and_counts_by_its_turns() -> None:
    tale, verdict = beat("a", HARE * 2, TALE), beat("b", TAXES, VERDICT)
    whole = in_common([tale, verdict], [tale, verdict])
    assert whole.first == whole.second == whole.shared
    assert whole.shared["narrative"] == pytest.approx(2 / 3, abs=0.1)
    assert whole.shared["legal"] == pytest.approx(1 / 3, abs=0.1)
    thought = beat("c", VIRTUE, FAINT)
    assert in_common([thought], [thought]).shared["narrative"] < in_common([tale], [thought]).shared["narrative"]


@pytest.mark.requirement("W-STRUCT-20")
@pytest.mark.parametrize("states", ["", "~", "é" * 56])
def test_a_beat_whose_states_are_unknown_has_the_domains_it_names(states: str) -> None:
    old, tale = beat("a", VIRTUE, FAINT, states=states), beat("b", HARE, TALE)
    found = in_common([old], [tale])
    assert found.first == {"philosophical": 1.0}
    assert found.second == in_common([tale], [tale]).second
    assert in_common([old], [old]).shared == {"philosophical": 1.0}
    assert in_common([beat("c", TAXES, {}, states=states)], [tale]).shared == {}


@pytest.mark.requirement("W-STRUCT-20")
def test_how_related_stretches_are_is_the_mean_over_their_pairs_of_beats() -> None:
    one, other = (np.array(each, np.float32) for each in ((3.0, 0.0), (0.4, 0.3)))
    texts: tuple[tuple[str, ...], ...] = (HARE, VIRTUE * 2, TAXES, (), HARE[:1] + TAXES[:1])
    vectors: list[list[Any]] = [[one, other], [None] * 4, [other, None], [], [one, one]]
    kinds = list(zip(texts, vectors, strict=True))
    first = [beat(f"a{place}", said, TALE, vectors=told) for place, (said, told) in enumerate(kinds)]
    second = [beat(f"b{place}", said, VERDICT, vectors=told) for place, (said, told) in enumerate(reversed(kinds))]
    pairs = [(len(one.beat.pieces) * len(other.beat.pieces), one, other) for one in first for other in second]
    found = [(weight, in_common([one], [other]).related) for weight, one, other in pairs if weight]
    mean = sum(weight * related for weight, related in found) / sum(weight for weight, _ in found)
    assert in_common(first, second).related == pytest.approx(mean, abs=1e-4)


@pytest.mark.requirement("W-STRUCT-20")
def test_no_term_of_many_is_left_out() -> None:
    def of(name: str, low: int, high: int) -> StretchBeat:
        return beat(name, tuple(f"people said w{seq}" for seq in range(low, high)), TALE)

    first, second = [of("a", 0, 300), of("b", 300, 600)], [of("c", 260, 500), of("d", 560, 800)]
    pairs = [in_common([one], [other]).related for one in first for other in second]
    found, turned = in_common(first, second).related, in_common(first[::-1], second[::-1]).related
    assert max(pairs) > min(pairs) + 0.1
    assert found == pytest.approx(
        sum(
            related * len(one.beat.pieces) * len(other.beat.pieces) / (600 * 480)
            for related, (one, other) in zip(pairs, [(one, other) for one in first for other in second], strict=True)
        ),
        abs=2e-4,
    )
    assert turned == pytest.approx(found, abs=1e-4)


@pytest.mark.requirement("W-STRUCT-20")
def test_many_beats_are_not_compared_pair_by_pair() -> None:
    first, second = ([beat(f"{side}{place}", HARE, TALE) for place in range(60)] for side in "ab")
    calls: list[Call] = []
    with observed(calls.append):
        in_common(first, second)
    assert len(calls) < len(first) * len(second)


ROWS = st.lists(st.dictionaries(st.sampled_from(DOMAINS), st.floats(0, 3)), min_size=1, max_size=4)


@pytest.mark.requirement("W-STRUCT-20")
@given(ROWS, ROWS)
def test_shares_are_the_same_either_way_round(one: list[dict[str, float]], other: list[dict[str, float]]) -> None:
    first = [beat(f"a{place}", HARE, each) for place, each in enumerate(one)]
    second = [beat(f"b{place}", VIRTUE, each) for place, each in enumerate(other)]
    found, turned = in_common(first, second), in_common(second, first)
    assert turned.related == pytest.approx(found.related, abs=2e-4)
    assert turned.shared == pytest.approx(found.shared, abs=2e-4)
    for shares in (found.first, found.second, found.shared):
        assert all(0.1 <= share <= 1.0 for share in shares.values())
        assert list(shares.values()) == sorted(shares.values(), reverse=True)
    assert InCommon.from_dict(found.to_dict()) == found
