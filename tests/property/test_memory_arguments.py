"""Whatever is given for one parameter of a method, a memory works or raises an error of Clew's, and stays open."""

import inspect
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from enum import Enum
from pathlib import Path
from typing import Any, get_args, get_type_hints

import numpy as np
import pytest

from clew.errors import ClewError
from clew.memory import Memory
from clew.types import Turn
from tests.support.memories import quiet, timed

MOMENT = datetime(2024, 3, 5, tzinfo=UTC)


class Unshown:
    """What cannot be shown in a message."""

    def __repr__(self) -> str:
        raise AttributeError("made without its fields")


class Word(str, Enum):  # noqa: UP042  # as callers write it; a StrEnum shows itself as its text
    """Words of a caller's program, which are texts."""

    SESSION = "s"
    TURN = "s:turn:0"
    SPEAKER = "Ann"
    TEXT = "tea"
    EXPRESSION = "role = user"


WRONG: tuple[Any, ...] = (
    *(
        None,
        True,
        5,
        -1,
        10**400,
        10**5000,
        2**64,
        3 + 4j,
        np.arange(2),
        Unshown(),
        float("nan"),
        float("inf"),
        "",
        "a\ud800b\0",
        b"x",
    ),
    *([], [5], [None], ["a"], {}, {"a": 1}, {5}, (1,), object(), MOMENT.replace(year=1)),
)
RIGHT: dict[str, Any] = {
    "turn": Turn(role="user", content="Fine."),
    "turns": [],
    "chat": str,
    "session": "s",
    "messages": [{"role": "user", "content": "Fine."}],
    "wire": "openai",
    "ref": "s:turn:0",
    "receipt_id": "last",
    "turn_ids": ["s:turn:0"],
    "version": 0,
    "expression": "role = user",
}
"""What is right for a parameter without a default; for the others any text is."""
METHODS = [
    name
    for name, method in inspect.getmembers(Memory, inspect.isfunction)
    if not name.startswith("_") and name != "close" and len(inspect.signature(method).parameters) > 1
]


def parameters(method: Callable[..., Any]) -> dict[str, bool]:
    """The names of a method's parameters, and which have no default; of options, each name that they may have."""
    found: dict[str, bool] = {}
    for name, each in list(inspect.signature(method).parameters.items())[1:]:
        if each.kind is each.VAR_KEYWORD:
            (options,) = get_args(get_type_hints(method)[name])
            found |= dict.fromkeys(get_type_hints(options), False)
        else:
            found[name] = each.default is each.empty
    return found


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Memory]:
    """A memory with two turns; what it writes goes to a folder of its own."""
    monkeypatch.chdir(tmp_path)
    with quiet() as opened:
        opened.add_many(timed(["We picked Redis for the sessions.", "Ann likes tea."]))
        opened.recall("tea")
        yield opened


@pytest.mark.requirement("F-MEMORY-15")
@pytest.mark.parametrize("name", METHODS)
def test_whatever_is_given_only_errors_of_clew_come_out(memory: Memory, name: str) -> None:
    known = parameters(getattr(Memory, name))
    for parameter in known:
        for value in WRONG:
            others = {
                each: RIGHT.get(each, "x") for each, is_needed in known.items() if is_needed and each != parameter
            }
            with suppress(ClewError):  # any of them is allowed, and any other fails the test
                getattr(memory, name)(**others, **{parameter: value})
    assert not memory.closed


@pytest.mark.requirement("F-MEMORY-15")
def test_texts_of_a_subclass_are_the_texts_that_they_hold(tmp_path: Path) -> None:
    with quiet(tmp_path, space=Word.SPEAKER) as memory:
        turn = Turn(role="user", content=Word.TEXT, session=Word.SESSION, speaker=Word.SPEAKER, external_id=Word.TURN)
        assert memory.add(turn) == "s:turn:0"
        assert memory.space == "Ann"
        context = memory.recall(Word.TEXT, session=Word.SESSION, speaker=Word.SPEAKER, where=Word.EXPRESSION)
        assert context.turn_ids == ["s:turn:0"]
        assert memory.explain(context.receipt_id).settings["filter"] == {
            "session": "s",
            "speaker": "Ann",
            "where": "role = user",
        }
        assert memory.get(Word.TURN).text == "tea"
        assert [turn.id for turn in memory.turns(Word.SESSION)] == ["s:turn:0"]
        assert memory.update(Word.TEXT, Word.TEXT, session=Word.SESSION) == ("s:turn:1", "s:turn:2")
        assert memory.pin(Word.TURN, note=Word.TEXT).note == "tea"
        assert memory.forget(turn_ids=[Word.TURN], session=Word.SESSION).turns == 1
        assert memory.verify().problems == ()


@pytest.mark.requirement("F-MEMORY-15")
@pytest.mark.parametrize("name", ["path", "space", "config", "embedder", "previous", "llm"])
@pytest.mark.parametrize("place", range(len(WRONG)))
def test_whatever_a_memory_is_opened_with_only_errors_of_clew_come_out(tmp_path: Path, name: str, place: int) -> None:
    given = {"path": ":memory:", "embedder": "none", name: WRONG[place]}
    if given["path"] is None:
        given["path"] = tmp_path  # else it were the home of whoever tests
    memory = None
    with suppress(ClewError):  # any of them is allowed, and any other fails the test
        memory = Memory.open(**given)
    if memory is not None:
        with memory:
            assert memory.is_empty
        assert memory.closed
