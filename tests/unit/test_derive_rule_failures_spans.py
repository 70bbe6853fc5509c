"""Rules that fail on a session, on a label, or on what a model says: the stage goes on with a plain fallback."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest

from clew.background.lease import WorkLease
from clew.background.llm import LLMTasks
from clew.condense.node_renderings import NodeSize, NodeSource, render_node
from clew.condense.renderings import Rendering
from clew.config import AnalyzeConfig, CondenseConfig, Config, LLMConfig
from clew.derive.analysis import Analysis
from clew.derive.branch_state import MARK
from clew.derive.compaction import Compactor
from clew.derive.entity_counts import EntityCounting
from clew.derive.entity_recognition import Recognition
from clew.derive.llm.task_queue import Question
from clew.derive.project_meeting import MeetSweep
from clew.derive.rendering import NodeRendering
from clew.derive.retrying import retry_all
from clew.derive.weighing import WaitingWeights
from clew.errors import RuleFailed
from clew.index.live import LiveIndex
from clew.maintain.forget import Selection, forget
from clew.maintain.verify import verify
from clew.memory import Memory
from clew.models.protocol import LLM, Recogniser
from clew.rows.annotations import weighing_tried
from clew.rows.failed_jobs import RuleStage
from clew.rows.name_spans import Spans
from clew.rows.renderings import session_node
from clew.rows.set_aside import LABELS, put_labels_aside, put_session_aside, take_sessions_back
from clew.store.protocol import Store, Transaction
from clew.store.row_types import MetaRow
from clew.store.tables import ANALYSIS, META, NODE
from clew.testing import FrozenClock, ScriptedLLM
from clew.text.counters import Counter, counter
from clew.types.entity import NameSpan, NodeType
from clew.types.turn import Turn
from tests.support.memories import NOON, rendered, rows, told
from tests.unit.test_derive_analysis import talk
from tests.unit.test_derive_rendering import nodes, turns
from tests.unit.test_derive_rule_failures import BAD, TEXTS, Book, Names, Rule, aside, run, spoken
from tests.unit.test_derive_rule_failures import Counting as Uncounted


def lasting(memory: Memory) -> Analysis:
    store = memory.reads.store
    return Analysis(store, "default", LiveIndex(store, "default"), None, AnalyzeConfig(), 4)


def written(store: Store, name: str, value: str) -> None:
    store.transaction(lambda tx: META.put(tx, [MetaRow("default", name, value)]))


def test_a_branch_whose_state_fails_begins_anew_and_keeps_its_beats() -> None:
    """The state of a session is what something from outside wrote; the turns are analysed all the same."""
    with spoken([]) as memory:
        store, said = memory.reads.store, talk(6)
        memory.add_many(said[:40])
        run(lasting(memory))
        before = nodes(memory)
        assert before
        written(store, f"{MARK}s", "{")
        memory.add_many(said[40:])
        run(lasting(memory))
        assert list(aside(store)) == ["beats:s"]
        assert len(rows(store, "analysis")) == len(said)
        assert nodes(memory) > before
        assert verify(store, "default").problems == ()
        assert retry_all(store, "default") == 1
        run(lasting(memory))
        assert aside(store) == {}
        with spoken([]) as sound:
            sound.add_many(said)
            run(lasting(sound))
            assert nodes(sound) == nodes(memory)


@dataclass(frozen=True)
class Renders:
    rule: Rule

    def __call__(self, source: NodeSource, size: NodeSize, count: Counter) -> list[Rendering]:
        self.rule.see(" ".join(line.text for line in source.lines) + str(source.title))
        return render_node(source, size, count)


def rendering(store: Store, rule: Rule) -> NodeRendering:
    return NodeRendering(store, "default", Renders(rule))


def test_a_beat_that_cannot_be_rendered_gets_its_title_alone() -> None:
    said = turns(80)
    said[9] = Turn(role="user", content=f"The {BAD} is a weevil of the tropics.", session="s", at=said[9].at)
    with spoken([]) as memory:
        store = memory.reads.store
        memory.add_many([*said, *turns(9, "other")])
        run(lasting(memory))
        run(rendering(store, Rule()))
        assert list(aside(store)) == ["render:s"]
        beats = {node for node in nodes(memory) if ":beat:" in node}
        plain = beats - set(rendered(memory, "salient"))
        assert len(plain) == 1
        assert beats <= set(rendered(memory, "title"))
        assert session_node("s") in rendered(memory, "salient")
        retry_all(store, "default")
        run(rendering(store, Rule(is_broken=False)))
        assert aside(store) == {}
        assert beats <= set(rendered(memory, "salient"))
        forget(store, "default", Selection(turn_ids=("s:turn:9",)), NOON)
        assert aside(store) == {}


def test_a_session_of_which_nothing_can_be_rendered_waits_no_more() -> None:
    with spoken([]) as memory:
        store = memory.reads.store
        memory.add_many([*turns(40), *turns(40, "other")])
        run(lasting(memory))
        store.transaction(break_nodes)
        run(rendering(store, Rule()))
        assert "render:other" in aside(store)
        assert session_node("s") in rendered(memory, "salient")


def test_a_session_that_is_called_as_labels_are_noted_has_a_note_of_its_own() -> None:
    with spoken([]) as memory:
        store = memory.reads.store
        memory.add(Turn(role="user", content="Hello.", session=LABELS))

        def note(tx: Transaction) -> None:
            put_labels_aside(tx, "default", "1", "here")
            put_session_aside(tx, "default", LABELS, RuleStage.RENDERINGS, "1", "there")

        store.transaction(note)
        assert list(aside(store)) == ["render:%28labels%29", "render:(labels)"]
        store.transaction(lambda tx: take_sessions_back(tx, "default", [LABELS], RuleStage.RENDERINGS))
        assert list(aside(store)) == ["render:(labels)"]


def no_labels(source: NodeSource, size: NodeSize, count: Counter) -> list[Rendering]:
    if source.words:
        raise IndexError(str(source.title))
    return render_node(source, size, count)


def test_a_label_that_cannot_be_rendered_is_passed_by_and_not_named() -> None:
    with spoken([]) as memory:
        store = memory.reads.store
        memory.add_many(turns(80))
        run(lasting(memory))
        run(NodeRendering(store, "default", no_labels))
        assert list(aside(store)) == ["render:(labels)"]
        assert session_node("s") in rendered(memory, "salient")
        assert not [node for node in rendered(memory, "title") if node.startswith("tag:")]
        retry_all(store, "default")
        run(rendering(store, Rule()))
        assert aside(store) == {}
        assert [node for node in rendered(memory, "title") if node.startswith("tag:")]


def break_nodes(tx: Transaction) -> None:
    """Something from outside writes what is no map of a beat."""
    found = NODE.scan(tx, ("default",), ("default",))
    NODE.put(tx, [row._replace(data="{") for row in found if row.session == "other"])


@dataclass(frozen=True)
class Counting:
    """Counts tokens, and fails on some texts."""

    rule: Rule
    inner: Counter = field(default_factory=counter)

    @property
    def name(self) -> str:
        return self.inner.name

    def __call__(self, text: str) -> int:
        self.rule.see(text)
        return self.inner(text)


def compactor(memory: Memory, rule: Rule) -> Compactor:
    store, limits = memory.reads.store, CondenseConfig(session_tokens=200, protected_turns=2)
    live = LiveIndex(store, "default")
    return Compactor(store, "default", limits, AnalyzeConfig(), live, lambda: Counting(rule), FrozenClock(NOON))


def test_a_session_that_cannot_be_condensed_holds_up_no_other() -> None:
    with spoken([f"{BAD}, said {n} of us, and nobody minded." for n in range(60)], session="a") as memory:
        store = memory.reads.store
        memory.add_many([told(f"Part {n} of the harbour is dry, and the boats wait.", "b") for n in range(60)])
        run(lasting(memory))
        work = compactor(memory, Rule())
        while work.step():
            pass
        assert work.due() == []
        assert list(aside(store)) == ["condense:a"]
        assert {row[1] for row in rows(store, "compaction")} == {"b"}
        assert BAD in memory.search(BAD)[0].turn.text
        retry_all(store, "default")
        assert work.due() == ["a"]
        sound = compactor(memory, Rule(is_broken=False))
        while sound.step():
            pass
        assert {row[1] for row in rows(store, "compaction")} == {"a", "b"}


def test_a_session_that_cannot_be_condensed_when_asked_is_set_aside_with_an_error() -> None:
    with spoken([f"{BAD}, said {n} of us, and nobody minded." for n in range(60)], session="a") as memory:
        store = memory.reads.store
        run(lasting(memory))
        work = compactor(memory, Rule())
        with pytest.raises(RuleFailed, match=r"session 'a' was not condensed.*IndexError in ") as raised:
            work.compact("a", force=True, dry_run=True)
        assert BAD not in str(raised.value)
        assert aside(store) == {}
        with pytest.raises(RuleFailed):
            work.compact("a", force=True)
        assert list(aside(store)) == ["condense:a"]
        assert rows(store, "compaction") == []
        compactor(memory, Rule(is_broken=False)).compact("a", force=True)
        assert aside(store) == {}
        assert len(rows(store, "compaction")) == 1


def test_an_error_of_the_function_that_is_told_of_progress_is_no_rule_failure() -> None:
    def broken(read: int, total: int) -> None:
        raise ValueError(f"{read} of {total}")

    with spoken([f"{BAD}, said {n} of us, and nobody minded." for n in range(60)], session="a") as memory:
        run(lasting(memory))
        with pytest.raises(ValueError, match=" of "):
            compactor(memory, Rule(is_broken=False)).compact("a", force=True, on_progress=broken)
        assert aside(memory.reads.store) == {}


@dataclass(frozen=True)
class Failing(Names):
    rule: Rule
    name = "fails"

    def recognise(self, texts: Sequence[str]) -> list[Any]:
        for text in texts:
            self.rule.see(text)
        return super().recognise(texts)


def test_a_turn_on_which_a_model_of_names_fails_is_set_aside() -> None:
    with spoken([f"{text} {BAD}" if n == 4 else text for n, text in enumerate(TEXTS)]) as memory:
        store, rule = memory.reads.store, Rule()
        run(EntityCounting(store, "default"))

        def names() -> Recognition:
            made = Recognition(store, "default", lambda: (Failing(rule), "for tests"))
            made.release()
            return made

        run(names())
        assert list(aside(store)) == ["recognise:s:turn:4"]
        rule.is_broken = False
        retry_all(store, "default")
        run(names())
        assert aside(store) == {}


def test_another_model_of_names_begins_with_no_turn_set_aside() -> None:
    with spoken([f"{text} {BAD}" if n == 4 else text for n, text in enumerate(TEXTS)]) as memory:
        store = memory.reads.store
        run(EntityCounting(store, "default"))
        for model in (Failing(Rule()), Names()):
            names = Recognition(store, "default", partial(chosen, model))
            names.release()
            run(names)
            assert len(aside(store)) == isinstance(model, Failing)


class Ann(Names):
    """A model that finds a name at the beginning of each text."""

    name = "ann"

    def recognise(self, texts: Sequence[str]) -> list[Spans]:
        return [(NameSpan(0, 3, NodeType.PERSON),) for _ in texts]


def test_a_turn_that_was_not_counted_is_not_subtracted_for_the_names_that_a_model_finds_in_it() -> None:
    """The rules failed on it once and fail no more, so that only its note says that it is not in the counts."""
    with spoken([f"{text} {BAD}" if n == 4 else text for n, text in enumerate(TEXTS)]) as memory:
        store = memory.reads.store
        run(EntityCounting(store, "default", Uncounted(Rule())))
        names = Recognition(store, "default", partial(chosen, Ann()))
        names.release()
        run(names)
        assert list(aside(store)) == ["entities:s:turn:4"]
        assert verify(store, "default").problems == ()
        retry_all(store, "default")
        run(EntityCounting(store, "default"))
        assert aside(store) == {}
        assert verify(store, "default").problems == ()


def test_a_model_of_names_that_fails_on_every_text_sets_no_turn_aside() -> None:
    with spoken(TEXTS) as memory:
        store = memory.reads.store
        run(EntityCounting(store, "default"))
        names = Recognition(store, "default", partial(chosen, Failing(Rule(on=""))))
        names.release()
        with pytest.raises(IndexError):
            run(names)
        assert aside(store) == {}


def chosen(model: Recogniser) -> tuple[Recogniser, str]:
    return model, "for tests"


def test_a_turn_that_cannot_be_met_keeps_what_is_said_of_it() -> None:
    with spoken([f"{text} {BAD}" if n == 4 else text for n, text in enumerate(TEXTS)]) as memory:
        store, live, rule = memory.reads.store, LiveIndex(memory.reads.store, "default"), Rule(is_broken=False)
        book = Book(store, "default", rule=rule)
        run(Analysis(store, "default", live, None, AnalyzeConfig(), book=book))
        run(MeetSweep(store, "default", live, AnalyzeConfig(), book))
        written(store, "met", "another 0")
        rule.is_broken = True
        run(MeetSweep(store, "default", live, AnalyzeConfig(), book))
        assert list(aside(store)) == ["meet:s:turn:4"]
        assert len(rows(store, "analysis")) == len(TEXTS)
        assert retry_all(store, "default") == 1
        rule.is_broken = False
        assert MeetSweep(store, "default", live, AnalyzeConfig(), book).step()
        run(MeetSweep(store, "default", live, AnalyzeConfig(), book))
        assert aside(store) == {}


def test_a_damaged_analysis_holds_up_no_other_turn_that_is_to_be_met() -> None:
    with spoken(TEXTS) as memory:
        store, live = memory.reads.store, LiveIndex(memory.reads.store, "default")
        book = Book(store, "default", rule=Rule(is_broken=False))
        run(Analysis(store, "default", live, None, AnalyzeConfig(), book=book))
        store.transaction(break_analysis)
        written(store, "met", "another 0")
        run(MeetSweep(store, "default", live, AnalyzeConfig(), book))
        assert list(aside(store)) == ["meet:s:turn:3"]


def break_analysis(tx: Transaction) -> None:
    """Something from outside writes what is no analysis."""
    (row,) = ANALYSIS.scan(tx, ("default", 3), ("default", 3))
    ANALYSIS.put(tx, [row._replace(value="{")])


def test_rules_that_meet_no_text_set_no_turn_aside() -> None:
    with spoken(TEXTS) as memory:
        store, live, rule = memory.reads.store, LiveIndex(memory.reads.store, "default"), Rule(is_broken=False, on="")
        book = Book(store, "default", rule=rule)
        run(Analysis(store, "default", live, None, AnalyzeConfig(), book=book))
        written(store, "met", "another 0")
        rule.is_broken = True
        with pytest.raises(IndexError):
            run(MeetSweep(store, "default", live, AnalyzeConfig(), book))
        assert aside(store) == {}


def ask(kept: Callable[[Turn], None]) -> Question:
    """Asks a model about each turn; what comes of it is kept by a rule."""

    def put(_tx: Transaction, _space: str, turn: Turn, _value: object, _by: str) -> None:
        kept(turn)

    return Question("test", 1, lambda _turn: True, said, put)


def said(_llm: LLM, turn: Turn) -> str:
    if "first" in turn.text:
        raise KeyError(turn.text)
    return "yes"


def test_an_answer_that_a_rule_cannot_read_or_keep_holds_up_no_other_turn() -> None:
    kept: list[str] = []

    def keep(turn: Turn) -> None:
        if "second" in turn.text:
            raise IndexError(turn.text)
        kept.append(turn.text)

    with spoken(["third", "second", "first"]) as memory:
        store = memory.reads.store
        config = Config(gather_seconds=0.0, llm=LLMConfig())
        tasks = LLMTasks(store, "default", ScriptedLLM(lambda _: "{}"), config, FrozenClock(NOON), [ask(keep)])
        lease = WorkLease(store, "default", "models", 300_000_000)
        while tasks.step(lease):
            pass
        assert kept == ["third"]
        failed = {str(row[1]): str(row[6]) for row in rows(store, "job")}
        assert set(failed) == {"test:s:turn:1", "test:s:turn:2"}
        assert "KeyError in clew." in failed["test:s:turn:2"]
        assert "first" not in str(failed)


def only_second(turn: Turn) -> bool:
    if "first" in turn.text:
        raise KeyError(turn.text)
    return "second" in turn.text


def test_a_turn_of_which_a_rule_cannot_say_whether_to_ask_is_not_asked_about_and_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    kept: list[str] = []

    def keep(_tx: Transaction, _space: str, turn: Turn, _value: object, _by: str) -> None:
        kept.append(turn.text)

    with spoken(["third", "second", "first"]) as memory, caplog.at_level(logging.WARNING, "clew.models"):
        store, config = memory.reads.store, Config(gather_seconds=0.0, llm=LLMConfig())
        question = Question("test", 1, only_second, said, keep)
        tasks = LLMTasks(store, "default", ScriptedLLM(lambda _: "{}"), config, FrozenClock(NOON), [question])
        lease = WorkLease(store, "default", "models", 300_000_000)
        while tasks.step(lease):
            pass
        assert kept == ["second"]
        assert [record.getMessage().partition(": ")[0] for record in caplog.records] == [
            "the model is not asked `test` about s:turn:2"
        ]
        assert "first" not in caplog.text


def weighed(text: str) -> str | None:
    return None if BAD in text else weighing_tried(text)


def test_turns_that_wait_to_be_weighed_are_weighed_but_for_those_that_cannot_be() -> None:
    with spoken([BAD if n == 9 else "word" for n in range(256)]) as memory:
        store = memory.reads.store
        run(WaitingWeights(store, "default", weighed))
        assert {row[1] for row in rows(store, "weighing")} == set(range(256)) - {9}
        assert aside(store) == {}  # the analysis comes to it, and sets it aside
