"""Short replies in a block: with what they reply to, or not at all."""

from pathlib import Path

import pytest

import clew
from clew.assemble.render import Evidence
from clew.assemble.replies import EXCERPT, asked_in, says_little
from tests.support.cli_runs import done

FILLER = "Nothing of note was in that part. " * 20
BUDGETS = (60, 100, 200, 400, 1_000)


def told(replies: int = 30, home: str | Path = ":memory:") -> clew.Memory:
    memory = clew.Memory.open(home, embedder="none")
    for number in range(replies):
        asked = f"I looked at part {number}. {FILLER}Shall I remove the banner from page {number}?"
        memory.add(clew.Turn(role="assistant", content=asked, session="work"))
        memory.add(clew.Turn(role="tool", content=f"{number} pages", session="work"))
        memory.add(clew.Turn(role="user", content="No, the second banner." if number % 2 else "Banner", session="work"))
    return memory


def replied_to(turn: str) -> str:
    session, seq = turn.split(":turn:")
    return f"{session}:turn:{int(seq) - 2}"


@pytest.mark.requirement("F-REPLY-01")
@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize("name", ["estimate", "words"])
def test_a_short_reply_comes_with_its_question_within_the_budget(budget: int, name: str) -> None:
    with told() as memory:
        block = memory.recall("which banner?", budget=budget, counter=name)
    shown = {name for item in block.items for name in item.turn_ids}
    replies = [name for name in shown if int(name.split(":")[-1]) % 3 == 2]
    assert block.tokens <= budget
    assert len(block.items) <= 1 or all(replied_to(each) in shown for each in replies)
    assert replies or budget < 100


@pytest.mark.requirement("F-REPLY-02")
def test_the_receipt_names_the_reply() -> None:
    with told() as memory:
        block = memory.recall("which banner?", budget=400)
        receipt = memory.explain(block.receipt_id)
    joined = {item.turn_ids[0]: item for item in block.items if item.answered_by}
    assert joined
    for name, item in joined.items():
        assert item.answered_by is not None
        assert replied_to(item.answered_by) == name
        assert item.required is None
        assert (item.rendering, item.restore) == ("excerpt", name)
        assert item.text.endswith("?")
        assert len(item.text) <= EXCERPT + 2
    assert {row["turn_ids"][0] for row in receipt.chosen if row.get("answered_by")} == joined.keys()


@pytest.mark.requirement("F-REPLY-02")
def test_explaining_a_block_names_the_reply(tmp_path: Path) -> None:
    with told(home=tmp_path) as memory:
        block = memory.recall("which banner?", budget=400)
    replies = [item.answered_by for item in block.items if item.answered_by]
    shown = " ".join(done("explain", block.receipt_id, "--full", "--home", tmp_path).split())
    assert replies
    assert all(f"read with {reply}" in shown for reply in replies)


@pytest.mark.requirement("F-REPLY-03")
def test_a_filter_holds_for_what_is_shown_beside_a_reply() -> None:
    with told() as memory:
        block = memory.recall("which banner?", budget=400, where="role = user")
        assert block.items
        assert not any(item.answered_by for item in block.items)


@pytest.mark.requirement("F-REPLY-01")
@pytest.mark.parametrize(
    ("text", "asked", "little"),
    [
        ("yes", False, True),
        ("No, the second one.", True, True),
        ("No, the second one.", False, False),
        ("In San Francisco!", True, True),
        ("The red bicycle in the garage", True, False),
        ("", True, True),
    ],
)
def test_which_replies_say_little(text: str, asked: bool, little: bool) -> None:
    assert says_little(text, asked=asked) is little


@pytest.mark.requirement("F-REPLY-01")
@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Shall I?", "Shall I?"),
        (f"{FILLER}Shall I move the old banner to the second page of the site, where nobody will see it?", "… Shall I"),
        (f"{FILLER}The banner is red. Shall I?", "… Nothing"),
        ("." * 400, "…"),
        ("word" * 100, "…"),
    ],
)
def test_of_a_long_turn_its_last_question_is_shown(text: str, shown: str) -> None:
    whole = Evidence(session="s", seq=0, at=None, speaker="A", text=text, rendering="full")
    found = asked_in(whole)
    assert found.text.startswith(shown)
    assert len(found.text) <= EXCERPT + 2
