"""Sessions on the command line: by the short name that blocks show, by a beginning, and names that none has."""

import json
from pathlib import Path
from shutil import copytree

import pytest

from clew.text.printable import printable_name
from clew.types.ids import turn_id
from tests.support.cli_runs import done, failure, record, records
from tests.support.memories import quiet, told

ONE = "fe5e1c67-1111-4222-8333-444444444444"
OTHER = "fe5e1c68-1111-4222-8333-444444444444"


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with four sessions; to be copied."""
    home = tmp_path_factory.mktemp("filled") / "home"
    with quiet(home) as memory:
        for session in (ONE, OTHER, "work", "work-2"):
            memory.add(told(f"We decided to move the hive of {session[:8]} behind the barn.", session))
        assert memory.drain(200)
    return home


@pytest.fixture(autouse=True)
def stored(tmp_home: Path, filled: Path) -> None:
    copytree(filled, tmp_home / ".clew")


@pytest.mark.requirement("F-TDY-01")
@pytest.mark.parametrize("name", ["fe5e1c67", "FE5E1C67", "fe5e1c67-11", ONE])
def test_a_short_name_means_its_session(name: str) -> None:
    assert "fe5e1c67" in done("recap", name)
    assert [each["turn_ids"] for each in records("condense", name, "--shown")] == [[f"{ONE}:turn:0"]]
    assert done("snapshots", name) == ""
    for command in (("recall", "the hive"), ("search", "hive"), ("when", "the hive"), ("query", "role=user")):
        shown = done(*command, "--session", name)
        assert "hive of fe5e1c67" in shown
        assert "work" not in shown


@pytest.mark.requirement("F-TDY-01")
def test_a_whole_name_means_no_longer_one_and_a_beginning_of_several_nothing() -> None:
    assert "hive of work-2" not in done("search", "hive", "--session", "work")
    told = failure(1, "recall", "the hive", "--session", "fe5e1c6")
    assert f"'fe5e1c6' may be any of {ONE}, {OTHER}" in told


@pytest.mark.requirement("F-TDY-01")
def test_forgetting_takes_a_short_name_and_no_beginning() -> None:
    assert "hive of work-2" in done("search", "hive", "--session", "work-")
    assert "there is no session 'work-'; there is 'work-2' and 'work'" in failure(
        1, "forget", "--session", "work-", "--yes"
    )
    assert "hive of work-2" in done("search", "hive", "--session", "work-2")
    assert records("forget", "--session", "fe5e1c67", "--yes")[0]["turns"] == 1
    assert "there is no session" in failure(1, "recap", ONE)


@pytest.mark.requirement("F-TDY-02")
@pytest.mark.parametrize(
    "command",
    [
        ("recap",),
        ("condense",),
        ("condense", "--shown"),
        ("snapshots",),
        ("recall", "hive", "--session"),
        ("search", "hive", "--session"),
        ("when", "hive", "--session"),
        ("query", "role=user", "--session"),
        ("forget", "--yes", "--session"),
        ("forget", "--dry-run", "--session"),
    ],
)
def test_a_name_that_no_session_has_is_refused(command: tuple[str, ...]) -> None:
    assert "there is no session 'none'" in failure(1, *command, "none")
    assert "is empty" in failure(1, *command, "")


@pytest.mark.requirement("U-FOUND-06")
def test_turns_of_a_short_name_are_pinned_and_forgotten() -> None:
    done("pin", "fe5e1c67:turn:0")
    assert [each["name"] for each in records("pin")] == [f"{ONE}:turn:0"]
    done("pin", "fe5e1c67:turn:0", "--remove")
    assert records("pin") == []
    assert record("forget", "fe5e1c67:turn:0", "--yes")["turns"] == 1
    assert "no turn 'nosuch:turn:0'" in failure(1, "pin", "nosuch:turn:0")


@pytest.mark.requirement("U-FOUND-07")
def test_the_command_that_a_recap_names_can_be_typed_as_it_stands() -> None:
    ref = done("add", "We chose clay pots.", "--session", "my plan 1").strip()
    for budget in ("4000", "60"):
        assert f"`clew restore {ref.removesuffix('0')}n`" in done("recap", "my plan 1", "--budget", budget)
    assert "clay pots" in done("restore", ref)


@pytest.mark.requirement("U-FOUND-08")
def test_forget_says_how_a_whole_conversation_is_deleted() -> None:
    assert "'work' is a conversation" in failure(2, "forget", "work", "--yes")
    assert "hive of work" in done("search", "hive", "--session", "work")


ODD = ("a\0b", "a\ud83db", "␛0000;c", "line\nbreak", "tab\there", "x\u202ey", "\x1b[31mred", " lead", "-dash", "café")


@pytest.mark.requirement("F-EDGE-04")
def test_every_name_that_is_printed_is_a_name_that_is_found(tmp_path: Path, tmp_home: Path) -> None:
    told = [{"role": "user", "content": f"We chose {n} clay pots.", "session": name} for n, name in enumerate(ODD)]
    (tmp_path / "odd.jsonl").write_text("".join(json.dumps(each) + "\n" for each in told), encoding="utf-8")
    done("import", str(tmp_path / "odd.jsonl"))
    printed = {line.strip() for line in done("sessions").splitlines()}
    with quiet(tmp_home / ".clew") as memory:
        names = [each.name for each in memory.sessions() if each.name not in ("work", "work-2", ONE, OTHER)]
        assert all(memory.recap(name).turns == 1 for name in names)
    assert len(names) == len(ODD)
    assert {printable_name(name).strip() for name in names} <= printed
    for name in names:
        given = printable_name(name).strip()
        assert "clay pots" in done("recap", "--", name)
        shown = json.loads(done("condense", "--shown", "--json", "--", given))
        assert shown["turn_ids"] == [turn_id(name, 0)]
        for way in ("search", "clay"), ("query", "role=user"):
            assert done(*way, f"--session={given}").count("clay pots") == 1
        assert "clay pots" in done("restore", "--", turn_id(name, 0))
        assert record("forget", f"--session={given}", "--yes")["turns"] == 1
