"""Signals about the work of agents: turns of assistant and tools, terse turns of the user, a tool call and its result.

All of these are silent between people, and all but `agent` and `terse` in conversations in which the person has half of
the turns.
"""

from collections.abc import Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from clew.index.incremental_cache import CacheKey
from clew.index.view import IndexView
from clew.rank.frame import Frame, Scores
from clew.rank.fusion import Opinion
from clew.rank.participants import ASSISTANT, SYSTEM, TOOL, USER, agent_share, findings_share, has_agents_work, tool_use

MATCH: Final = ("lexical", "dense", "dense_rewritten")
"""Signals of a calling turn that `call` gives to the tool's result."""

AT_ONCE: Final = 16
"""Most calls that count as made at once; of more results in a row those behind belong to no call."""

_CALLS: Final = CacheKey[tuple[NDArray[np.int64], NDArray[np.int64], Scores]]("calls")
_WORK: Final = CacheKey[Scores]("an agent's work")
_TERSE: Final = CacheKey[Scores]("terse turns of who has a tool used")

WHOLE: Final = 0.5
"""Agent share from which a result gets its whole share of its call's match: that of a desk agent with tools."""

BRIEF: Final = 30.0
"""Characters at which a turn loses 1/e of `brief`: "run it" loses 0.8 of the weight, a sentence hardly anything."""

TERSE: Final = 120.0
"""Characters at which a turn of the person loses 1/e of `terse`; chosen on conversations with tools of five sources."""


def agent(frame: Frame) -> Scores | None:
    """The share of findings of the session for turns of assistant and tools; None where all shares are 0.

    Not for system prompts, which say how an agent works and not what it did.

    In a chat the person's turns are worth more than the assistant's long answers. The more of a session an agent does
    alone, or with tools, the more of what is worth remembering is in its findings and its tools' results.
    """
    share = findings_share(frame.view) if frame.with_assistant else None
    if share is None:
        return None
    role = frame.view.turns.role
    return frame.view.derived(_WORK, lambda: np.where((role == USER) | (role == SYSTEM), 0.0, share))


def users_words(frame: Frame) -> Scores | None:
    """Takes back what `agent` adds, if the question asks for what the user wanted; None for other questions."""
    values = agent(frame) if frame.intent.wants.users_words else None
    return None if values is None else -values


def brief(frame: Frame) -> Scores | None:
    """Close to -1 for turns of a few words, times the agent share; None where all shares are 0."""
    if not (frame.with_assistant and has_agents_work(frame.view)):
        return None
    return -np.exp(-frame.view.turns.chars / BRIEF) * agent_share(frame.view)


def terse(frame: Frame) -> Scores | None:
    """Close to -1 for short turns of the user, times the use of tools in the session; None where no tool was used.

    In a chat, people tell about themselves and what they want in short turns as well. But somebody who has an assistant
    with tools do something gives orders and answers ("leave it red", "yes, the second"): what was found out is in other
    turns, and such a turn gets what `user` adds only as far as it says something. The more an agent works alone, the
    less this is needed, since `agent` then adds as much to the other turns.
    """
    view = frame.view
    use = tool_use(view) if frame.with_assistant else None
    return None if use is None else view.derived(_TERSE, lambda: _terse(view, use))


def _terse(view: IndexView, use: NDArray[np.float64]) -> Scores:
    values = np.zeros(len(view.turns.role))
    own = np.flatnonzero(view.turns.role == USER)
    values[own] = (
        -use[view.turns.session[own]] * np.exp(-view.turns.chars[own] / TERSE) * (1.0 - agent_share(view)[own])
    )
    return values


def call(frame: Frame, known: Mapping[str, Opinion]) -> Scores | None:
    """For a tool's result, what `MATCH` adds to the turn that called the tool; None where no tool was used.

    A command and its output are one event: the question often has the words of the command, and the answer is in the
    output. The value is never negative. It is 0 where the user has half of the turns, and whole from an agent share of
    0.5 on: in a chat the user reads the output and says what it means. Of calls that were made at once, each result
    gets the best match, since results come in the order in which they are ready.
    """
    if tool_use(frame.view) is None:
        return None
    results, calls, share = frame.view.derived(_CALLS, lambda: _calls(frame.view))
    if not len(results):
        return None
    match = np.zeros(len(results))
    for name in MATCH:
        if name in known:
            match += known[name].shares(calls)
    values = np.zeros(frame.size)
    np.maximum.at(values, results, np.maximum(match, 0.0) * share)
    return values


def calls_of(view: IndexView, results: NDArray[np.int64]) -> dict[int, list[int]]:
    """Of each of these tool's results, the turns that may have called it; none for those that are not an agent's."""
    every, calls, _ = view.derived(_CALLS, lambda: _calls(view))
    found = dict[int, list[int]]()
    for place in np.flatnonzero(np.isin(every, results)).tolist():
        found.setdefault(int(every[place]), []).append(int(calls[place]))
    return found


def _calls(view: IndexView) -> tuple[NDArray[np.int64], NDArray[np.int64], Scores]:
    """Pairs of a tool's result and a turn that may have called the tool, and how far the result is an agent's work.

    Results that follow each other belong to calls made at once: to the turn before the first of them, and to as many
    turns of the assistant in all as there are results, or to fewer where others stand before them. The share is whole
    from `WHOLE` on. Where it is 0 for all results, there are no pairs.
    """
    owner = np.append(view.pieces.turn.astype(np.int64), -1)

    def before(turns: NDArray[np.int64]) -> NDArray[np.int64]:
        return owner[view.previous[view.turns.first_piece[turns]]]

    role = view.turns.role
    results = np.flatnonzero((role == TOOL) & (view.turns.piece_count > 0))
    calls = before(results)
    for _ in range(AT_ONCE - 1):
        behind = np.flatnonzero((calls >= 0) & (role[calls] == TOOL))
        if not len(behind):
            break
        calls[behind] = before(calls[behind])
    called_for = (calls >= 0) & (role[calls] != TOOL)
    results, calls = results[called_for], calls[called_for]
    _, run, sizes = np.unique(calls, return_inverse=True, return_counts=True)
    every, size, called = [(results, calls)], sizes[run], calls
    for step in range(1, int(size.max(initial=1))):
        several = size > step
        results, called, size = results[several], before(called[several]), size[several]
        spoken = (called >= 0) & (role[called] == ASSISTANT)
        results, called, size = results[spoken], called[spoken], size[spoken]
        every.append((results, called))
    results, calls = (np.concatenate(column) for column in zip(*every, strict=True))
    share = agent_share(view)[results]
    count = len(results) if share.any() else 0
    return results[:count], calls[:count], np.minimum(share[:count] / WHOLE, 1.0)
