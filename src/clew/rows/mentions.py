"""The files that turns are about, as rows: written in the background, read for quests and questions about files."""

import json
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from clew.errors import is_rule_failure
from clew.project.links import LINKS_VERSION, TurnLinks, links_of
from clew.rows.failed_jobs import RuleStage, drop_jobs
from clew.store.protocol import Reader, Transaction
from clew.store.row_types import MetaRow, TurnRow
from clew.store.rows import dumps, turn_from_row
from clew.store.selections import MENTION_SESSION, MENTION_VALUE, MENTION_VALUES, META_VALUE
from clew.store.tables import MENTION, META

PROGRESS: Final = "mentions"
"""The row of META that says how far turns are read: `<version> <ordinal of the first that is not>`, followed by the
ordinals of turns before it that are to be read again."""

_AT_ONCE: Final = 500

_LISTS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "e": "edited",
        "r": "read",
        "x": "ran",
        "s": "said",
        "o": "shown",
        "i": "names",
        "c": "checks",
        "v": "verdicts",
        "f": "edits",
        "u": "undone",
    }
)
_FLAGS: Final[Mapping[str, str]] = MappingProxyType(
    {"n": "calls", "k": "commits", "d": "confirms", "w": "wordless", "q": "decides", "t": "thanks"}
)
_PAIRS: Final = frozenset("cvf")


def mention_text(links: TurnLinks) -> str:
    """The text of a row; what is empty has no key."""
    members: dict[str, Any] = {key: getattr(links, name) for key, name in _LISTS.items()}
    members |= {key: int(getattr(links, name)) for key, name in _FLAGS.items()}
    return dumps({key: value for key, value in members.items() if value})


def links_from(text: str) -> TurnLinks:
    """What `mention_text` wrote."""
    members = json.loads(text)
    values: dict[str, Any] = {name: bool(members.get(key)) for key, name in _FLAGS.items()}
    for key, name in _LISTS.items():
        values[name] = tuple(map(tuple, members.get(key, ()))) if key in _PAIRS else tuple(members.get(key, ()))
    return TurnLinks(**values)


def read_links(reader: Reader, space: str, ordinals: Sequence[int]) -> list[TurnLinks]:
    """The links of turns with files, by ordinal; empty for a turn without a row, or not read yet."""
    texts = MENTION_VALUE.get_many(reader, [(space, ordinal) for ordinal in ordinals])
    return [TurnLinks() if text is None else links_from(text) for text in texts]


def links_read_now(row: TurnRow) -> TurnLinks:
    """The links of a turn that the background work has not read yet; empty if the rules fail on it.

    Whoever asks gets an answer, and the background tells of the turn when it comes to it (`clew.rows.set_aside`).
    """
    try:
        return links_of(turn_from_row(row))
    except Exception as error:
        if not is_rule_failure(error):
            raise
        return TurnLinks()


def linked_rows(reader: Reader, space: str, low: int) -> Iterator[tuple[int, TurnLinks]]:
    """Yields ordinal and links of each turn that has links, from the ordinal `low` on; rows are read in batches."""
    while True:
        rows = MENTION_VALUES.scan(reader, (space, low), (space,), limit=_AT_ONCE)
        yield from ((row.ordinal, links_from(row.data)) for row in rows)
        if len(rows) < _AT_ONCE:
            return
        low = rows[-1].ordinal + 1


def sessions_of_work(reader: Reader, space: str) -> list[str]:
    """The sessions with turns that change or check something, as far as turns were read; reads one row of each."""
    sessions: list[str] = []
    while row := MENTION_SESSION.first(
        reader, (space, f"{sessions[-1]}\x01") if sessions else (space,), (space,), index="session"
    ):
        sessions.append(row)
    return sessions


def read_until(reader: Reader, space: str) -> tuple[str | None, int]:
    """The row that says how far turns are read, and the number of the first that is not; 0 after another version."""
    text = META_VALUE.get(reader, (space, PROGRESS))
    version, ordinal, *_ = (text or "0 0").split(" ")
    return text, int(ordinal) if int(version) == LINKS_VERSION else 0


def read_again(text: str | None) -> tuple[int, ...]:
    """The numbers of earlier turns that are to be read again, from the row that says how far turns are read."""
    version, _, *again = (text or "0 0").split(" ")
    return tuple(map(int, again)) if int(version) == LINKS_VERSION else ()


def note_read(tx: Transaction, space: str, until: int, again: Sequence[int] = ()) -> None:
    """Records that all turns before an ordinal are read, except those that are to be read again."""
    numbers = " ".join(map(str, (LINKS_VERSION, until, *again)))
    META.put(tx, [MetaRow(space, PROGRESS, numbers)])


def drop_mentions(tx: Transaction, space: str) -> int:
    """Deletes all links, so that they are made again; returns how many rows there were."""
    tx.delete(META.name, (space, PROGRESS), (space, PROGRESS))
    drop_jobs(tx, space, RuleStage.MENTIONS)
    return tx.delete(MENTION.name, (space,), (space,))
