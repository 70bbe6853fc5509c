"""What an agent may ask of a memory: recall, exact words, times, and notes. Texts in, bounded texts out.

Borders: knows no protocol; `clew.serve.mcp` carries these. Everything recalled stands in a block that says that it is
quoted memory (DESIGN 1.10). Which space is asked is decided where the server is started, never by who calls.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from clew.assemble.excerpt import around
from clew.assemble.render import Evidence, chronological, render
from clew.errors import InputError
from clew.memory import Memory
from clew.types.moments import MODES, Remembered
from clew.types.turn import Turn

MOST_TOKENS: Final = 8_000
"""Most tokens of one answer."""

MOST_QUOTES: Final = 20
"""Most turns that one answer quotes."""

QUOTE_CHARS: Final = 600
"""Characters that are shown of a turn around the phrase that it holds."""

NOTES: Final = "notes"
"""The conversation that notes go to when none is named."""


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool as it is offered.

    Attributes:
        call: takes the arguments by name.
        about: what it is for and when to use it.
        arguments: meaning of each argument that `call` takes.
        stores: it adds something; the others only read.
    """

    name: str
    call: Callable[..., str]
    about: str
    arguments: Mapping[str, str]
    stores: bool = False


def _now() -> datetime:
    return datetime.now(UTC)  # noqa: TID251  # what an agent says is said now


class Tools:
    """The tools over one open memory. Threads may share them."""

    def __init__(self, memory: Memory, *, session: str = NOTES, clock: Callable[[], datetime] = _now) -> None:
        """Notes go to `session`, said at the time of `clock`."""
        self._memory, self._session, self._clock = memory, session, clock

    def offered(self) -> tuple[Tool, ...]:
        """The tools in the order in which they are listed."""
        return (
            Tool(
                "recall",
                self.recall,
                "Search long-term memory of earlier conversations by meaning and words. Use it before you answer "
                "about earlier work, decisions, people or preferences.",
                {
                    "query": "a question or topic, in full words",
                    "budget": f"most tokens of the answer, up to {MOST_TOKENS}; 0: default",
                    "session": "only this conversation",
                },
            ),
            Tool(
                "find_quote",
                self.find_quote,
                "Find the newest turns that hold a phrase word for word: names, error messages, paths, numbers.",
                {"text": "the exact phrase", "limit": f"most turns, 1 to {MOST_QUOTES}"},
            ),
            Tool(
                "remember_when",
                self.remember_when,
                "What was said in a stretch of time, from its turns and the titles of its parts. Give a query that "
                "names the time, or since and until.",
                {
                    "query": "question; may name the time: 'what did we decide last week?'",
                    "since": "beginning: '2023-05-07', 'last week', '3 hours ago'",
                    "until": "end, likewise; a day, week or month is included",
                    "mode": " | ".join(MODES),
                    "budget": f"most tokens of the answer, up to {MOST_TOKENS}; 0: default",
                },
            ),
            Tool(
                "remember",
                self.remember,
                "Store one self-contained note for later conversations: a decision, preference or fact. Never secrets.",
                {"text": "the note, with names instead of pronouns", "session": "conversation that it belongs to"},
                stores=True,
            ),
        )

    def recall(self, query: str, budget: int = 0, session: str = "") -> str:
        """The block of remembered turns for a question."""
        _need(query, "query", "a question or topic")
        context = self._memory.recall(query, budget=self._budget(budget), **_only(session))
        if context.items:
            left = len(context.omitted)
            more = f"\n{left} more did not fit; ask with a larger budget or a narrower query." if left else ""
            return context.text + more
        if context.omitted:
            least = min(each.tokens for each in context.omitted)
            return f"Nothing fits into {context.budget} tokens; ask with a budget of {least} or more."
        return "Nothing relevant is remembered. Try other words, or find_quote for exact ones."

    def find_quote(self, text: str, limit: int = 5) -> str:
        """The turns that hold a phrase, each cut around it."""
        _need(text, "text", "the phrase to find")
        if not 1 <= limit <= MOST_QUOTES:
            raise InputError(f"limit {limit} is out of range; give 1 to {MOST_QUOTES}")
        found = self._memory.find_quote(text, limit=limit)
        if not found:
            return "No turn says that word for word. Try fewer words, or recall for the meaning."
        shown = [_evidence(turn, rank, around(turn.text, text, QUOTE_CHARS)) for rank, turn in enumerate(found, 1)]
        more = f"\nThere may be older ones; ask with a limit up to {MOST_QUOTES}."
        return render(chronological(shown)) + (more if len(found) == limit < MOST_QUOTES else "")

    def remember_when(
        self, query: str = "", since: str = "", until: str = "", mode: str = "auto", budget: int = 0
    ) -> str:
        """What was said in a stretch of time."""
        found = self._memory.remember_when(
            since.strip() or None, until.strip() or None, query, mode, budget=self._budget(budget)
        )
        if not found.turns:
            return f"Nothing was said {_span(found)}. Widen the time, or recall without one."
        if not found.text:
            why = f"nothing fits into {found.budget} tokens" if found.left_out else "none of them is about that"
            return f"{_turns(found)} {_span(found)}, and {why}. Ask with other words or a larger budget."
        left = f" {found.left_out} more lines did not fit." if found.left_out else ""
        return f"{found.text}\nThis is the {found.mode} of {_turns(found)} {_span(found)}.{left}{_receipt(found)}"

    def remember(self, text: str, session: str = "") -> str:
        """Stores a note durably and gives the name under which it is kept."""
        _need(text, "text", "what to remember")
        note = Turn(
            role="assistant", content=text, session=session.strip() or self._session, at=self._clock(), source="mcp"
        )
        return f"Stored as {self._memory.add(note)}."

    def _budget(self, asked: int) -> int:
        if not 0 <= asked <= MOST_TOKENS:
            raise InputError(f"budget {asked} is out of range; give 1 to {MOST_TOKENS}, or 0 for the default")
        return asked or min(self._memory.config.budget, MOST_TOKENS)


def unknown(tools: Mapping[str, Tool], name: str, arguments: Mapping[str, Any]) -> str | None:
    """What is wrong with the names in a call, and what there is instead; None when all are known."""
    tool = tools.get(name)
    if tool is None:
        return f"there is no tool {shortly(name)}; there are {', '.join(tools)}"
    strange = [shortly(each) for each in arguments if each not in tool.arguments]
    if strange:
        return f"{name} takes no argument {', '.join(strange)}; it takes {', '.join(tool.arguments)}"
    return None


def shortly(value: object) -> str:
    """A value as it may be repeated in an error: quoted, and cut."""
    text = json.dumps(str(value)[:60])
    return text if len(str(value)) <= 60 else text[:-1] + '..."'


def _need(text: str, name: str, what: str) -> None:
    if not text.strip():
        raise InputError(f"{name} is empty; give {what}")


def _only(session: str) -> dict[str, Any]:
    return {"session": session} if session.strip() else {}


def _span(found: Remembered) -> str:
    """The time that was looked at, in words."""
    ends = [None if end is None else end.isoformat(timespec="minutes") for end in (found.since, found.until)]
    if ends == [None, None]:
        return "of all times"
    day = found.counted_from
    counted = "" if day is None else f" (counted from the conversation's last day, {day.date().isoformat()})"
    last = ends[1] or ("now" if found.until is None and (found.since is None or found.turns) else "any later time")
    return f"from {ends[0] or 'the beginning'} to {last}{counted}"


def _receipt(found: Remembered) -> str:
    return f" Receipt {found.receipt_id}."


def _turns(found: Remembered) -> str:
    return f"{found.turns} turn{'s' * (found.turns != 1)}"


def _evidence(turn: Turn, rank: int, text: str) -> Evidence:
    return Evidence(
        rank=rank,
        session=turn.session,
        seq=turn.seq or 0,
        at=turn.at,
        speaker=turn.speaker or turn.role,
        text=text,
        rendering="quote",
    )
