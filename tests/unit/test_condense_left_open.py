"""What an assistant's last answer calls open."""

from dataclasses import replace
from typing import Literal

import pytest

from clew.condense.left_open import MOST, left_open, open_points
from clew.condense.open_tasks import open_tasks
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


def spoken(*said: Said) -> list[tuple[str, int]]:
    turns = [replace(turn, seq=n) for n, turn in enumerate(talk(*said))]
    return [(task.text, task.seq) for task in open_tasks(turns)]


@pytest.mark.requirement("F-TASKS-06")
def test_what_is_written_down_as_open_is_an_open_task() -> None:
    assert spoken(
        ("assistant", "TODO: ask Karin for the VAT numbers of C-20931."), ("user", "Nice weather today.")
    ) == [("ask Karin for the VAT numbers of C-20931", 0)]
    assert spoken(("user", "For Friday:\n- [ ] call the plumber\n- [x] buy milk"), ("assistant", "Noted.")) == [
        ("call the plumber", 0)
    ]
    assert spoken(("user", "TODO: ask Karin for v1.2 of the form. I am off now, see you!")) == [
        ("ask Karin for v1.2 of the form", 0)
    ]
    assert spoken(("user", "Go on."), ("assistant", "The import is done. Still open:\n- push it\n- the report")) == [
        ("push it", 1),
        ("the report", 1),
    ]


@pytest.mark.requirement("F-TASKS-06")
@pytest.mark.parametrize(
    ("later", "is_open"),
    [
        ("I asked Karin, and she sent the VAT numbers.", False),
        ("- [x] ask Karin for the VAT numbers", False),
        ("Did you ask Karin for the VAT numbers?", True),
        ("I will ask Karin for the VAT numbers once she is back.", True),
        ("I asked Karin about lunch.", True),
        ("You asked me to ask Karin for the VAT numbers.", True),
        ("I wanted to ask Karin for the VAT numbers, but she had left.", True),
        ("I forgot to ask Karin for the VAT numbers, I was tired.", True),
        ("Nobody asked Karin for the VAT numbers.", True),
    ],
)
def test_a_task_is_open_until_a_sentence_says_that_it_is_done(later: str, is_open: bool) -> None:
    task = "ask Karin for the VAT numbers"
    assert spoken(("user", f"TODO: {task}"), ("user", later)) == ([(task, 0)] if is_open else [])


@pytest.mark.requirement("F-TASKS-06")
def test_boxes_of_an_answer_count_until_the_next_answer() -> None:
    plan: Said = ("assistant", "My plan:\n- [ ] read the parser\n- [ ] mend it")
    assert [text for text, _ in spoken(("user", "Mend it."), plan)] == ["read the parser", "mend it"]
    assert spoken(("user", "Mend it."), plan, ("assistant", "The parser is mended.")) == []
    thanked: list[Said] = [("user", "Thanks!"), ("assistant", "You're welcome!")]
    assert len(spoken(plan, *thanked)) == 2
    assert spoken(("assistant", "```\n# TODO: in code\n```\nRead this.")) == []


@pytest.mark.requirement("F-TASKS-06")
@pytest.mark.parametrize(
    "text", ["TODO list app in React", "TODO: none.", "To-do: nothing", "- [ ]", f"TODO{' ' * 9}.", f"TODO:{' ' * 9}"]
)
def test_what_only_looks_like_a_mark_is_no_task(text: str) -> None:
    assert spoken(("user", text)) == []


@pytest.mark.requirement("F-TASKS-06")
def test_a_mark_with_a_verb_that_is_also_a_thing_is_a_task() -> None:
    assert spoken(("user", "TODO list all endpoints")) == [("list all endpoints", 0)]
