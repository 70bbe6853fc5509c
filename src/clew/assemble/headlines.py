"""Names the sessions of a block by title, project and git branch, on a line after the heading. Pure.

Borders: a heading is told from stored text by its form, which `clew.assemble.render` keeps text from having.
"""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Final, NamedTuple

from clew.assemble.fit import Packed
from clew.assemble.render import Evidence, heading
from clew.text.counters import Counter
from clew.text.printable import cut_line
from clew.text.shown_names import name_on_a_line

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
    """The title, project folder and git branch of a session; None where unknown."""

    title: str | None
    project: str | None
    branch: str | None


def most_called(budget: int) -> int:
    """How many sessions of a block may get a headline."""
    return 1 + kept_for_headlines(budget) // EACH


def kept_for_headlines(budget: int) -> int:
    """Tokens of a budget that are reserved for headlines."""
    return budget // SHARE if budget >= LARGE else 0


def with_headlines(
    packed: Packed, lines: Sequence[Evidence], called: Mapping[str, Headline], budget: int, counter: Counter
) -> tuple[str, int]:
    """The block and its tokens, with a headline below the first heading of each session, if there are several sessions.

    Project and branch are named if they differ between the sessions. Headlines are added for the best session first;
    one that does not fit is left out.

    Args:
        packed: the block.
        lines: all lines of the block, in its order.
        called: the sessions' headlines.
    """
    text, tokens = packed.text, packed.tokens
    best = _best(packed, lines) if called else {}
    if len(best) < 2:
        return text, tokens
    days = _first_days(lines)
    projects = {headline.project for headline in called.values()}
    for session in sorted(best.keys() & called.keys(), key=lambda name: (best[name], name)):
        words = shown(called[session], project=len(projects) > 1)
        above = heading(session, days[session])
        longer = text.replace(f"\n{above}", f"\n{above[:-1]} {words}\n", 1) if words else text
        count = counter(longer)
        if count <= budget:
            text, tokens = longer, count
    return text, tokens


def _best(packed: Packed, lines: Sequence[Evidence]) -> dict[str, int]:
    """The rank of the best line of each session; lines that are not ranked turns come before all ranks."""
    ranked = dict(zip(map(id, packed.items), packed.places, strict=True))
    best: dict[str, int] = {}
    for line in lines:
        rank = ranked.get(id(line), -1)
        best[line.session] = min(rank, best.get(line.session, rank))
    return best


def shown(headline: Headline, *, project: bool) -> str:
    """A headline as one line; empty if nothing is known about the session.

    Args:
        project: whether the project is named as well.
    """
    branch = "" if headline.branch in _USUAL else headline.branch or ""
    where = f"{headline.project or '' if project else ''}{f'@{_cut(branch, _BRANCH)}' if branch else ''}"
    title = f'"{_cut(headline.title, _TITLE)}"' if headline.title else ""
    return name_on_a_line(" ".join(filter(None, (where, title))))


def _first_days(lines: Sequence[Evidence]) -> dict[str, date | None]:
    """The day in the first heading of each session."""
    days: dict[str, date | None] = {}
    for line in lines:
        days.setdefault(*line.heading)
    return days


def _cut(text: str, most: int) -> str:
    return cut_line(" ".join(text.split()), most)
