"""When a session of SpecStory's began, and the times of its messages, as far as its files of several years say.

| | heading | name of the file | labels |
|---|---|---|---|
| spring 2025 | local time, no zone | UTC, no zone | none |
| autumn 2025, Cursor | UTC, to the minute | the same | of the person: a minute, often that of a whole session |
| since 2026 | UTC | the same | UTC, each |
"""

import re
from datetime import UTC, datetime, timedelta
from typing import Final

from clew.ingest.when import parse_when

_DAY: Final = r"\d{4}-\d\d-\d\d"
_ZONE: Final = r"Z|[+-]\d\d:?\d\d"
MOMENT: Final = re.compile(rf"{_DAY}[ T]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:{_ZONE})?")
_NAMED: Final = re.compile(rf"(?P<day>{_DAY})_(?P<hour>\d\d)-(?P<minute>\d\d)(?:-(?P<second>\d\d))?Z?(?=[-.]|$)")
"""The time at the beginning of a file's name."""
_TO_THE_MINUTE: Final = re.compile(rf"{_DAY}[ T]\d\d:\d\d(?:{_ZONE})?")
_MINUTE: Final = timedelta(minutes=1)
_OFFSETS: Final = timedelta(minutes=15), timedelta(hours=14)
"""What offsets of zones are multiples of, and the largest."""


class SessionTimes:
    """The times of one session."""

    def __init__(self, file_name: str) -> None:
        """Begins with the time in the file's name, which is UTC."""
        named = _NAMED.match(file_name)
        text = f"{named['day']} {named['hour']}:{named['minute']}:{named['second'] or '00'}" if named else None
        self._named = parse_when(text)
        self._begun = self._named
        self._latest: datetime | None = None

    def heading(self, moment: str) -> None:
        """Takes the time in a heading: in a zone of its own, or local, of which the file's name tells the zone."""
        at = parse_when(moment)
        if at is None:
            return
        local = not moment.endswith("Z") and moment[-6:-5] not in "+-" and moment[-5:-4] not in "+-"
        named = self._named
        if local and named is not None:
            offset = at.replace(second=0, microsecond=0) - named.replace(second=0)
            if abs(offset) <= _OFFSETS[1] and not offset % _OFFSETS[0]:
                at -= offset
        self._begun = at.astimezone(UTC)

    def of(self, label: str | None) -> datetime | str | None:
        """The time of a message: its label's, else that of the message before, of the first the session's start.

        A minute before the start is that of a session before, which some versions wrote; the start is nearer.
        """
        at = parse_when(label)
        if label is not None and at is None:
            return label
        begun = self._begun
        if at is not None and begun is not None and _TO_THE_MINUTE.fullmatch(label or "") and begun - at >= _MINUTE:
            at = None
        self._latest = at or self._latest or begun
        return self._latest
