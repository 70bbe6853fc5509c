"""What a turn puts right itself: "The deadline is May 3 - sorry, May 5", and turns that only look as if they did.

    python -m benchmarks.turn_repairs [--all] [--groups]

`data/turn_repairs.txt` has a turn a case, with the words that current facts must have (`holds`) and those that no
current fact may have but the history must (`over`). The first two sets were written before the rules, the third after
them.
"""

import argparse
import sys
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from clew import Turn
from clew.knowledge.book import Book
from clew.knowledge.history import current
from clew.knowledge.rules.extract import statements
from clew.knowledge.values import value_key

CASES = Path(__file__).parent / "data" / "turn_repairs.txt"
GROUPS = CASES.with_stem("group_decisions")

_SAID = datetime(2025, 4, 2, 10, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Case:
    """One turn; `is_repair` says whether it puts something right, or only looks so."""

    part: str
    is_repair: bool
    text: str
    holds: tuple[str, ...]
    over: tuple[str, ...]


def read_cases(path: Path = CASES) -> list[Case]:
    """The cases of the file."""
    cases: list[Case] = []
    part, told = "", {"repair": "", "trap": ""}
    lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
    expected: dict[str, tuple[str, ...]] = {}
    for line in (*(line for line in lines if line and not line.startswith("#")), "end: "):
        key, _, value = line.partition(": ")
        if key in ("holds", "over"):
            expected[key] = tuple(each.strip() for each in value.split(";"))
            continue
        cases += [
            Case(part, kind == "repair", text, expected["holds"], expected.get("over", ()))
            for kind, text in told.items()
            if text
        ]
        expected = {}
        part = value if key == "set" else part
        told = {kind: value if key == kind else "" for kind in told}
    return cases


def turns_of(case: Case) -> list[Turn]:
    """The turns of a case: one of Ann's, or those of a talk, each with its speaker."""
    said = [text.split(": ", 1) for text in case.text.split(" / ")] if " / " in case.text else [["Ann", case.text]]
    return [
        Turn(role="user", speaker=speaker, content=text, at=_SAID).stored(seq=seq, ordinal=seq, ingested_at=_SAID)
        for seq, (speaker, text) in enumerate(said, 1)
    ]


def wrong(case: Case) -> list[str]:
    """What is wrong with the facts of a case, in words; nothing if they are as expected."""
    book = Book()
    book.add(statements(turns_of(case)))
    now = [fact.object for fact in current(book.facts(), _SAID)]
    every = [fact.object for fact in book.facts()]
    return [
        *(f"{value!r} does not hold" for value in case.holds if not _is_told(value, now)),
        *(f"{value!r} holds" for value in case.over if _is_told(value, now)),
        *(f"{value!r} is not in the history" for value in case.over if not _is_told(value, every)),
    ]


def _is_told(value: str, objects: list[str]) -> bool:
    wanted = f"-{value_key(value)}-"
    return any(wanted in f"-{value_key(each)}-" for each in objects)


def main() -> int:
    """Print the share of cases that are as expected, and those that are not."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true", help="name the cases of the other sets that fail, too")
    parser.add_argument("--groups", action="store_true", help="what groups come to, from data/group_decisions.txt")
    options = parser.parse_args()
    right: Counter[tuple[str, str]] = Counter()
    every: Counter[tuple[str, str]] = Counter()
    for case in read_cases(GROUPS if options.groups else CASES):
        key = case.part, "repairs" if case.is_repair else "traps"
        faults = wrong(case)
        every[key] += 1
        right[key] += not faults
        if faults and (options.all or case.part in ("first", "group")):
            print(f"{case.text}\n    {'; '.join(faults)}")
    for (part, kind), count in every.items():
        print(f"{part} set, {kind}: {right[part, kind]} of {count}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
