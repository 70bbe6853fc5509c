"""Wrong arguments are named where they come in: no error of Python's own reaches the caller of a memory."""

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from clew.condense.wires.responses import RESPONSES
from clew.errors import ClewError, InputError
from clew.ingest.importers.source import parse
from clew.memory import Memory
from clew.store.replace_file import replace_file
from clew.types import Turn
from tests.support.memories import quiet, told

LONG = 10**6000
NUL, LONE = "a\0b", "a\ud800b"


@pytest.fixture
def memory() -> Iterator[Memory]:
    with quiet() as opened:
        opened.add(told("tea"))
        yield opened


ODD_KEY: Any = {1: 2}
WRONG: dict[str, tuple[Callable[[Any], object], str]] = {
    "import 5": (lambda m: m.import_path(5), "the path to import is 5"),
    "import NUL": (lambda m: m.import_path(NUL), "holds a character that no file name can"),
    "export NUL": (lambda m: m.export(NUL), "holds a character that no file name can"),
    "export 5": (lambda m: m.export(5), "the file is 5"),
    "backup NUL": (lambda m: m.backup(NUL), "holds a character that no file name can"),
    "turns 5": (lambda m: m.add_many(5), "turns is 5; expected turns"),
    "ids 5": (lambda m: m.forget(turn_ids=5), "turn_ids is 5; expected a list"),
    "ids text": (lambda m: m.forget(turn_ids="s:turn:0"), "turn_ids is 's:turn:0'; expected a list"),
    "marks 5": (lambda m: m.mark_used(m.recall("tea").receipt_id, 5), "turn_ids is 5; expected a list"),
    "ids bytes": (lambda m: m.forget(turn_ids=b"x"), "turn_ids is b'x'; expected a list"),
    "ids None": (lambda m: m.forget(turn_ids=[None]), "turn_ids holds None; expected turn ids as text"),
    "mark of a list": (lambda m: m.mark_used([], ["s"]), "the receipt is []"),
    "counter list": (lambda m: m.recall("tea", counter=[]), "counter [] is unknown"),
    "counter of text": (lambda m: m.recall("tea", counter=lambda _: "5"), "gave '5'; expected the number of tokens"),
    "counter of a time": (lambda m: m.remember_when("tea", counter=[]), "counter [] is unknown"),
    "strategy list": (lambda m: m.recall("tea", strategy=[]), "strategy [] is unknown"),
    "key": (lambda m: m.add(Turn(role="user", content="x", metadata=ODD_KEY)), "the key 1 is not text"),
    "key inside": (
        lambda m: m.add(Turn(role="user", content="x", metadata={"a": [{None: 2}]})),
        "the key None is not text",
    ),
    "position": (lambda m: m.recall("tea", position="x"), "position is 'x'; expected a whole number"),
    "position flag": (lambda m: m.recall("tea", position=True), "position is True; expected a whole number"),
    "timeout": (lambda m: m.drain("x"), "timeout is 'x'; expected seconds, as a number"),
    "timeout nan": (lambda m: m.drain(float("nan")), "timeout is nan; expected seconds, as a number"),
    "timeout long": (lambda m: m.drain(LONG, on_progress=5), "on_progress is 5; expected a function"),
    "window": (lambda m: m.recall("tea", window="x"), "window is 'x'; expected a whole number"),
    "window long": (lambda m: m.recall("tea", window=LONG), "window is a number of more than 4,300 digits"),
    "in window": (lambda m: m.recall("tea", in_window=[]), "in_window is []; expected a whole number"),
    "names 5": (lambda m: m.topics(5), "names is 5; expected a list of names"),
    "names text": (lambda m: m.topics("tea"), "names is 'tea'; expected a list of names"),
    "format": (lambda m: m.import_path("x", format=[]), "the format is []; expected text"),
    "session 5": (lambda m: m.import_path("x", session=5), "the session is 5; expected its name"),
    "session empty": (lambda m: m.import_path("x", session=""), "session '' is empty"),
    "progress": (lambda m: m.import_path("x", on_progress=5), "on_progress is 5; expected a function"),
    "dry run": (lambda m: m.forget(session="s", dry_run="no"), "dry_run is 'no'; expected True or False"),
    "force": (lambda m: m.condense("s", force=1), "force is 1; expected True or False"),
    "project": (lambda m: m.sessions(project=5), "the project is 5; expected text"),
    "branch": (lambda m: m.brief(branch=[]), "the branch is []; expected text"),
    "expression": (lambda m: m.query(None), "the expression is None; expected text"),
    "namespace": (lambda m: m.labels(5), "the namespace is 5"),
    "chat": (lambda m: m.wrap_chat(5), "fn is 5; expected the function"),
    "budget": (lambda m: m.recall("tea", budget=LONG), "budget is a number of more than 4,300 digits"),
    "metadata long": (lambda m: m.add(told("x", metadata={"n": LONG})), "a number that JSON does not take"),
    "metadata infinite": (lambda m: m.add(told("x", metadata={"n": float("inf")})), "a number that JSON does not take"),
    "since": (lambda m: m.recall("tea", since="9" * 6000), "names no time"),
    "home": (lambda _: Memory.open(5), "the home is 5"),  # type: ignore[arg-type]  # what is tested
    "config": (lambda _: quiet(config=5), "config is 5; expected a Config"),
    "clock": (lambda _: quiet(clock=5), "clock is 5; expected a function"),
    "embedder": (lambda _: quiet(embedder=5), "embedder=5 is not an embedder"),
}


@pytest.mark.requirement("F-MEMORY-15")
@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_named(memory: Memory, name: str) -> None:
    call, message = WRONG[name]
    with pytest.raises(ClewError) as error:
        call(memory)
    assert message in str(error.value)
    assert memory.stats().turns == 1


@pytest.mark.requirement("F-MEMORY-15")
@pytest.mark.parametrize("moment", [None, 5, datetime(2023, 5, 10)])  # noqa: DTZ001  # the wrong one is the test
def test_a_clock_that_gives_no_aware_time_is_named(moment: Any) -> None:
    with Memory.open(":memory:", embedder="none", clock=lambda: moment) as memory:
        with pytest.raises(InputError, match="expected an aware datetime"):
            memory.add(Turn(role="user", content="tea"))
        with pytest.raises(InputError, match="the clock gave"):
            memory.recall("tea")


@pytest.mark.requirement("F-MEMORY-15")
@pytest.mark.parametrize("value", [b"tea", datetime(2023, 5, 10, tzinfo=UTC), {"tea"}, Path("tea")])
def test_a_value_that_json_has_not_stays_text_and_is_not_collapsed(memory: Memory, value: Any) -> None:
    asked = {"role": "user", "content": "run it"}
    call = {"type": "tool_use", "id": "a", "name": "run", "input": {"x": value}}
    result = {"type": "tool_result", "tool_use_id": "a", "content": value}
    chain = [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    item = {"type": "function_call", "call_id": "a", "name": "run", "arguments": {"x": value}}
    turns = [memory.get(name) for name in memory.update([asked, *chain], session="a")]
    assert [turn.role for turn in turns] == ["user", "assistant", "tool"]
    assert all(str(value) in json.loads(turn.parts[0].text).values() for turn in turns[1:2])
    assert str(value) in turns[2].text.replace('\\"', '"')
    assert len(memory.update([asked, item], session="b")) == 2
    with pytest.raises(InputError, match="message 1 cannot be written as JSON"):
        memory.collapse([asked, *chain, *[{"role": "assistant", "content": "fine"}] * 7], "anthropic")


@pytest.mark.requirement("F-MEMORY-15")
@pytest.mark.parametrize("kind", [[], {}])
def test_a_type_that_is_no_text_is_none_that_is_known(memory: Memory, kind: Any) -> None:
    given = [{"type": kind}, {"type": "reasoning"}] * 9
    assert memory.collapse(given, "responses") == given
    assert RESPONSES.problems([{"type": kind}, {"type": "reasoning"}, {"type": kind}])


@pytest.mark.requirement("F-MEMORY-15")
@pytest.mark.parametrize("session", [NUL, LONE])
@pytest.mark.parametrize(
    "call",
    [
        lambda m, name: m.add(Turn(role="user", content="x", session=name)),
        lambda m, name: m.update("x", "y", session=name),
        lambda m, name: m.wrap_chat(str, session=name),
        lambda m, name: m.import_path("x", session=name),
        lambda m, name: m.recall("x", session=name),
        lambda m, name: m.search("x", session=name),
        lambda m, name: m.query("role = user", session=name),
        lambda m, name: m.remember_when("x", session=name),
        lambda m, name: m.build_prompt("x", session=name),
        lambda m, name: m.forget(session=name),
        lambda m, name: m.snapshots(name),
        lambda m, name: m.evolution(name),
    ],
)
def test_a_name_of_a_session_that_no_database_keeps_is_refused(
    memory: Memory, call: Callable[[Memory, str], object], session: str
) -> None:
    with pytest.raises(ClewError, match="NUL"):
        call(memory, session)
    report = memory.add_many([Turn(role="user", content="x", session=session)])
    assert (report.added, "NUL" in report.rejected[0].reason) == (0, True)


@pytest.mark.requirement("F-INGEST-50")
def test_numbers_too_large_for_json_stay_text_and_the_export_is_json(memory: Memory, tmp_path: Path) -> None:
    assert parse(b'{"a": 1e999, "b": [-1e999, 1.5, 2], "c": NaN}') == {"a": "1e999", "b": ["-1e999", 1.5, 2], "c": None}
    (tmp_path / "in.jsonl").write_text('{"role": "user", "content": "coffee", "score": 1e999}\n', encoding="utf-8")
    assert memory.import_path(tmp_path / "in.jsonl").added == 1
    assert memory.get("in:turn:0").metadata == {"score": "1e999"}
    memory.export(tmp_path / "out.jsonl")

    def refuse(name: str) -> object:
        raise AssertionError(name)

    for line in (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines():
        json.loads(line, parse_constant=refuse)


@pytest.mark.requirement("F-HCE-09")
def test_a_replaced_file_keeps_its_permissions_and_a_new_one_is_private(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "state.json"
    replace_file(file, b"one")
    assert file.stat().st_mode & 0o777 == 0o600
    file.chmod(0o640)
    replace_file(file, b"two")
    assert (file.read_bytes(), file.stat().st_mode & 0o777) == (b"two", 0o640)
    assert [each.name for each in file.parent.iterdir()] == ["state.json"]


@pytest.mark.requirement("F-MEMORY-15")
@pytest.mark.parametrize("path", ["", " "])
def test_an_empty_path_is_not_the_current_folder(memory: Memory, path: str) -> None:
    with pytest.raises(InputError, match="the path to import is empty"):
        memory.import_path(path)
    with pytest.raises(InputError, match="the file is empty"):
        memory.export(path)
