"""The problems that `clew verify` and `clew doctor` print: a few of those that differ in numbers only."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from clew.types.reports import Problem

SHOWN: Final = 5
"""Most problems of one kind that are printed; `--json` has all of them."""

_NUMBER: Final = re.compile(r"\d+")


def problem_lines(problems: Sequence[Problem], line: Callable[[Problem], str]) -> Iterator[str]:
    """A line for each problem in their order; of those alike, the first few and how many more there are."""
    alike: dict[tuple[str, ...], list[Problem]] = {}
    for problem in problems:
        alike.setdefault((problem.kind, _NUMBER.sub("#", problem.detail), problem.repair), []).append(problem)
    for group in alike.values():
        yield from map(line, group[:SHOWN])
        if len(group) > SHOWN:
            yield f"and {len(group) - SHOWN:,} more of this kind"
