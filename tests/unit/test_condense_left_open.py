"""What an assistant's last answer calls open."""

from typing import Literal

import pytest

from clew.condense.left_open import MOST, left_open, open_points
from clew.types.turn import Turn

Said = tuple[Literal["user", "assistant"], str]


@pytest.mark.requirement("F-TASKS-05")
@pytest.mark.parametrize(
    ("text", "points"),
    [
        ("Done.\n\nStill open:\n- push it\n- the report", ("push it", "the report")),
        ("Noted. Open: tell Ann; the release is yours. The page stays.", ("tell Ann", "the release is yours")),
        ("## Remaining work\n\n1. tests\n\n2. docs\nBye", ("tests", "docs")),
        ("**Open questions:**\n- why **now**?", ("why now?",)),
        ("TODO:\n- [ ] write\n- [x] read", ("write",)),
        ("What's left:\n* a\n* a", ("a",)),
        ("Next steps:\n- You could add tests", ()),
        ("Open points: none.", ()),
        ("The file is open: yes", ()),
        ("Missing: `x`", ()),
        ("```\nTODO:\n- z\n```", ()),
        ("Still open:\n- push <b>it</b> now\n- the report", ("push it now", "the report")),
        ("", ()),
    ],
)
def test_entries_below_a_heading_that_calls_them_open(text: str, points: tuple[str, ...]) -> None:
    assert open_points(text) == points


@pytest.mark.requirement("F-TASKS-05")
def test_a_long_list_is_cut() -> None:
    assert len(open_points("Open:\n" + "\n".join(f"- task {n}" for n in range(30)))) == MOST


def talk(*said: Said) -> list[Turn]:
    return [Turn(role=role, content=text, session="s", origin=role) for role, text in said]


@pytest.mark.requirement("F-TASKS-05")
def test_only_the_last_answer_counts_and_thanks_do_not() -> None:
    listed: Said = ("assistant", "Still open:\n- push it")
    thanked: list[Said] = [("user", "Thanks!"), ("assistant", "You're welcome!")]
    found = left_open(talk(listed, *thanked))
    assert found is not None
    assert found.points == ("push it",)
    assert left_open(talk(listed, ("user", "Push it."), ("assistant", "It is pushed."))) is None
    assert left_open(talk(("user", "Still open:\n- push it"))) is None
    assert left_open([]) is None
