"""Messages of a request or an answer -> turns ready to be stored, in the form in which imports give them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from clew.condense.wires import Message
from clew.config import IngestConfig
from clew.errors import TurnRejected
from clew.ingest.client_marks import split_words
from clew.ingest.echo import Echoes, marked
from clew.ingest.exchange import wire_message
from clew.ingest.importers.message_turns import ImportedMessage, ToolNames, injected, message_turns
from clew.ingest.importers.record import ImportedTurn
from clew.ingest.strings import with_parts
from clew.types import Part, Turn
from clew.write.append import PlacedTurn
from clew.write.lone_summaries import SessionTurns, tell_lone_summary
from clew.write.prepare import admit, derive, prepare

SOURCE: Final = "proxy"
"""`Turn.source` where the client is unknown; else its name."""


@dataclass(frozen=True, slots=True)
class TurnMaker:
    """Makes turns of the messages of one request.

    Attributes:
        client: name of the program; empty when unknown.
        stored: reads what is stored of the session.
        by_program: whether a program, and no person, wrote the user's messages.
        metadata: of every turn.
    """

    session: str
    client: str
    echoes: Echoes
    config: IngestConfig
    stored: SessionTurns
    by_program: bool = False
    metadata: Mapping[str, Any] | None = None

    def turns(
        self,
        messages: Sequence[Message],
        moment: datetime | None,
        names: ToolNames,
        *,
        stands_in: bool = False,
        begins: bool = False,
    ) -> list[PlacedTurn]:
        """The turns of messages; one that says nothing gives none.

        Args:
            names: of the tools called before.
            stands_in: whether the messages stand for dropped ones and are nobody's words.
            begins: whether the request has no answer before them: a summary among them may be all there is.
        """
        return [
            PlacedTurn(item, derive(item.turn))
            for message in messages
            for turn in self._turns(message, moment, names, stands_in=stands_in)
            for item in (prepare(self._told(turn) if begins else turn, self.config),)
            if item.excluded is None
        ]

    def _told(self, turn: Turn) -> Turn:
        return tell_lone_summary(turn, self.stored)

    def _turns(self, message: Message, moment: datetime | None, names: ToolNames, *, stands_in: bool) -> Iterator[Turn]:
        role, parts, speaker = wire_message(message)
        is_user = role == "user"
        parts = names.name(parts)
        if stands_in:
            parts = injected(parts)
        elif is_user:
            parts = tuple(piece for part in parts for piece in _by_author(part))
        imported = ImportedMessage(
            source=self.client or SOURCE,
            session=self.session,
            role=role,
            parts=marked(parts, self.echoes),
            at=moment,
            speaker=speaker,
            origin="assistant" if is_user and self.by_program else None,
            metadata=dict(self.metadata or {}),
            skip_blank=True,
        )
        for record in message_turns(imported, "the message"):
            if isinstance(record, ImportedTurn):
                yield _admitted(record.turn)


def _admitted(turn: Turn) -> Turn:
    """A turn fit for every store.

    What a client sends beside the words may be no JSON (NaN, which some write); then the words are stored without it.
    """
    try:
        return admit(turn)
    except TurnRejected:
        return admit(with_parts(turn, tuple(replace(part, extra=None) for part in turn.parts)))


def _by_author(part: Part) -> Iterator[Part]:
    """A part of a user's message: what the user wrote, then what the program added, as injected parts."""
    pieces = split_words(part.text) if part.type == "text" and part.text else []
    if all(is_own for _, is_own in pieces):
        yield part
        return
    yield from (replace(part, text=text) for text, is_own in pieces if is_own)
    yield from (Part(type="injected", text=text) for text, is_own in pieces if not is_own)


def calls_before(messages: Sequence[Message]) -> ToolNames:
    """The names of the tools that messages call."""
    names = ToolNames()
    for message in messages:
        names.name(wire_message(message)[1])
    return names
