"""What an attached project changes: importance of turns and recaps with and without it.

    python -m benchmarks.project_weight FOLDER [--commits N] [--others FILE...]

FOLDER is a git repository; its files are copied into a temporary folder and read there. The messages of its newest
commits are the turns of a conversation about it, fifty a day; OTHERS are conversations about something else, of any
form that `clew import` reads. Both are stored twice, once with the project attached, and compared turn by turn.
"""

import argparse
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from benchmarks.project import copied
from benchmarks.project_links import AT, MOST_FILES, commits_of
from clew.analyze.importance import top_overlays
from clew.analyze.overlays import Overlay
from clew.ingest.importers import ImportedTurn, read_path
from clew.memory import Memory
from clew.project.genesis import genesis
from clew.project.meet import ACTIVE
from clew.types.turn import Turn

A_DAY = 50
MOVED = 0.5
PRESERVED, ROUTINE = 7.0, 3.0


@dataclass(frozen=True, slots=True)
class Weighed:
    """What one memory makes of the turns: importance, overlays and meet by turn, and the recap's lines by session."""

    importance: Mapping[str, float]
    overlays: Mapping[str, Mapping[Overlay, float]]
    meet: Mapping[str, float]
    shifts: frozenset[str]
    recaps: Mapping[str, Sequence[str]]


@contextmanager
def stored(turns: Sequence[Turn], project: Path | None) -> Iterator[Memory]:
    """A memory that has the turns, attached to the project if there is one."""
    with Memory.open(":memory:", embedder="none") as memory:
        if project is not None:
            memory.attach_project(project)
        memory.add_many(turns)
        memory.drain(900)
        yield memory


def weighed(memory: Memory) -> Weighed:
    """What the memory makes of its turns."""
    turns = memory.query("importance >= 0", limit=100_000)
    found = {str(turn.id): memory.annotations(str(turn.id)) for turn in turns}
    sessions = sorted({turn.session for turn in turns})
    for session in sessions:
        memory.condense(session, force=True)
    return Weighed(
        importance={name: float(kinds["importance"].value) for name, kinds in found.items()},
        overlays={
            name: {Overlay(each): score for each, score in kinds["overlays"].value.items()}
            for name, kinds in found.items()
            if "overlays" in kinds
        },
        meet={name: max(kinds["meet"].value.values(), default=0.0) for name, kinds in found.items() if "meet" in kinds},
        shifts=frozenset(name for name, kinds in found.items() if "paradigm_shift" in kinds),
        recaps={session: memory.recap(session).text.splitlines() for session in sessions},
    )


def compare(what: str, turns: Sequence[Turn], project: Path) -> None:
    """Prints how much the project changes."""
    with stored(turns, None) as memory:
        without = weighed(memory)
    with stored(turns, project) as memory:
        within = weighed(memory)
    moves = {name: within.importance[name] - value for name, value in without.importance.items()}
    met = [name for name, score in within.meet.items() if score >= ACTIVE]
    print(f"{what}: {len(moves):,} turns, {len(met):,} of them meet the project with {ACTIVE} or more")
    for label, names in (("those", met), ("the others", [name for name in moves if name not in set(met)])):
        if names:
            up = sum(moves[name] >= MOVED for name in names)
            mean = sum(moves[name] for name in names) / len(names)
            print(
                f"  importance of {label}: {mean:+.2f} at the mean, {MOVED} or more for {100 * up / len(names):.0f} %"
            )
    for label, one in (("without", without), ("with", within)):
        kept = sum(value >= PRESERVED for value in one.importance.values())
        routine = sum(value < ROUTINE for value in one.importance.values())
        print(f"  {label:<8} preserved {kept:,}, routine {routine:,}, shifts {len(one.shifts):,}")
    strongest = Counter(
        max(scores, key=lambda each: scores[each]).value
        for name, scores in within.overlays.items()
        if scores and top_overlays(scores) > top_overlays(without.overlays.get(name, {})) + MOVED
    )
    print(f"  the strongest overlay of turns that are raised: {dict(strongest.most_common())}")
    same = sum(len(set(lines) & set(within.recaps[name])) for name, lines in without.recaps.items())
    every = sum(len(set(lines)) for lines in without.recaps.values())
    now = sum(len(set(lines)) for lines in within.recaps.values())
    print(f"  lines of {len(without.recaps):,} recaps: {every:,} without, {now:,} with the project, {same:,} in both")


def said_in(folder: Path, most: int) -> list[Turn]:
    """The messages of the newest commits, the oldest first."""
    messages = [commit.message for commit in reversed(commits_of(folder, most)) if commit.message]
    return [
        Turn(role="user", content=text, session=f"day-{number // A_DAY}", at=AT + timedelta(minutes=number))
        for number, text in enumerate(messages)
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--commits", type=int, default=1_000)
    parser.add_argument("--others", type=Path, nargs="*", default=[])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        copied(options.folder, root, MOST_FILES)
        genesis(root, AT)
        compare("messages of commits", said_in(options.folder, options.commits), root)
        for file in options.others:
            turns = [record.turn for record in read_path(file) if isinstance(record, ImportedTurn)]
            compare(file.name, turns, root)


if __name__ == "__main__":
    main()
