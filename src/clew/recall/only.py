"""What a caller may restrict a recall or search to, checked and in the form that the ranker takes."""

from datetime import datetime
from typing import TypedDict

from clew.errors import InputError
from clew.ingest.encoding import escape_surrogates
from clew.recall.ranker import Filter
from clew.types.turn import aware


class Only(TypedDict, total=False):
    """What a caller may restrict a recall or search to; what is left out restricts nothing.

    Attributes:
        session: name of a conversation.
        since: event time from here on, included; turns without a time are left out.
        until: event time before this moment; likewise.
        role: user, assistant, system or tool.
        speaker: a name as it was stored.
    """

    session: str | None
    since: datetime | None
    until: datetime | None
    role: str | None
    speaker: str | None


def filter_of(only: Only) -> Filter:
    """The same for the ranker.

    Raises:
        InputError: the time range ends before it starts.
    """
    since, until = time_range(only.get("since"), only.get("until"))
    session, speaker = escaped(only.get("session")), escaped(only.get("speaker"))
    return Filter(session=session, since=since, until=until, role=only.get("role"), speaker=speaker)


def time_range(since: datetime | None, until: datetime | None) -> tuple[datetime | None, datetime | None]:
    """Both ends in UTC.

    Raises:
        InputError: the range ends before it starts.
    """
    since, until = aware(since, "since"), aware(until, "until")
    if since is not None and until is not None and until <= since:
        raise InputError(f"the range ends ({until.isoformat()}) before it starts ({since.isoformat()}); swap them")
    return since, until


def escaped(name: str | None) -> str | None:
    """A name as turns are stored under it."""
    return None if name is None else escape_surrogates(name)
