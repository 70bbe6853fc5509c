"""The id of a conversation of Gemini CLI, which stands in its own session file alone. Start at `session_in_file`.

With an API key, Gemini CLI names no session in its requests. But it writes what the person types into the session's
file before it sends it, and its first message names the folder in which the file lies. So of the sessions in that
folder, the one that ends with the question of the request is its session.

Borders: reads files below the user's own `.gemini/tmp` alone, whatever folder a request names.
"""

import os
import re
from contextlib import suppress
from pathlib import Path
from typing import Final

from clew.condense.wires.protocol import Message
from clew.errors import FormatError
from clew.ingest.client_marks import split_words
from clew.ingest.importers import ImportedTurn, read_path
from clew.ingest.importers.gemini_cli import NAME as GEMINI_CLI
from clew.serve.proxy.clients import texts_in
from clew.serve.proxy.exchange import ChatRequest, ClientMark

_FOLDER: Final = re.compile(
    r"temporary directory is: *(?P<folder>[^\n\r]*[/\\\\]\.gemini[/\\\\]tmp[/\\\\](?P<name>[^/\\\\\n\r]+))"
)
_MOST: Final = 8
"""Files that are read, those changed last: a person seldom begins more sessions at a time in one project."""
_MOST_BYTES: Final = 8 << 20
"""Size of a file that is not read, since a request waits for it."""


def session_in_file(request: ChatRequest, client: ClientMark) -> str | None:
    """The id in the file of a request's session; None where there is no file, or several that it may be."""
    if client.name != GEMINI_CLI or client.session is not None or client.side is not None or not request.messages:
        return None
    folder = _folder(request.messages[0])
    asked = [words for message in request.messages if message.get("role") == "user" for words in _own_words(message)]
    if folder is None or not asked or not _own_words(request.messages[-1]):
        return None
    sessions = {session for file in _files(folder) if (session := _session_asking(file, asked)) is not None}
    return sessions.pop() if len(sessions) == 1 else None


def _folder(first: Message) -> Path | None:
    """The folder of session files that a first message names, if it is one of this user's."""
    told = next((match for text in texts_in(first) if (match := _FOLDER.search(text))), None)
    if told is None or told["name"] in (".", ".."):
        return None
    home = Path(os.environ.get("GEMINI_CLI_HOME") or Path.home())
    folder = home / ".gemini" / "tmp" / told["name"]
    return folder / "chats" if str(folder) == told["folder"] else None


def _files(folder: Path) -> list[Path]:
    """The session files of a folder that changed last."""
    states = []
    with suppress(OSError):  # it cannot be listed
        for file in folder.glob("session-*.json*"):
            with suppress(OSError):  # it is gone meanwhile
                state = file.stat()
                if state.st_size <= _MOST_BYTES:
                    states.append((state.st_mtime_ns, file))
    return [file for _, file in sorted(states, reverse=True)[:_MOST]]


def _session_asking(file: Path, asked: list[str]) -> str | None:
    """The session of a file that ends with the last of these questions, and holds the others; None for another."""
    try:
        turns = [record.turn for record in read_path(file, GEMINI_CLI) if isinstance(record, ImportedTurn)]
    except (FormatError, OSError):
        return None
    told = {" ".join(turn.text.split()) for turn in turns if turn.origin == "user"}
    ends_so = bool(turns) and turns[-1].origin == "user" and " ".join(turns[-1].text.split()) == asked[-1]
    return turns[-1].session if ends_so and told.issuperset(asked) else None


def _own_words(message: Message) -> list[str]:
    """The words of the person in a message."""
    said = (words for text in texts_in(message) for words, is_own in split_words(text) if is_own)
    return [words for each in said if (words := " ".join(each.split()))]
