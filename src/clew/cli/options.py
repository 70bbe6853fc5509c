"""The options that every command has, and those that several commands share. Imports nothing heavier than click."""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

import click

from clew.text.iso_time import parse_iso
from clew.types.turn import ROLES

Command = Callable[..., None]

ROWS: Final = 20
"""Rows that a list for people has, if they do not ask for more."""

EVERY: Final = 1 << 40
"""More rows than a space holds."""


@dataclass(frozen=True, slots=True)
class Scope:
    """The values of the options that every command has.

    Attributes:
        home: the directory or address of the memory, from --home or --store; None for CLEW_STORE, else CLEW_HOME,
            else ~/.clew.
        by_store: `home` comes from --store.
        as_json: print one JSON object, or one per line for a list.
    """

    home: str | None = None
    space: str = "default"
    as_json: bool = False
    by_store: bool = False


def common(command: Command) -> Command:
    """Gives a command --home, --store, --space and --json, and passes their values as its first argument.

    The options may also stand before the name of the command; a value after the name wins.
    """

    @click.option("--home", metavar="DIR", help="Directory of the memory.  [default: CLEW_HOME, else ~/.clew]")
    @click.option(
        "--store",
        metavar="ADDRESS",
        help="Instead of --home: postgresql://USER@HOST/DATABASE, or a directory.  [default: CLEW_STORE]",
    )
    @click.option(
        "--space", metavar="NAME", help="User or project; spaces are isolated from each other.  [default: default]"
    )
    @click.option("--json", "as_json", is_flag=True, help="Print JSON: one object, or one per line for a list.")
    @click.pass_context
    @functools.wraps(command)
    def scoped(
        context: click.Context,
        /,
        *,
        home: str | None,
        store: str | None,
        space: str | None,
        as_json: bool,
        **rest: Any,
    ) -> None:
        outer = context.find_object(Scope) or Scope()
        location, by_store = _location(outer, home, store)
        context.obj = Scope(
            home=location,
            space=outer.space if space is None else space,
            as_json=as_json or outer.as_json,
            by_store=by_store,
        )
        command(context.obj, **rest)

    return scoped


def _location(outer: Scope, home: str | None, store: str | None) -> tuple[str | None, bool]:
    """The directory or address of the memory, and whether it comes from --store.

    Raises:
        UsageError: --home and --store name two places. The message repeats neither: an address may hold a password.
    """
    if outer.by_store:
        store = outer.home if store is None else store
    elif home is None:
        home = outer.home
    if None not in (home, store) and home != store:
        raise click.UsageError("--home and --store name two different places; give only one of them.")
    return (home, False) if store is None else (store, True)


def limited(rows: str) -> Callable[[Command], Command]:
    """Gives a command --limit, see `most_rows`; `rows` says what is listed."""
    return click.option(
        "--limit",
        type=click.IntRange(min=1),
        metavar="NUMBER",
        help=f"Maximum number of {rows}.  [default: {ROWS}; with --json, all]",
    )


def most_rows(scope: Scope, limit: int | None) -> int:
    """How many rows are listed at most: those of --limit, else all as JSON, which no program expects to be cut."""
    return limit or (EVERY if scope.as_json else ROWS)


def moment(text: str) -> datetime:
    """Parses a date or time of the command line; without a zone, it is in UTC.

    Raises:
        BadParameter: the text is not an ISO 8601 date or time.
    """
    try:
        return parse_iso(text)
    except ValueError as error:
        raise click.BadParameter(
            f"{text!r} is not a date. Write 2025-04-15 or 2025-04-15T10:30+02:00; without a zone, it is UTC."
        ) from error


def moment_or_day(text: str) -> datetime:
    """Parses a date or time of the command line; a date alone is the last moment of that day.

    Raises:
        BadParameter: the text is not an ISO 8601 date or time.
    """
    parsed = moment(text)
    return parsed if len(text.strip()) > len("2025-04-15") else parsed + timedelta(days=1, microseconds=-1)


def end_or_phrase(text: str) -> datetime | str:
    """A date or time of the command line, of a date alone its last moment; or words for `cli.narrowing`."""
    try:
        return moment_or_day(text)
    except click.BadParameter:
        return text


def moment_or_phrase(text: str) -> datetime | str:
    """A date or time of the command line, or words for one, which `cli.narrowing` resolves with the memory."""
    try:
        return moment(text)
    except click.BadParameter:
        return text


def project_folder(text: str) -> str:
    """A project folder of the command line: a name as it is, a path made absolute.

    Raises:
        InputError: it is no path that can be.
    """
    if text not in (".", "..") and not any(mark in text for mark in "/\\~"):
        return text
    from clew.store.home import usable_path  # of the store, which the help page does not need

    return str(usable_path(text, "the project folder").absolute().resolve())


def restricting(command: Command) -> Command:
    """Gives a command the filter options of `narrowing`, and --where."""
    return where(narrowing(command))


def narrowing(command: Command) -> Command:
    """Gives a command the options that filter turns: by conversation, role, speaker, time said and time stored."""
    for option in (
        click.option(
            "--known-at",
            type=end_or_phrase,
            metavar="TIME",
            help="Only turns stored by the end of this day or of a time such as 'last week'.",
        ),
        click.option(
            "--as-of",
            type=end_or_phrase,
            metavar="TIME",
            help="Only turns said by the end of this day or a time such as 'last week', the today of relative dates.",
        ),
        click.option("--speaker", metavar="NAME", help="Only turns of this speaker; a first name will do."),
        click.option("--role", type=click.Choice(ROLES), help="Only turns of this role."),
        until,
        since,
        of_project,
        click.option("--session", metavar="NAME", help="Only this conversation."),
    ):
        command = option(command)
    return command


def of_project(command: Command) -> Command:
    """Gives a command the options --project and --branch."""
    for option in (
        click.option("--branch", metavar="NAME", help="Only conversations that began or ended on this git branch."),
        click.option(
            "--project",
            type=project_folder,
            metavar="FOLDER",
            help="Only conversations of this project folder: its name, or a path such as '.'.",
        ),
    ):
        command = option(command)
    return command


def where(command: Command) -> Command:
    """Gives a command the option --where."""
    return click.option(
        "--where", metavar="EXPR", help="Only turns that match this expression of `clew query`, such as 'O2 > 7'."
    )(command)


def counter_name(text: str) -> str:
    """The name of a token counter of the command line.

    Raises:
        BadParameter: no counter has this name.
    """
    from clew.text.counters import NAMES  # of what counts, which the help page does not need

    if text not in NAMES:
        raise click.BadParameter(f"counter {text!r} is unknown; choose one of {', '.join(NAMES)}.")
    return text


def with_counter(command: Command) -> Command:
    """Gives a command the option --counter."""
    return click.option(
        "--counter",
        type=counter_name,
        metavar="NAME",
        help="Token counter: estimate, openai, words, anthropic or anthropic-3.  [default: as configured]",
    )(command)


def with_budget(command: Command) -> Command:
    """Gives a command the option --budget."""
    return click.option(
        "--budget",
        type=click.IntRange(min=0),
        metavar="TOKENS",
        help="Maximum size of the block.  [default: as configured]",
    )(command)


def since(command: Command) -> Command:
    """Gives a command the option --since."""
    return click.option(
        "--since",
        type=moment_or_phrase,
        metavar="TIME",
        help="Only turns since this date, or since a time such as 'last week' or '3 hours ago'.",
    )(command)


def until(command: Command) -> Command:
    """Gives a command the option --until."""
    return click.option(
        "--until",
        type=moment_or_phrase,
        metavar="TIME",
        help="Only turns before this date, or up to the end of a time such as 'last week'.",
    )(command)
