"""Filter options whose value depends on the memory: words for a time."""

from typing import Any

import click

from clew.errors import InputError
from clew.memory.recalls import MemoryRecalls
from clew.recall.timeline import with_moments


def with_times(memory: MemoryRecalls, options: dict[str, Any]) -> dict[str, Any]:
    """The options with words for a time in `since` and `until` replaced by the moment that they mean.

    "Last week" is counted from today, or from the last day of the conversation, as `clew when` counts.

    Raises:
        BadParameter: the words name no time.
    """
    phrases = {name: options[name] for name in ("since", "until") if isinstance(options.get(name), str)}
    if not phrases:
        return options
    try:
        return with_moments(memory.reads.live.view(), memory.reads.clock(), options)
    except InputError as error:
        raise click.BadParameter(str(error), param_hint=" and ".join(f"--{name}" for name in phrases)) from error
