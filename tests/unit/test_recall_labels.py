"""Labels in a ranking: which a question has, which turns have them too, and which are passed over."""

from collections.abc import Iterator
from datetime import timedelta
from math import log
from typing import Any

import numpy as np
import pytest

from clew.background.llm import LLMWorker
from clew.config import Config
from clew.derive.llm.tasks import QUESTIONS
from clew.errors import InputError
from clew.memory import Memory
from clew.rank.intent import read_intent
from clew.rank.labels import NO_LABELS, TagColumns, generality, overlap
from clew.recall.query_labels import question_labels
from clew.rows.llm_progress import RESPONSE
from clew.structure.vocabulary import LabelEntry, Vocabulary
from clew.testing import FrozenClock, HashEmbedder, ScriptedLLM
from clew.types import Hit
from tests.support.memories import NOON, quiet, told
from tests.unit.test_tags import beats

TAGGING = [question for question in QUESTIONS if question.kind == RESPONSE]
TOPICS = ("login page", "deployment", "harbour")


def columns(*tags: dict[int, float], unknown: int = 0) -> TagColumns:
    """The tags of turns, and some turns behind them that are not analysed."""
    wide = max(map(len, tags), default=0)
    groups = np.full((len(tags) + unknown, wide), -1, dtype=np.int32)
    weights = np.zeros(groups.shape)
    for row, each in enumerate(tags):
        groups[row, : len(each)] = list(each)
        weights[row, : len(each)] = list(each.values())
    return TagColumns(groups, weights, np.arange(len(groups)) < len(tags))


def opened(**recall: Any) -> Memory:
    """A memory with a beat on each of three subjects, and one more that is not closed."""
    memory = Memory.open(":memory:", embedder="none", clock=FrozenClock(NOON), config={"recall": recall})
    memory.add_many(beats("s", *TOPICS))
    assert memory.drain(200)
    return memory


@pytest.fixture
def memory() -> Iterator[Memory]:
    with opened(label=2.0) as opened_one:
        yield opened_one


def said(query: str, *speakers: str) -> Any:
    return read_intent(query, speakers, NOON, with_assistant=False)


def shares(hits: list[Hit]) -> dict[int, float]:
    """What the label signal adds, by place of the turn."""
    return {hit.turn.seq or 0: hit.signals.get("label", 0.0) for hit in hits}


@pytest.mark.requirement("F-LABEL-01")
def test_the_share_of_a_questions_labels_by_hand() -> None:
    tags = columns({0: 1.0, 1: 0.5}, {1: 1.0}, {2: 1.0}, {1: 0.6, 4: 1.0}, unknown=1)
    rare, common = log(1 + (5 - 1 + 0.5) / 1.5), log(1 + (5 - 3 + 0.5) / 3.5)
    whole = 1.0 * rare + 0.6 * common
    values, parts = overlap(tags, [(0, 1.0), (1, 0.6), (7, 1.0)])
    assert parts == pytest.approx([rare / whole, 0.6 * common / whole, 0.0])  # 7 is nobody's: left out of both
    assert values == pytest.approx(
        [(rare + 0.5 * 0.6 * common) / whole, 0.6 * common / whole, 0, 0.6 * 0.6 * common / whole, np.nan], nan_ok=True
    )


@pytest.mark.requirement("F-LABEL-01")
def test_without_a_common_label_there_is_no_opinion() -> None:
    assert overlap(columns({0: 1.0}), [(3, 1.0)]) == (None, [0.0])
    assert overlap(columns({0: 1.0}), []) == (None, [])
    assert overlap(columns(), [(0, 1.0)]) == (None, [0.0])


@pytest.mark.requirement("F-LABEL-01")
def test_a_tag_that_a_model_gave_counts_also_where_nothing_was_analysed() -> None:
    values, _ = overlap(columns({0: 0.5}, {0: 0.5}, unknown=1), [(0, 1.0)], [(1, 0, 0.8), (2, 0, 1.0)])
    assert values == pytest.approx([0.5, 0.8, 1.0])


@pytest.mark.requirement("F-LABEL-01")
def test_a_question_has_known_labels_and_no_others() -> None:
    words = Vocabulary(
        [LabelEntry("login-page", 3), LabelEntry("logins", 4, target="login-page"), LabelEntry("car", 5)]
    )
    found = question_labels(said("Did the Login pages or the LOGINS break the submarine?"), words, None, ())
    assert set(found) == {"login-page"}
    assert question_labels(said("What of the submarine?"), words, None, ()) == {}
    assert question_labels(said("What did Car say of the login page?", "Car"), words, None, ("Car",)).keys() == {
        "login-page"
    }


@pytest.mark.requirement("F-LABEL-01")
def test_with_vectors_a_question_has_the_labels_that_are_like_it() -> None:
    words = Vocabulary([LabelEntry("car", 1, again=2), LabelEntry("boat", 1, again=2), LabelEntry("tram", 1)])
    words.give_vector("car", np.array([120, 10], np.int8))
    words.give_vector("boat", np.array([0, 127], np.int8))
    words.give_vector("tram", np.array([127, 0], np.int8))  # came once: it is not compared
    found = question_labels(said("Which vehicle?"), words, np.array([1.0, 0.0], np.float32), ())
    assert found == {"car": pytest.approx(120 / np.hypot(120, 10))}


@pytest.mark.requirement("F-LABEL-01")
def test_turns_about_what_a_question_is_about_get_its_share(memory: Memory) -> None:
    found = shares(memory.search("Any news of Deployments?", limit=99))
    about = {seq for seq, share in found.items() if share > 0}
    assert {4, 5, 6, 7} <= about
    assert not about & {0, 1, 2, 3}
    receipt = memory.explain(memory.recall("Any news of Deployments?").receipt_id)
    assert receipt.understood["labels"] == ["deployment"]
    assert receipt.settings["weights"]["label"] == 2.0
    row = next(row for row in receipt.chosen if row["turn_ids"] == ["s:turn:4"])
    assert row["signals"]["label"] == pytest.approx(found[4])
    assert row["ranks"]["label"] >= 1
    assert row["score"] == pytest.approx(sum(row["signals"].values()), abs=1e-5)
    assert not any("label" in hit.signals for hit in memory.search("Any news of the submarine?"))


@pytest.mark.requirement("F-LABEL-01")
def test_an_alias_means_what_its_label_means() -> None:
    with quiet(config={"recall": {"label": 2.0}}) as memory:
        memory.add_many([*beats("s", "authentication", "deployment"), *beats("t", "auth", "harbour")])
        assert memory.drain(200)
        assert {each.name: each.aliases for each in memory.labels()}["authentication"] == ("auth",)
        for question in ("What of auth?", "What of authentication?"):
            found = {hit.turn.id for hit in memory.search(question, limit=99) if hit.signals.get("label", 0.0) > 0}
            assert {"s:turn:0", "t:turn:0"} <= found
            assert "s:turn:4" not in found
            assert memory.explain(memory.recall(question).receipt_id).understood["labels"] == ["authentication"]


@pytest.mark.requirement("F-LABEL-02")
def test_without_a_weight_nothing_is_read() -> None:
    with opened() as memory:
        frame = memory.reads.ranker.frame("Any news of Deployments?", memory.reads.clock())
        assert frame.labels is NO_LABELS
        assert memory.reads.selector.annotations._table.size == 0
        assert not any("label" in hit.signals for hit in memory.search("Any news of Deployments?"))


@pytest.mark.requirement("F-LABEL-02")
def test_a_turn_that_is_not_analysed_is_unknown(memory: Memory) -> None:
    memory.parts.worker.stop()  # whoever adds now, nobody analyses
    memory.add(told("The deployment went well.", at=NOON + timedelta(hours=9)))
    frame = memory.reads.ranker.frame("Any news of Deployments?", memory.reads.clock())
    values = frame.labels.values
    assert values is not None
    assert np.isnan(values[-1])
    assert not np.isnan(values[:-1]).any()
    newest = next(hit for hit in memory.search("Any news of Deployments?", limit=99) if hit.turn.seq == 16)
    assert "label" not in newest.signals


@pytest.mark.requirement("F-LABEL-01")
def test_a_language_models_tags_count_too() -> None:
    with opened(label=1.0) as memory:
        memory.parts.worker.stop()
        before = shares(memory.search("Any news of Deployments?", limit=99))
        assert before[0] == 0
        llm = ScriptedLLM(lambda _prompt: '{"tags": ["Deployments"]}')
        work = LLMWorker(memory.reads.store, memory.space, llm, Config(gather_seconds=0.0), memory.reads.clock, TAGGING)
        while work.step():
            pass
        work.stop()
        after = shares(memory.search("Any news of Deployments?", limit=99))
        assert after[0] > 0


@pytest.mark.requirement("F-LABEL-03")
def test_labels_of_the_turns_on_the_screen_are_passed_over(memory: Memory) -> None:
    question = "What of the harbour and the deployment?"
    plain = memory.explain(memory.recall(question).receipt_id)
    assert plain.understood["labels"] == ["deployment", "harbour"]
    assert "labels_on_screen" not in plain.understood
    four = memory.explain(memory.recall(question, in_window=8).receipt_id)  # the last four are about umbrellas
    assert four.understood["labels"] == ["deployment", "harbour"]
    memory.add_many([told(f"The harbour again, {n}.", at=NOON + timedelta(hours=9)) for n in range(4)])
    assert memory.drain(200)
    held = memory.explain(memory.recall(question, in_window=4).receipt_id)
    assert held.understood["labels"] == ["deployment"]
    assert held.understood["labels_on_screen"] == ["harbour"]
    assert held.settings["in_window"] == 4
    rows = {row["turn_ids"][0]: row["signals"].get("label", 0.0) for row in (*held.chosen, *held.omitted)}
    assert not rows.keys() & {f"s:turn:{seq}" for seq in range(16, 20)}
    assert rows["s:turn:8"] == 0 < rows["s:turn:4"]


@pytest.mark.requirement("F-LABEL-03")
def test_the_window_is_that_of_a_session_and_may_be_larger_than_it(memory: Memory) -> None:
    memory.add(told("The harbour is far.", "other", at=NOON + timedelta(hours=9)))
    shown = {row.turn_ids[0] for row in memory.recall("What of the harbour?", in_window=9).items}
    assert "other:turn:0" not in shown  # the newest turn's session, which has but one
    assert "s:turn:8" in shown
    shown = {row.turn_ids[0] for row in memory.recall("What of the harbour?", in_window=3, session="s").items}
    assert not shown & {"s:turn:13", "s:turn:14", "s:turn:15"}
    assert memory.recall("What of the harbour?", in_window=0) == memory.recall("What of the harbour?", in_window=None)
    assert memory.recall("What of the harbour?", in_window=99, session="nobody").items == ()
    with pytest.raises(InputError, match="in_window -1 is negative"):
        memory.recall("What of the harbour?", in_window=-1)


@pytest.mark.requirement("F-LABEL-03")
def test_a_built_prompt_passes_over_what_its_buffer_is_about() -> None:
    config = {"recall": {"label": 2.0}, "budget": 4_000}
    with Memory.open(":memory:", embedder="none", clock=FrozenClock(NOON), config=config) as memory:
        memory.add_many(beats("default", *TOPICS))
        memory.update("And the harbour?", "The harbour is large.")
        memory.update("Is the harbour deep?", "The harbour is deep.")
        assert memory.drain(200)
        memory.build_prompt("What of the harbour and the deployment?")
        receipt = memory.explain()
        assert receipt.understood["labels"] == ["deployment"]
        assert receipt.understood["labels_on_screen"] == ["harbour"]


@pytest.mark.requirement("F-LABEL-04")
def test_other_vectors_than_those_of_the_names_are_not_compared() -> None:
    """Turns that one model analysed, and a question that another one embeds."""
    with Memory.open(":memory:", embedder=HashEmbedder(), config={"recall": {"label": 1.0}}) as memory:
        memory.add_many(beats("s", *TOPICS))
        assert memory.drain(200)
        view = memory.reads.live.view()
        look = memory.reads.ranker._sources.labels
        assert look is not None
        alien = ("another", np.ones(3, np.float32))
        assert look(view, said("deployment"), alien, (), hubs=False).asked == {"deployment": 1.0}


@pytest.mark.requirement("F-DAMP-02")
def test_generality_by_hand() -> None:
    tags = columns({0: 1.0, 1: 0.5}, {0: 0.5}, {0: 1.0}, {}, unknown=2)
    assert generality(tags) == pytest.approx([1 - (1 - 0.75) * (1 - 0.5 * 0.25), 0.5 * 0.75, 0.75, 0, 0, 0])
    assert generality(columns(unknown=2)).tolist() == [0, 0]


@pytest.mark.requirement("F-LABEL-04")
def test_names_that_are_forgotten_are_no_labels_any_more(memory: Memory) -> None:
    assert "labels" in memory.explain(memory.recall("Any news of Deployments?").receipt_id).understood
    memory.forget(turn_ids=[f"s:turn:{seq}" for seq in range(4, 8)])
    assert memory.drain(200)
    memory.recall("Any news of Deployments?")
    assert "labels" not in memory.explain().understood
    assert "deployment" not in memory.reads.ranker._sources.labels._numbers  # type: ignore[union-attr]  # whatever holds names
