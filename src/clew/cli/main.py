"""The program `clew`: finds the command, and reports every error in one line, without a traceback.

Borders: knows the commands by name and summary only. A command's module is loaded when the command is called: numpy
and rich take a third of a second that `clew --version`, `clew --help` and a mistyped command do not need.
"""

import difflib
import errno
import gc
import io
import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import Any, Final

import click

from clew.cli.options import Scope, common
from clew.cli.terminal import no_output, say
from clew.cli.title import hide_secrets
from clew.errors import ClewError, ExpressionError, cut, lacks_memory
from clew.text.printable import printable
from clew.version import __version__

_SECTIONS: Final = {
    "First look": {
        "demo": ("demo:demo", "Show Clew at work, on a sample conversation or on yours."),
    },
    "Store": {
        "add": ("put:add", "Store one turn."),
        "import": ("put:import_", "Store the turns of files, folders or a program's own sessions."),
    },
    "Recall": {
        "recall": ("ask:recall", "Print the turns that answer a question, as one block within a token budget."),
        "search": ("ask:search", "List the best turns for a question, with scores and reasons."),
        "query": ("query:query", "List the turns that match an expression, in the order in which they came."),
        "when": ("when:when", "Print what was said in a period of time, within a token budget."),
        "quote": ("ask:quote", "List the turns that contain an exact phrase, newest first."),
        "explain": (
            "explain:explain",
            "Show why a recall returned what it did, or what a compaction left out.",
        ),
        "brief": ("brief:brief", "Summarise the last session of a project, and what stayed open."),
        "recap": ("recap:recap", "Recap a session on a page or two, within a token budget."),
        "sessions": (
            "sessions:sessions",
            "List the conversations, with title, project, git branch, client and time.",
        ),
        "snapshots": ("structure:snapshots", "List the beats (topic segments) of a conversation."),
        "quest": ("quest:quest", "List the tasks of coding sessions, set their stage, or seal them."),
        "labels": ("labels:labels", "List the topics of the conversations, or where one topic comes up."),
        "entities": ("entities:entities", "List the people, places and things that are named, or show one of them."),
        "facts": ("facts:facts", "List the facts that turns state, the newest first."),
        "history": ("facts:history", "List all that was ever stated about SUBJECT, the earliest first."),
        "correct": ("facts:correct", "Correct a fact: give what is right, or say that it ended or never held."),
        "graph": (
            "facts:graph",
            "Print the facts that hold as a graph: subjects and objects, and the links between facts.",
        ),
        "restore": ("restore:restore", "Print a turn exactly as stored, or extract an attachment."),
        "pin": ("pin:pin", "Pin a turn, so that every recall includes it, or list the pins."),
    },
    "Projects": {
        "project": ("project:project", "Read a code base or documents into a graph of files, symbols and sections."),
    },
    "Agents": {
        "serve": ("serve:serve", "Serve the memory to any client of OpenAI, Anthropic or Gemini, as a proxy."),
        "chat": ("chat:chat", "Chat with the configured language model; the conversation may grow without limit."),
        "run": ("run:run", "Run a program, such as claude, codex, gemini or aider, with a memory."),
        "watch": ("watch:watch", "Store the sessions of coding agents while they are written."),
        "mcp": ("mcp:mcp", "Serve the memory to an agent over the Model Context Protocol (MCP)."),
        "ledger": ("ledger:ledger", "Print what requests through the proxy cost, by day, model and conversation."),
        "install": ("install:install", "Register Clew as an MCP server with a program."),
    },
    "Maintain": {
        "stats": ("keep:stats", "Show how much is stored, and which background jobs are pending."),
        "export": ("keep:export", "Export all turns and attachments to a file that `clew import` can read."),
        "backup": ("move:backup", "Back up all spaces to one verified file."),
        "restore-backup": ("move:restore_backup", "Replace the memory in the home by a backup."),
        "copy": ("move:copy", "Copy a space to another home, and verify the copy by hashes."),
        "merge": ("move:merge", "Add the turns of one home to another."),
        "rekey": ("rekey:rekey", "Encrypt the home, change its key, or decrypt it."),
        "condense": ("condense:condense", "Compact a session: make the recap that stays until its next compaction."),
        "extract": ("jobs:extract", "Extract graph, open tasks and summary of sessions."),
        "forget": ("forget:forget", "Delete turns and everything derived from them."),
        "mark-used": ("tune:mark_used", "Record which turns of a recall were useful."),
        "tune": ("tune:tune", "Tune the ranking, based on which recalled turns were useful."),
        "pause": ("keep:pause", "Stop storing turns in this space until `clew resume`."),
        "resume": ("keep:resume", "Store turns in this space again after `clew pause`."),
        "verify": ("keep:verify", "Check everything stored for damage, and list the problems."),
        "doctor": ("doctor:doctor", "Explain what is wrong and how to repair it; with --repair, repair it."),
        "rebuild": ("keep:rebuild", "Rebuild derived data from the stored turns."),
        "work": ("keep:work", "Run pending background jobs."),
        "jobs": ("jobs:jobs", "List background jobs and extractions that failed or wait, and retry them."),
        "config": ("settings:config", "Show the settings and check them."),
    },
    "Measure": {
        "bench": ("bench:bench", "Measure the quality of recall and of compactions, and speed."),
        "eval": ("evaluate:eval_", "Run the evaluations that the source documents specify."),
    },
}
"""Section of the help page -> command -> its module and function below `clew.cli`, and its one-line summary."""

COMMANDS: Final = {name: entry for section in _SECTIONS.values() for name, entry in section.items()}

HELP_NAMES: Final = ["-h", "--help"]

_NO_MEMORY: Final = (
    "not enough memory (RAM, or the number of threads) is granted to this program; acknowledged turns are safe. Close "
    "other programs, or raise the limit of the shell (`ulimit -v`, `ulimit -u`) or container, and try again"
)

INTERRUPTED: Final = 130
"""Exit status after Ctrl-C, by the convention of shells: 128 plus the number of SIGINT."""


_OTHER_WORDS: Final = {
    "ask": "recall",
    "beats": "snapshots",
    "delete": "forget",
    "find": "search",
    "list": "sessions",
    "pins": "pin",
    "remember": "add",
    "remove": "forget",
    "summary": "recap",
    "tags": "labels",
    "topics": "labels",
}
"""Commands by another word for what they do, with which no name of a command is alike."""


class CommandFailed(click.ClickException):
    """Ends the program with one line on stderr and status 1."""

    def show(self, file: Any = None) -> None:
        """Prints the message as one line."""
        say(f"clew: {cut(self.format_message())}", file=file, err=file is None)


class MisspelledExpression(CommandFailed):
    """Ends the program likewise, with the status of wrong usage: an expression on the command line has a mistake."""

    exit_code = 2


class Program(click.Group):
    """Loads a command when it is called, and turns its errors into one line and an exit status."""

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """The names of the commands, in the order of the help page."""
        return list(COMMANDS)

    def get_command(self, _ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Loads and returns a command; None when there is none of that name."""
        if cmd_name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[cmd_name][0].partition(":")
        gc.disable()  # what is loaded stays, so that to look for garbage among it costs time and finds none
        try:
            loaded = import_module(f"clew.cli.{module}")
        finally:
            gc.enable()
        gc.freeze()
        return _with_help_options(getattr(loaded, attribute))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Finds the command that the arguments name.

        Raises:
            UsageError: there is none; the message suggests the commands with the most similar names.
        """
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            meant = _OTHER_WORDS.get(args[0])
            similar = difflib.get_close_matches(args[0], COMMANDS) if meant is None else [meant]
            hint = f" Did you mean {' or '.join(map(repr, similar))}?" if similar else ""
            ctx.fail(f"No such command {args[0]!r}.{hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Lists the commands by section, without loading them."""
        for title, section in _SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(8), summary) for name, (_, summary) in section.items()])

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Runs the program, with output streams that can write any text.

        Help pages and the version are written before `invoke`; that they cannot be is told here.
        """
        if not args and kwargs.get("args") is None:
            _restart_to_read_utf8()
        hide_secrets()
        _let_streams_write_anything()
        try:
            return super().main(*args, **kwargs)
        except OSError as error:
            if _is_debugged() or not kwargs.get("standalone_mode", True):
                raise
            with suppress(OSError):  # of standard error, which may be as full
                say(f"clew: the output cannot be written: {error.strerror or error}", err=True)
            sys.exit(1)

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        """Parses the options before the name of the command.

        Raises:
            UsageError: they are wrong.
        """
        try:
            return super().make_context(*args, **kwargs)
        except click.UsageError as error:
            raise _printable(error) from None

    def invoke(self, ctx: click.Context) -> Any:
        """Runs the command.

        Raises:
            CommandFailed: the command raised an error.
            Exit: the command was interrupted.
        """
        debug = _is_debugged()
        with _log_lines(debug=debug):
            try:
                return super().invoke(ctx)
            except click.UsageError as error:
                raise _printable(error) from None
            except (click.ClickException, click.exceptions.Exit):
                raise  # click reports them
            except (KeyboardInterrupt, click.Abort):
                say("", err=True)
                raise click.exceptions.Exit(INTERRUPTED) from None
            except Exception as error:
                if debug or (isinstance(error, OSError) and error.errno == errno.EPIPE):
                    raise  # the reader of a pipe is gone: click exits quietly
                raise _failure(error) from error


def _failure(error: Exception) -> CommandFailed:
    """The one line that tells what went wrong in a command."""
    if isinstance(error, ClewError):
        return (MisspelledExpression if isinstance(error, ExpressionError) else CommandFailed)(str(error))
    if lacks_memory(error):
        return CommandFailed(_NO_MEMORY)
    if isinstance(error, OSError):
        what = error.strerror or str(error)
        return CommandFailed(
            f"the output cannot be written: {what}" if error.filename is None else f"{what}: {error.filename}"
        )
    return CommandFailed(
        f"internal error in Clew ({type(error).__name__}: {error}); acknowledged turns are safe. "
        "Please report it, with the traceback that CLEW_DEBUG=1 prints"
    )


def _is_debugged() -> bool:
    return os.environ.get("CLEW_DEBUG", "") not in ("", "0")


def _printable(error: click.UsageError) -> click.UsageError:
    """The error, with long arguments that its message repeats cut, and control characters in them made visible.

    Without a command, the message is the whole help page (click 8.2 and newer), which stays as it is.
    """
    message = error.format_message()
    if error.ctx is not None and message == error.ctx.get_help():
        return error
    shown = cut(printable(message))
    return error if shown == message else click.UsageError(shown, error.ctx)


def _with_help_options(command: click.Command) -> click.Command:
    """Gives a command and its subcommands the options `-h` and `--help`.

    Click would create the help option with the names that the parent's context gives, and cache it: a command whose
    help was first requested without a parent would never have `-h`.
    """
    if not any("--help" in parameter.opts for parameter in command.params):
        click.help_option(*HELP_NAMES)(command)
    for subcommand in command.commands.values() if isinstance(command, click.Group) else ():
        _with_help_options(subcommand)
    return command


@click.group(cls=Program, context_settings={"help_option_names": HELP_NAMES, "max_content_width": 100})
@click.version_option(__version__, message="clew %(version)s")
@common
def main(_scope: Scope) -> None:
    """Clew gives LLM conversations a memory that outlives the context window.

    It stores every turn word for word. For a question, it returns the turns that answer it, within an exact token
    budget, and explains why. Start with `clew demo`, or with `clew import claude-code`.
    """


class _LogHandler(logging.Handler):
    """Prints the log records of the library on stderr."""

    def __init__(self, *, debug: bool) -> None:
        super().__init__(logging.DEBUG if debug else logging.WARNING)
        self._debug = debug

    def emit(self, record: logging.LogRecord) -> None:
        """Prints one record as a line; with its traceback when CLEW_DEBUG is set."""
        with suppress(OSError):  # of standard error, which is no failure of the import or job that logs
            say(f"clew: {self.format(record) if self._debug else record.getMessage()}", err=True)


@contextmanager
def _log_lines(*, debug: bool) -> Iterator[None]:
    logger, handler = logging.getLogger("clew"), _LogHandler(debug=debug)
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)


def _restart_to_read_utf8() -> None:
    """Starts the program again in Python's UTF-8 mode where the locale knows only ASCII and arguments have more.

    Python is in that mode in the locale C, unless it is switched off (`LC_ALL=C PYTHONUTF8=0`). Each byte of a letter
    is then an escape of its own: a turn would be stored so, and a question find nothing.
    """
    if sys.getfilesystemencoding() != "ascii" or not sys.executable or all(map(str.isascii, sys.argv)):
        return
    with suppress(OSError):  # it then runs as it was started
        os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])  # noqa: S606  # itself, no shell


def _let_streams_write_anything() -> None:
    """Sets files and pipes to UTF-8 on every system, and escapes characters that a terminal cannot show.

    Standard input and error that whoever started the program had closed (`clew stats 2>&-`) open to nowhere; a closed
    standard output, without which most commands do nothing, is told when something is to be printed.
    """
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: PTH123, SIM115  # until the program ends
    if sys.stdout is None:
        sys.stdout = no_output()
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115  # likewise
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding=None if stream.isatty() else "utf-8", errors="backslashreplace")
