"""Who takes part in the conversations of a space: people alone, a person and an assistant, or an agent with tools.

Every answer is a figure about the turns of a view, computed once for each view and cached with it.
"""

from operator import add
from typing import Final

import numpy as np
from numpy.typing import NDArray

from clew.index.incremental_cache import CacheKey
from clew.index.view import IndexView
from clew.types.turn import ROLES

ASSISTANT: Final = ROLES.index("assistant")
USER: Final = ROLES.index("user")
SYSTEM: Final = ROLES.index("system")
TOOL: Final = ROLES.index("tool")

ASSISTANT_SHARE: Final = 0.1
"""Least share of unnamed assistant turns from which a space counts as a person talking to an assistant."""

SMOOTHING: Final = 2.0
"""Imaginary turns that are added to every session before `agent_share` is computed: so many of the user, and as many
of the others."""

RESULTS: Final = 0.25
"""Tool results per turn of the user from which `tool_use` is 1."""

WORKED: Final = 0.7
"""Least `findings_share` of a session whose `tool_use` is 1. Chosen together with the signal `terse`, on the same
conversations."""

_ASSISTANT_TURNS: Final = CacheKey[int]("programs")
_TURN_COUNTS: Final = CacheKey[NDArray[np.intp]]("sides")
_AGENT_SHARE: Final = CacheKey[NDArray[np.float64]]("agent share")
_HAS_AGENTS_WORK: Final = CacheKey[bool]("has an agent's work")
_FINDINGS: Final = CacheKey[NDArray[np.float64] | None]("share of findings")
_TOOL_USE: Final = CacheKey[NDArray[np.float64] | None]("use of tools")


def assistant_takes_part(view: IndexView) -> bool:
    """Whether at least `ASSISTANT_SHARE` of the turns are an assistant's, not counting those under a person's name."""
    count = view.folded(_ASSISTANT_TURNS, lambda rows: _assistant_turns(view, rows), add)
    return len(view.turns.role) > 0 and count >= ASSISTANT_SHARE * len(view.turns.role)


def _assistant_turns(view: IndexView, rows: slice) -> int:
    """Number of assistant turns without a person's name in a slice of turns."""
    turns_by_code = np.bincount(view.turns.speaker[rows][view.turns.role[rows] == ASSISTANT] + 1)
    codes = np.flatnonzero(turns_by_code)
    names = ("", *view.speakers)
    counts = zip(codes.tolist(), turns_by_code[codes].tolist(), strict=True)
    return sum(count for code, count in counts if names[code].casefold() in ("", "assistant"))


def agent_share(view: IndexView) -> NDArray[np.float64]:
    """How far the session of each turn is an agent working alone, from 0 to 1.

    It is 0 where the user has at least half of the turns, and approaches 1 the fewer the user has. `SMOOTHING` makes a
    session that has just begun count as a conversation.
    """
    return view.derived(_AGENT_SHARE, lambda: _agent_share(view))


def _agent_share(view: IndexView) -> NDArray[np.float64]:
    return np.asarray(_share_by_session(view)[view.turns.session])


def _share_by_session(view: IndexView) -> NDArray[np.float64]:
    """The `agent_share` of each session, by its code."""
    turns, users, _ = _turn_counts(view)
    shares: NDArray[np.float64] = np.maximum(0.0, 1.0 - 2.0 * (users + SMOOTHING) / (turns + 2.0 * SMOOTHING))
    return shares


def has_agents_work(view: IndexView) -> bool:
    """Whether the `agent_share` of some session is above 0."""
    return view.derived(_HAS_AGENTS_WORK, lambda: bool(_share_by_session(view).max(initial=0.0) > 0.0))


def tool_use(view: IndexView) -> NDArray[np.float64] | None:
    """How much tools are used in each session, from 0 to 1, by the session's code; None where no tool was used.

    It is the number of tool results per turn of the user, divided by `RESULTS`, and at most 1. `SMOOTHING` is added to
    the turns of the user.
    """
    return view.derived(_TOOL_USE, lambda: _tool_use(view))


def _tool_use(view: IndexView) -> NDArray[np.float64] | None:
    _, users, results = _turn_counts(view)
    return np.minimum(results / (RESULTS * (users + SMOOTHING)), 1.0) if results.any() else None


def findings_share(view: IndexView) -> NDArray[np.float64] | None:
    """How far the turns of others than the user are an agent's findings, by each turn's session; None if all are 0.

    This is the greater of `agent_share` and `WORKED` times `tool_use`. Somebody who has an assistant with tools do
    something may answer every step, so that the agent share is 0; the findings are in the others' turns nevertheless.
    """
    return view.derived(_FINDINGS, lambda: _findings_share(view))


def _findings_share(view: IndexView) -> NDArray[np.float64] | None:
    use = tool_use(view)
    if use is None:
        return agent_share(view) if has_agents_work(view) else None
    return np.maximum(agent_share(view), WORKED * use[view.turns.session])


def _turn_counts(view: IndexView) -> NDArray[np.intp]:
    """Three rows with a column per session: its turns, those of the user, and tool results."""
    return view.folded(_TURN_COUNTS, lambda rows: _turn_counts_of(view, rows), _added)


def _turn_counts_of(view: IndexView, rows: slice) -> NDArray[np.intp]:
    """`_turn_counts` of a slice of turns."""
    session, role, count = view.turns.session[rows], view.turns.role[rows], len(view.sessions)
    return np.stack(
        [np.bincount(codes, minlength=count) for codes in (session, session[role == USER], session[role == TOOL])]
    )


def _added(earlier: NDArray[np.intp], later: NDArray[np.intp]) -> NDArray[np.intp]:
    """The sum of two such tables; the later one may have more sessions."""
    total = later.copy()
    total[:, : earlier.shape[1]] += earlier
    return total
