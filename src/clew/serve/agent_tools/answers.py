"""What the memory returns, as text for a model: recalled blocks, the turns of a period, lists of sessions, long turns.

Each answer says what it leaves out, and how to ask for it. Borders: only words; `tools.Tools` asks the memory.
"""

from collections.abc import Sequence
from typing import Final

from clew.assemble.receipt import OMISSIONS
from clew.assemble.render import Evidence, quoted, render
from clew.memory import Memory
from clew.memory.smallest_budget import smallest_budget
from clew.text.counted import counted
from clew.text.shown_names import name_on_a_line, shown_title
from clew.types.context import Context
from clew.types.ids import cut_session
from clew.types.moments import Remembered
from clew.types.session import SessionInfo
from clew.types.turn import Turn

PAGE_CHARS: Final = 20_000
"""Most characters of a turn in one answer."""

DOUBT: Final = (
    "Probably nothing relevant is remembered: these are only the nearest turns. Do not take them for an answer; try "
    "other words, or clew_find_quote for an exact phrase."
)
"""What follows a block that probably holds no answer."""


def recall_answer(memory: Memory, context: Context) -> str:
    """The block of a recall, followed by a warning if it is doubtful, or by how many turns did not fit.

    An empty block becomes a sentence: which budget is needed if nothing fitted, else that nothing is remembered.
    """
    if context.items:
        if context.is_doubtful:
            return f"{context.text}\n{DOUBT}"
        left = len(context.omitted)
        more = f"{left} or more" if left == OMISSIONS else f"{left} more"
        return context.text + (f"\n{more} did not fit; ask with a larger budget or a narrower query." if left else "")
    if context.omitted and (enough := smallest_budget(memory, context)) > context.budget:
        return f"Nothing fits into {context.budget} tokens; ask with a budget of {enough} or more."
    return "Nothing relevant is remembered. Try other words, or clew_find_quote for an exact phrase."


def period_answer(period: Remembered, wider: str) -> str:
    """What was said in a period, followed by how many turns it has and what did not fit.

    Args:
        wider: name of the tool to try where the period holds nothing.
    """
    if not period.turns:
        return f"Nothing was said {_span(period)}. Widen the period, or use {wider}."
    turns = counted(period.turns, "turn")
    if not period.text:
        why = f"nothing fits into {period.budget} tokens" if period.left_out else "none of them is about that"
        return f"{turns} {_span(period)}, but {why}. Try other words or a larger budget."
    left = f" {period.left_out} more lines did not fit." if period.left_out else ""
    summary = f"This is the {period.mode} of {turns} {_span(period)}."
    return f"{period.text}\n{summary}{left} Receipt {period.receipt_id}."


def session_list(sessions: Sequence[SessionInfo]) -> str:
    """Sessions, one a line with date, length, place and title, marked as quoted memory."""
    if not sessions:
        return "No session matches. Leave out project and branch to see all."
    return quoted("\n".join(map(_session_line, sessions)))


def turn_page(turn: Turn, offset: int) -> str:
    """The text of a turn from a character on, up to `PAGE_CHARS`, marked as quoted memory."""
    page = turn.text[offset : offset + PAGE_CHARS]
    rest = len(turn.text) - offset - len(page)
    more = f"\n{rest:,} more characters; open it with offset {offset + len(page)}." if rest > 0 else ""
    return render([Evidence.of(turn, page, "quote")]) + more


def _session_line(session: SessionInfo) -> str:
    where = " on ".join(name_on_a_line(place) for place in (session.project, session.branch) if place)
    day = "no date" if session.end is None else session.end.date().isoformat()
    turns = counted(session.turns, "turn")
    name = name_on_a_line(cut_session(session.name))
    title = shown_title(session.title) if session.title else "no title"
    return f"{name}: {day}, {turns}{f', {where}' if where else ''}: {title}"


def _span(period: Remembered) -> str:
    """The ends of a period in words, as in "from 2025-03-01T00:00+00:00 to now"."""
    ends = [None if end is None else end.isoformat(timespec="minutes") for end in (period.since, period.until)]
    excluded = "".join(f", without {days}" for days in period.excluded_days())
    if ends == [None, None]:
        return f"of all times{excluded}"
    day = period.counted_from
    counted_from = "" if day is None else f" (counted from the conversation's last day, {day.date().isoformat()})"
    last = ends[1] or ("now" if period.until is None and (period.since is None or period.turns) else "any later time")
    return f"from {ends[0] or 'the beginning'} to {last}{counted_from}{excluded}"
