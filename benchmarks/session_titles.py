"""Prints what sessions are called and which topics they have, to be judged by a reader.

    python -m benchmarks.session_titles FOLDER [--kept] [--turns 2] [--embedder none]

FOLDER holds the development data that `benchmarks.fact_samples` reads. Every second conversation of each source is
kept: `--kept` prints those. A line has the title and the topics of a session, and below it are its first turns.
A title is right if somebody who was not there knows by it which talk it was; a greeting, filler, a fragment or a mere
name is wrong. The embedder takes no part in titles, but topics and beats may depend on it.
"""

import argparse
from pathlib import Path
from typing import Final

from benchmarks.fact_samples import talks
from clew.memory import Memory

_SHOWN: Final = 120


def main() -> None:
    """Prints the list."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--kept", action="store_true")
    parser.add_argument("--turns", type=int, default=2, help="turns of each session that are shown")
    parser.add_argument("--embedder", default="none")
    asked = parser.parse_args()
    for source, every in talks(asked.folder):
        for number, turns in enumerate(every):
            if number % 2 != asked.kept:
                continue
            with Memory.open(":memory:", embedder=asked.embedder) as memory:
                memory.add_many(turns)
                memory.drain(None)
                for session in sorted(
                    memory.sessions(), key=lambda each: (each.start is None, str(each.start), each.name)
                ):
                    print(f"{source} {number} {session.name}: {session.title} | {', '.join(session.topics)}")
                    for turn in memory.turns(session.name)[: asked.turns]:
                        print(f"    {turn.speaker or turn.role}: {' '.join(turn.text.split())[:_SHOWN]}")


if __name__ == "__main__":
    main()
