"""Slack's export of a workspace: a folder for each channel, and in it a list of messages for each day.

Who a user is stands in the message (`user_profile`) or in `users.json` beside the channels. The days of a channel are
one session, named by the channel's folder. Each turn tells its workspace, since others have channels of that name, too.
Joins, topics and other events of the channel are skipped.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from html import unescape
from pathlib import PurePosixPath
from typing import Any, Final, NamedTuple

from clew.ingest.encoding import escape_surrogates
from clew.ingest.importers.json_fields import dict_of, objects_of, text_of, texts_of, without_none
from clew.ingest.importers.message_turns import ImportedMessage, message_turns
from clew.ingest.importers.record import ImportedTurn, ImportRecord, NamedFile, Skipped
from clew.ingest.importers.source import JsonRecord, Source, json_list, parse, read_each
from clew.types import Part

NAME: Final = "slack"
WORKSPACE: Final = "workspace"
"""The key in a turn's metadata of the workspace's id."""
_USERS: Final = "users.json"
_LISTS: Final = frozenset(
    f"{name}.json"
    for name in "users org_users channels groups dms mpims integration_logs canvases lists file_conversations".split()
)
"""Files beside the channels, of which that of the users alone is read."""
_SPOKEN: Final = ("", "bot_message", "me_message", "file_share", "file_comment", "thread_broadcast", "reply_broadcast")
_NAMES: Final = ("real_name", "display_name", "name")
_LINK: Final = re.compile(r"<([@#!]?)([^<>|]+)(?:\|([^<>]*))?>")

JsonObject = Mapping[str, Any]


def read(source: Source) -> Iterator[ImportRecord]:
    """Reads the messages of a channel's day."""
    channel = _ChannelDay(source)
    for record in read_each(json_list(source, None), channel.records):
        if isinstance(record, ImportedTurn) and source.session is None:
            yield replace(record, file=channel.export, chat=channel.workspace)
        else:
            yield record


def is_listing(source: Source) -> bool:
    """Whether a file tells of the users or channels of a workspace, and holds no messages."""
    name = re.split(r"[/!\\]", source.label)[-1]
    return name in _LISTS and bool(_members(source.asset(_USERS) or b"").names)


class _ChannelDay:
    """Reads one file of a channel."""

    def __init__(self, source: Source) -> None:
        folder, _, _day = source.stem.rpartition("/")
        self._session = source.session_for(folder or (source.path.parent.name if source.path else None))
        self._names, self.workspace = _members(source.asset(_USERS) or b"")
        self.export = _export(source)

    def records(self, item: JsonRecord) -> Iterator[ImportRecord]:
        value = item.value
        kind = text_of(value, "subtype") or ""
        if kind not in _SPOKEN:
            yield Skipped(f"event:{kind}", item.where)
            return
        files = texts_of(value, "files", "name")
        message = ImportedMessage(
            source=NAME,
            session=self._session,
            role="user",
            parts=(Part(type="text", text=self._text(value)),),
            at=text_of(value, "ts"),
            external_id=text_of(value, "ts"),
            speaker=self._speaker(value),
            metadata=without_none(thread=_thread(value), files=files or None, **{WORKSPACE: self.workspace}),
            skip_blank=True,
        )
        yield from message_turns(message, item.where)

    def _speaker(self, value: JsonObject) -> str | None:
        user = text_of(value, "user")
        own = text_of(dict_of(value, "user_profile"), *_NAMES)
        return own or self._names.get(user or "") or text_of(value, "username") or text_of(value, "user", "bot_id")

    def _text(self, value: JsonObject) -> str:
        """What the message says; programs often say it in attachments alone."""
        texts = [text_of(value, "text")]
        if texts == [None]:
            attached = objects_of(value, "attachments")
            texts = [text_of(attachment, name) for attachment in attached for name in ("pretext", "title", "text")]
            texts = texts if any(texts) else [text_of(attachment, "fallback") for attachment in attached]
        return unescape(_LINK.sub(self._written_out, "\n".join(filter(None, texts))))

    def _written_out(self, match: re.Match[str]) -> str:
        """`<@U02>` as `@Ann`, `<#C1|general>` as `#general`, `<https://x|page>` as `page (https://x)`."""
        sign, target, label = match.groups()
        if sign == "@":
            return f"@{self._names.get(target) or label or target}"
        if sign:
            return f"{'#' if sign == '#' else '@'}{label or target.partition('^')[0]}"
        return f"{label} ({target})" if label and label != target else target


def _thread(value: JsonObject) -> str | None:
    """The id of the message that this one answers in a thread."""
    thread = text_of(value, "thread_ts")
    return thread if thread != text_of(value, "ts") else None


def _export(source: Source) -> NamedFile | None:
    """What holds the channels' folders; the same for all days and channels of an export."""
    if source.file is None:
        return None
    if source.path is not None:
        folder = source.path.absolute().parent.parent
        return NamedFile(escape_surrogates(folder.name), escape_surrogates(str(folder)), is_member=True)
    archive, _, member = source.file.place.rpartition("!")
    inner = PurePosixPath(member).parent.parent
    return NamedFile(inner.name or source.file.holder, f"{archive}!{inner}", is_member=True)


class _Members(NamedTuple):
    """The members of a workspace: the name of each by their id, and the workspace's id."""

    names: Mapping[str, str]
    workspace: str | None


@lru_cache(maxsize=4)  # the files of all days and channels have the same users
def _members(data: bytes) -> _Members:
    try:
        listed = parse(data) if data else []
    except ValueError:
        listed = []  # then ids stand for the names
    users = [user for user in listed if isinstance(user, dict)] if isinstance(listed, list) else []
    return _Members(_user_names(users), _workspace(users))


def _user_names(users: Sequence[JsonObject]) -> Mapping[str, str]:
    names: dict[str, str] = {}
    for user in users:
        if own := text_of(user, "id"):
            name = text_of(dict_of(user, "profile"), *_NAMES) or text_of(user, *_NAMES)
            names[own] = name or own
    return names


def _workspace(users: Sequence[JsonObject]) -> str | None:
    """The id of the workspace: that of most of its users, of whom some may be guests; of several, the first."""
    teams = Counter(team for user in users if (team := text_of(user, "team_id")))
    return max(teams, key=lambda team: teams[team], default=None)
