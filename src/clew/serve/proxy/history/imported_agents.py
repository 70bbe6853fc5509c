"""A sub-agent of Claude Code that was imported before its requests came, and that names only the session it works for.

Start at `imported_agent`. What a file and a request both have is what was said: the prompt, the ids of calls and of
their results, and the words of answers. A sub-agent is recognised by its prompt together with a call, or with an answer
where it called nothing. By the prompt alone it is recognised while its file has no answer either, if it was said within
the same hour, and if one sub-agent alone fits. All others stay apart.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from clew.ingest.branches import SUBAGENTS
from clew.ingest.echo import NO_ECHOES
from clew.ingest.importers.claude_code import NAME as CLAUDE_CODE
from clew.ingest.importers.claude_code import agent_in, agent_session
from clew.memory.wiring import Parts
from clew.rows.conversations import conversation_key, get_conversation
from clew.serve.proxy.history.conversation_lookup import Look
from clew.serve.proxy.history.message_turns import TurnMaker, calls_before
from clew.store.protocol import Reader
from clew.store.rows import turn_from_row
from clew.store.selections import SESSION_NAME
from clew.store.tables import TURN
from clew.store.turn_selections import TURN_BRANCHES
from clew.types import Turn
from clew.write.same_words import SpokenPieces

_BEGINNING: Final = 4
"""Turns at the beginning of a sub-agent's session among which its prompt is: a program may add its own before it."""

_PAST_SLASH: Final = "0"
"""The character after the slash: names from `claude-code/SESSION/` up to it are those of a session's sub-agents."""


@dataclass(frozen=True, slots=True)
class ImportedAgent:
    """A sub-agent that is stored out of a file.

    Attributes:
        session: the name of its own session, which need not exist yet.
        elsewhere: the units of the request that are stored in the session it works for, and not to be stored again.
    """

    session: str
    elsewhere: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class _Candidate:
    """What is stored of a sub-agent: in its own session, and in a branch of the session for which it works."""

    session: str
    own: Sequence[Turn]
    branch: Sequence[Turn]

    @property
    def is_answered(self) -> bool:
        """Whether it has said anything."""
        return any(turn.role == "assistant" for turn in (*self.own, *self.branch))


def imported_agent(look: Look, parts: Parts, now: datetime) -> ImportedAgent | None:
    """The sub-agent whose request this is; None where none that was imported is surely the one."""
    main = look.client.main
    if look.client.name != CLAUDE_CODE or main is None or look.client.session is not None or not look.units:
        return None
    stored = _stored_agents(look.reader, look.space, main)
    if not stored:
        return None
    said = _said(look, parts, main, now)
    surely: list[_Candidate] = []
    likely: list[_Candidate] = []
    for each in _asked_so(look, main, stored, said[0]):
        held = _held(said, [*each.branch, *each.own])
        if 0 not in held:
            continue
        if any(_tells(said[i], said) for i in held if i > 0):
            surely.append(each)
        elif not each.is_answered and not _is_stored(look, each.session):
            likely.append(each)
    chosen = surely or likely
    return ImportedAgent(chosen[0].session, _held(said, chosen[0].branch)) if len(chosen) == 1 else None


def places_elsewhere(reader: Reader, space: str, session: str) -> tuple[tuple[str, int], ...]:
    """The turns of a sub-agent that are stored in a branch of the session for which it works, by session and place."""
    agent = agent_in(session)
    if agent is None:
        return ()
    main, branch = agent[0], f"{SUBAGENTS}{agent[1]}"
    rows = TURN_BRANCHES.scan(reader, (space, main), (space, main))
    return tuple((main, row.seq) for row in rows if row.branch == branch)


def imported_since(reader: Reader, space: str, session: str, known: Sequence[tuple[str, int]]) -> Iterator[Turn]:
    """The turns that were added to what `places_elsewhere` gave before."""
    added = sorted({*places_elsewhere(reader, space, session)} - {*known})
    rows = TURN.get_many(reader, [(space, *place) for place in added])
    return (turn_from_row(row) for row in rows if row is not None)


def _said(look: Look, parts: Parts, main: str, now: datetime) -> list[list[Turn]]:
    """What each unit of a request says, without what the program added; only the last was surely said now."""
    appender = parts.appender
    maker = TurnMaker(main, CLAUDE_CODE, NO_ECHOES, parts.reads.config.ingest, appender.turns_of_session)
    names = calls_before(())
    return [
        [
            made.item.turn
            for made in maker.turns(
                look.messages[unit.first : unit.last + 1], now if unit is look.units[-1] else None, names
            )
            if made.item.turn.origin != "injected"
        ]
        for unit in look.units
    ]


def _held(said: Sequence[Sequence[Turn]], stored: Sequence[Turn]) -> frozenset[int]:
    """The units of which every word and call is among stored turns."""
    words = SpokenPieces(stored)
    return frozenset(i for i, turns in enumerate(said) if turns and all(words.find(turn) for turn in turns))


def _tells(turns: Sequence[Turn], said: Sequence[Sequence[Turn]]) -> bool:
    """Whether what a unit says tells one sub-agent from others with the same prompt: a call, or any answer if none."""
    return any(map(_calls, turns)) or not any(_calls(turn) for unit in said for turn in unit)


def _calls(turn: Turn) -> bool:
    return any(part.call_id is not None for part in turn.parts)


def _is_stored(look: Look, session: str) -> bool:
    """Whether the proxy has stored a conversation of this name: its history would have told that it is the one."""
    return get_conversation(look.reader, look.space, conversation_key(look.salt, session)) is not None


def _stored_agents(reader: Reader, space: str, main: str) -> dict[str, list[int]]:
    """The sub-agents of a session that are stored, by their sessions' names, with the places of their branches."""
    agents: dict[str, list[int]] = {}
    for row in TURN_BRANCHES.scan(reader, (space, main), (space, main)):
        if row.branch.startswith(SUBAGENTS):
            agents.setdefault(agent_session(main, row.branch.removeprefix(SUBAGENTS)), []).append(row.seq)
    prefix = agent_session(main, "")
    for name in SESSION_NAME.scan(reader, (space, prefix), (space, prefix[:-1] + _PAST_SLASH)):
        agents.setdefault(name, [])
    return agents


def _asked_so(
    look: Look, main: str, stored: Mapping[str, Sequence[int]], prompt: Sequence[Turn]
) -> Iterator[_Candidate]:
    """Those of stored sub-agents that begin with a prompt: of the others nothing but the beginning is read."""
    reader, space = look.reader, look.space
    for name, places in stored.items():
        bounds = (space, name)
        first = TURN.get(reader, (space, main, places[0])) if places else None
        rows = [first] if first is not None else TURN.scan(reader, bounds, bounds, limit=_BEGINNING)
        words = SpokenPieces(map(turn_from_row, rows))
        if not prompt or not all(words.find(turn) for turn in prompt):
            continue
        branch = TURN.get_many(reader, [(space, main, seq) for seq in places])
        own = TURN.scan(reader, bounds, bounds)
        yield _Candidate(
            name,
            [turn_from_row(row) for row in own],
            [turn_from_row(row) for row in branch if row is not None],
        )
