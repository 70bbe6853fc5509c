"""Short messages in a row: one thing said in pieces, which are found together."""

from datetime import timedelta

import pytest

from clew.memory import Memory
from clew.testing import FrozenClock
from clew.types import Turn
from clew.types.turn import Role
from tests.support.ranking_spaces import NOON

pytestmark = pytest.mark.requirement("F-AGENT-86")


def sent(text: str, seconds: float, speaker: str = "Ann", role: Role = "user") -> Turn:
    return Turn(role=role, content=text, speaker=speaker or None, session="s", at=NOON + timedelta(seconds=seconds))


def bursts(turns: list[Turn], question: str = "the kiln in the garage", **recall: float) -> dict[str, float]:
    """What `burst` adds to each turn."""
    config = {"recall": recall}
    with Memory.open(":memory:", embedder="none", clock=FrozenClock(NOON), config=config) as memory:
        memory.add_many(turns)
        hits = memory.search(question, limit=len(turns))
        return {hit.turn.text: hit.signals["burst"] for hit in hits if "burst" in hit.signals}


TALK = [
    sent("so the kiln in the garage", 0),
    sent("it broke", 5),
    sent("on Tuesday", 9),
    sent("oh no", 20, "Bob"),
    sent("on Tuesday too", 2_000),
    sent("nothing else", 9_000, "Bob"),
]


def test_signal_burst_gives_the_other_messages_a_share_of_the_best_ones_match() -> None:
    found = bursts(TALK)
    assert found["it broke"] > 0
    assert found["on Tuesday"] > 0
    assert {text for text, value in found.items() if value} == {"it broke", "on Tuesday"}
    half = bursts(TALK, burst=0.2)
    assert half["it broke"] == pytest.approx(found["it broke"] / 2, abs=1e-5)
    assert not bursts(TALK, burst=0.0)


def test_long_messages_give_less_and_those_without_a_time_nothing() -> None:
    long = [sent(f"so the kiln in the garage {'and the clay ' * 20}", 0), sent("it broke " + "again " * 30, 5), TALK[3]]
    short = [TALK[0], TALK[1], TALK[3]]
    assert 0 < max(bursts(long).values()) < max(bursts(short).values())
    undated = [Turn(role="user", content=turn.text, speaker=turn.speaker, session="s") for turn in TALK]
    assert not bursts(undated)


def test_what_an_agent_says_in_a_row_is_no_burst() -> None:
    agent = [sent(turn.text, 60 * place, "", "assistant") for place, turn in enumerate(TALK[:3])]
    assert not bursts([sent("mend it", -9, ""), *agent])
    assert bursts([*agent, *(sent(turn.text, 900 + place, "") for place, turn in enumerate(TALK[:3]))])
