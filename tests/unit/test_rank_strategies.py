"""What a recall brings back by its strategy, and which one `auto` takes."""

from collections.abc import Iterator

import pytest

from clew.errors import InputError
from clew.memory import Memory
from clew.rank.covered_days import covered_days
from clew.rank.intent import Intent, read_intent
from clew.rank.sigma import SNIPPET, snippet
from clew.rank.strategies import AUTO, STRATEGIES, checked, plan
from clew.testing import HashEmbedder
from clew.text.counters import counter as count
from tests.support.memories import NOON, at, quiet, told
from tests.support.ranking_spaces import space

NAMES = ("default", "broad", "temporal", "sigma")


def read(question: str) -> Intent:
    view = space("tea")
    return read_intent(question, view.speakers, NOON, with_assistant=False, covered=covered_days(view))


@pytest.fixture
def memory() -> Iterator[Memory]:
    with quiet(embedder=HashEmbedder(128)) as opened:
        opened.add_many(
            told(f"Tea number {number} is green.", f"s{number // 10}", at=at(number)) for number in range(60)
        )
        assert opened.drain(200)
        yield opened


@pytest.mark.requirement("F-STRATEGY-01")
@pytest.mark.parametrize(
    ("question", "intent", "strategy"),
    [
        ("Which tea did we pick?", "fact", "default"),
        ("When did we pick tea?", "fact", "default"),
        ("tea", "default", "default"),
        ("", "default", "default"),
        ("Summarize what was said of tea", "broad", "broad"),
        ("How many teas are there?", "broad", "broad"),
        ("Which tea did we drink last month?", "temporal", "temporal"),
        ("List all we drank in May 2023", "temporal", "temporal"),
    ],
)
def test_auto_goes_by_what_the_question_is_after(question: str, intent: str, strategy: str) -> None:
    found = read(question).kind(placed=False)
    assert found == intent
    assert plan(found, AUTO, 500, None, 2000).strategy == strategy
    assert read(question).kind(placed=True) == "position"


@pytest.mark.requirement("F-STRATEGY-02")
def test_a_budget_holds_and_without_one_it_is_a_share_of_the_window() -> None:
    assert [(STRATEGIES[name].results, STRATEGIES[name].share) for name in NAMES[:3]] == [
        (10, 0.25),
        (15, 0.35),
        (8, 0.20),
    ]
    for name, share in (("default", 250), ("broad", 350), ("temporal", 200)):
        assert plan("fact", name, None, 1001, 2000).budget == share
        assert plan("fact", name, 70, 1001, 2000).budget == 70
        assert plan("fact", name, None, None, 2000).budget == 2000
        assert plan("fact", name, 70, None, 2000).results == STRATEGIES[name].results
    assert plan("fact", AUTO, 70, 1001, 2000).results is None
    assert plan("fact", AUTO, None, None, 2000).results is None
    assert plan("broad", AUTO, None, 1001, 2000).results == 15


@pytest.mark.requirement("F-STRATEGY-02")
def test_a_memory_takes_the_share_and_the_number(memory: Memory) -> None:
    for name, most in (("default", 10), ("broad", 15), ("temporal", 8)):
        context = memory.recall("green tea", strategy=name, window=100_000)
        assert context.budget == int(STRATEGIES[name].share * 100_000)
        assert len(context.items) == most
        settings = memory.explain(context.receipt_id).settings
        assert (settings["strategy"], settings["intent"]) == (name, "default")
    assert len(memory.recall("green tea", budget=25_000).items) == 60
    assert len(memory.recall("green tea", window=100_000).items) == 10
    assert memory.recall("green tea", strategy="broad", window=0).items == ()


@pytest.mark.requirement("F-STRATEGY-03")
def test_sigma_takes_few_of_the_last_and_of_the_shifts(memory: Memory) -> None:
    context = memory.recall("Tea number 3 is green.", strategy="sigma", budget=4000)
    names = {name for item in context.items for name in item.turn_ids}
    assert len(names) == 5
    assert all(item.score >= 0.35 and item.signals == {"sigma": item.score} for item in context.items)
    importance = {turn.id for turn in memory.query("paradigm_shift")}
    old = {turn.id for turn in memory.query("role = user")[:10]}
    assert not names & (old - importance), "of the oldest ten only shifts are candidates"
    assert memory.recall("xylophone", strategy="sigma").items == ()


@pytest.mark.requirement("F-STRATEGY-03")
def test_sigma_without_vectors_goes_by_words() -> None:
    with quiet() as memory:
        memory.add_many([told("We picked Redis."), told("Lunch is at noon.", "other")])
        assert [item.text for item in memory.recall("Redis", strategy="sigma").items] == ["We picked Redis."]
        assert memory.recall("", strategy="sigma").items == ()


@pytest.mark.requirement("F-STRATEGY-04")
@pytest.mark.parametrize("counter", ["estimate", "words"])
def test_sigma_shows_the_first_500_characters_of_a_turn(counter: str) -> None:
    long = "Redis holds the sessions, they say. " * 40
    with quiet() as memory:
        memory.add_many([told(long), told("We picked Redis."), told("r" * 499 + " Redis", "other")])
        items = memory.recall("Redis sessions", strategy="sigma", budget=4000, counter=counter).items
        by_turn = {item.turn_ids[0]: item for item in items}
        cut = by_turn["s:turn:0"]
        assert (cut.rendering, cut.restore, cut.text) == ("snippet", "s:turn:0", snippet(long))
        assert len(cut.text) <= SNIPPET
        assert by_turn["s:turn:1"].rendering == "full"
        assert all(len(item.text) <= SNIPPET for item in items)
        assert memory.recall("Redis sessions", budget=4000, counter=counter).items[0].rendering == "full"
        for budget in range(0, 400, 7):
            context = memory.recall("Redis sessions", strategy="sigma", budget=budget, counter=counter)
            assert count(counter)(context.text) == context.tokens <= budget
            assert {item.rendering for item in context.items} <= {"full", "snippet"}


@pytest.mark.requirement("F-STRATEGY-02")
def test_what_cannot_be_meant_is_refused(memory: Memory) -> None:
    with pytest.raises(InputError, match="strategy 'wide' is unknown; expected one of auto, default, broad, temporal"):
        memory.recall("tea", strategy="wide")
    with pytest.raises(InputError, match="window -1 is negative"):
        memory.recall("tea", window=-1)
    assert checked("broad") == "broad"
