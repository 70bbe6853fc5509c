"""Answers of OpenAI Responses that were made in the background and are fetched by their id. Start at `FetchedAnswers`.

The request that asks for such an answer gets none: the client fetches it with `GET …/responses/ID`, again and again
until it is whole. Then it is stored behind its question, once. One whose question is not stored belongs to nobody.
"""

import re
from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import parse_qsl

from clew.ingest.echo import NO_ECHOES
from clew.ingest.importers.json_fields import without_none
from clew.memory.wiring import Parts
from clew.rows.conversations import (
    State,
    StoredConversation,
    StoredMessage,
    get_conversation,
    messages_of,
    with_chain,
)
from clew.serve.proxy.exchange import Answer
from clew.serve.proxy.history.conversation_lookup import answer_chain
from clew.serve.proxy.history.conversation_writer import ConversationWriter
from clew.serve.proxy.history.conversations import Conversation
from clew.serve.proxy.history.memorize import with_answer
from clew.serve.proxy.history.message_form import Unit, units_of
from clew.serve.proxy.history.message_turns import TurnMaker, calls_before
from clew.store.protocol import Reader
from clew.store.tables import SPACE

_PATH: Final = re.compile(r"/(?:[^?]*/)?responses/(?P<id>[^/?]+)(?:\?(?P<query>.*))?")


@dataclass(frozen=True, slots=True)
class Fetch:
    """A request for an answer.

    Attributes:
        id: of the answer.
        stream: whether its events are asked for.
    """

    id: str
    stream: bool = False


def fetch_of(method: str, path: str) -> Fetch | None:
    """What a request fetches, by its path below the provider's prefix; None for no whole answer of Responses."""
    match = _PATH.fullmatch(path) if method.upper() == "GET" else None
    asked = dict(parse_qsl(match["query"] or "")) if match is not None else {}
    if match is None or "starting_after" in asked:  # the rest of a stream
        return None
    return Fetch(match["id"], asked.get("stream") == "true")


@dataclass(frozen=True, slots=True)
class FetchedAnswers:
    """Stores the fetched answers of one space. Threads may share it."""

    parts: Parts

    def store(self, fetch: Fetch, answer: Answer) -> None:
        """Stores an answer behind its question; one that is not whole yet, or is stored already, changes nothing.

        Raises:
            StoreError: it cannot be stored.
        """
        reads = self.parts.reads
        said = units_of(answer.messages)
        if not answer.complete or not any(unit.role == "assistant" for unit in said):
            return
        with reads.store.snapshot() as reader:
            space = SPACE.get(reader, (reads.space,))
            asked = None if space is None else _asked(reader, reads.space, answer_chain(space.salt, fetch.id))
        if space is None or asked is None:
            return
        last = said[-1]
        place = len(asked.units)
        unit = replace(last, first=last.first + place, last=last.last + place)
        whole = with_answer(replace(asked, salt=space.salt), asked.units, unit, len(answer.messages))
        metadata = without_none(model=answer.model or None)
        config, turns_of = reads.config.ingest, self.parts.appender.turns_of_session
        maker = TurnMaker(asked.session, asked.client, NO_ECHOES, config, turns_of, metadata=metadata)
        turns = maker.turns(answer.messages, reads.clock(), calls_before(()))
        writer = ConversationWriter(self.parts, whole, relays=True, answer=fetch.id)
        stored = writer.write({place: turns}, State.ANSWERED)
        if stored is not None:
            self.parts.worker.wake()
            stored.wait_for_disk()


def _asked(reader: Reader, space: str, chain: bytes) -> Conversation | None:
    """The conversation up to the question of an answer, whose earlier messages are not needed.

    Args:
        chain: by which a history is found that goes on from the answer.
    """
    begun = min(with_chain(reader, space, chain), key=lambda each: each.depth, default=None)
    stored = None if begun is None else get_conversation(reader, space, begun.conversation)
    if begun is None or stored is None:
        return None
    question = next(
        (
            each
            for each in messages_of(reader, space, begun.conversation, begun.depth)
            if each.digest == begun.digest and each.turns[-1] == begun.turns[-1] and each.chain != chain
        ),
        None,
    )
    return None if question is None else _up_to(stored, question)


def _up_to(stored: StoredConversation, question: StoredMessage) -> Conversation:
    count = question.depth + 1
    before = count - 1
    return Conversation(
        session=stored.session,
        name=stored.session,
        fresh=False,
        known=count,
        cut=False,
        messages=count,
        client=stored.client,
        own_id=stored.own_id,
        key=stored.key,
        units=tuple(Unit(i, i, "user", b"") for i in range(count)),
        digests=(*(b"" for _ in range(before)), question.digest),
        chains=(*(b"" for _ in range(before)), question.chain),
        held=(*(() for _ in range(before)), question.turns[-1]),
        relayed=question.relayed,
        recorded=count,
    )
