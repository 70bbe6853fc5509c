"""The options that every command has, and those that several share. Loads nothing but click."""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import click

from clew.types.turn import ROLES

Command = Callable[..., None]


@dataclass(frozen=True, slots=True)
class Scope:
    """Where a command works, and for whom it writes.

    Attributes:
        home: where everything is kept, as --home or --store names it; None for CLEW_STORE, else CLEW_HOME, else
            ~/.clew.
        by_store: --store names it.
        as_json: stdout is read by a program: one JSON object, or one a line where there are several.
    """

    home: str | None = None
    space: str = "default"
    as_json: bool = False
    by_store: bool = False


def common(command: Command) -> Command:
    """Gives a command --home, --store, --space and --json, and their values as its first argument.

    They may stand before the command's name as well; what stands behind it wins.
    """

    @click.option("--home", metavar="DIR", help="Where everything is kept.  [default: CLEW_HOME, else ~/.clew]")
    @click.option(
        "--store", metavar="ADDRESS", help="The same: postgresql://USER@HOST/DATABASE or DIR.  [default: CLEW_STORE]"
    )
    @click.option("--space", metavar="NAME", help="User or project; no command sees another's.  [default: default]")
    @click.option("--json", "as_json", is_flag=True, help="Print JSON: one object, or one a line for a list.")
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
        place, by_store = _place(outer, home, store)
        context.obj = Scope(
            home=place,
            space=outer.space if space is None else space,
            as_json=as_json or outer.as_json,
            by_store=by_store,
        )
        command(context.obj, **rest)

    return scoped


def _place(outer: Scope, home: str | None, store: str | None) -> tuple[str | None, bool]:
    """Where everything is kept, and whether --store says so, here or before the command's name.

    Raises:
        UsageError: --home and --store name two places. They are not repeated: one may hold a password.
    """
    if outer.by_store:
        store = outer.home if store is None else store
    elif home is None:
        home = outer.home
    if None not in (home, store) and home != store:
        raise click.UsageError("--home and --store name two places; leave one of them out.")
    return (home, False) if store is None else (store, True)


def moment(text: str) -> datetime:
    """A point in time as it is written on the command line; without a zone it is taken as UTC.

    Raises:
        BadParameter: the text is no ISO 8601 date or time.
    """
    try:
        found = datetime.fromisoformat(text.strip())
        return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise click.BadParameter(
            f"{text!r} is no date. Write 2025-04-15, or 2025-04-15T10:30+02:00; no zone means UTC."
        ) from error


def moment_or_day(text: str) -> datetime:
    """The same where a whole day is meant up to its end: a date alone is the last moment of that day.

    Raises:
        BadParameter: the text is no ISO 8601 date or time.
    """
    found = moment(text)
    return found if len(text.strip()) > len("2025-04-15") else found + timedelta(days=1, microseconds=-1)


def restricting(command: Command) -> Command:
    """Gives a command the options of `narrowing`, and --where."""
    return where(narrowing(command))


def narrowing(command: Command) -> Command:
    """Gives a command the options that restrict it to some turns: who spoke, where, when, and what was known when."""
    for option in (
        click.option(
            "--known-at",
            type=moment_or_day,
            metavar="DATE",
            help="Only what had been stored by then; a date alone means its end.",
        ),
        click.option(
            "--as-of",
            type=moment_or_day,
            metavar="DATE",
            help="Only what had been said by then; relative dates count from there. A date alone means its end.",
        ),
        click.option("--speaker", metavar="NAME", help="Only turns of this speaker."),
        click.option("--role", type=click.Choice(ROLES), help="Only turns of this role."),
        until,
        since,
        click.option("--session", metavar="NAME", help="Only this conversation."),
    ):
        command = option(command)
    return command


def where(command: Command) -> Command:
    """Gives a command --where."""
    return click.option(
        "--where", metavar="EXPR", help="Only turns for which this holds, as `clew query` takes it: 'O2 > 7'."
    )(command)


def since(command: Command) -> Command:
    """Gives a command --since."""
    return click.option("--since", type=moment, metavar="DATE", help="Only turns at or after this date.")(command)


def until(command: Command) -> Command:
    """Gives a command --until."""
    return click.option("--until", type=moment, metavar="DATE", help="Only turns before this date.")(command)
