"""Finds the session of a sub-agent whose requests named only the session of its main agent.

Such a sub-agent (of Claude Code 1 and 2.0) has a conversation of its own in the proxy, without a name. In files it is a
branch of its session (version 1), or a session that is called by an id which its requests lack (2.0). What a file holds
of it belongs to that conversation if this was sent for the same session, and says the same: the prompt, and where there
are calls, calls of the same ids.

A branch that was imported before the proxy saw the sub-agent stays where it is. What the sub-agent says from then on is
a session by the name that `agent_session` gives, and the rest of the branch goes there, too.
"""

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from clew.ingest.branches import SUBAGENTS
from clew.ingest.importers.claude_code import NAME as SOURCE
from clew.ingest.importers.claude_code import agent_in, agent_session
from clew.rows.conversations import agents_of
from clew.store.protocol import Reader, Store
from clew.store.tables import SESSION
from clew.types.turn import Turn
from clew.write.bounded_cache import forget_oldest
from clew.write.same_words import stored_words
from clew.write.session_log import by_external_id

_MOST: Final = 1_000
"""Sub-agents that are remembered: a file that is followed brings one in pieces."""


@dataclass(frozen=True, slots=True)
class _Agent:
    """A sub-agent as a file names it.

    Attributes:
        main: the session for which it works.
        name: its own id; of a branch that of its first turn.
        is_branch: whether it is a branch of that session.
    """

    main: str
    name: str
    is_branch: bool

    @property
    def session(self) -> str:
        """The name of its session, where it has one."""
        return agent_session(self.main, self.name)


class UnnamedAgents:
    """Finds the conversations of one space. Threads may share it."""

    def __init__(self, store: Store, space: str) -> None:
        self._store, self._space = store, space
        self._known: dict[str, str] = {}
        self._lock = threading.Lock()

    def session_of(self, turns: Sequence[Turn]) -> str | None:
        """The session of the conversation to which turns of one branch of a file belong; None for the file's own.

        What is stored in the file's own session stays there, see `stays`.
        """
        agent = _agent(turns[0])
        if agent is None:
            return None
        with self._lock:
            known = self._known.get(agent.session)
            if known is not None:
                return known
            with self._store.snapshot() as reader:
                session = self._found(reader, turns, agent)
            if session is not None:
                self._known[agent.session] = session
                forget_oldest(self._known, _MOST)
            return session

    def stays(self, turn: Turn) -> bool:
        """Whether a turn is stored already where its file has it."""
        if turn.external_id is None:
            return False
        with self._store.snapshot() as reader:
            return by_external_id(reader, self._space, turn.session, turn.external_id) is not None

    def _found(self, reader: Reader, turns: Sequence[Turn], agent: _Agent) -> str | None:
        has_session = SESSION.get(reader, (self._space, agent.session)) is not None
        if not agent.is_branch and has_session:
            return None
        if agent.is_branch and by_external_id(reader, self._space, agent.main, agent.name) is not None:
            return agent.session if has_session else None
        taken = set(self._known.values())
        first, *others = turns
        begins = first.external_id == agent.name if agent.is_branch else first.role == "user" and not _calls(first)
        alike, surely = [], []
        for session in agents_of(reader, self._space, SOURCE, agent.main):
            words = stored_words(reader, self._space, session, from_file=None)
            if session in taken or not words.find(first):
                continue
            if begins:
                alike.append(session)
            if _calls(first) or any(_calls(turn) and words.find(turn) for turn in others):
                surely.append(session)
        chosen = surely or alike
        return chosen[0] if len(chosen) == 1 else None


def _calls(turn: Turn) -> bool:
    """Whether a turn has calls of tools, or their results, whose ids are the same by both ways."""
    return any(part.call_id is not None for part in turn.parts)


def _agent(turn: Turn) -> _Agent | None:
    """The sub-agent to which a turn of a file belongs; None for the main agent, and for turns of other programs."""
    if turn.source != SOURCE or turn.external_id is None:
        return None
    if turn.branch.startswith(SUBAGENTS):
        return _Agent(turn.session, turn.branch.removeprefix(SUBAGENTS), is_branch=True)
    own = agent_in(turn.session)
    return None if own is None else _Agent(*own, is_branch=False)
