"""Which topics of its beats tell what a session was about."""

import pytest

from clew.memory import Memory
from clew.recall.session_topics import telling
from clew.testing import FrozenClock
from clew.types import Turn
from tests.support.ranking_spaces import NOON

SUBJECTS = "beehives pottery ferries orchards gliders sundials anvils canoes violins lanterns".split()
TOPICS = ["choir", "ann", "mm-hmm", "choir-photo", "beehives", "ben"]


def told(*subjects: str) -> list[str]:
    """What `telling` leaves of TOPICS in the first of these sessions, each of which speaks of the choir, too."""
    with Memory.open(":memory:", embedder="none", clock=FrozenClock(NOON)) as memory:
        for subject in subjects:
            memory.add(Turn(role="user", speaker="Ann", content="A photo of the choir!", session=subject))
            memory.add(Turn(role="user", speaker="Ben", content=f"Ann, we saw the {subject}.", session=subject))
        view = memory.reads.live.view()
        ends = view.ends(subjects[0])
        assert ends is not None
        return telling(view, TOPICS, ends)


@pytest.mark.requirement("F-SESSION-08")
def test_what_other_sessions_speak_of_as_often_tells_none_apart() -> None:
    assert told(*SUBJECTS) == ["beehives"]


@pytest.mark.requirement("F-SESSION-08")
def test_of_few_sessions_names_and_sounds_alone_are_left_out() -> None:
    assert told(*SUBJECTS[:2]) == ["choir", "choir-photo", "beehives"]


@pytest.mark.requirement("F-SESSION-08")
def test_where_there_is_nothing_else_a_common_topic_stays() -> None:
    with Memory.open(":memory:", embedder="none", clock=FrozenClock(NOON)) as memory:
        for subject in SUBJECTS:
            memory.add(Turn(role="user", speaker="Ann", content="A photo of the choir!", session=subject))
        view = memory.reads.live.view()
        ends = view.ends("pottery")
        assert ends is not None
        assert telling(view, ["choir", "ann"], ends) == ["choir"]
        assert telling(view, [], ends) == []
