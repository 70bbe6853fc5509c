"""What keeps turns out of a ranking: the caller's filters, a floor that was set, injected text; nothing else."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from clew.errors import InputError
from clew.index.view import IndexView
from clew.memory import Memory
from clew.rank.search import rank
from clew.testing import FrozenClock
from clew.types import Part
from tests.support.ranking_spaces import NOON, answered, asked, day, order, said, space


@pytest.fixture
def log() -> IndexView:
    result = Part(type="tool_result", text="red from a tool")
    return space(
        said("red zero", session="a", speaker="Ann", at=day(1)),
        said("red one", session="b", speaker="Bob", at=day(5, hour=12)),
        answered("red two", session="c"),
        said([result], session="d", at=day(9)),
        said([Part(type="injected", text="red injected")], session="e", at=day(5)),
        said("blue", session="f"),
    )


@pytest.mark.requirement("F-RANKING-06")
@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        ({}, [0, 1, 2, 3, 5]),
        ({"session": "a"}, [0]),
        ({"session": "e"}, []),
        ({"session": "f"}, []),
        ({"session": "nowhere"}, []),
        ({"role": "user"}, [0, 1, 5]),
        ({"role": "assistant"}, [2]),
        ({"role": "tool"}, [3]),
        ({"role": "system"}, []),
        ({"speaker": "Bob"}, [1]),
        ({"speaker": "bob"}, []),
        ({"since": NOON}, [1, 3]),
        ({"until": NOON}, [0]),
        ({"since": day(1), "until": day(9)}, [0, 1]),
        ({"since": day(2), "role": "user", "speaker": "Ann"}, []),
    ],
    ids=str,
)
@pytest.mark.parametrize("fusion", ["score", "rrf"])
def test_filters(log: IndexView, fusion: str, chosen: dict[str, Any], expected: Sequence[int]) -> None:
    edges = {"since", "until"}
    mask = {k: int(v.timestamp()) * 10**6 if k in edges else v for k, v in chosen.items()}
    assert sorted(order(asked(log, "red", fusion=fusion), **mask)) == expected


@pytest.mark.requirement("F-RANKING-06")
def test_filters_of_a_memory(log: IndexView) -> None:
    with Memory.open(":memory:", embedder="none", clock=FrozenClock(NOON)) as memory:
        memory.add_many([said("red", at=day(1), speaker="Ann"), said("red", session="t", at=NOON), answered("red")])
        found = [
            len(memory.search("red", **only))
            for only in ({}, {"session": "t"}, {"since": NOON}, {"until": NOON}, {"role": "user"}, {"speaker": "Ann"})
        ]
        assert found == [3, 1, 1, 1, 2, 1]
        assert memory.search("violet") == []
        assert [item.session for item in memory.recall("red", session="t").items] == ["t"]
        for wrong in ({"role": "robot"}, {"since": NOON, "until": day(1)}):
            with pytest.raises(InputError):
                memory.search("red", **wrong)


@pytest.mark.requirement("F-RANKING-06")
@pytest.mark.parametrize("question", ["red injected", '"red injected"', "what was said on 5 March 2024?"])
def test_injected_text_is_never_a_memory(log: IndexView, question: str) -> None:
    similarity = np.ones((2, 6))
    for fusion in ("score", "rrf"):
        found = order(asked(log, question, similarity, fusion=fusion, floor=-1e9))
        assert 4 not in found
        assert found


@pytest.mark.requirement("F-RANKING-06")
def test_the_floor_is_what_the_question_must_give(log: IndexView) -> None:
    shares = {
        each.position: each.shares["lexical"]
        for each in rank(asked(log, "what red two", coverage=0.0, session=0.0, floor=0), limit=9)
    }
    assert min(shares.values()) > 0
    best, second = sorted(shares.values(), reverse=True)[:2]
    assert order(asked(log, "what red two", coverage=0.0, session=0.0, floor=(best + second) / 2)) == [2]
    assert order(asked(log, "what red two", coverage=0.0, session=0.0, floor=best + 1e-5)) == []
    assert sorted(order(asked(log, "what red two"))) == [0, 1, 2, 3, 5], "nothing is left out"


@pytest.mark.requirement("F-RANKING-06")
def test_priors_alone_bring_nothing_in(log: IndexView) -> None:
    assert order(asked(log, "xylophone")) == []
    assert order(asked(log, "it was?")) == []
    assert order(asked(log, "red", fusion="rrf"), session="f") == []


@pytest.mark.requirement("F-RANKING-07")
@pytest.mark.parametrize("fusion", ["score", "rrf"])
@pytest.mark.parametrize("copies", [1, 2, 50])
def test_the_only_thing_ever_said_is_found(fusion: str, copies: int) -> None:
    view = space(*["The dog sleeps."] * copies)
    assert sorted(order(asked(view, "What does the dog do?", fusion=fusion))) == list(range(copies))
    alike = np.full((2, copies), 0.8)
    assert order(asked(view, "Which animal rests?", alike, fusion=fusion)) == list(range(copies))


@pytest.mark.requirement("F-RANKING-07")
def test_an_empty_space_answers_with_nothing() -> None:
    assert order(asked(space(), "What does Ann do on 5 March?")) == []
