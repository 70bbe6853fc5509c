"""A session of the OpenAI Agents SDK whose items are turns of a memory.

    result = await Runner.run(agent, "...", session=ClewSession(memory, "thread-7"))

Needs `openai-agents`. Clearing a session begins a new stretch of it: what the SDK sees is empty, while the earlier
turns can still be recalled; `Memory.forget(session=...)` removes one stretch, by its name (`thread-7#2`).
"""

import asyncio
import json
from collections.abc import Mapping
from typing import Any, Final

from agents.memory import SessionABC

from clew.adapters.session_log import Stretches
from clew.errors import InputError, TurnRejected
from clew.ingest.exchange import turns_of
from clew.ingest.formats.sdk import joined_items, plain
from clew.memory import Memory
from clew.memory.arguments import given_count
from clew.types.turn import Part, Turn

ITEM: Final = "item"


class ClewSession(SessionABC):
    """A session over an open memory, which its owner closes. Several objects and processes may share an id."""

    def __init__(self, memory: Memory, session_id: str) -> None:
        """Opens the session, at its newest stretch."""
        self._stretches = Stretches(memory, session_id)
        self._memory, self.session_id = self._stretches.memory, self._stretches.name

    async def get_items(self, limit: int | None = None) -> list[Any]:
        """The items, oldest first, exactly as they were added but for masked secrets; with `limit` the newest ones.

        Raises:
            InputError: `limit` is negative or no whole number.
        """
        most = None if limit is None else given_count(limit, "limit", "the number of newest items")
        items = await asyncio.to_thread(self._items)
        return items if most is None else items[max(0, len(items) - most) :]

    async def add_items(self, items: list[Any]) -> None:
        """Stores items, each as one turn.

        Raises:
            InputError: an item is not an object of JSON.
        """
        await asyncio.to_thread(self._add, items)

    async def pop_item(self) -> Any | None:
        """Removes the newest item for good, as the SDK asks for when it repeats a step; None if there is none."""
        return await asyncio.to_thread(self._pop)

    async def clear_session(self) -> None:
        """Begins a new, empty stretch; the turns of the earlier ones stay in the memory."""
        await asyncio.to_thread(self._stretches.clear, ITEM)

    def _items(self) -> list[Any]:
        return [turn.metadata[ITEM] for turn in self._stretches.turns(ITEM)]

    def _add(self, items: list[Any]) -> None:
        session = self._stretches.session()
        for turn in [item_turn(item, session) for item in items]:  # one by one: an item that comes twice is two items
            self._memory.add(turn)

    def _pop(self) -> Any | None:
        while turns := self._stretches.turns(ITEM):
            if self._memory.forget(turn_ids=[str(turns[-1].id)]).turns:  # else another caller has just removed it
                return turns[-1].metadata[ITEM]
        return None


def item_turn(item: Any, session: str) -> Turn:
    """The turn of an item, which keeps the item as it came in its metadata.

    Raises:
        InputError: the item is not an object of JSON.
    """
    value = plain(item)
    if not isinstance(value, Mapping):
        raise InputError(f"an item: expected an object of the Responses API, got {type(item).__name__}")
    try:
        kept = json.loads(json.dumps(value, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"an item cannot be written as JSON: {error}; give plain data") from error
    try:
        made = list(turns_of(joined_items([dict(kept)]), session, None))
    except TurnRejected:  # a kind of item that is unknown: kept, though nothing of it can be found
        made = []
    parts = tuple(part for turn in made for part in turn.parts)
    if not parts:  # reasoning without words, and kinds that are unknown
        parts = (Part(type="injected", text=f"({kept.get('type')})"),)
    role = made[0].role if made else "assistant"
    return Turn(role=role, content=parts, session=session, metadata={ITEM: kept})
