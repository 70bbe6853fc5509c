"""Filter options whose value depends on the memory: names of conversations and words for a time."""

from datetime import datetime
from difflib import get_close_matches
from typing import Any, Final

import click

from clew.cli.opening import session_named
from clew.errors import InputError, NotFoundError
from clew.memory.recalls import MemoryRecalls
from clew.rank.intent.time_window import last_moment_of
from clew.recall.timeline import with_moments
from clew.text.spoken_names import people_called

_NEAR: Final = 3
"""Most speakers with a similar name that an error names."""
_NAMED: Final = 5
"""Most speakers that an error lists."""


def with_session(memory: MemoryRecalls, options: dict[str, Any]) -> dict[str, Any]:
    """The options with the whole name of the conversation in `session`; where nothing is stored, as they are.

    Raises:
        InputError: the name is empty, or may mean several conversations.
        NotFoundError: there is no such conversation.
    """
    name = options.get("session")
    return options if name is None or memory.is_empty else {**options, "session": session_named(memory, name)}


def with_speaker(memory: MemoryRecalls, options: dict[str, Any]) -> dict[str, Any]:
    """The options with the whole name of the speaker in `speaker`; where nothing is stored, as they are.

    Raises:
        InputError: the name may mean several speakers.
        NotFoundError: nobody of this name speaks.
    """
    name = options.get("speaker")
    if name is None or memory.is_empty:
        return options
    speakers = list(memory.reads.live.view().speakers)
    called = people_called(name, speakers)
    if len(called) > 1:
        raise InputError(f"--speaker {name!r:.200} may be any of {', '.join(called[:_NAMED])}; give the whole name")
    if not called:
        near = get_close_matches(name, speakers, n=_NEAR) or speakers[:_NAMED]
        who = f"; there is {' and '.join(map(repr, near))}" if near else "; no turn has one, --role filters by role"
        raise NotFoundError(f"there is no speaker {name!r:.200}{who}")
    return {**options, "speaker": called[0]}


def with_times(memory: MemoryRecalls, options: dict[str, Any]) -> dict[str, Any]:
    """The options with the whole names of session and speaker, and for words for a time the moment that they mean.

    "Last week" is counted from today, or from the last day of the conversation, as `clew when` counts.

    Raises:
        BadParameter: the words name no time.
        ClewError: see `with_session`.
    """
    options = with_ends(memory, with_speaker(memory, with_session(memory, options)))
    phrases = {name: options[name] for name in ("since", "until") if isinstance(options.get(name), str)}
    if not phrases:
        return options
    try:
        return with_moments(memory.reads.live.view(), memory.reads.clock(), options)
    except InputError as error:
        raise click.BadParameter(str(error), param_hint=" and ".join(f"--{name}" for name in phrases)) from error


def with_ends(memory: MemoryRecalls, options: dict[str, Any]) -> dict[str, Any]:
    """The options with the last moment of a time in words in `as_of` and `known_at`, counted from today.

    Raises:
        BadParameter: the words name no time.
    """
    ends: dict[str, datetime] = {}
    for name in ("as_of", "known_at"):
        words = options.get(name)
        if isinstance(words, str):
            try:
                ends[name] = last_moment_of(words, name, memory.reads.clock())
            except InputError as error:
                raise click.BadParameter(str(error), param_hint=f"--{name.replace('_', '-')}") from error
    return {**options, **ends}
