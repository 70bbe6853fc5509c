"""Where the turns of sub-agents go whose requests named the session of the main agent, but not themselves.

Such a sub-agent (of Claude Code 1 and 2.0) has a conversation of its own in the proxy, without a name, and is a branch
of its session's file. When the file is imported, the branch belongs to that conversation if this was sent for the same
session, and says the same: the prompt, and where there are calls, calls of the same ids.
"""

import threading
from collections.abc import Sequence
from typing import Final

from clew.rows.branch_paths import SUBAGENTS
from clew.rows.conversations import agents_of
from clew.store.protocol import Reader, Store
from clew.types.turn import Turn
from clew.write.same_words import stored_words
from clew.write.session_log import by_external_id

SOURCE: Final = "claude-code"
_MOST: Final = 1_000
"""Branches that are remembered: a file that is followed brings a branch in pieces."""


class UnnamedAgents:
    """Finds the conversations of one space. Threads may share it."""

    def __init__(self, store: Store, space: str) -> None:
        self._store, self._space = store, space
        self._known: dict[tuple[str, str], str] = {}
        self._lock = threading.Lock()

    def session_of(self, turns: Sequence[Turn]) -> str | None:
        """The session of the conversation to which turns of one branch of a file belong; None for the file's own.

        It is looked for when the branch begins. What is stored in the file's own session stays there.
        """
        first = turns[0]
        name = (first.session, first.branch)
        if first.source != SOURCE or not first.branch.startswith(SUBAGENTS) or first.external_id is None:
            return None
        with self._lock:
            known = self._known.get(name)
            if known is not None or first.branch != f"{SUBAGENTS}{first.external_id}":
                return known
            with self._store.snapshot() as reader:
                found = self._found(reader, turns)
            if found is not None:
                self._known[name] = found
                while len(self._known) > _MOST:
                    self._known.pop(next(iter(self._known)))
            return found

    def _found(self, reader: Reader, turns: Sequence[Turn]) -> str | None:
        first = turns[0]
        if by_external_id(reader, self._space, first.session, first.external_id or "") is not None:
            return None
        taken = {session for (own, _), session in self._known.items() if own == first.session}
        calling = [turn for turn in turns if any(part.type == "tool_call" for part in turn.parts)]
        alike, surely = [], []
        for each in agents_of(reader, self._space, SOURCE, first.session):
            words = stored_words(reader, self._space, each.session, from_file=None)
            if each.session in taken or not words.find(first):
                continue
            alike.append(each.session)
            if any(words.find(turn) for turn in calling):
                surely.append(each.session)
        chosen = surely or alike
        return chosen[0] if len(chosen) == 1 else None
