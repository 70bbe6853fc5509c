"""What a client no longer sends of a conversation: brought back once, in a block at the tail.

A client drops the beginning, puts a summary in its place, or begins a new session under the same name (SIGMA's session
transition). The block stays in its message as every other does, so it is not brought back again before much more is
lost. What the history says in other words is not repeated.
"""

import re
import threading
from collections import OrderedDict
from collections.abc import Iterable
from typing import Final

from clew.errors import NotFoundError
from clew.memory import Memory
from clew.serve.proxy.chats import RememberedChat
from clew.serve.proxy.exchange import ChatRequest
from clew.store.tables import TURN
from clew.text.shown_names import escaped_marks
from clew.types.ids import parse_turn_id

FEWEST: Final = 4
"""Stored turns that the client must have dropped."""

GROWTH: Final = 1.5
"""Growth of what is lost from which it is brought back anew."""

SHARE: Final = 2
"""How many budgets of a block the lost history may have: it comes once, the others with every question."""

_HEAD: Final = "The history above no longer holds {lost} earlier turns of this conversation. What mattered in them:"
_MARK: Final = re.compile(r"(?:<[^\n]*>\n)?" + re.escape(_HEAD.partition("{")[0]) + r"(\d{1,9}) earlier turns of this")
"""How a block begins that brings something back, in its frame or without; a quotation of these words is none."""
_SESSIONS: Final = 1_000


class LostHistory:
    """What was brought back to the conversations of a space. Threads may share it."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._told: OrderedDict[str, int] = OrderedDict()
        self._lock = threading.Lock()

    def text(self, request: ChatRequest, remembered: RememberedChat, blocks: Iterable[str], budget: int) -> str:
        """What to bring back now; empty when little was lost, or was brought back before.

        Args:
            blocks: those that stand in earlier messages, which tell what was brought back before a restart.
            budget: most tokens of a block.
        """
        session = remembered.conversation.session
        if remembered.conversation.fresh or not (remembered.conversation.cut or len(request.messages) == 1):
            return ""
        lost = self._lost(session, remembered.conversation.turn_ids)
        told = max(map(_count, blocks), default=0)
        with self._lock:
            told = max(told, self._told.get(session, 0))
        if lost < FEWEST or lost < GROWTH * told:
            return ""
        try:
            insured = self._memory.insure(session, list(request.messages), budget=SHARE * budget).text
        except NotFoundError:  # forgotten since the request came
            return ""
        if not insured.strip():
            self._keep(session, lost)  # nothing that matters: not looked for again before more is lost
            return ""
        return f"{_HEAD.format(lost=lost)}\n{escaped_marks(insured)}"

    def brought_back(self, session: str, text: str) -> None:
        """Notes that a block was recorded, so that what it brings back is not brought back again."""
        if count := _count(text):
            self._keep(session, count)

    def _keep(self, session: str, lost: int) -> None:
        with self._lock:
            self._told[session] = lost
            self._told.move_to_end(session)
            if len(self._told) > _SESSIONS:
                self._told.popitem(last=False)

    def _lost(self, session: str, turn_ids: Iterable[Iterable[str]]) -> int:
        """How many stored turns before the last message that the request holds are not in it."""
        seqs = {parse_turn_id(name)[1] for names in turn_ids for name in names}
        with self._memory.reads.store.snapshot() as reader:
            rows = TURN.scan(
                reader, (self._memory.space, session), (self._memory.space, session), limit=1, reverse=True
            )
        last = rows[0].seq if rows else -1
        return last + 1 - len(seqs)


def _count(block: str) -> int:
    """How many turns a block brings back; 0 for one that brings none back."""
    told = _MARK.match(block)
    return 0 if told is None else int(told[1])
