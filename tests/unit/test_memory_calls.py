"""Every public call of a memory: what it gives, what it refuses, and that a closed one says so."""

import inspect
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from clew.aio import AsyncMemory
from clew.config import Config
from clew.errors import (
    ClosedError,
    ConfigError,
    ConflictError,
    ExpressionError,
    FormatError,
    InputError,
    MissingExtra,
    NotFoundError,
    StoreError,
    TurnRejected,
)
from clew.memory import Memory
from clew.store.sqlite import SqliteStore
from clew.testing import FrozenClock, HashEmbedder
from clew.types import Part, Turn
from tests.support.memories import NOON, at, empty_store, history, quiet, rows, told


@pytest.fixture
def memory() -> Iterator[Memory]:
    with quiet() as opened:
        opened.add_many(history(["green tea", "black coffee"]))
        yield opened


FILTERS = "session since until role speaker where as_of known_at project branch"
SIGNATURES = {
    "recall": f"query budget counter position context_position {FILTERS} strategy window in_window",
    "search": f"query limit {FILTERS}",
    "ranked": f"query limit {FILTERS}",
    "query": f"expression limit {FILTERS}",
    "remember_when": "query since until mode budget counter session project branch",
    "forget": "dry_run turn_ids session speaker since until match where",
    "explain": "receipt_id",
    "wrap_chat": "fn session",
    "mark_used": "receipt_id turn_ids",
}


@pytest.mark.requirement("F-MEMORY-16")
@pytest.mark.parametrize("name", sorted(SIGNATURES))
def test_a_signature_lists_the_arguments_by_name(name: str) -> None:
    for kind in (Memory, AsyncMemory):
        parameters = inspect.signature(getattr(kind, name)).parameters
        assert [*parameters] == ["self", *SIGNATURES[name].split()]


@pytest.mark.requirement("F-MEMORY-16")
def test_options_in_a_signature_have_their_defaults(memory: Memory) -> None:
    listed = inspect.signature(memory.recall).parameters
    options = {name: each.default for name, each in listed.items() if each.kind is each.KEYWORD_ONLY}
    assert options["strategy"] == "auto"
    plain, spelled = memory.recall("tea"), memory.recall("tea", **options)
    assert spelled.items == plain.items


@pytest.mark.requirement("F-MEMORY-01")
@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"space": ""}, InputError, "space '' is empty"),
        ({"space": "  "}, InputError, "space '  ' is empty"),
        ({"space": 5}, InputError, "the space is 5"),
        ({"config": {"budget": -1}}, ConfigError, "budget is -1"),
        ({"config": {"nonsense": 1}}, ConfigError, "'nonsense' is not a setting"),
        ({"embedder": "magic"}, ConfigError, "the embedder 'magic' is unknown"),
        ({"embedder": "fastembed:x"}, MissingExtra, "fastembed"),
        ({"path": "mysql://x"}, ConfigError, "is not a place for a store"),
    ],
)
def test_what_cannot_be_opened_is_refused_with_the_reason(
    arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    path = arguments.pop("path", ":memory:")
    with pytest.raises(error, match=message):
        Memory.open(path, **arguments)


@pytest.mark.requirement("F-CONFIG-02")
def test_a_previous_embedder_that_does_not_exist_is_refused_before_a_home_is_made(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="nonsense"):
        Memory.open(tmp_path / "home", embedder="none", previous="nonsense")
    assert not (tmp_path / "home").exists()


@pytest.mark.requirement("F-MEMORY-01")
def test_a_file_is_no_home(tmp_path: Path) -> None:
    file = tmp_path / "home"
    file.write_text("x")
    with pytest.raises(StoreError, match="is a file; expected a directory"):
        quiet(file)


@pytest.mark.requirement("F-MEMORY-01")
def test_the_default_home_is_the_one_that_the_environment_names(
    tmp_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLEW_EMBEDDER", "none")
    with Memory.open() as memory:
        memory.add(told("tea"))
    assert (tmp_home / ".clew").is_dir()
    monkeypatch.setenv("CLEW_HOME", str(tmp_home / "elsewhere"))
    with Memory.open() as memory:
        assert memory.stats().turns == 0
        memory.add(told("coffee"))
    with Memory.open(tmp_home / "elsewhere") as memory:
        assert memory.get("s:turn:0").text == "coffee"


@pytest.mark.requirement("F-MEMORY-01")
def test_settings_come_from_the_home_unless_given(tmp_path: Path) -> None:
    (tmp_path / "clew.toml").write_text("budget = 77\n", encoding="utf-8")
    with quiet(tmp_path) as memory:
        assert memory.config.budget == 77
    with quiet(tmp_path, config={"budget": 78}) as memory:
        assert memory.config.budget == 78
    with quiet(tmp_path, config=Config()) as memory:
        assert memory.config == Config()


@pytest.mark.requirement("F-MEMORY-01")
def test_why_there_is_no_embedder_is_told() -> None:
    with quiet() as memory:
        assert memory.embedder is None
        assert "no embedder" in str(memory.embedder_note)
    with quiet(embedder=HashEmbedder()) as memory:
        assert memory.embedder_note is None


@pytest.mark.requirement("F-MEMORY-01")
def test_a_store_that_the_caller_opened_stays_open() -> None:
    store = empty_store()
    with quiet(store) as memory, quiet(store, space="other") as other:
        memory.add(told("tea"))
        memory.close()
        other.add(told("coffee"))
    assert [row[-1] for space in ("default", "other") for row in rows(store, "turn", space)] == ["tea", "coffee"]
    with quiet(store) as again:
        assert again.get("s:turn:0").text == "tea"


@pytest.mark.requirement("F-MEMORY-02")
@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda m: m.add(told(" ")), TurnRejected, "empty"),
        (lambda m: m.add("tea"), TurnRejected, "str is not a turn"),
        (lambda m: m.add(told("x", external_id="e")) and m.add(told("y", external_id="e")), ConflictError, "kept"),
        (lambda m: m.import_path("/nowhere/at/all.json"), FormatError, "at/all.json"),
        (lambda m: m.get("tea"), InputError, "not a turn id"),
        (lambda m: m.get("s:turn:99"), NotFoundError, "no turn 's:turn:99' in space 'default'"),
        (lambda m: m.get("elsewhere:turn:0"), NotFoundError, "no turn 'elsewhere:turn:0'"),
        (lambda m: m.restore("s:turn:99"), NotFoundError, "may have been forgotten"),
        (lambda m: m.restore("x"), InputError, "not a turn id"),
        (lambda m: m.explain("r0"), NotFoundError, "no receipt 'r0'"),
        (lambda m: m.search("x", limit=-1), InputError, "limit -1 is negative"),
        (lambda m: m.search("x", role="robot"), InputError, "role 'robot' is unknown"),
        (lambda m: m.recall("x", budget=-1), InputError, "budget -1 is negative"),
        (lambda m: m.recall("x", since=at(1), until=at(0)), InputError, "before it starts"),
        (lambda m: m.find_quote("?"), InputError, "contains no word"),
        (lambda m: m.query("routine", limit=-1), InputError, "limit -1 is negative"),
        (lambda m: m.query("routine", where="routine"), InputError, "join the two with AND"),
        (lambda m: m.query("routine AND"), ExpressionError, "at position 12 of the expression: found the end"),
        (lambda m: m.recall("x", where="O8 > 1"), ExpressionError, "at position 1 of the expression: found 'O8'"),
        (lambda m: m.search("x", where=7), ExpressionError, "where is int; expected text"),
        (lambda m: m.search("x", since=at(1), as_of=at(0)), InputError, "before the range starts"),
        (lambda m: m.search("x", wher="routine"), InputError, "'wher' is not a filter; expected one of session"),
        (lambda m: m.recall("x", as_off=at(0)), InputError, "'as_off' is not a filter"),
        (lambda m: m.search("x", known_at=5), InputError, "known_at is 5; expected a datetime, or a time such as"),
        (lambda m: m.search("x", known_at="soon enough"), InputError, "names no time; write a date such as"),
        (lambda m: m.forget(), InputError, "nothing is selected"),
        (
            lambda m: m.forget(match="tea", sesion="s"),
            InputError,
            "'sesion' is not a condition; expected some of turn_ids",
        ),
        (lambda m: m.forget(where="routine)"), ExpressionError, "at position 8"),
        (lambda m: m.forget_expired(), InputError, "keep_days is 0"),
    ],
)
def test_what_a_call_refuses_is_named(
    memory: Memory, call: Callable[[Any], Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        call(memory)
    assert memory.verify().ok


@pytest.mark.requirement("F-MEMORY-02")
def test_an_original_that_is_missing_is_told_as_such(memory: Memory) -> None:
    name = memory.add(Turn(role="user", content=(Part(type="image", data=b"x"),), session="s"))
    memory.reads.store.transaction(lambda tx: tx.delete("blob", ("default",), ("default",)))
    with pytest.raises(NotFoundError, match=r"blob [0-9a-f]{12} is missing; `clew verify`"):
        memory.restore(name)
    assert memory.get(name).parts[0].blob is not None


CALLS: dict[str, Callable[[Any, Path], Any]] = {
    "add": lambda m, _: m.add(told("x")),
    "add_many": lambda m, _: m.add_many([told("x")]),
    "annotations": lambda m, _: m.annotations("s:turn:0"),
    "snapshots": lambda m, _: m.snapshots("s"),
    "state_before": lambda m, _: m.state_before("s", "tea"),
    "evolution": lambda m, _: m.evolution("s"),
    "in_common": lambda m, _: m.in_common(["s:beat:0"], ["s:beat:0"]),
    "domains": lambda m, _: m.domains(),
    "retry": lambda m, _: m.retry(),
    "extract": lambda m, _: m.extract(),
    "facts": lambda m, _: m.facts(),
    "edges": lambda m, _: m.edges(),
    "history": lambda m, _: m.history("user"),
    "correct": lambda m, _: m.correct("s:turn:0:fact:0", "tea"),
    "extractions": lambda m, _: m.extractions(),
    "backup": lambda m, path: m.backup(path / "copy"),
    "drain": lambda m, _: m.drain(0),
    "warm_up": lambda m, _: m.warm_up(),
    "explain": lambda m, _: m.explain("r"),
    "export": lambda m, path: m.export(path / "out.jsonl"),
    "find_quote": lambda m, _: m.find_quote("tea"),
    "brief": lambda m, _: m.brief(),
    "sessions": lambda m, _: m.sessions(limit=1),
    "remember_when": lambda m, _: m.remember_when(query="tea"),
    "query": lambda m, _: m.query("routine"),
    "forget": lambda m, _: m.forget(session="s"),
    "forget_expired": lambda m, _: m.forget_expired(),
    "get": lambda m, _: m.get("s:turn:0"),
    "import_path": lambda m, path: m.import_path(path),
    "pause": lambda m, _: m.pause(),
    "rebuild": lambda m, _: m.rebuild(),
    "recall": lambda m, _: m.recall("tea"),
    "restore": lambda m, _: m.restore("s:turn:0"),
    "turns": lambda m, _: m.turns("s"),
    "topics": lambda m, _: m.topics(),
    "resume": lambda m, _: m.resume(),
    "search": lambda m, _: m.search("tea"),
    "ranked": lambda m, _: m.ranked("tea"),
    "stats": lambda m, _: m.stats(),
    "verify": lambda m, _: m.verify(),
    "labels": lambda m, _: m.labels(),
    "labelled": lambda m, _: m.labelled("tea"),
    "entities": lambda m, _: m.entities(),
    "entity": lambda m, _: m.entity("tea"),
    "build_prompt": lambda m, _: m.build_prompt("tea"),
    "update": lambda m, _: m.update("more tea?", "yes"),
    "wrap_chat": lambda m, _: m.wrap_chat(str.upper),
    "mark_used": lambda m, _: m.mark_used("r", ["s:turn:0"]),
    "tune": lambda m, _: m.tune(),
    "learned": lambda m, _: m.learned(),
    "revert": lambda m, _: m.revert(1),
    "pin": lambda m, _: m.pin("s:turn:0"),
    "recap": lambda m, _: m.recap("s"),
    "insure": lambda m, _: m.insure("s", []),
    "condense": lambda m, _: m.condense("s"),
    "shown": lambda m, _: m.shown("s"),
    "collapse": lambda m, _: m.collapse([]),
    "shrink_images": lambda m, _: m.shrink_images([]),
    "unpin": lambda m, _: m.unpin("s:turn:0"),
    "pins": lambda m, _: m.pins(),
    "attach_project": lambda m, path: m.attach_project(path),
    "detach_project": lambda m, path: m.detach_project(path),
    "projects": lambda m, _: m.projects(),
    "decisions": lambda m, _: m.decisions("src/tea.py"),
    "links": lambda m, _: m.links("s:turn:0"),
    "drift": lambda m, _: m.drift(),
    "quests": lambda m, _: m.quests(),
    "set_quest": lambda m, _: m.set_quest(session="s", title="tea"),
    "seal_quest": lambda m, _: m.seal_quest("s:quest:0"),
    "verify_quest": lambda m, _: m.verify_quest("s:quest:0"),
    "quest_patterns": lambda m, _: m.quest_patterns(),
    "export_pattern": lambda m, path: m.export_pattern("s:quest:0", path / "pattern.json"),
    "import_pattern": lambda m, path: m.import_pattern(path / "pattern.json"),
}
"""A use of every public method but the two that open and close."""


@pytest.mark.requirement("F-MEMORY-03")
def test_every_public_method_is_tried_here() -> None:
    public = {name for name, _ in inspect.getmembers(Memory, inspect.isroutine) if not name.startswith("_")}
    assert public == {*CALLS, "open", "close"}


@pytest.mark.requirement("F-MEMORY-03")
@pytest.mark.parametrize("on_disk", [False, True])
def test_a_closed_memory_says_so_whatever_is_called(tmp_path: Path, on_disk: bool) -> None:
    memory = quiet(tmp_path / "home" if on_disk else ":memory:")
    memory.add(told("tea"))
    memory.close()
    memory.close()

    def refusal(name: str) -> str:
        try:
            CALLS[name](memory, tmp_path)
        except ClosedError as error:
            return str(error)
        return "did its work"

    said = {name: refusal(name) for name in CALLS}
    assert {name: each for name, each in said.items() if "The memory is closed; open it again" not in each} == {}
    assert {each.name for each in tmp_path.iterdir()} <= {"home"}


@pytest.mark.requirement("F-MEMORY-03")
@pytest.mark.parametrize("on_disk", [False, True])
def test_closing_while_others_are_at_work_harms_nobody(tmp_path: Path, on_disk: bool) -> None:
    memory = quiet(tmp_path / "home" if on_disk else ":memory:", embedder=HashEmbedder())
    memory.add_many(history([f"tea {n}" for n in range(50)]))
    begun = threading.Barrier(5)
    odd: list[BaseException] = []
    acknowledged: list[str] = []

    def work(call: Callable[[], Any]) -> None:
        begun.wait()
        try:
            while True:
                call()
        except ClosedError:
            return
        except BaseException as error:  # noqa: BLE001  # whatever it is, it should not have been
            odd.append(error)

    calls: list[Callable[[], Any]] = [
        lambda: acknowledged.append(memory.add(told("more"))),
        lambda: memory.recall("tea"),
        lambda: memory.search("tea"),
        lambda: (memory.find_quote("tea"), memory.stats()),
    ]
    threads = [threading.Thread(target=work, args=(call,)) for call in calls]
    for thread in threads:
        thread.start()
    begun.wait()
    threading.Event().wait(0.1)
    memory.close()
    for thread in threads:
        thread.join()
    assert odd == []
    if on_disk:
        with quiet(tmp_path / "home") as again:
            assert again.stats().turns >= 50 + len(acknowledged)
            assert again.verify().ok


@pytest.mark.requirement("F-MEMORY-03")
def test_closing_waits_for_whoever_asks_for_commits(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path)
    closing = threading.Thread(target=store.close)
    with store._watch.lock:  # as while another thread asks for the version
        closing.start()
        closing.join(0.2)
        assert closing.is_alive()
    closing.join()
    with pytest.raises(ClosedError):
        store.version()


@pytest.mark.requirement("F-MEMORY-03")
def test_a_memory_closes_with_its_block_whatever_happens(tmp_path: Path) -> None:
    opened: list[Memory] = []

    def fail() -> None:
        with quiet(tmp_path) as memory:
            opened.append(memory)
            memory.recall("tea")
            memory.forget()

    with pytest.raises(InputError, match="nothing is selected"):
        fail()
    with pytest.raises(ClosedError):
        opened[0].stats()
    with quiet(tmp_path) as again:
        assert again.explain().query == "tea"


@pytest.mark.requirement("F-MEMORY-04")
def test_stats_count_what_there_is(tmp_path: Path) -> None:
    config = {"index": {"pack_minimum": 3, "fan_out": 2}}
    with quiet(tmp_path, embedder=HashEmbedder(), config=config) as memory:
        memory.add_many([told("tea", speaker="Ann"), told("coffee " * 100, "t"), told("milk", speaker="Bob")])
        memory.add(Turn(role="user", content=(Part(type="image", data=b"x"),), session="t"))
        assert memory.drain(None)
        memory.recall("tea")
        memory.forget(match="milk")
        memory.recall("tea")
        stats = memory.stats()
        assert (stats.turns, stats.sessions, stats.pieces, stats.vectors, stats.blobs) == (3, 2, 4, 2, 1)
        assert (stats.segments > 0, stats.pending.get("receipts", 0) <= 1) == (True, True)
        details = stats.details
        assert (details["speakers"], details["tombstones"], details["embedder"]) == (1, 1, "hash-64@1")
        assert details["vectors_by_model"] == {"hash-64@1": 2}
        assert details["characters"] == len("tea") + len("coffee " * 100)
        assert str(tmp_path) in details["store"]


@pytest.mark.requirement("F-MEMORY-05")
def test_what_another_memory_stores_is_seen_by_the_next_call(tmp_path: Path) -> None:
    with quiet(tmp_path) as one, quiet(tmp_path) as other:
        for n in range(20):
            writer, reader = (one, other) if n % 2 else (other, one)
            name = writer.add(told(f"tea number{n}"))
            assert reader.get(name).text == f"tea number{n}"
            assert reader.search(f"number{n}")[0].turn.id == name
            assert reader.stats().turns == n + 1
        one.forget(turn_ids=["s:turn:3"])
        assert "tea number3" not in {hit.turn.text for hit in other.search("number3", limit=50)}
        two = [told("x1", "y"), told("x2", "y")]
        assert (one.add_many(two).added, other.add_many(two).known) == (2, 2)


@pytest.mark.requirement("F-MEMORY-06")
def test_spaces_of_one_home_see_nothing_of_each_other(tmp_path: Path) -> None:
    with quiet(tmp_path, space="a") as one, quiet(tmp_path, space="b") as other:
        one.add(told("tea", external_id="e"))
        assert other.search("tea") == []
        assert other.add(told("coffee", external_id="e")) == "s:turn:0"
        assert other.stats().turns == 1
        name = one.recall("tea").receipt_id
        with pytest.raises(NotFoundError):
            other.explain(name)
        other.forget(session="s")
        assert one.get("s:turn:0").text == "tea"
        assert one.rebuild() == 1


@pytest.mark.requirement("F-MEMORY-07")
def test_the_clock_gives_every_time_that_is_stored() -> None:
    clock = FrozenClock(NOON)
    with quiet(clock=clock) as memory:
        first = memory.add(told("tea"))
        clock.advance(3600)
        second = memory.add(told("tea"))
        assert [memory.get(name).ingested_at for name in (first, second)] == [at(0), at(60)]
        assert memory.explain(memory.recall("tea").receipt_id).created_at == at(60)
        assert memory.get(first).at is None
