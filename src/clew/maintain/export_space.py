"""The whole log as one file that `import` reads back to the same turns."""

import logging
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final, TextIO

from clew.errors import InputError, NotFoundError, StoreCorrupt
from clew.ingest.export import export_lines, learned_line, quest_line
from clew.rows.parameters import read_learned
from clew.rows.quest_carrying import quests_to_carry
from clew.rows.turn_log import stored_rows
from clew.store.new_file import new_file
from clew.store.protocol import Store
from clew.store.rows import turn_from_row
from clew.store.translate import translating
from clew.types.turn import Turn

log = logging.getLogger("clew.export")

EXPORTED: Final = frozenset({"turn", "blob", "quest"})
"""Tables that hold text of users and are written to the file."""

LEFT_OUT: Final[Mapping[str, str]] = MappingProxyType(
    dict.fromkeys(
        (
            "annotation",
            "analysis",
            "node",
            "rendering",
            "label",
            "label_alias",
            "entity",
            "edge",
            "statement",
            "fact",
            "mention",
        ),
        "derived from the turns",
    )
    | dict.fromkeys(("compaction", "recap_state", "material", "stand_in"), "made from the turns")
    | dict.fromkeys(("tail", "segment", "speaker"), "the index, derived from the turns")
    | {
        "session": "its title comes with the turns",
        "meta": "progress of what is derived",
        "job": "work that failed here",
        "extraction_run": "how far the extractions of sessions are",
        "extraction_chunk": "what was extracted here, which may be done again",
        "completion": "answers of a model, which may be asked again",
        "receipt": "what this home was asked",
        "pin": "names turns by their ids in this home",
        "conversation": "how the proxy tells conversations apart in this home",
        "injection": "belongs to message lists of clients, and quotes turns",
        "original": "belongs to message lists of clients and not to the log",
    }
)
"""The other tables that hold text of users -> why the export has no need of them."""


def export_space(store: Store, space: str, path: Path) -> int:
    """Writes the space to a new file, see `write_space`; it appears under its name only when it is complete.

    Raises:
        InputError: there is a file already.
        StoreLocked: somebody else is writing a file of this name.
        StoreError: the file cannot be written.
    """
    with translating():
        if path.exists():
            raise InputError(f"{path} exists already; name a new file, or move that one away")
    with new_file(path) as unfinished, unfinished.open("w", encoding="utf-8", newline="\n") as file:
        return write_space(store, space, file)


def write_space(store: Store, space: str, file: TextIO) -> int:
    """Writes every turn with its originals, in order of arrival, as JSON Lines; returns the number of turns.

    A damaged turn, which cannot be read, is left out, and a warning names it.

    What is kept of quests and what was learned from them follows, if anything was.
    """
    count = 0

    def turns() -> Iterator[Turn]:
        nonlocal count
        for rows in stored_rows(store, space):
            for row in rows:
                try:
                    turn = turn_from_row(row)
                except StoreCorrupt as error:
                    log.warning("left out of the export: %s", error)
                    continue
                count += 1
                yield turn

    def blob(sha: str) -> bytes:
        with store.snapshot() as reader:
            data = reader.get_blob(space, sha)
        if data is None:
            raise NotFoundError(f"blob {sha[:12]} is missing; `clew verify` says what else is")
        return data

    def learned() -> Mapping[str, float]:
        with store.snapshot() as reader:
            return read_learned(reader, space).values

    with store.snapshot():  # one state for all: a turn forgotten under way would take its originals along
        file.writelines(f"{line}\n" for line in export_lines(turns(), blob))
        with store.snapshot() as reader:
            file.writelines(f"{quest_line(quest.to_dict())}\n" for quest in quests_to_carry(reader, space))
        values = learned()
        if values:
            file.write(f"{learned_line(values)}\n")
    return count
