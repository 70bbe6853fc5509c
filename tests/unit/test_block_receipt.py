"""What a recall says of itself: what it read, what it took with every signal's share, and what it left out."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import pytest

from clew.assemble.receipt import OMISSIONS, receipt_id
from clew.errors import NotFoundError
from clew.memory import Memory
from clew.rank.signals import SIGNALS
from clew.testing import FrozenClock, HashEmbedder
from clew.types import Receipt, turn_id
from clew.types.record import DeferredValue, as_given
from tests.support.ranking_spaces import NOON, QUESTION, opened, said


@pytest.fixture(scope="module")
def memory() -> Iterator[Memory]:
    with opened() as memory:
        yield memory


@pytest.mark.requirement("F-READING-01")
@pytest.mark.parametrize("question", [QUESTION, "Sum up what we talked about.", "What does Ann like?"])
def test_the_turns_of_a_block_are_known_before_its_items_are_made(memory: Memory, question: str) -> None:
    context = memory.recall(question, budget=1500)
    assert isinstance(as_given(context, "items"), DeferredValue)
    turn_ids = context.turn_ids
    assert isinstance(as_given(context, "items"), DeferredValue)
    assert turn_ids
    assert turn_ids == [name for item in context.items for name in item.turn_ids]
    assert memory.recall(question, budget=1500).items == context.items


@pytest.mark.requirement("F-RANKING-15")
def test_a_receipt_says_what_was_asked_understood_and_taken(memory: Memory) -> None:
    context = memory.recall(QUESTION, budget=300, session="a:0")
    receipt = memory.explain(context.receipt_id)
    assert (receipt.id, receipt.kind, receipt.query) == (context.receipt_id, "recall", QUESTION)
    assert (receipt.created_at, receipt.tokens, receipt.considered) == (NOON, context.tokens, 40)
    assert receipt.settings["budget"] == 300
    assert receipt.settings["counter"] == "estimate"
    assert receipt.settings["embedder"] == HashEmbedder().name
    assert receipt.settings["filter"]["session"] == "a:0"
    assert receipt.understood["speakers"] == ["Ann"]
    assert receipt.understood["quotes"] == ["red wine"]
    assert receipt.understood["dates"] == [
        {"relation": "on", "from": "2024-03-01", "to": "2024-03-31", "grain": "month"}
    ]
    assert receipt.understood["rewritten"] == QUESTION.replace("Ann", "you")
    assert "wants_assistant" not in receipt.understood
    assert set(receipt.timings) == {"rank_ms", "fit_ms"}
    assert [tuple(row["turn_ids"]) for row in receipt.chosen] == [item.turn_ids for item in context.items]
    assert receipt.omitted == tuple(omission.to_dict() for omission in context.omitted)


@pytest.mark.requirement("F-RANKING-03", "F-RANKING-15")
@pytest.mark.parametrize("fusion", ["score", "rrf"])
def test_a_receipt_gives_every_signals_share(fusion: str) -> None:
    with opened(fusion=fusion) as memory:
        receipt = memory.explain(memory.recall(QUESTION).receipt_id)
    assert receipt.chosen
    assert receipt.settings["fusion"] == fusion
    seen = set()
    for row in receipt.chosen:
        seen |= set(row["signals"])
        assert sum(row["signals"].values()) == pytest.approx(row["score"], abs=len(SIGNALS) * 1e-6)
    aside = {
        "user",
        "assistant",
        "standing",
        "opening",
        "agent",
        "users_words",
        "lengthy",
        "brief",
        "coverage",
        "call",
        "session",
        "failure",
        "decision",
        "cause",
        "closing",
        "sequel",
    }  # no assistant takes part
    aside |= {"fact", "graph", "tree", "label", "beat", "importance"}  # have no weight by default
    aside |= {
        "question",
        "answer",
        "dated",
        "position",
        "hop",
        "exact",
        "rare",
        "terse",
        "unembedded",
        "burst",
        "stretch",
    }  # nobody asks, or when, or points anywhere, or compares, or sends short messages, or meets
    assert seen == {signal.name for signal in SIGNALS} - aside


@pytest.mark.requirement("F-RANKING-14")
def test_what_was_left_out_can_be_had_back(memory: Memory) -> None:
    context = memory.recall(QUESTION, budget=120)
    taken = {item.rank for item in context.items}
    assert taken
    assert len(context.omitted) == OMISSIONS
    hits = memory.ranked(QUESTION, limit=100)
    left = [hit for rank, hit in enumerate(hits, 1) if rank not in taken][:OMISSIONS]
    for omission, hit in zip(context.omitted, left, strict=True):
        assert memory.get(omission.restore) == hit.turn
        assert omission.turn_ids == (omission.restore,)
        assert omission.score == hit.score
        assert omission.tokens == -(-len(hit.turn.text) // 4)
        spare = context.budget - context.tokens
        assert omission.reason.endswith(f": takes about {omission.tokens} tokens, {spare} were left")


@pytest.mark.requirement("F-RANKING-14")
def test_a_budget_of_0_takes_nothing_and_says_what_there_was(memory: Memory) -> None:
    context = memory.recall(QUESTION, budget=0)
    assert (context.text, context.tokens, context.items) == ("", 0, ())
    assert context.omitted[0].restore == memory.ranked(QUESTION)[0].turn.id


@pytest.mark.requirement("F-RANKING-15")
def test_an_item_names_its_turn_and_its_place(memory: Memory) -> None:
    hits = memory.ranked(QUESTION, limit=100)
    items = memory.recall(QUESTION, budget=300).items
    assert items
    for item in items:
        hit = hits[item.rank - 1]
        assert item.turn_ids == (hit.turn.id,)
        assert (item.text, item.score, item.signals) == (hit.turn.text, hit.score, hit.signals)
        assert (item.session, item.at) == (hit.turn.session, hit.turn.at)


@pytest.mark.requirement("F-RANKING-10", "F-RANKING-15")
def test_receipts_of_the_same_log_are_the_same(memory: Memory) -> None:
    def told(receipt: Receipt) -> Receipt:
        return replace(receipt, timings={})

    first = memory.recall(QUESTION, budget=300)
    receipt = told(memory.explain(first.receipt_id))
    assert memory.recall(QUESTION, budget=300) == first
    with opened() as other:
        assert other.recall(QUESTION, budget=300) == first
        assert told(other.explain()) == receipt


@pytest.mark.requirement("F-RANKING-15")
def test_a_receipt_is_named_by_question_settings_and_moment() -> None:
    base = receipt_id("wine", {"budget": 1}, NOON)
    assert base == receipt_id("wine", {"budget": 1}, NOON)
    others = {
        receipt_id("tea", {"budget": 1}, NOON),
        receipt_id("wine", {"budget": 2}, NOON),
        receipt_id("wine", {"budget": 1}, NOON + timedelta(microseconds=1)),
    }
    assert len(others - {base}) == 3


@pytest.mark.requirement("F-RANKING-15")
def test_the_newest_receipt_and_none() -> None:
    clock = FrozenClock(NOON)
    with Memory.open(":memory:", embedder="none", clock=clock) as memory:
        with pytest.raises(NotFoundError, match="ask something first"):
            memory.explain()
        with pytest.raises(NotFoundError, match="r000"):
            memory.explain("r000")
        memory.recall("first")
        clock.advance(1)
        later = memory.recall("second")
        assert memory.explain().id == memory.explain("last").id == later.receipt_id
        assert memory.explain().understood == {"terms": ["second"]}


@pytest.mark.requirement("F-RANKING-14")
def test_a_session_with_marks_in_its_name_can_be_restored() -> None:
    with Memory.open(":memory:", embedder="none", clock=FrozenClock(NOON)) as memory:
        memory.add(said("red wine", session="a:turn:1 % ü/喝"))
        (omission,) = memory.recall("wine", budget=1).omitted
        assert omission.restore == turn_id("a:turn:1 % ü/喝", 0)
        assert memory.get(omission.restore).text == "red wine"


@pytest.mark.requirement("F-READING-01")
def test_a_receipt_that_cannot_be_written_stops_neither_the_others_nor_the_background_work(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def letters(text: str) -> int:
        return len(text)

    letters.__name__ = letters.__qualname__ = "\ud800"  # which no file can hold
    with opened() as memory:
        lost, kept = memory.recall(QUESTION, counter=letters).receipt_id, memory.recall(QUESTION).receipt_id
        memory.add(said("One more."))
        assert memory.drain(200)
        assert memory.stats().details["worker_failure"] is None
        assert memory.stats().pending == {}
        assert memory.explain(kept).id == kept
        with pytest.raises(NotFoundError):
            memory.explain(lost)
    assert f"the receipt {lost} cannot be written, and is lost" in caplog.text
