"""From a question to ranked turns: what is let in, what is left out, and in which form it comes."""

import logging
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from clew.errors import InputError, ModelError
from clew.memory import Memory
from clew.models.protocol import Matrix
from clew.testing import HashEmbedder
from clew.types import Part, Turn
from tests.support.memories import NOON, at, quiet, told

SAID = [
    told("We keep green tea.", "home", speaker="Ann", at=at(0)),
    told("Green tea is best.", "home", speaker="Bob", at=at(10)),
    told("Tea, said the tool.", "home", role="tool", at=at(20)),
    told("Tea at work.", "work", speaker="Ann"),
    told("Nothing of the kind.", "elsewhere", speaker="Bob", at=at(40)),
]


@pytest.fixture
def memory() -> Iterator[Memory]:
    with quiet() as opened:
        opened.add_many(SAID)
        yield opened


def found(memory: Memory, question: str = "tea", **only: Any) -> set[str]:
    return {hit.turn.text for hit in memory.search(question, **only)}


@pytest.mark.requirement("F-RECALL-06")
@pytest.mark.parametrize(
    ("only", "expected"),
    [
        ({}, [0, 1, 2, 3, 4]),
        ({"session": "home"}, [0, 1, 2]),
        ({"session": "elsewhere"}, []),
        ({"session": "unknown"}, []),
        ({"speaker": "Ann"}, [0, 3]),
        ({"speaker": "Nobody"}, []),
        ({"role": "tool"}, [2]),
        ({"role": "user"}, [0, 1, 3, 4]),
        ({"since": at(10)}, [1, 2, 4]),
        ({"until": at(10)}, [0]),
        ({"since": at(0), "until": at(20)}, [0, 1]),
        ({"since": NOON.replace(tzinfo=None), "until": at(0.1).replace(tzinfo=None)}, [0]),
        ({"session": "home", "speaker": "Bob", "role": "user"}, [1]),
        ({"session": None, "since": None}, [0, 1, 2, 3, 4]),
    ],
)
def test_a_filter_lets_through_what_meets_all_of_it(memory: Memory, only: dict[str, Any], expected: list[int]) -> None:
    assert found(memory, **only) == {SAID[place].text for place in expected}
    context = memory.recall("tea", **only)
    assert {item.text for item in context.items} == {SAID[place].text for place in expected}


@pytest.mark.requirement("F-RECALL-06")
@pytest.mark.parametrize(
    ("only", "message"),
    [
        ({"role": "robot"}, "role 'robot' is unknown"),
        ({"since": at(5), "until": at(4)}, r"ends \(.*\) before it starts \(.*\); swap them"),
        ({"since": at(5), "until": at(5)}, r"ends where it starts \(.*\), and its end is not part of it; move one"),
        ({"since": "gibberish"}, "since 'gibberish' names no time"),
    ],
)
def test_a_filter_that_cannot_be_meant_is_refused(memory: Memory, only: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        memory.search("tea", **only)
    with pytest.raises(InputError, match=message):
        memory.recall("tea", **only)


@pytest.mark.requirement("F-RECALL-07")
def test_what_does_not_match_comes_last_and_priors_alone_bring_nothing(memory: Memory) -> None:
    assert [hit.turn.text for hit in memory.search("tea")][-1] == SAID[4].text
    assert found(memory, session="elsewhere") == set()
    assert found(memory, "xylophone") == set()
    assert memory.search("") == []
    assert memory.recall("  ").text == ""
    assert memory.recall("the of and").items == ()


@pytest.mark.requirement("F-RECALL-07")
def test_the_only_turn_of_a_space_is_found_and_so_are_equal_ones() -> None:
    with quiet() as memory:
        memory.add(told("We picked Redis."))
        assert found(memory, "Redis") == {"We picked Redis."}
        memory.add(told("We picked Redis."))
        assert len(memory.search("Redis")) == 2


@pytest.mark.requirement("F-RECALL-08")
def test_injected_text_is_kept_and_never_recalled() -> None:
    injected = Part(type="injected", text="Quoted memory: of the green tea")
    with quiet() as memory:
        memory.add(told("tea"))
        name = memory.add(Turn(role="user", content=(injected,), session="s"))
        assert found(memory, "green tea memory") == {"tea"}
        assert found(memory, "tea", speaker=None, session="s") == {"tea"}
        assert memory.find_quote("Quoted memory") == []
        assert memory.find_quote("of the") == []
        assert memory.get(name).text == "Quoted memory: of the green tea"
        assert memory.get(name).origin == "injected"
        assert "green" not in memory.recall("green tea").text


@pytest.mark.requirement("F-RECALL-03")
@pytest.mark.parametrize("limit", [0, 1, 2, 4, 1000])
def test_the_limit_cuts_the_same_ranking(memory: Memory, limit: int) -> None:
    every = memory.search("green tea", limit=1000)
    assert memory.search("green tea", limit=limit) == every[:limit]
    assert [hit.score for hit in every] == sorted((hit.score for hit in every), reverse=True)


@pytest.mark.requirement("F-RANKING-25")
def test_a_search_counts_no_cost_and_a_recall_does() -> None:
    long = "The red wine stands behind the cellar door. " + "Mind the step, and take a lamp with you. " * 40
    with quiet() as memory:
        memory.add_many([told(long, at=at(0)), *(told(f"Red wine, number {n}.", at=at(n)) for n in range(1, 30))])
        searched = memory.search("red wine behind the cellar door", limit=30)
        ranked = memory.ranked("red wine behind the cellar door", limit=30)
        assert not any("cost" in hit.signals for hit in searched)
        assert all(hit.signals["cost"] < 0 for hit in ranked)
        unpriced = {hit.turn.id: hit.score - hit.signals["cost"] for hit in ranked}
        assert unpriced == pytest.approx({hit.turn.id: hit.score for hit in searched}, abs=1e-5)
        rows = memory.explain(memory.recall("red wine behind the cellar door").receipt_id).chosen
        taken = sorted((row["rank"], row["turn_ids"][0], row["score"]) for row in rows)
        order = {(rank, hit.turn.id, hit.score) for rank, hit in enumerate(ranked, 1)}
        assert order.issuperset(taken)
        assert memory.ranked("red wine", limit=5, until=at(3)) == memory.ranked("red wine", until=at(3))[:5]


@pytest.mark.requirement("F-RECALL-03")
def test_a_limit_below_nothing_is_refused(memory: Memory) -> None:
    for ask in (memory.search, memory.find_quote):
        with pytest.raises(InputError, match="limit -1 is negative"):
            ask("tea", limit=-1)


class Moody(HashEmbedder):
    """An embedder that fails when told to."""

    def __init__(self, error: Exception | None = None) -> None:
        super().__init__()
        self.error = error
        self.asked = 0

    def embed(self, texts: Any) -> Matrix:
        self.asked += 1
        if self.error is not None:
            raise self.error
        return super().embed(texts)


@pytest.mark.requirement("F-RECALL-11")
@pytest.mark.parametrize("error", [ModelError("down"), ValueError("odd"), OSError("gone"), RecursionError()])
def test_a_model_that_fails_leaves_the_question_its_words(error: Exception, caplog: pytest.LogCaptureFixture) -> None:
    model = Moody()
    with quiet(embedder=model) as memory, quiet() as without:
        for each in (memory, without):
            each.add_many(SAID)
        assert memory.drain(None)
        model.error = error
        with caplog.at_level(logging.WARNING, "clew.rank"):
            context = memory.recall("tea")
        assert context.text == without.recall("tea").text != ""
        assert memory.explain(context.receipt_id).settings.get("embedder") is None
    assert "ranked without vectors" in caplog.text


@pytest.mark.requirement("F-RECALL-11")
def test_vectors_of_another_length_under_the_same_name_leave_the_question_its_words() -> None:
    model = Moody()
    with quiet(embedder=model) as memory:
        memory.add_many(SAID)
        assert memory.drain(None)
        assert "dense" in memory.search("tea")[0].signals
        model.dim = 32
        assert "dense" not in memory.search("another tea")[0].signals


@pytest.mark.requirement("F-RECALL-11")
def test_a_question_is_embedded_once() -> None:
    model = Moody()
    with quiet(embedder=model) as memory:
        memory.add_many(SAID)
        assert memory.drain(None)
        asked = model.asked
        for _ in range(3):
            memory.search("green tea")
        assert model.asked == asked + 1
        memory.forget(session="work")
        memory.search("green tea")
        assert model.asked == asked + 2  # a remembered question might repeat what was forgotten


class Counting(HashEmbedder):
    """An embedder that remembers what it was given."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[list[str]] = []

    def embed(self, texts: Any) -> Matrix:
        self.seen.append(list(texts))
        return super().embed(texts)


@pytest.mark.requirement("F-RECALL-11")
def test_a_question_that_is_not_rewritten_is_embedded_and_compared_in_one_form() -> None:
    model = Counting()
    with quiet(embedder=model) as memory:
        memory.add_many(SAID)
        assert memory.drain(None)
        frame = memory.reads.ranker.frame("green tea", NOON)
        assert model.seen[-1] == ["green tea"]
        assert frame.similarity is not None
        assert frame.similarity.shape == (2, len(SAID))
        assert frame.similarity.strides[0] == 0, "both rows are one"
        memory.reads.ranker.frame("Does Ann like tea?", NOON)
        assert model.seen[-1] == ["Does Ann like tea?", "do you like tea?"]


@pytest.mark.requirement("F-RANK-05")
def test_a_space_without_a_turn_is_made_ready_for_questions() -> None:
    with quiet() as memory:
        memory.reads.refresh()
        assert memory.search("red barn") == []


@pytest.mark.requirement("F-RANK-05")
def test_a_question_after_warm_up_loads_no_module() -> None:
    program = (
        "import sys\n"
        "from tests.support.memories import at, quiet, told\n"
        "names = ('Ann', 'Bob')\n"
        "turns = [told(f'Hey Kate! The red barn burned {n}.', speaker=names[n % 2], at=at(n)) for n in range(9)]\n"
        "with quiet() as memory:\n"
        "    memory.add_many(turns)\n"
        "    memory.drain()\n"
        "    memory.warm_up()\n"
        "    loaded = set(sys.modules)\n"
        "    for question in ('red barn', 'What did Kate say before the barn burned?', 'who is Ann?'):\n"
        "        memory.recall(question)\n"
        "        memory.search(question)\n"
        "    memory.brief()\n"
        "    raise SystemExit(', '.join(sorted(set(sys.modules) - loaded)) or None)\n"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
