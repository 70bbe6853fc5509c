"""The context of a recall: items with reasons, pieces of long turns, what was left out, and the receipt."""

from collections.abc import Iterator

import pytest

from clew.errors import ConfigError, InputError, NotFoundError
from clew.memory import Memory
from clew.types import Turn
from tests.memories import NOON, at, quiet, told

LONG = "Nothing of that kind was ever said by anyone. " * 30
NEEDLE = "The lighthouse keeper sold the lighthouse."
SAID = [
    told("We picked Redis for sessions.", "api", speaker="Ann", at=at(0)),
    told("Postgres for the rest.", "api", speaker="Bob", at=at(1)),
    told(f"{LONG}\n\n{NEEDLE}\n\n{LONG}", "long", at=at(2)),
    told("Redis it is.", "later", role="assistant", speaker="Ann", at=at(3)),
]


@pytest.fixture
def memory() -> Iterator[Memory]:
    with quiet() as opened:
        opened.add_many(SAID)
        yield opened


@pytest.mark.requirement("F-RECALL-15", "F-RECALL-17")
def test_items_say_what_is_shown_and_why(memory: Memory) -> None:
    context = memory.recall("What did Ann say of Redis?", budget=500)
    hits = {hit.turn.id: hit for hit in memory.search("What did Ann say of Redis?")}
    assert [item.turn_ids for item in context.items] == [("api:turn:0",), ("api:turn:1",), ("later:turn:0",)]
    for item in context.items:
        hit = hits[item.turn_ids[0]]
        assert (item.score, item.signals, item.session, item.at) == (
            hit.score,
            hit.signals,
            hit.turn.session,
            hit.turn.at,
        )
        assert (item.text, item.rendering, item.node_id) == (hit.turn.text, "full", None)
        assert f"{hit.turn.seq} {hit.turn.speaker}: {hit.turn.text}\n" in context.text
    assert sorted(item.rank for item in context.items) == [1, 2, 3]
    assert context.items[0].signals["speaker"] == 2.5


@pytest.mark.requirement("F-RECALL-18")
def test_a_long_turn_that_does_not_fit_is_shown_by_its_best_piece(memory: Memory) -> None:
    (whole,) = (item for item in memory.recall("lighthouse keeper", budget=5000).items if item.session == "long")
    assert (whole.text, whole.node_id) == (SAID[2].text.strip(), None)
    context = memory.recall("lighthouse keeper", budget=200)
    (part,) = context.items
    assert NEEDLE in part.text
    assert len(part.text) < 600
    assert part.node_id is not None
    assert part.node_id.startswith("long:turn:0:piece:")
    assert f"0 user: … {part.text} …\n" in context.text


@pytest.mark.requirement("F-RECALL-18")
def test_what_was_left_out_is_named_and_can_be_brought_back(memory: Memory) -> None:
    context = memory.recall("Redis lighthouse Postgres", budget=45)
    assert len(context.items) + len(context.omitted) == 4
    assert context.omitted
    scores = [each.score for each in context.omitted]
    assert scores == sorted(scores, reverse=True)
    for each in context.omitted:
        turn = memory.restore(each.restore)
        assert (turn.id,) == each.turn_ids
        assert each.tokens == -(-len(turn.text) // 4)
        assert f"takes about {each.tokens} tokens, {45 - context.tokens} were left" in each.reason


@pytest.mark.requirement("F-RECALL-18")
def test_only_the_nearest_misses_are_named() -> None:
    with quiet() as memory:
        memory.add_many([told("tea " * n, f"s{n}") for n in range(1, 40)])
        context = memory.recall("tea", budget=0)
        assert len(context.omitted) == 20
        assert {each.reason.split(":")[0] for each in context.omitted} == {f"rank {n}" for n in range(1, 21)}


@pytest.mark.requirement("F-RECALL-14")
@pytest.mark.parametrize("budget", [0, 1, 20, 27])
def test_a_budget_too_small_for_any_item_gives_no_block(memory: Memory, budget: int) -> None:
    context = memory.recall("Redis", budget=budget)
    assert (context.text, context.tokens, context.items, context.budget) == ("", 0, (), budget)
    assert context.omitted


@pytest.mark.requirement("F-RECALL-14")
def test_budget_and_counter_come_from_the_settings_unless_given(memory: Memory) -> None:
    assert memory.recall("Redis").budget == 2000
    with quiet(config={"budget": 60, "counter": "words"}) as set_up:
        set_up.add_many(SAID)
        context = set_up.recall("Redis")
        assert (context.budget, context.tokens) == (60, len(context.text.split()) * 4 // 3)
        assert set_up.explain(context.receipt_id).settings["counter"] == "words"
        assert set_up.recall("Redis", counter=len, budget=300).tokens == len(
            set_up.recall("Redis", counter=len, budget=300).text
        )


@pytest.mark.requirement("F-RECALL-14")
def test_what_cannot_be_meant_is_refused(memory: Memory) -> None:
    with pytest.raises(InputError, match="budget -1 is negative"):
        memory.recall("Redis", budget=-1)
    with pytest.raises(ConfigError, match="counter 'bytes' is unknown"):
        memory.recall("Redis", counter="bytes")


@pytest.mark.requirement("F-RECALL-17", "F-RECALL-13")
def test_a_receipt_tells_what_was_asked_read_chosen_and_left_out(memory: Memory) -> None:
    question = 'What did Ann say of "Redis" on 5 March 2024?'
    context = memory.recall(question, budget=60, session="api", since=at(-5))
    receipt = memory.explain(context.receipt_id)
    assert memory.explain() == receipt
    assert (receipt.id, receipt.kind, receipt.query, receipt.created_at) == (
        context.receipt_id,
        "recall",
        question,
        NOON,
    )
    assert (receipt.tokens, receipt.considered) == (context.tokens, 4)
    assert receipt.settings["budget"] == 60
    assert receipt.settings["filter"] == {"session": "api", "since": "2024-03-05T11:55:00+00:00"}
    assert receipt.understood["speakers"] == ["Ann"]
    assert receipt.understood["quotes"] == ["Redis"]
    assert receipt.understood["dates"] == [{"relation": "on", "from": "2024-03-05", "to": "2024-03-05", "grain": "day"}]
    assert "wants_assistant" not in receipt.understood
    assert [row["turn_ids"] for row in receipt.chosen] == [list(item.turn_ids) for item in context.items]
    assert [row["signals"] for row in receipt.chosen] == [item.signals for item in context.items]
    assert [row["restore"] for row in receipt.omitted] == [each.restore for each in context.omitted]
    assert set(receipt.timings) == {"rank_ms", "fit_ms"}


@pytest.mark.requirement("F-RECALL-13")
def test_the_same_question_at_the_same_moment_has_the_same_answer_and_receipt(memory: Memory) -> None:
    one, other = memory.recall("Redis"), memory.recall("Redis")
    assert one == other
    assert memory.recall("redis").receipt_id != one.receipt_id
    assert memory.recall("Redis", budget=100).receipt_id != one.receipt_id
    assert memory.recall("Redis", session="api").receipt_id != one.receipt_id
    with quiet() as elsewhere:
        elsewhere.add_many(SAID)
        assert elsewhere.recall("Redis") == one


@pytest.mark.requirement("F-RECALL-17")
def test_an_unknown_receipt_is_told_as_such(memory: Memory) -> None:
    with pytest.raises(NotFoundError, match="no receipt 'r1' in this space"):
        memory.explain("r1")
    with quiet() as fresh, pytest.raises(NotFoundError, match="no recall has left a receipt in this space yet"):
        fresh.explain()


@pytest.mark.requirement("F-RECALL-15")
def test_who_speaks_is_shown_by_name_or_role() -> None:
    with quiet() as memory:
        memory.add_many([told("tea", "a", speaker="Ann"), Turn(role="assistant", content="tea", session="b")])
        memory.add(told("tea", "c", speaker=""))
        text = memory.recall("tea").text
    for shown in ("[a]\n0 Ann: tea\n", "[b]\n0 assistant: tea\n", "[c]\n0 user: tea\n"):
        assert shown in text
