"""What is never stored, and what is not kept: a pause, patterns that keep turns out, days that turns are kept."""

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.cli.main import main
from clew.config import Config, IngestConfig, load_config
from clew.errors import ConfigError, InputError, NotFoundError, TurnRejected
from clew.ingest.exclude import exclusion
from clew.maintain import retention
from clew.maintain.forget import Selection, forget
from clew.memory import Memory
from clew.rows.pause import pause, paused_sessions, paused_since, resume
from clew.store.memory import MemoryStore
from clew.store.protocol import Store
from clew.store.row_types import MetaRow
from clew.store.tables import META
from clew.testing import FrozenClock
from clew.types import ForgetReport, Part, Turn, turn_id
from tests.support.effort import examples

NOW = datetime(2025, 6, 1, tzinfo=UTC)


def turns(*texts: str, session: str = "s") -> list[Turn]:
    return [Turn(role="user", content=text, session=session) for text in texts]


def opened(home: Path, *patterns: str) -> Memory:
    config = {"ingest": {"exclude": list(patterns)}}
    return Memory.open(home, embedder="none", config=config, clock=FrozenClock(NOW))


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with opened(tmp_path) as memory:
        yield memory


def run(home: Path, *arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(["--home", str(home), *arguments])
    return int(ended.value.code or 0)


def texts(memory: Memory, session: str = "s") -> list[str]:
    count = memory.stats().turns
    return [memory.get(f"{session}:turn:{n}").text for n in range(count)]


# ------------------------------------------------------------------------------------------------------------- pause


@pytest.mark.requirement("S-PRIVACY-01")
def test_a_paused_space_stores_nothing_in_any_process_and_after_a_restart(tmp_path: Path) -> None:
    with opened(tmp_path) as memory, opened(tmp_path) as other:
        memory.add(Turn(role="user", content="before"))
        memory.pause()
        with pytest.raises(TurnRejected, match="paused"):
            other.add(Turn(role="user", content="meanwhile"))
    with opened(tmp_path) as again:
        with pytest.raises(TurnRejected, match="paused"):
            again.add(Turn(role="user", content="meanwhile"))
        assert again.stats().details["paused_since"] == NOW.isoformat()
        again.resume()
        again.add(Turn(role="user", content="after"))
        assert again.stats().turns == 2
        assert again.stats().details["paused_since"] is None


@pytest.mark.requirement("S-PRIVACY-01")
def test_many_turns_are_counted_as_paused_also_those_that_are_known(memory: Memory, tmp_path: Path) -> None:
    memory.add_many(turns("one", "two"))
    memory.pause()
    report = memory.add_many(turns("one", "two", "three"))
    assert (report.added, report.known, report.skipped) == (0, 0, {"paused": 3})
    file = tmp_path / "talk.jsonl"
    file.write_text('{"role": "user", "content": "four"}\n{"role": "user", "content": "five"}\n', encoding="utf-8")
    assert memory.import_path(file).skipped == {"paused": 2}
    memory.resume()
    assert memory.add_many(turns("one", "two", "three")).added == 1
    assert texts(memory) == ["one", "two", "three"]


@pytest.mark.requirement("S-PRIVACY-01")
def test_a_pause_in_the_middle_of_a_sequence_leaves_out_the_rest(tmp_path: Path) -> None:
    config = Config(ingest=IngestConfig(batch=2))
    with Memory.open(tmp_path, embedder="none", config=config) as memory:
        seen = []

        def stop(settled: int) -> None:
            seen.append(settled)
            memory.pause()

        report = memory.add_many(turns("a", "b", "c", "d", "e"), on_progress=stop)
        assert (report.added, report.skipped, seen[-1]) == (2, {"paused": 3}, 5)
        memory.resume()
        assert memory.add_many(turns("a", "b", "c", "d", "e")).added == 3
        assert texts(memory) == ["a", "b", "c", "d", "e"]


@pytest.mark.requirement("S-PRIVACY-01")
def test_a_paused_space_answers_and_keeps_no_question(memory: Memory) -> None:
    memory.add(Turn(role="user", content="The ferry leaves at nine."))
    memory.pause()
    context = memory.recall("When does the ferry leave?")
    assert "nine" in context.text
    memory.drain()
    with pytest.raises(NotFoundError):
        memory.explain(context.receipt_id)
    assert memory.stats().details["receipts"] == 0


@pytest.mark.requirement("S-PRIVACY-01")
def test_pausing_twice_keeps_the_first_time_and_another_space_goes_on(tmp_path: Path) -> None:
    clock = FrozenClock(NOW)
    with (
        Memory.open(tmp_path, embedder="none", clock=clock) as memory,
        Memory.open(tmp_path, embedder="none", space="other") as other,
    ):
        memory.pause()
        clock.advance(60)
        memory.pause()
        assert memory.stats().details["paused_since"] == NOW.isoformat()
        other.add(Turn(role="user", content="goes in"))
        memory.resume()
        memory.resume()
        memory.add(Turn(role="user", content="goes in"))


@pytest.mark.requirement("S-PRIVACY-01")
def test_pause_and_resume_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, "pause") == 0
    assert "paused since" in capsys.readouterr().out
    assert run(tmp_path, "add", "hello") == 1
    assert "paused" in capsys.readouterr().err
    assert run(tmp_path, "resume", "--json") == 0
    assert '"paused_since": null' in capsys.readouterr().out
    assert run(tmp_path, "add", "hello") == 0


# --------------------------------------------------------------------------------------------------------- exclusion


@pytest.mark.requirement("S-PRIVACY-02")
def test_turns_that_match_are_never_stored(tmp_path: Path) -> None:
    with opened(tmp_path, "session:scratch-*", "text:(?i)off the record") as memory:
        given = [*turns("keep", "this is OFF the record", "keep too"), *turns("x", "y", session="scratch-1")]
        report = memory.add_many(given)
        assert (report.added, report.skipped, report.rejected) == (2, {"excluded": 3}, ())
        assert texts(memory) == ["keep", "keep too"]
        for turn in (given[1], given[3]):
            with pytest.raises(TurnRejected, match=r"ingest\.exclude"):
                memory.add(turn)
        assert memory.stats().turns == 2
        assert memory.stats().sessions == 1


@pytest.mark.requirement("S-REST-02")
def test_a_paused_session_stores_nothing_in_any_process_and_others_go_on(tmp_path: Path) -> None:
    file = tmp_path / "talk.jsonl"
    lines = [json.dumps({"role": "user", "content": f"said in {name}", "session": name}) for name in ("a", "b", "a")]
    file.write_text("\n".join(lines), encoding="utf-8")
    with opened(tmp_path / "home") as memory:
        memory.pause("a")
        memory.pause("a")
    with opened(tmp_path / "home") as memory:
        with pytest.raises(TurnRejected, match="--session"):
            memory.add(*turns("meanwhile", session="a"))
        report = memory.import_path(file)
        assert (report.added, report.skipped) == (1, {"paused": 2})
        assert memory.update("Hello.", "Hello to you.", session="c")
        memory.resume()
        details = memory.stats().details
        assert (details["paused_since"], details["paused_sessions"]) == (None, {"a": NOW.isoformat()})
        memory.forget(session="b")
        memory.resume("a")
        assert memory.import_path(file).added == 2
        assert memory.stats().details["paused_sessions"] == {}


@pytest.mark.requirement("S-REST-02")
def test_a_pause_that_an_earlier_version_wrote_is_the_spaces() -> None:
    store = MemoryStore()
    store.transaction(lambda tx: META.put(tx, [MetaRow("a", "paused", "1748736000000000")]))
    with store.snapshot() as reader:
        assert paused_since(reader, "a") == NOW
    pause(store, "a", NOW, "s")
    resume(store, "a")
    with store.snapshot() as reader:
        assert (paused_since(reader, "a"), paused_sessions(reader, "a")) == (None, {"s": NOW})


@pytest.mark.requirement("S-REST-02")
@pytest.mark.parametrize("paused", [None, "talk"])
def test_no_receipt_is_kept_of_what_is_asked_in_a_paused_session(memory: Memory, paused: str | None) -> None:
    memory.add(*turns("The ferry leaves at nine."))
    memory.pause("other")
    if paused is not None:
        memory.pause(paused)
    assert "nine" in memory.build_prompt("When does the ferry leave?", session="talk")
    assert "nine" in str(memory.wrap_chat(lambda prompt: prompt, session="talk")("When does the ferry leave?"))
    memory.drain(200)
    assert (memory.stats().details["receipts"] == 0) == (paused is not None)


@pytest.mark.requirement("S-REST-02")
def test_pause_and_resume_of_a_session_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, "pause", "--session", "my talk") == 0
    assert "until `clew resume --session 'my talk'`" in capsys.readouterr().out
    assert run(tmp_path, "add", "something", "--session", "my talk") == 1
    assert "paused" in capsys.readouterr().err
    assert run(tmp_path, "add", "something", "--session", "other") == 0
    assert run(tmp_path, "resume") == 0
    assert "paused by themselves: my talk" in capsys.readouterr().out
    assert run(tmp_path, "resume", "--session", "my talk", "--json") == 0
    assert json.loads(capsys.readouterr().out) == {"paused_since": None, "session": "my talk"}
    run(tmp_path, "pause")
    run(tmp_path, "resume", "--session", "my talk")
    assert "not paused by itself, but the space is" in capsys.readouterr().out


@pytest.mark.requirement("S-REST-02")
def test_a_session_is_paused_by_the_beginning_of_its_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("0cf3db51-1c73-43bb", "0cffffff-2222", "talk"):
        assert run(tmp_path, "add", "something", "--session", name) == 0
    capsys.readouterr()
    assert run(tmp_path, "pause", "--session", "0cf3") == 0
    told = capsys.readouterr()
    assert "until `clew resume --session 0cf3db51-1c73-43bb`" in told.out
    assert told.err == "0cf3 is the conversation 0cf3db51-1c73-43bb\n"
    assert run(tmp_path, "add", "more", "--session", "0cf3db51-1c73-43bb") == 1
    assert run(tmp_path, "pause", "--session", "0cf") == 1
    assert "may be any of 0cf3db51-1c73-43bb, 0cffffff-2222" in capsys.readouterr().err
    assert run(tmp_path, "pause", "--session", "later") == 0
    assert "no conversation is called later yet" in capsys.readouterr().err
    assert run(tmp_path, "resume", "--session", "0cf3", "--json") == 0
    assert json.loads(capsys.readouterr().out) == {"paused_since": None, "session": "0cf3db51-1c73-43bb"}
    assert run(tmp_path, "resume", "--session", "later") == 0
    assert "'later': not paused" in capsys.readouterr().out


@pytest.mark.requirement("P-LFT-05")
@pytest.mark.parametrize(
    ("pattern", "folder", "kept_out"),
    [
        ("acme", "/home/ann/acme", True),
        ("acme", "/home/ann/acme/src/deep", True),
        ("acme*", "/home/ann/acme-web", True),
        ("acme", "/home/ann/acme-web", False),
        ("/home/ann/clients/*", "/home/ann/clients/x/y", True),
        ("/home/ann/clients/", "/home/ann/clients", True),
        ("/home/ann/clients/*", "/home/ann/other", False),
        ("acme", "C:\\Users\\ann\\acme\\src", True),
        ("~/acme", f"{Path.home()}/acme/src", True),
        ("acme", None, False),
        ("acme", 7, False),
    ],
)
def test_a_project_is_kept_out_with_everything_in_it(pattern: str, folder: object, kept_out: bool) -> None:
    found = exclusion([f"project:{pattern}"])
    assert found.of_folder(folder) == (f"project:{pattern}" if kept_out else None)
    turn = Turn(role="user", content="x", metadata={"cwd": folder})
    assert (found.match(turn) is not None) == kept_out


@pytest.mark.requirement("P-LFT-05")
def test_an_import_stores_nothing_of_an_excluded_project(tmp_path: Path) -> None:
    def record(name: str, folder: str) -> str:
        said = {"message": {"role": "user", "content": f"Ship {name}"}, "timestamp": "2026-02-03T10:00:00Z"}
        return json.dumps({"type": "user", "uuid": name, "sessionId": name, "cwd": folder, **said})

    file = tmp_path / "a.jsonl"
    file.write_text(f"{record('a', '/w/acme/src')}\n{record('b', '/w/open')}\n", encoding="utf-8")
    with opened(tmp_path / "home", "project:acme") as memory:
        report = memory.import_path(file)
        assert (report.added, report.skipped) == (1, {"excluded": 1})
        assert [turn.text for turn in memory.turns()] == ["Ship b"]


@pytest.mark.requirement("S-PRIVACY-02")
def test_the_words_of_tools_and_what_a_mask_would_hide_are_matched(tmp_path: Path) -> None:
    key = "sk-ant-api03-" + "A1b2C3d4" * 11
    result = Part(type="tool_result", text="balance: 12 (payroll)", call_id="1")
    with opened(tmp_path, "text:payroll", "text:sk-ant-") as memory:
        for content in ((result,), f"my key is {key}"):
            with pytest.raises(TurnRejected, match=r"ingest\.exclude"):
                memory.add(Turn(role="user", content=content))


@pytest.mark.requirement("S-PRIVACY-02")
def test_a_history_that_is_sent_again_lines_up_around_what_is_kept_out(tmp_path: Path) -> None:
    history = turns("a", "secret", "b", "c")
    with opened(tmp_path, "text:secret") as memory:
        assert memory.add_many(history).added == 3
        report = memory.add_many([*history, *turns("d")])
        assert (report.added, report.known, report.skipped) == (1, 3, {"excluded": 1})
        assert texts(memory) == ["a", "b", "c", "d"]


@pytest.mark.requirement("S-PRIVACY-02")
def test_a_pattern_that_comes_later_opens_no_branch(tmp_path: Path) -> None:
    history = turns("a", "secret", "b", "c")
    with opened(tmp_path) as memory:
        memory.add_many(history)
    with opened(tmp_path, "text:secret") as memory:
        report = memory.add_many([*history, *turns("d", "secret")])
        assert (report.added, report.known, report.skipped) == (1, 4, {"excluded": 1})
        memory.forget(match="secret")
        report = memory.add_many([*history, *turns("d")])
        assert (report.added, report.known, report.skipped) == (0, 4, {"forgotten": 1})
        assert [memory.get(f"s:turn:{n}").branch for n in (0, 2, 3, 4)] == [""] * 4


@pytest.mark.requirement("S-PRIVACY-02")
@pytest.mark.parametrize("pattern", ["text:(", "text:", "session:", "scratch-*", "text:a{99999999999}"])
def test_a_pattern_that_cannot_be_read_is_told_on_opening(tmp_path: Path, pattern: str) -> None:
    with pytest.raises(ConfigError, match=r"ingest\.exclude"):
        opened(tmp_path, pattern)


@pytest.mark.requirement("S-PRIVACY-02")
def test_a_list_of_texts_comes_from_the_file_the_environment_and_arguments(tmp_path: Path) -> None:
    (tmp_path / "clew.toml").write_text('[ingest]\nexclude = ["text:a{1,2}", "session:x"]\n', encoding="utf-8")
    assert load_config(tmp_path, None, {}).ingest.exclude == ("text:a{1,2}", "session:x")
    found = load_config(tmp_path, None, {"CLEW_INGEST_EXCLUDE": "text:a, session:b ,"})
    assert found.ingest.exclude == ("text:a", "session:b")
    assert load_config(None, {"ingest": {"exclude": ("text:a",)}}, {}).ingest.exclude == ("text:a",)
    for wrong in (3, ["a", 1], {"a": 1}):
        with pytest.raises(ConfigError):
            load_config(None, {"ingest": {"exclude": wrong}}, {})


# --------------------------------------------------------------------------------------------------------- retention


def aged(home: Path | MemoryStore, days: int, clock: FrozenClock) -> Memory:
    return Memory.open(home, embedder="none", config={"keep_days": days}, clock=clock)


def forgetting(store: Store, now: datetime) -> retention.Forget:
    return lambda selection: forget(store, "default", selection, now)


def said(text: str, days_ago: float | None) -> Turn:
    return Turn(role="user", content=text, at=None if days_ago is None else NOW - timedelta(days=days_ago))


@pytest.mark.requirement("S-PRIVACY-03")
def test_the_worker_forgets_what_is_too_old_and_keeps_it_out(tmp_path: Path) -> None:
    clock = FrozenClock(NOW)
    old, young = said("the ferry of last year", 31), said("the ferry of today", 29)
    with aged(tmp_path, 0, clock) as memory:
        memory.add_many([old, young])
        memory.drain()
        assert memory.stats().turns == 2
    with aged(tmp_path, 30, clock) as memory:
        assert memory.drain()
        assert memory.stats().turns == 1
        assert "last year" not in memory.recall("ferry").text
        assert memory.verify().ok
        assert memory.add_many([old, young]).skipped == {"forgotten": 1}
        clock.advance(2 * 86_400)
        assert memory.drain()
        assert memory.stats().turns == 0


@pytest.mark.requirement("S-PRIVACY-03")
def test_without_an_event_time_the_time_of_arrival_counts(tmp_path: Path) -> None:
    clock = FrozenClock(NOW)
    with aged(tmp_path, 30, clock) as memory:
        memory.add(said("no time", None))
        clock.advance(29 * 86_400)
        assert memory.drain()
        assert memory.stats().turns == 1
        clock.advance(2 * 86_400)
        assert memory.drain()
        assert memory.stats().turns == 0


@pytest.mark.requirement("S-PRIVACY-03")
def test_a_long_sweep_goes_on_where_its_steps_end() -> None:
    store, clock = MemoryStore(), FrozenClock(NOW)
    count = 2 * retention.STRETCH + 3
    with aged(store, 0, clock) as memory:
        memory.add_many(said(str(n), 40 if n % 2 else 1) for n in range(count))
        selections: list[Selection] = []

        def note(selection: Selection) -> ForgetReport:
            selections.append(selection)
            return ForgetReport(turns=0, rows={}, digests=())

        sweep = retention.Retention(store, "default", 30, clock, note)
        assert [sweep.step() for _ in range(4)] == [True, True, True, False]
        named = [name for selection in selections for name in selection.turn_ids or ()]
        assert named == [f"default:turn:{n}" for n in range(1, count, 2)]


@pytest.mark.requirement("S-PRIVACY-03")
@settings(max_examples=examples(6, 50))
@given(
    ages=st.lists(st.none() | st.floats(-5, 60), min_size=1, max_size=12),
    days=st.integers(1, 50),
    moves=st.lists(st.integers(-20, 20), max_size=4),
)
def test_nothing_younger_ever_goes_and_everything_older_does(
    ages: list[float | None], days: int, moves: list[int]
) -> None:
    store, clock = MemoryStore(), FrozenClock(NOW)
    with aged(store, 0, clock) as memory:
        names = memory.add_many([said(f"turn {n}", age) for n, age in enumerate(ages)]).turn_ids
        times = {name: NOW if age is None else NOW - timedelta(days=age) for name, age in zip(names, ages, strict=True)}
        kept = set(names)
        for move in [0, *moves]:
            now = clock.advance(move * 86_400)
            sweep = retention.Retention(store, "default", days, clock, forgetting(store, now))
            while sweep.step():
                pass
            kept = {name for name in kept if times[name] >= now - timedelta(days=days)}
            with store.snapshot() as reader:
                rows = reader.scan("turn", ("default",), ("default",), columns=("seq",))
            assert {turn_id("default", cast(int, row[0])) for row in rows} == kept


@pytest.mark.requirement("S-PRIVACY-03")
def test_expired_turns_go_at_once_when_asked_for(tmp_path: Path) -> None:
    clock = FrozenClock(NOW)
    with aged(tmp_path, 0, clock) as memory:
        memory.add_many([said("old", 31), said("young", 1)])
        with pytest.raises(InputError, match="keep_days"):
            memory.forget_expired()
    store = MemoryStore()
    with aged(store, 30, clock) as memory:
        memory.add_many([replace(said("first", 1), session="first")])
        memory.drain()  # a space with a turn is swept, and the next sweep is due in an hour
        memory.add_many([said("old", 31), said("young", 1)])
        assert memory.forget_expired(dry_run=True).turn_ids == ("default:turn:0",)
        assert memory.forget_expired().turns == 1
        assert memory.forget_expired().turns == 0
        assert memory.get("default:turn:1").text == "young"


@pytest.mark.requirement("S-PRIVACY-03")
def test_expired_on_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run(tmp_path, "add", "hello", "--at", "2001-01-01")
    assert run(tmp_path, "forget", "--expired", "--yes") == 1
    assert "keep_days" in capsys.readouterr().err
    assert run(tmp_path, "forget", "--expired", "--match", "hello") == 2
    monkeypatch.setenv("CLEW_KEEP_DAYS", "30")
    assert run(tmp_path, "forget", "--expired", "--yes") == 0
    monkeypatch.delenv("CLEW_KEEP_DAYS")
    with Memory.open(tmp_path, embedder="none") as memory:
        assert memory.stats().turns == 0
