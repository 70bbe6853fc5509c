"""A memory around a chat: the prompt that it builds, the exchange that it keeps, the function that it wraps (HCE)."""

from collections.abc import Callable
from typing import Any, Final

from clew.assemble.prompt import remembered, sections, spoken, wrapped
from clew.ingest.encoding import escape_surrogates
from clew.memory.arguments import given_text
from clew.memory.reading import Reading, Wanted
from clew.memory.writing import Writing
from clew.rank.filter import Filter
from clew.store.rows import turn_from_row
from clew.text.counters import Counter
from clew.text.counters import counter as counter_named
from clew.types import Role, Turn

FOCUS_TURNS: Final = 10
"""Turns of the focus buffer, as the HCE document has it."""

SESSION: Final = "default"

_PAGE: Final = 4 * FOCUS_TURNS
"""Turns that are looked through for those of the buffer: tool results and injected text are none of it."""


class Prompting(Writing, Reading):
    """The HCE document's three calls, over what everything else uses too."""

    def build_prompt(self, query: str, *, session: str = SESSION) -> str:
        """Context block, focus buffer and query, each under its heading; nothing in it appears twice.

        The buffer holds the last 10 messages of the session, as many of them as fit, the newest first to be chosen; the
        block, which is recalled from the whole space, takes what they leave of the budget in the settings. The query
        comes whole and is not counted.

        Raises:
            ConfigError: the counter in the settings is unknown; MissingExtra: its package is not installed.
        """
        self._check_open()
        query, session = given_text(query, "question"), escape_surrogates(session)
        count, budget = counter_named(self.config.counter), self.config.budget
        shown, focus = self._focus(session, budget, count)
        left = budget - count(remembered("x", focus))
        while left > 0:
            block = self._recall(query, Wanted(left, count), Filter(), shown).text
            over = count(remembered(block, focus)) - budget
            if over <= 0:
                return sections(block, focus, query)
            left -= over
        return sections("", focus, query)

    def _focus(self, session: str, budget: int, count: Counter) -> tuple[list[tuple[str, int]], str]:
        """The last messages of a session that fit, by place and in writing."""
        with self._store.snapshot() as reader:
            key = (self.space, session)
            turns = list(map(turn_from_row, reader.scan("turn", key, key, limit=_PAGE, reverse=True)))
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

    def update(self, user: str, assistant: str, *, session: str = SESSION) -> tuple[str, ...]:
        """Stores one exchange durably: a turn of the user, then one of the assistant; gives their ids.

        What says nothing is left out. The same exchange again is a new one.

        Raises:
            TurnRejected: one of them is too long, or a pattern of `ingest.exclude` or a pause keeps it out.
        """
        now = self._clock()
        said: tuple[tuple[Role, str], ...] = (("user", user), ("assistant", assistant))
        return tuple(
            self.add(Turn(role=role, content=text, session=session, at=now)) for role, text in said if text.strip()
        )

    def wrap_chat(self, chat: Callable[..., Any], *, session: str = SESSION) -> Callable[..., Any]:
        """A chat function around which this memory works: it gets the built prompt, and its answer is stored.

        It is called exactly once for each call, with the prompt as its first argument; its answer is given back even
        when memory fails. A coroutine function gives a coroutine function.
        """
        self._check_open()
        return wrapped(
            chat,
            lambda query: self.build_prompt(query, session=session),
            lambda user, assistant: self.update(user, assistant, session=session),
        )
