"""Rules that fail on a turn: each stage goes on with all others, and the turn is set aside until somebody asks."""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final, Protocol, cast

import apsw
import pytest

from clew.analyze.novelty import Vector
from clew.analyze.overlays import Overlay
from clew.config import AnalyzeConfig
from clew.derive.analysis import Analysis
from clew.derive.entity_counts import EntityCounting, counted
from clew.derive.facts import FactReading
from clew.derive.mentions import MentionReading
from clew.derive.rendering import NodeRendering
from clew.derive.retrying import retry_all
from clew.errors import ModelUnavailable, StoreLocked
from clew.index.live import LiveIndex
from clew.knowledge.rules.extract import VERSION, statements
from clew.knowledge.rules.subjects import REACH
from clew.maintain.forget import Selection, forget
from clew.maintain.verify import verify
from clew.memory import Memory
from clew.models.protocol import Matrix
from clew.project.links import TurnLinks, links_of
from clew.rows.annotations import weighed_anyway, weighing_tried
from clew.rows.failed_jobs import deferred
from clew.rows.lenses import LensBook, Meet
from clew.rows.name_spans import Spans
from clew.store.protocol import Store, Transaction
from clew.store.sqlite import SqliteStore
from clew.store.tables import TURN
from clew.structure.stored_graph import Counts
from clew.testing import HashEmbedder
from clew.types.facts import Statement
from clew.types.turn import Turn
from tests.support.memories import NOON, copied, empty_store, quiet, rows, told

BAD: Final = "zyzzyva"
"""The word on which the rules of these tests fail."""

TEXTS: Final = tuple(f"Ann moved to Oslo {n} weeks ago and edits `src/part{n}.py`." for n in range(12))


class Stage(Protocol):
    """A stage of the background work."""

    def pending(self) -> int: ...

    def step(self) -> bool: ...


@dataclass
class Rule:
    """A rule that fails on some turns, in one way or another, while it is broken."""

    error: Callable[[], Exception] = lambda: IndexError(BAD)
    is_broken: bool = True
    on: str = BAD

    def see(self, text: str) -> None:
        if self.is_broken and self.on in text:
            raise self.error()


@dataclass(frozen=True)
class Mentions:
    rule: Rule

    def __call__(self, turn: Turn) -> TurnLinks:
        self.rule.see(turn.text)
        return links_of(turn)


@dataclass(frozen=True)
class Counting:
    rule: Rule

    def __call__(self, turns: Sequence[Turn], spans: Sequence[Spans]) -> Counts:
        for turn in turns:
            self.rule.see(turn.text)
        return counted(turns, spans)


@dataclass
class Statements:
    rule: Rule
    reach: int = REACH
    version: int = VERSION

    def __call__(self, turns: Sequence[Turn], before: Sequence[Turn] = (), /) -> tuple[Statement, ...]:
        for turn in (*before, *turns):
            self.rule.see(turn.text)
        return statements(turns, before)


@dataclass(frozen=True)
class Met(Meet):
    rule: Rule = field(default_factory=Rule)

    def scores(self, found: Sequence[str], vector: Vector | None, model: str | None) -> dict[Overlay, float]:
        self.rule.see(" ".join(found))
        return super().scores(found, vector, model)


@dataclass(slots=True)
class Book(LensBook):
    rule: Rule | None = None

    def is_attached(self) -> bool:
        return True

    def meet(self) -> Meet | None:
        assert self.rule is not None
        return Met((), self.rule)


class Names:
    """A model that knows one name."""

    name = "names-of-one"

    def recognise(self, texts: Sequence[str]) -> list[Spans]:
        return [() for _ in texts]


def analysis(store: Store, rule: Rule) -> Stage:
    book = Book(store, "default", rule=rule)
    return Analysis(store, "default", LiveIndex(store, "default"), None, AnalyzeConfig(), book=book)


def facts(store: Store, rule: Rule) -> Stage:
    reading = FactReading(store, "default", Statements(rule))
    reading.release()
    return reading


STAGES: Final[Mapping[str, Callable[[Store, Rule], Stage]]] = {
    "analyse": analysis,
    "entities": lambda store, rule: EntityCounting(store, "default", Counting(rule)),
    "mentions": lambda store, rule: MentionReading(store, "default", Mentions(rule)),
    "facts": facts,
}
MADE: Final = {"analyse": "analysis", "entities": "entity", "mentions": "mention", "facts": "statement"}
"""The table that a stage fills."""


def spoken(texts: Sequence[str], **more: str) -> Memory:
    memory = quiet()
    memory.parts.worker.stop()
    memory.add_many([told(text, **more) for text in texts])
    return memory


def run(stage: Stage, most: int = 10_000) -> int:
    """Runs a stage until nothing is left; gives its steps."""
    steps = 0
    while stage.step():
        steps += 1
        assert steps < most
    assert stage.pending() == 0
    return steps


def aside(store: Store) -> dict[str, str | None]:
    with store.snapshot() as reader:
        return {each.job: each.reason for each in deferred(reader, "default")}


def made(store: Store, stage: str) -> list[object]:
    return [row for row in rows(store, MADE[stage]) if stage != "entities" or "zyzzyva" not in str(row)]


@pytest.fixture(params=sorted(STAGES))
def stage(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.parametrize("place", [0, 5, 11])
def test_a_turn_on_which_a_rule_fails_holds_up_no_other(
    stage: str, place: int, caplog: pytest.LogCaptureFixture
) -> None:
    texts = [f"{text} {BAD}" if n == place else text for n, text in enumerate(TEXTS)]
    with spoken(texts) as memory, caplog.at_level(logging.WARNING, "clew.worker"):
        store, rule = memory.reads.store, Rule()
        run(STAGES[stage](store, rule))
        assert list(aside(store)) == [f"{stage}:s:turn:{place}"]
        assert BAD not in str(rows(store, "job"))
        assert str(aside(store).values()).count("IndexError in clew.") == 1
        assert len(caplog.records) == 1
        assert BAD not in caplog.text
        if stage != "entities":
            held = {row[1] for row in rows(store, MADE[stage])}
            assert held == set(range(len(texts))) - {place}
        assert memory.search("zyzzyva")[0].turn.id == f"s:turn:{place}"


def test_what_is_made_of_the_others_does_not_depend_on_how_many_are_read_at_once(stage: str) -> None:
    texts = [f"{text} {BAD}" if n in (3, 4, 9) else text for n, text in enumerate(TEXTS)]
    with spoken(texts) as memory:
        one_by_one, at_once = copied(memory.reads.store), memory.reads.store
        run(STAGES[stage](at_once, Rule()))
        for _ in texts * 20:
            STAGES[stage](one_by_one, Rule()).step()  # each time a process that was just started
        run(STAGES[stage](one_by_one, Rule()))
        assert sorted(aside(at_once)) == sorted(f"{stage}:s:turn:{n}" for n in (3, 4, 9))
        for table in (MADE[stage], "job", "meta", "node"):
            assert rows(one_by_one, table) == rows(at_once, table)


def test_a_stage_that_is_killed_goes_on_behind_the_turn(stage: str) -> None:
    texts = [f"{text} {BAD}" if n == 2 else text for n, text in enumerate(TEXTS)]
    with spoken(texts) as memory:
        store = memory.reads.store
        before = STAGES[stage](store, Rule())
        while not aside(store):
            before.step()
        left = len(texts) - 3
        assert run(STAGES[stage](store, Rule())) <= left + 1  # another process: it looks at the turn no more
        assert len(aside(store)) == 1


def test_many_bad_turns_cost_a_few_tries_each(stage: str) -> None:
    texts = [f"{BAD} {n}" for n in range(100)]
    with spoken([*texts, TEXTS[0]]) as memory:
        store = memory.reads.store
        steps = run(STAGES[stage](store, Rule()))
        assert len(aside(store)) == len(texts)
        assert steps < 4 * len(texts)
        assert len(made(store, stage)) > 0


@pytest.mark.parametrize("error", [StoreLocked, OSError, MemoryError, ModelUnavailable])
def test_an_error_that_a_later_try_may_not_meet_sets_nothing_aside(stage: str, error: Callable[[], Exception]) -> None:
    with spoken([f"{text} {BAD}" for text in TEXTS]) as memory:
        store, rule = memory.reads.store, Rule(error)
        work = STAGES[stage](store, rule)
        for _ in range(5):
            with pytest.raises((StoreLocked, OSError, MemoryError, ModelUnavailable)):
                work.step()
        assert aside(store) == {}
        assert work.pending() == len(TEXTS)
        rule.is_broken = False
        run(work)


def test_rules_that_fail_on_every_text_are_not_the_turns_fault(stage: str) -> None:
    with spoken(["word", "word"]) as memory:
        store, rule = memory.reads.store, Rule(on="")
        work = STAGES[stage](store, rule)
        with pytest.raises(IndexError):
            run(work)
        with pytest.raises(IndexError):
            work.step()
        assert aside(store) == {}
        assert work.pending() == 2
        rule.is_broken = False
        run(work)


def test_rules_that_fail_on_a_turn_as_plain_as_can_be_are_not_thought_to_fail_on_all(stage: str) -> None:
    with spoken(["word", "word", TEXTS[0]]) as memory:
        run(STAGES[stage](memory.reads.store, Rule(on="word")))
        assert sorted(aside(memory.reads.store)) == [f"{stage}:s:turn:0", f"{stage}:s:turn:1"]


def test_a_turn_is_tried_again_when_somebody_asks(stage: str) -> None:
    texts = [f"{text} {BAD}" if n in (0, 7) else text for n, text in enumerate(TEXTS)]
    with spoken(texts) as memory, spoken(texts) as other:
        store, sound, rule = memory.reads.store, other.reads.store, Rule()
        run(STAGES[stage](store, rule))
        assert retry_all(store, "default") == 2
        run(STAGES[stage](store, rule))
        assert len(aside(store)) == 2  # it fails as before
        rule.is_broken = False
        assert retry_all(store, "default") == 2
        work = STAGES[stage](store, rule)
        assert work.pending() > 0
        run(work)
        assert rows(store, "job") == []
        run(STAGES[stage](sound, rule))
        for table in (MADE[stage], "node"):
            assert rows(store, table) == rows(sound, table)


def test_a_turn_that_is_forgotten_takes_its_note_along(stage: str) -> None:
    texts = [f"{text} {BAD}" if n in (0, 7) else text for n, text in enumerate(TEXTS)]
    with spoken(texts) as memory:
        store = memory.reads.store
        run(STAGES[stage](store, Rule()))
        forget(store, "default", Selection(turn_ids=("s:turn:7",)), NOON)
        run(STAGES[stage](store, Rule()))
        assert list(aside(store)) == [f"{stage}:s:turn:0"]
        retry_all(store, "default")
        forget(store, "default", Selection(turn_ids=("s:turn:0",)), NOON)
        run(STAGES[stage](store, Rule()))
        assert rows(store, "job") == []


def test_a_home_in_which_turns_were_set_aside_is_whole() -> None:
    texts = [f"{text} {BAD}" if n in (0, 7) else text for n, text in enumerate(TEXTS)]
    with spoken(texts) as memory:
        store = memory.reads.store
        for name in STAGES:
            run(STAGES[name](store, Rule()))
        assert len(aside(store)) == 8
        report = verify(store, "default")
        assert report.problems == ()
        assert memory.stats().details["deferred"] == 8
        assert "zyzzyva" in memory.recall("Who said zyzzyva?").text


def test_a_damaged_turn_holds_up_no_other_in_any_stage(tmp_path: Path) -> None:
    """Something from outside damaged one turn: nothing reads it, and every stage goes on, also after a restart."""
    kinds = ("analyse", "embed", "entities", "facts", "mentions")
    with quiet(tmp_path, embedder=HashEmbedder()) as memory:
        memory.parts.worker.stop()
        memory.add_many([told(text) for text in TEXTS])
        damage(memory.reads.store, 3)
        while memory.parts.worker.step():
            pass
        assert {row[1] for row in rows(memory.reads.store, "job")} == {f"{kind}:s:turn:3" for kind in kinds}
        assert memory.stats().vectors == len(TEXTS) - 1
        assert len(rows(memory.reads.store, "analysis")) == len(TEXTS) - 1
        by_kind = memory.stats().details["deferred_by_kind"]
        assert by_kind == {kind: 1 for kind in kinds if kind != "embed"}  # which is tried twice more
    with quiet(tmp_path, embedder=HashEmbedder()) as memory:
        assert memory.drain(200)
        memory.add(told("Ann moved on to Bergen."))
        assert memory.drain(200)
        assert len(rows(memory.reads.store, "analysis")) == len(TEXTS)
        assert memory.stats().details["worker_failure"] is None


class Unreachable(HashEmbedder):
    def embed(self, texts: Sequence[str]) -> Matrix:
        raise ModelUnavailable(f"nobody answers for {len(texts)} texts")


def test_an_embedder_that_cannot_be_reached_is_asked_again_and_sets_nothing_aside() -> None:
    store = empty_store()
    with quiet(store, embedder=Unreachable()) as memory:
        memory.parts.worker.stop()
        memory.add_many([told(text) for text in TEXTS])
        for _ in range(5):
            assert not memory.parts.worker.step()
        assert memory.stats().details["worker_failure"].startswith("nobody answers")
        assert memory.stats().pending["embed"] == len(TEXTS)
        assert rows(store, "job") == []
    with quiet(store, embedder=HashEmbedder()) as memory:
        assert memory.drain(200)
        assert memory.stats().vectors == len(TEXTS)


def test_nothing_is_looked_up_as_long_as_no_rule_fails(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path)
    with quiet(store) as memory:
        memory.parts.worker.stop()
        memory.add_many([told(text) for text in TEXTS])
        seen: list[str] = []
        hook = partial(_note_statements, seen)
        apsw.connection_hooks.append(hook)
        try:
            other = SqliteStore.open(tmp_path)
            for name in STAGES:
                run(STAGES[name](other, Rule()))
            run(NodeRendering(other, "default"))
            other.close()
        finally:
            apsw.connection_hooks.remove(hook)
        of_turns, of_jobs = ([each for each in seen if f'FROM "{table}"' in each] for table in ("turn", "job"))
        assert (len(of_turns) > 0, of_jobs) == (True, [])
    store.close()


def _note_statements(seen: list[str], connection: apsw.Connection) -> None:
    def note(_: object, statement: str, __: object) -> bool:
        seen.append(statement)
        return True

    connection.exec_trace = note


def test_a_text_that_cannot_be_weighed_weighs_nothing() -> None:
    """Whoever asks for the weight of a turn gets an answer, whatever the rules make of it."""
    no_text = cast(str, None)
    assert weighed_anyway(no_text) == weighed_anyway("")
    assert weighing_tried(no_text) is None
    assert weighing_tried("word") is not None


def damage(store: Store, ordinal: int) -> None:
    """Something from outside writes what is no list of parts."""

    def write(tx: Transaction) -> None:
        (row,) = TURN.scan(tx, ("default", ordinal), ("default", ordinal), index="ordinal")
        TURN.put(tx, [row._replace(parts="{")])

    store.transaction(write)
