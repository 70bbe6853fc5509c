"""The program around the commands: it finds them, and turns what goes wrong into one line and a status."""

import errno
import io
import logging
import sys
from datetime import UTC, datetime

import click
import pytest
from click.testing import CliRunner, Result

from clew.cli.main import COMMANDS, Program, main
from clew.cli.options import Scope, common, moment
from clew.errors import ConflictError, lacks_memory
from clew.text.printable import printable
from tests.support.cli_runs import done, failure, run


def program(command: click.Command) -> Program:
    """A program with one command, `go`."""

    class One(Program):
        def get_command(self, _ctx: click.Context, _name: str) -> click.Command:
            return command

    return One("clew")


def raising(error: BaseException) -> Result:
    """What the program makes of an error in a command."""

    def go() -> None:
        raise error

    return CliRunner().invoke(program(click.Command("go", callback=go)), ["go"])


@pytest.mark.requirement("F-CLI-01")
@pytest.mark.parametrize("name", list(COMMANDS))
def test_the_help_page_says_of_a_command_what_it_says_of_itself(name: str) -> None:
    command = main.get_command(click.Context(main), name)
    assert command is not None
    assert command.name == name
    assert (command.help or "").partition("\n")[0] == COMMANDS[name][1]


@pytest.mark.requirement("F-CLI-01")
def test_the_help_page_names_every_command() -> None:
    page = run("--help").stdout
    assert [name for name in COMMANDS if f"\n  {name} " not in page] == []


@pytest.mark.requirement("F-CLI-02")
@pytest.mark.parametrize("name", list(COMMANDS))
def test_every_command_has_both_help_options_by_itself(name: str) -> None:
    command = main.get_command(click.Context(main), name)
    assert command is not None
    every = [command, *(command.commands.values() if isinstance(command, click.Group) else ())]
    assert all("-h, --help" in each.get_help(click.Context(each)) for each in every)


@pytest.mark.requirement("F-CLI-02", "S-POSTGRES-21")
@pytest.mark.parametrize("name", list(COMMANDS))
def test_every_command_knows_home_store_space_and_json(name: str) -> None:
    command = main.get_command(click.Context(main), name)
    ends = [command]
    if isinstance(command, click.Group):
        context = click.Context(command)
        ends += [command.get_command(context, each) for each in command.list_commands(context)]
    for end in ends:
        assert end is not None
        assert {"--home", "--store", "--space", "--json"} <= {option for each in end.params for option in each.opts}


@pytest.mark.requirement("F-CLI-02")
@pytest.mark.parametrize(
    ("words", "scope"),
    [
        (["go"], Scope()),
        (["--home", "a", "--space", "b", "--json", "go"], Scope("a", "b", as_json=True)),
        (["go", "--home", "a", "--space", "b", "--json"], Scope("a", "b", as_json=True)),
        (["--home", "a", "--space", "b", "go", "--home", "c"], Scope("c", "b")),
    ],
)
def test_common_options_stand_before_or_behind_the_command(words: list[str], scope: Scope) -> None:
    seen: list[Scope] = []

    @click.group()
    @common
    def group(_scope: Scope) -> None:
        """A group."""

    @group.command()
    @common
    def go(scope: Scope) -> None:
        seen.append(scope)

    assert CliRunner().invoke(group, words).exit_code == 0
    assert seen == [scope]


@pytest.mark.requirement("F-CLI-03")
def test_an_error_of_clew_is_one_line_and_status_1() -> None:
    result = raising(ConflictError("that id is taken; take another"))
    assert (result.exit_code, result.stdout, result.stderr) == (1, "", "clew: that id is taken; take another\n")


@pytest.mark.requirement("F-CLI-03")
def test_an_error_of_the_system_that_names_no_file_is_one_of_the_output() -> None:
    result = raising(OSError(errno.ENOSPC, "No space left on device"))
    assert (result.exit_code, result.stderr) == (1, "clew: the output cannot be written: No space left on device\n")


@pytest.mark.requirement("F-CLI-03")
def test_an_error_of_the_system_names_the_file() -> None:
    result = raising(PermissionError(errno.EACCES, "Permission denied", "notes.jsonl"))
    assert (result.exit_code, result.stderr) == (1, "clew: Permission denied: notes.jsonl\n")


@pytest.mark.requirement("F-CLI-03")
def test_a_mistake_in_clew_shows_no_traceback() -> None:
    result = raising(ZeroDivisionError("division by zero"))
    assert result.exit_code == 1
    assert result.stderr.startswith("clew: internal error in Clew (ZeroDivisionError: division by zero)")
    assert result.stderr.count("\n") == 1
    assert "CLEW_DEBUG=1" in result.stderr


def _numpy_without_memory() -> ImportError:
    error = ImportError("Importing the numpy C-extensions failed.")
    error.__cause__ = ImportError("libgomp.so.1.0.0: failed to map segment from shared object")
    return error


@pytest.mark.requirement("F-CLI-03")
@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        _numpy_without_memory(),
        RuntimeError("can't start new thread"),
        RuntimeError("std::bad_alloc"),
        OSError(errno.ENOMEM, "Cannot allocate memory"),
    ],
)
def test_memory_that_ran_out_is_no_mistake_in_clew(error: Exception) -> None:
    result = raising(error)
    assert result.exit_code == 1
    assert result.stderr.startswith("clew: not enough memory")
    assert ("ulimit -v" in result.stderr, "internal error" in result.stderr) == (True, False)
    assert not lacks_memory(ZeroDivisionError("division by zero"))


@pytest.mark.requirement("F-CLI-03")
@pytest.mark.parametrize("error", [ConflictError("taken"), ZeroDivisionError("zero")])
def test_debugging_shows_the_traceback(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEW_DEBUG", "1")
    assert raising(error).exception is error


@pytest.mark.requirement("F-CLI-03")
@pytest.mark.parametrize("error", [KeyboardInterrupt(), click.Abort()])
def test_an_interruption_is_status_130(error: BaseException) -> None:
    result = raising(error)
    assert (result.exit_code, result.output.strip()) == (130, "")


@pytest.mark.requirement("F-CLI-03")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nope"], "No such command 'nope'"),
        (["recall"], "Missing argument 'QUERY'"),
        (["recall", "x", "--nope"], "No such option"),
        (["recall", "x", "--budget", "-1"], "--budget"),
        (["search", "x", "--since", "soonish"], "'soonish' names no time"),
        (["when", "x", "--since", "soonish"], "'soonish' names no time"),
        (["when", "--since", "May 2025", "--until", "April 2025"], "move one"),
        (["forget", "--since", "soonish", "--dry-run"], "'soonish' names no time"),
        (["project", "overlays", "--overlay", "O9"], "'O9' is not an overlay"),
        (["add", "x", "--at", "yesterday"], "'yesterday' is not a date"),
        (["recall", "x", "--role", "king"], "'king' is not one of"),
        (["search", "x", "--limit", "0"], "--limit"),
        (["config"], "Usage"),
    ],
)
@pytest.mark.usefixtures("tmp_home")
def test_wrong_usage_is_status_2(words: list[str], said: str) -> None:
    done("resume")  # begins a memory, without which it is what is missing
    assert said in failure(2, *words)


@pytest.mark.requirement("F-CLI-03")
def test_a_warning_that_cannot_be_printed_stops_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    class Gone(io.StringIO):
        def write(self, _text: str) -> int:
            raise BrokenPipeError(errno.EPIPE, "Broken pipe")

    def go() -> None:
        monkeypatch.setattr(sys, "stderr", Gone())
        logging.getLogger("clew.worker").warning("a record was skipped")
        click.echo("done")

    result = CliRunner().invoke(program(click.Command("go", callback=go)), ["go"])
    assert (result.exit_code, result.stdout) == (0, "done\n")


@pytest.mark.requirement("F-CLI-03")
def test_warnings_of_the_library_are_lines_of_the_program() -> None:
    def go() -> None:
        log = logging.getLogger("clew.worker")
        log.info("not shown")
        try:
            raise ZeroDivisionError
        except ZeroDivisionError:
            log.exception("will be tried again")

    result = CliRunner().invoke(program(click.Command("go", callback=go)), ["go"])
    assert (result.exit_code, result.stderr) == (0, "clew: will be tried again\n")
    assert logging.getLogger("clew").handlers == []


@pytest.mark.requirement("F-CLI-04")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2025-04-15", datetime(2025, 4, 15, tzinfo=UTC)),
        (" 2025-04-15T10:30 ", datetime(2025, 4, 15, 10, 30, tzinfo=UTC)),
        ("2025-04-15T10:30+02:00", datetime(2025, 4, 15, 8, 30, tzinfo=UTC)),
        ("2025-04-15T10:30Z", datetime(2025, 4, 15, 10, 30, tzinfo=UTC)),
    ],
)
def test_dates_are_read_as_iso_in_utc(text: str, expected: datetime) -> None:
    assert moment(text) == expected
    assert moment(text).utcoffset() == expected.utcoffset()


@pytest.mark.requirement("F-CLI-04")
@pytest.mark.parametrize("text", ["", "yesterday", "15.04.2025", "2025-13-01", "0001-01-01T00:00+12:00"])
def test_what_is_no_date_is_said_with_the_form_expected(text: str) -> None:
    with pytest.raises(click.BadParameter, match="2025-04-15"):
        moment(text)


@pytest.mark.requirement("F-CLI-03")
@pytest.mark.parametrize(("word", "command"), [("tags", "labels"), ("delete", "forget"), ("serch", "search")])
def test_another_word_for_a_command_suggests_it(word: str, command: str) -> None:
    assert f"No such command '{word}'. Did you mean '{command}'" in failure(2, word)


@pytest.mark.requirement("F-CLI-03")
@pytest.mark.parametrize(("word", "suggested"), [("recal", "'recall'"), ("serach", "'search'"), ("xyzzy", None)])
def test_a_mistyped_command_is_answered_with_similar_ones(word: str, suggested: str | None) -> None:
    message = failure(2, word, "x")
    assert f"No such command '{word}'." in message
    assert ("Did you mean" in message) == (suggested is not None)
    assert suggested is None or suggested in message


@pytest.mark.requirement("F-CLI-01")
@pytest.mark.parametrize("name", list(COMMANDS))
def test_no_help_page_prints_markup(name: str) -> None:
    assert "\\b" not in run(name, "--help").stdout


@pytest.mark.requirement("F-CLI-26")
@pytest.mark.parametrize(
    "words",
    [
        ["re\x1b]0;x\x07call"],
        ["recall", "x", "--no\x9b2Jpe"],
        ["recall", "x", "--since", "\u202eyad"],
        ["restore", "\x1b[31m:turn:0"],
        ["import", "\x1b[2J.jsonl"],
        ["--home", "\x1b[2J\x00", "stats"],
    ],
)
def test_an_error_repeats_no_control_character(words: list[str]) -> None:
    result = run(*words)
    assert result.exit_code in (1, 2)
    assert printable(result.output) == result.output


@pytest.mark.requirement("F-CLI-26")
@pytest.mark.parametrize("words", [["explain"], ["recall", "x", "--since"], ["restore"], ["query"]])
def test_a_long_argument_is_cut(words: list[str]) -> None:
    result = run(*words, "x" * 100_000)
    assert result.exit_code in (1, 2)
    assert len(result.stderr) < 5_000


@pytest.mark.requirement("U-FOUND-01")
def test_without_a_command_the_whole_help_page_is_printed() -> None:
    shown = run()
    assert shown.stdout + shown.stderr == run("--help").stdout
