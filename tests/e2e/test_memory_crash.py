"""kill -9 at random moments through the public API: every acknowledged turn is there, and the space is sound."""

import os
import random
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from clew.memory import Memory
from clew.testing import HashEmbedder
from tests.support.killing import Program
from tests.support.memories import texts

LOOPS = int(os.environ.get("CLEW_LOOPS", "1"))

WRITER = """
import os, sys
import clew
from clew.testing import HashEmbedder
memory = clew.Memory.open(sys.argv[1], embedder=HashEmbedder(), config={"index": {"pack_minimum": 8, "fan_out": 2}})
name = sys.argv[2]
def say(*words):
    os.write(1, (" ".join(words) + "\\n").encode())
for n in range(1_000_000):
    say("one", memory.add(clew.Turn(role="user", content=f"{name} single {n} tea", session=f"{name}-{n % 3}")))
    turns = [clew.Turn(role="user", content=f"{name} many {n} {k}", session=f"{name}-list-{n}") for k in range(12)]
    report = memory.add_many(turns)
    say("many", *report.turn_ids)
    if n % 5 == 4:
        memory.recall("tea")
        ids = [f"{name}-list-{n}:turn:3"]
        memory.forget(turn_ids=ids)
        say("gone", *ids)
"""


def names(writers: Sequence[Program], *kinds: str) -> set[str]:
    """What the writers said is done, of these kinds."""
    lines = [line.split() for writer in writers for line in list(writer.said)]
    return {name for kind, *those in lines if kind in kinds for name in those}


@pytest.mark.thorough
@pytest.mark.requirement("F-MEMORY-09")
@pytest.mark.timeout(300 + 60 * LOOPS)
@pytest.mark.slow
def test_no_acknowledged_turn_is_lost_when_writers_are_killed(tmp_path: Path) -> None:
    chance = random.Random(3)  # noqa: S311  # moments to kill at
    added, gone = set[str](), set[str]()
    for loop in range(LOOPS):
        first, second = Program(WRITER, tmp_path, f"{loop}a"), Program(WRITER, tmp_path, f"{loop}b")
        first.wait_for(1)
        second.wait_for(1)
        threading.Event().wait(chance.uniform(0, 0.4))
        first.kill()
        second.wait_for(len(second.said) + 2)  # goes on, whatever the other held
        threading.Event().wait(chance.uniform(0, 0.2))
        second.kill()
        added |= names((first, second), "one", "many")
        gone |= names((first, second), "gone")
        check(tmp_path, added, gone)


def check(home: Path, added: set[str], gone: set[str]) -> None:
    with Memory.open(home, embedder="none") as memory:
        assert memory.verify().problems == ()
        stored = set(memory.forget(match="many", dry_run=True).turn_ids)
        stored |= set(memory.forget(match="single", dry_run=True).turn_ids)
        assert added - gone - stored == unsaid(added - gone - stored)
        assert gone & stored == set()
        whole = [name for name in stored if "-list-" in name]
        said = {memory.get(name).text for name in whole}
        assert len(said) == len(whole)


def unsaid(missing: set[str]) -> set[str]:
    """Turns that a writer may have forgotten and was killed before it could say so: the fourth of a list."""
    return {name for name in missing if "-list-" in name and name.endswith(":turn:3")}


@pytest.mark.requirement("F-MEMORY-11", "F-PIPELINE-14")
def test_what_a_killed_process_left_undone_is_done_by_the_next(tmp_path: Path) -> None:
    writer = Program(WRITER, tmp_path, "x")
    while len(names([writer], "one", "many")) < 60:
        writer.wait_for(len(writer.said) + 1)
    writer.kill()
    with Memory.open(tmp_path, embedder=HashEmbedder()) as memory:
        assert memory.drain(None)
        stats = memory.stats()
        assert stats.vectors == stats.turns == len(texts(memory)) >= 59
        assert memory.verify().problems == ()
        assert memory.search("tea")
