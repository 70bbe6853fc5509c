"""What the sessions of a block are called: title, project and git branch after the heading. Pure.

Borders: a heading is told from stored text by its form, which `clew.assemble.render` keeps text from having.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Final, NamedTuple

from clew.assemble.render import heading
from clew.text.counters import Counter
from clew.text.shown_names import name_on_a_line
from clew.types.context import Context, ContextItem

SHARE: Final = 60
"""What a large budget is divided by for the tokens that may go to headlines.

An evidence block of work with agents lost 1 to 3 points at 500 and 1,000 tokens by a fortieth, and none from 2,000 on.
"""

LARGE: Final = 2000
"""Tokens from which a budget is large; below, headlines only take what evidence leaves."""

EACH: Final = 12
"""Tokens that a headline takes, about."""

_TITLE: Final = 40
"""Characters of a title that are shown."""
_BRANCH: Final = 24
_USUAL: Final = frozenset(("main", "master", "HEAD"))
"""Git branches that need no mention."""


class Headline(NamedTuple):
    """What a session is called: title, project folder and git branch, None where unknown."""

    title: str | None
    project: str | None
    branch: str | None


def most_called(budget: int) -> int:
    """How many sessions of a block may be called by their titles."""
    return 1 + kept_for_headlines(budget) // EACH


def kept_for_headlines(budget: int) -> int:
    """Tokens of a budget that evidence leaves to headlines."""
    return budget // SHARE if budget >= LARGE else 0


def with_headlines(context: Context, called: Mapping[str, Headline], counter: Counter) -> Context:
    """The context with a headline after the first heading of each of several sessions, best first, within the budget.

    Project and branch are named where they differ between the sessions.

    Args:
        called: the sessions' headlines.
    """
    best = {item.session: item for item in sorted(context.items, key=lambda each: -each.rank)} if called else {}
    if len(best) < 2:
        return context
    days = _first_days(context.items)
    projects = {each.project for each in called.values()}
    for session in sorted(best.keys() & called.keys(), key=lambda name: best[name].rank):
        words = shown(called[session], project=len(projects) > 1)
        above = heading(session, days[session])
        text = context.text.replace(f"\n{above}", f"\n{above[:-1]} {words}\n", 1) if words else context.text
        tokens = counter(text)
        if tokens <= context.budget:
            context = replace(context, text=text, tokens=tokens)
    return context


def shown(headline: Headline, *, project: bool) -> str:
    """A headline on one line; empty where nothing is known.

    Args:
        project: whether the project is named as well.
    """
    branch = "" if headline.branch in _USUAL else headline.branch or ""
    where = f"{headline.project or '' if project else ''}{f'@{_cut(branch, _BRANCH)}' if branch else ''}"
    title = f'"{_cut(headline.title, _TITLE)}"' if headline.title else ""
    return name_on_a_line(" ".join(filter(None, (where, title))))


def _first_days(items: Sequence[ContextItem]) -> dict[str, date | None]:
    """The day in the first heading of each session."""
    days: dict[str, date | None] = {}
    for item in items:
        days.setdefault(item.session, item.at and item.at.date())
    return days


def _cut(text: str, most: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"
