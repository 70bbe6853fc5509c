"""Filter options whose value depends on the memory: words for a time."""

from typing import Any

import click

from clew.errors import InputError
from clew.memory.recalls import MemoryRecalls
from clew.rank.intent.time_window import time_window
from clew.recall.timeline import days_of


def with_times(memory: MemoryRecalls, options: dict[str, Any]) -> dict[str, Any]:
    """The options with words for a time in `since` and `until` replaced by the moment that they mean.

    "Last week" is counted from today, or from the last day of the conversation, as `clew when` counts.

    Raises:
        BadParameter: the words name no time.
    """
    phrases = {name: options[name] for name in ("since", "until") if isinstance(options.get(name), str)}
    if not phrases:
        return options
    covered = days_of(memory.reads.live.view(), options.get("session"))
    try:
        window = time_window(phrases.get("since"), phrases.get("until"), "", memory.reads.clock(), covered)
    except InputError as error:
        raise click.BadParameter(str(error), param_hint=" and ".join(f"--{name}" for name in phrases)) from error
    return options | {name: getattr(window, name) for name in phrases}
