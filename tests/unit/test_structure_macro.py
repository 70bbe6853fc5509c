"""What the ordered list of beats answers."""

from datetime import UTC, datetime, timedelta

import pytest

from clew.errors import InputError
from clew.structure.macro import (
    MacroNode,
    beat_ago,
    evolution,
    first_mention,
    last_beats,
    merge,
    state_before,
)

NOW = datetime(2026, 6, 1, tzinfo=UTC)


def beats(*domains: dict[str, float], session: str = "s", size: int = 4, days: float | None = None) -> list[MacroNode]:
    return [
        MacroNode(
            session=session,
            position=place,
            low=place * size,
            high=place * size + size - 1,
            macro_weight=0.5,
            domains=shares,
            at=None if days is None else NOW - timedelta(days=days),
        )
        for place, shares in enumerate(domains)
    ]


LAW, PHYSICS = {"legal": 1.0}, {"physics": 1.0}
BOTH = {"legal": 0.4, "physics": 0.4, "cross_domain": 0.2}


@pytest.mark.requirement("W-STRUCT-08")
def test_the_state_before_something_came_up() -> None:
    nodes = beats(LAW, PHYSICS, BOTH)
    before = state_before(nodes, 9)
    assert before is not None
    assert (before.position, before.before, before.domains) == (2, tuple(nodes[:2]), {"legal": 0.5, "physics": 0.5})
    start = state_before(nodes, 0)
    assert start is not None
    assert (start.position, start.before, start.domains) == (0, (), {})
    assert state_before(nodes, 12) is None
    now = state_before(nodes, 12, newest=13)
    assert now is not None, "the open beat counts"
    assert (now.position, now.before) == (3, tuple(nodes))
    assert state_before(nodes, 14, newest=13) is None
    first = state_before([], 0, newest=0)
    assert first is not None
    assert (first.position, first.before, first.domains) == (0, (), {})


@pytest.mark.requirement("W-STRUCT-08")
def test_dense_and_long_beats_count_more() -> None:
    light, heavy = beats(LAW, PHYSICS)
    heavy = MacroNode.from_dict({**heavy.to_dict(), "macro_weight": 1.0, "high": 11})
    after = MacroNode.from_dict({**light.to_dict(), "position": 2, "low": 12, "high": 13})
    before = state_before([light, heavy, after], 12)
    assert before is not None
    assert before.domains == pytest.approx({"physics": 0.8, "legal": 0.2})
    assert list(before.domains) == ["physics", "legal"]


@pytest.mark.requirement("W-STRUCT-08")
def test_the_first_mention_of_a_concept() -> None:
    said = [(0, "We talk of walls."), (3, "The city wall is old."), (4, "City walls again.")]
    assert first_mention("city walls", said) == 3
    assert first_mention("wall", said) == 0
    assert first_mention("gate", said) is None
    assert first_mention("the", said) is None


@pytest.mark.requirement("W-STRUCT-08")
def test_how_the_domains_moved() -> None:
    moved = evolution(beats(LAW, LAW, BOTH, PHYSICS, {"unclassified": 1.0}))
    assert [each.domain for each in moved] == ["legal", "legal", "legal", "physics", None]
    assert [each.entered for each in moved] == [("legal",), (), ("physics",), (), ()]
    assert [each.left for each in moved] == [(), (), (), ("legal",), ("physics",)]
    assert [each.crossing for each in moved] == [False, False, True, False, False]
    assert [each.distance for each in moved] == pytest.approx([0.0, 0.0, 0.6, 0.6, 1.0])
    assert evolution([]) == ()
    (faint,) = evolution(beats({"legal": 0.95, "physics": 0.05}))
    assert (faint.entered, faint.crossing) == (("legal",), False)
    (stray,) = evolution(beats({"legal": 0.8, "cross_domain": 0.2}))
    (mixed,) = evolution(beats({"legal": 0.5, "physics": 0.5}))
    assert (stray.crossing, mixed.crossing) == (False, True), "the beat as a whole counts, not one turn's tag"


@pytest.mark.requirement("W-STRUCT-18")
def test_what_a_whole_conversation_is_told_as_is_no_subject_of_its_beats() -> None:
    tale = {"narrative": 0.4, "cross_domain": 0.3}
    law, physics = {**tale, "legal": 0.3}, {**tale, "physics": 0.3}
    both = {"narrative": 0.4, "legal": 0.2, "physics": 0.2, "cross_domain": 0.2}
    in_a_novel = evolution(beats(law, physics, both, {"narrative": 1.0}, law))
    assert [each.domain for each in in_a_novel] == ["legal", "physics", "legal", "narrative", "legal"]
    assert [each.crossing for each in in_a_novel] == [False, False, True, False, False]
    once = evolution(beats(LAW, law, {"narrative": 0.7, "legal": 0.3}, PHYSICS))
    assert [each.domain for each in once] == ["legal", "legal", "narrative", "physics"]
    assert evolution(beats(law))[0].crossing, "a single beat has nothing to compare it with"


@pytest.mark.requirement("W-STRUCT-19")
def test_a_domain_that_no_other_beat_has_only_colours_a_beat() -> None:
    stray = {"physics": 0.4, "technical_prose": 0.3, "cross_domain": 0.3}
    assert [(each.domain, each.crossing) for each in evolution(beats(PHYSICS, LAW, stray))][-1] == ("physics", False)
    known = evolution(beats(PHYSICS, {"technical_prose": 1.0}, stray, PHYSICS))
    assert known[2].crossing, "both are talked of elsewhere"
    assert evolution(beats(stray))[0].crossing, "a single beat has nothing to compare it with"
    assert evolution(beats({"unclassified": 1.0}, stray, {}))[1].crossing, "neither do beats that name nothing help"


@pytest.mark.requirement("W-STRUCT-19")
def test_two_domains_of_the_conversation_meet_where_one_is_faint() -> None:
    faint = {"legal": 0.7, "physics": 0.3}
    assert [each.crossing for each in evolution(beats(LAW, PHYSICS, faint, LAW, PHYSICS))] == [0, 0, 1, 0, 0]
    (alone,) = evolution(beats(faint))
    assert (alone.domain, alone.crossing) == ("legal", False)


@pytest.mark.requirement("W-STRUCT-19")
def test_a_short_beat_without_a_name_goes_on_with_its_neighbour() -> None:
    short = evolution(beats(LAW, {"unclassified": 1.0}, size=2))
    assert [each.domain for each in short] == ["legal", "legal"]
    long = evolution(beats(LAW, {"unclassified": 1.0}, size=3))
    assert [each.domain for each in long] == ["legal", None]


@pytest.mark.requirement("W-STRUCT-08")
@pytest.mark.parametrize(
    ("count", "newest", "expected"),
    [
        (1, None, (8, 11)),
        (2, None, (4, 11)),
        (9, None, (0, 11)),
        (1, 13, (12, 13)),
        (2, 13, (8, 13)),
        (1, 11, (8, 11)),
        (0, None, None),
    ],
)
def test_the_last_beats(count: int, newest: int | None, expected: tuple[int, int] | None) -> None:
    assert last_beats(beats(LAW, LAW, LAW), count, newest) == expected


@pytest.mark.requirement("W-STRUCT-08")
def test_some_beats_ago() -> None:
    nodes = beats(LAW, LAW, LAW)
    assert [beat_ago(nodes, count) for count in range(4)] == [(8, 11), (4, 7), (0, 3), None]
    assert [beat_ago(nodes, count, 12) for count in range(2)] == [(12, 12), (8, 11)]
    assert beat_ago(nodes, -1) is None
    assert last_beats([], 3) is beat_ago([], 0) is None
    assert last_beats([], 3, newest=1) == (0, 1)


@pytest.mark.requirement("W-STRUCT-09")
def test_old_sessions_fade() -> None:
    merged = merge({"new": beats(LAW, session="new", days=0), "old": beats(PHYSICS, session="old", days=30)}, NOW)
    assert merged.order == (("old", 0), ("new", 0))
    assert merged.weights == (1.0, 2.0)
    assert merged.domains == pytest.approx({"legal": 2 / 3, "physics": 1 / 3}, abs=1e-6)
    half = merge({"old": beats(PHYSICS, session="old", days=30)}, NOW, half_life=timedelta(days=15))
    assert half.weights == (0.5,)


@pytest.mark.requirement("W-STRUCT-09")
def test_the_current_session_does_not_fade() -> None:
    sessions = {name: beats(LAW, session=name, days=60) for name in "ab"}
    assert merge(sessions, NOW, current="b").weights == (0.5, 2.0)


@pytest.mark.requirement("W-STRUCT-09")
def test_beats_without_a_time_are_the_oldest_and_the_future_is_now() -> None:
    sessions = {"a": beats(LAW, session="a"), "b": beats(LAW, session="b", days=30)}
    merged = merge({**sessions, "c": beats(LAW, session="c", days=-5)}, NOW)
    assert merged.order == (("a", 0), ("b", 0), ("c", 0))
    assert merged.weights == (1.0, 1.0, 2.0)


@pytest.mark.requirement("W-STRUCT-09")
def test_a_half_life_is_more_than_nothing() -> None:
    assert merge({}, NOW).domains == {}
    with pytest.raises(InputError, match="more than 0"):
        merge({}, NOW, half_life=timedelta(0))
