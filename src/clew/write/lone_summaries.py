"""Stores a summary as the assistant's words if the turns that it sums up are not stored, so that recall finds it."""

from collections import defaultdict
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from typing import Protocol

from clew.ingest.compaction import KnownHistory, stands_for_history
from clew.ingest.importers import ImportedTurn, ImportRecord
from clew.types.turn import Turn


class SessionTurns(Protocol):
    """Reads what is stored of a session."""

    def __call__(self, session: str) -> Generator[Turn, None, None]:
        """The stored turns of a session, in the order of arrival."""
        ...


def tell_lone_summaries(records: Iterable[ImportRecord], stored: SessionTurns) -> Iterator[ImportRecord]:
    """The records; a summary that replaces what neither they nor the store hold is the assistant's.

    Importers that read a client's own files decide it themselves: they know more of the file than its turns.
    """
    known: dict[str, KnownHistory] = defaultdict(KnownHistory)
    for record in records:
        if isinstance(record, ImportedTurn):
            history = known[record.turn.session]
            turn = tell_lone_summary(record.turn, stored, history)
            yield record if turn is record.turn else replace(record, turn=turn)
            history.take(record.turn)
        else:
            yield record


def tell_lone_summary(turn: Turn, stored: SessionTurns, history: KnownHistory | None = None) -> Turn:
    """The turn, changed to one of the assistant if it is a summary of turns that are not known.

    Args:
        history: what is known of the session besides the store.
    """
    return _as_the_assistants(turn) if _is_lone(turn, history or KnownHistory(), stored) else turn


def _is_lone(turn: Turn, history: KnownHistory, stored: SessionTurns) -> bool:
    """Whether a turn is a summary of what neither the history before it nor the store holds."""
    if turn.origin != "injected" or not stands_for_history(turn) or not history.lacks_summarised:
        return False
    before = KnownHistory()
    with closing(stored(turn.session)) as turns:
        for held in turns:
            if held.text == turn.text:  # it comes again, and is judged as the first time
                break
            before.take(held)
    before.compacted_tokens = history.compacted_tokens or before.compacted_tokens
    return before.lacks_summarised


def _as_the_assistants(turn: Turn) -> Turn:
    parts = tuple(replace(part, type="text") if part.type == "injected" else part for part in turn.parts)
    return replace(turn, role="assistant", origin="assistant", content=parts)
