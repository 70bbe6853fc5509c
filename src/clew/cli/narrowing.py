"""Filter options whose value depends on the memory: names of conversations and words for a time."""

from typing import Any

import click

from clew.cli.opening import session_named
from clew.errors import InputError
from clew.memory.recalls import MemoryRecalls
from clew.recall.timeline import with_moments


def with_session(memory: MemoryRecalls, options: dict[str, Any]) -> dict[str, Any]:
    """The options with the whole name of the conversation in `session`; where nothing is stored, as they are.

    Raises:
        InputError: the name is empty, or may mean several conversations.
        NotFoundError: there is no such conversation.
    """
    name = options.get("session")
    return options if name is None or memory.is_empty else {**options, "session": session_named(memory, name)}


def with_times(memory: MemoryRecalls, options: dict[str, Any]) -> dict[str, Any]:
    """The options with the whole name of the session, and for words for a time the moment that they mean.

    "Last week" is counted from today, or from the last day of the conversation, as `clew when` counts.

    Raises:
        BadParameter: the words name no time.
        ClewError: see `with_session`.
    """
    options = with_session(memory, options)
    phrases = {name: options[name] for name in ("since", "until") if isinstance(options.get(name), str)}
    if not phrases:
        return options
    try:
        return with_moments(memory.reads.live.view(), memory.reads.clock(), options)
    except InputError as error:
        raise click.BadParameter(str(error), param_hint=" and ".join(f"--{name}" for name in phrases)) from error
