"""Builds a prompt around a user's message: the recalled block, the last messages of the session, the message (HCE)."""

from typing import Final

from clew.assemble.prompt import remembered, sections, spoken
from clew.rank.filter import Filter, newest
from clew.recall.read_path import ReadPath
from clew.recall.recall import RecallRequest, recall
from clew.store.rows import turn_from_row
from clew.store.tables import TURN
from clew.text.counters import Counter
from clew.text.counters import counter as counter_named

FOCUS_TURNS: Final = 10
"""Messages of the focus buffer, as the HCE document has it."""

_PAGE: Final = 4 * FOCUS_TURNS
"""Turns that are searched for the messages of the buffer: tool results and injected text are skipped."""


def chat_prompt(path: ReadPath, query: str, session: str) -> str:
    """The prompt of `Memory.build_prompt`: context block, focus buffer and query."""
    count, budget = counter_named(path.config.counter), path.config.budget
    shown, focus = _focus(path, session, budget, count)
    left = budget - count(remembered("x", focus))
    while left > 0:
        block = recall(path, query, RecallRequest(left, count, asked_in=session), Filter(), shown).text
        over = count(remembered(block, focus)) - budget
        if over <= 0:
            return sections(block, focus, query)
        left -= over
    return sections("", focus, query)


def block_prompt(path: ReadPath, query: str, session: str, held: int) -> str:
    """The prompt for a client that sends the newest turns of the session itself: context block and query.

    Args:
        held: how many of them.
    """
    shown = newest(path.live.view(), session, held) if held else ()
    count, budget = counter_named(path.config.counter), path.config.budget
    left = budget - count(remembered("x", ""))
    if left <= 0:
        return sections("", "", query)
    block = recall(path, query, RecallRequest(left, count, asked_in=session), Filter(), shown).text
    return sections(block, "", query) if block else query


def _focus(path: ReadPath, session: str, budget: int, count: Counter) -> tuple[list[tuple[str, int]], str]:
    """The last messages of a session that fit the budget, as (session, seq) and as text."""
    with path.store.snapshot() as reader:
        key = (path.space, session)
        turns = [turn_from_row(row) for row in TURN.scan(reader, key, key, limit=_PAGE, reverse=True)]
    shown: list[tuple[str, int]] = []
    lines: list[str] = []
    for turn in turns:
        if turn.role not in ("user", "assistant") or turn.origin in ("tool", "injected"):
            continue
        line = spoken(turn.role, turn.text)
        if len(lines) == FOCUS_TURNS or count(remembered("", "\n".join([line, *lines]))) > budget:
            break
        lines.insert(0, line)
        shown.append((session, turn.seq or 0))
    return shown, "\n".join(lines)
