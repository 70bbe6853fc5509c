"""Sessions on the command line: by the short name that blocks show, by a beginning, and names that none has."""

from pathlib import Path

import pytest

from tests.cli_runs import done, failure, record, records
from tests.memories import quiet, told

ONE = "fe5e1c67-1111-4222-8333-444444444444"
OTHER = "fe5e1c68-1111-4222-8333-444444444444"


@pytest.fixture(autouse=True)
def stored(tmp_home: Path) -> None:
    with quiet(tmp_home / ".clew") as memory:
        for session in (ONE, OTHER, "work", "work-2"):
            memory.add(told(f"We decided to move the hive of {session[:8]} behind the barn.", session))
        assert memory.drain(60)


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
    assert records("forget", "--session", "work-", "--yes")[0]["turns"] == 0
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
