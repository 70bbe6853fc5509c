"""The program `clew`: finds the command, says every error in one line, shows no traceback.

Borders: knows the commands by name and summary only. Their modules are loaded when they are called, since numpy and
rich take a third of a second that `clew --version`, `clew --help` and a mistyped command do not need.
"""

import errno
import io
import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, Final

import click

from clew.cli.options import Scope, common
from clew.cli.title import hide_addresses
from clew.errors import ClewError
from clew.version import __version__

_SECTIONS: Final = {
    "First look": {
        "demo": ("demo:demo", "Show Clew at work, on a sample conversation or on yours."),
    },
    "Put in": {
        "add": ("put:add", "Store one turn."),
        "import": ("put:import_", "Store what files, folders or a program's own sessions hold."),
    },
    "Ask": {
        "recall": ("ask:recall", "Print the block of remembered turns for a question, within a token budget."),
        "search": ("ask:search", "List the best turns for a question, with score and reasons."),
        "query": ("query:query", "List the turns for which an expression holds, in the order in which they came."),
        "when": ("when:when", "Print what was said in a stretch of time, within a token budget."),
        "quote": ("ask:quote", "List the turns that hold a phrase word for word, newest first."),
        "explain": ("explain:explain", "Show why a recall, or `clew when`, gave what it gave."),
        "snapshots": ("structure:snapshots", "List the beats of a conversation and what each turn weighs."),
        "labels": ("labels:labels", "List what the conversations are about, or what one label marks."),
        "entities": ("entities:entities", "List the people, places and things that are named, or all about one."),
        "restore": ("restore:restore", "Give a turn back as it came, or the original of one of its parts."),
        "pin": ("pin:pin", "Have turns in every block from now on, or list what is pinned."),
    },
    "For agents": {
        "mcp": ("mcp:mcp", "Serve the memory to an agent over the Model Context Protocol."),
        "install": ("install:install", "Tell an agent's program to use this memory, over `clew mcp`."),
    },
    "Look after": {
        "stats": ("keep:stats", "Show what the space holds, in numbers."),
        "export": ("keep:export", "Write every turn and every original to a file that import reads back."),
        "backup": ("move:backup", "Write everything, all spaces, to one checked file, while others go on."),
        "copy": ("move:copy", "Make a space the same in another home, row for row, proven by hashes."),
        "merge": ("move:merge", "Add to DST what SRC has more, in one space; SRC is only read."),
        "rekey": ("rekey:rekey", "Encrypt the home, change its key, or make it plain again."),
        "forget": ("forget:forget", "Take turns out for good, with all that was made of them."),
        "mark-used": ("tune:mark_used", "Say which turns of a recall were of use."),
        "tune": ("tune:tune", "Learn from what became of recalls."),
        "pause": ("keep:pause", "Store nothing more in this space until resume."),
        "resume": ("keep:resume", "Store again what comes."),
        "verify": ("keep:verify", "Check that everything is whole; print what is not."),
        "doctor": ("doctor:doctor", "Say what is wrong, what it means and what helps; mend it with --repair."),
        "rebuild": ("keep:rebuild", "Make again what is derived from the turns."),
        "work": ("keep:work", "Do the work that waits behind the acknowledgements."),
        "config": ("settings:config", "Show the settings and check them."),
    },
    "Measure": {
        "bench": ("bench:bench", "Measure recall and speed."),
        "eval": ("evaluate:eval_", "Run the evaluations that the source documents ask for."),
    },
}
"""Section of the help page -> command -> its place below `clew.cli`, and its summary (as in its own help)."""

COMMANDS: Final = {name: entry for section in _SECTIONS.values() for name, entry in section.items()}

HELP_NAMES: Final = ["-h", "--help"]

INTERRUPTED: Final = 130
"""Exit status after Ctrl-C, as shells give it."""


class Failure(click.ClickException):
    """Ends the program with one line on stderr and status 1."""

    def show(self, file: Any = None) -> None:
        """Prints the line."""
        click.echo(f"clew: {self.format_message()}", file=file, err=file is None)


class Program(click.Group):
    """Loads a command when it is called, and turns what goes wrong in it into one line and an exit status."""

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """The commands in the order of the help page."""
        return list(COMMANDS)

    def get_command(self, _ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, its module loaded; None when there is none."""
        if cmd_name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[cmd_name][0].partition(":")
        return _asks_for_help_alike(getattr(import_module(f"clew.cli.{module}"), attribute))

    def format_commands(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Lists the commands by section without loading them."""
        for title, section in _SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(8), summary) for name, (_, summary) in section.items()])

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Runs the program, on streams that can write any text."""
        hide_addresses()
        _let_streams_write_anything()
        return super().main(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> Any:
        """Runs the command.

        Raises:
            Failure: it met an error.
            Exit: it was interrupted.
        """
        debug = os.environ.get("CLEW_DEBUG", "") not in ("", "0")
        with _log_lines(debug=debug):
            try:
                return super().invoke(ctx)
            except (click.ClickException, click.exceptions.Exit):
                raise  # click's own: usage errors and exit statuses
            except (KeyboardInterrupt, click.Abort):
                click.echo(err=True)
                raise click.exceptions.Exit(INTERRUPTED) from None
            except ClewError as error:
                if debug:
                    raise
                raise Failure(str(error)) from error
            except OSError as error:
                if debug or error.errno == errno.EPIPE:  # click ends quietly when nobody reads any more
                    raise
                raise Failure(f"{error.strerror or error}: {error.filename or 'the system gave no name'}") from error
            except Exception as error:
                if debug:
                    raise
                kind = type(error).__name__
                raise Failure(
                    f"a mistake in Clew ({kind}: {error}); what was acknowledged is safe. "
                    "Set CLEW_DEBUG=1 to see where, and report it"
                ) from error


def _asks_for_help_alike(command: click.Command) -> click.Command:
    """The command, and those below it, with a help option of its own under both names.

    Click would make one with the names that the group above gives, and keep the first it made: a command that was first
    looked at by itself would be without `-h` from then on.
    """
    if not any("--help" in each.opts for each in command.params):
        click.help_option(*HELP_NAMES)(command)
    for below in command.commands.values() if isinstance(command, click.Group) else ():
        _asks_for_help_alike(below)
    return command


@click.group(cls=Program, context_settings={"help_option_names": HELP_NAMES, "max_content_width": 100})
@click.version_option(__version__, message="clew %(version)s")
@common
def main(_scope: Scope) -> None:
    """Clew keeps a conversation with a language model going without end.

    It stores every turn word for word and brings the right ones back for a question, within an exact token budget, with
    the reason for each. Begin with `clew demo`, or with `clew import claude-code`.
    """


class _Lines(logging.Handler):
    """What the library logs, as lines of this program."""

    def __init__(self, *, debug: bool) -> None:
        super().__init__(logging.DEBUG if debug else logging.WARNING)
        self._debug = debug

    def emit(self, record: logging.LogRecord) -> None:
        """Writes one record to stderr; its traceback only when asked for."""
        click.echo(f"clew: {self.format(record) if self._debug else record.getMessage()}", err=True)


@contextmanager
def _log_lines(*, debug: bool) -> Iterator[None]:
    logger, handler = logging.getLogger("clew"), _Lines(debug=debug)
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)


def _let_streams_write_anything() -> None:
    """Files and pipes get UTF-8 on every system; what a stream cannot write is escaped instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding=None if stream.isatty() else "utf-8", errors="backslashreplace")
