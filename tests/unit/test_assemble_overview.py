"""Beats in short beside the turns of a block, where a question asks for an overview."""

from datetime import timedelta
from itertools import product

import pytest

from clew.assemble.overview import LARGE, SHARE
from clew.memory import Memory
from clew.text.counters import counter
from clew.types import Turn
from clew.types.context import Context
from tests.support.memories import NOON, quiet
from tests.unit.test_derive_rendering import SUBJECTS

pytestmark = pytest.mark.requirement("F-RENDER-04")
ASKED = "Can you give me a summary of the ferry, the choir, the server and the garden?"
NAMES = ["".join(parts) for parts in product(("ka", "lo", "mi", "nu", "ra", "se", "to", "vi"), repeat=3)]


def turns() -> list[Turn]:
    """Beats of four turns, each turn with names that no other has."""
    found = []
    for number, name in enumerate(NAMES):
        beat, place = divmod(number, 4)
        text = f"{SUBJECTS[beat % 4].format(name)} The man named {name[::-1]} told us about it before the {name}day."
        at = NOON + timedelta(hours=3 * beat, minutes=place)
        found.append(Turn(role="user", speaker="Ann", content=text, session="s", at=at))
    return found


@pytest.fixture(scope="module")
def memory() -> Memory:
    made = quiet()
    made.add_many(turns())
    assert made.drain(None)
    return made


def in_short(context: Context) -> list[str]:
    return [item.node_id for item in context.items if item.node_id is not None and ":beat:" in item.node_id]


@pytest.mark.requirement("F-TOPIC-04")
@pytest.mark.parametrize("budget", [1_000, 2_000, 3_000, 5_000])
@pytest.mark.parametrize("name", ["estimate", "words"])
def test_an_overview_has_turns_and_beats_within_the_exact_budget(memory: Memory, budget: int, name: str) -> None:
    context = memory.recall(ASKED, budget=budget, counter=name)
    assert in_short(context)
    assert len(in_short(context)) < len(context.items)
    assert context.tokens == counter(name)(context.text) <= budget
    for item in context.items:
        assert item.text.split("\n")[0] in context.text


def test_the_items_stand_in_the_order_of_the_block(memory: Memory) -> None:
    context = memory.recall(ASKED, budget=LARGE)
    places = [context.text.index(item.text) for item in context.items]
    assert places == sorted(places)


def test_a_beat_in_short_names_its_turns_its_speakers_and_how_to_open_it(memory: Memory) -> None:
    context = memory.recall(ASKED, budget=LARGE)
    item = next(each for each in context.items if each.node_id in in_short(context))
    low, high = (int(each.rpartition(":")[2]) for each in (item.turn_ids[0], item.turn_ids[-1]))
    assert f"\n{low} to {high} ({high - low + 1} turns): Ann: " in context.text
    assert item.rendering == "salient"
    assert item.restore == item.turn_ids[0]
    assert memory.restore(item.restore).id == item.turn_ids[0]
    row = next(row for row in memory.explain(context.receipt_id).chosen if row["rendering"] == "salient")
    assert row["turn_ids"] == list(item.turn_ids)
    assert row["node_id"] == item.node_id
    assert item.rank == 0


def test_what_a_turn_in_the_block_says_is_not_said_again(memory: Memory) -> None:
    context = memory.recall(ASKED, budget=LARGE)
    beats = [item for item in context.items if item.node_id in in_short(context)]
    whole = " ".join(item.text for item in context.items if item not in beats)
    assert beats
    for item in beats:
        for sentence in item.text.removeprefix("Ann: ").split(" … "):
            assert sentence not in whole


@pytest.mark.parametrize("asked", ["What does the ferry to Lisbon cost?", "Where does the choir sing?"])
def test_other_questions_get_turns_alone(memory: Memory, asked: str) -> None:
    assert in_short(memory.recall(asked, budget=LARGE)) == []


def test_a_small_budget_is_for_turns_alone(memory: Memory) -> None:
    context = memory.recall(ASKED, budget=LARGE - 1)
    assert in_short(context) == []
    assert context.tokens > (LARGE - 1) * (1 - 1 / SHARE)


def test_no_beat_is_shown_of_which_a_turn_is_filtered_out(memory: Memory) -> None:
    shown = memory.recall(ASKED, budget=LARGE, where='"harbour"')
    assert shown.items
    for item in shown.items:
        low, high = (int(each.rpartition(":")[2]) for each in (item.turn_ids[0], item.turn_ids[-1]))
        assert all("harbour" in memory.restore(f"s:turn:{seq}").text for seq in range(low, high + 1))
    everything = memory.recall(ASKED, budget=LARGE, session="s")
    assert in_short(everything)
