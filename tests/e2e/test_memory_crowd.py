"""Several processes on one home through the public API: nothing lost, no error, everything seen."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from clew.memory import Memory
from tests.support.memories import quiet, texts

pytestmark = pytest.mark.slow  # processes are started

WRITERS, READERS = 4, 2
EACH = int(os.environ.get("CLEW_EACH", "40"))

WRITER = """
import sys
import clew
memory = clew.Memory.open(sys.argv[1], embedder="none", config={"index": {"pack_minimum": 16, "fan_out": 2}})
print("ready", flush=True)
sys.stdin.readline()
name = sys.argv[2]
shared = [clew.Turn(role="user", content=f"shared {n}", session="shared") for n in range(30)]
ids = []
for n in range(int(sys.argv[3])):
    ids.append(memory.add(clew.Turn(role="user", content=f"{name} {n} tea", session="everyone")))
    if n % 10 == 0:
        memory.add_many(shared[: n + 10])
        many = [clew.Turn(role="user", content=f"{name} {n} {k}", session=name) for k in range(5)]
        ids += memory.add_many(many).turn_ids
memory.drain(None)
memory.close()
print(" ".join(ids))
"""

READER = """
import json, sys, threading
import clew
memory = clew.Memory.open(sys.argv[1], embedder="none")
stop = threading.Event()
threading.Thread(target=lambda: (sys.stdin.readline(), sys.stdin.readline(), stop.set()), daemon=True).start()
print("ready", flush=True)
looks, counts = 0, []
while not (looks and stop.is_set()):
    stats = memory.stats()
    counts.append(stats.turns)
    context = memory.recall("tea", budget=200)
    assert context.tokens <= 200
    for item in context.items:
        assert item.text == memory.get(item.turn_ids[0]).text
    assert all("tea" in turn.text for turn in memory.find_quote("tea", limit=3))
    looks += 1
memory.close()
print(json.dumps({"looks": looks, "back": counts != sorted(counts)}))
"""


def start(code: str, *words: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", code, *words]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True)


def go(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("go\n")
    process.stdin.flush()


@pytest.mark.requirement("F-MEMORY-10", "F-MEMORY-05")
@pytest.mark.timeout(900)
def test_writing_and_reading_processes_lose_nothing(tmp_path: Path) -> None:
    with quiet(tmp_path) as memory:
        memory.stats()
    writers = [start(WRITER, str(tmp_path), f"w{number}", str(EACH)) for number in range(WRITERS)]
    readers = [start(READER, str(tmp_path)) for _ in range(READERS)]
    for process in (*writers, *readers):
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in (*readers, *writers):
        go(process)
    names: list[str] = []
    for writer in writers:
        output, errors = writer.communicate()
        assert errors == ""
        names += output.split()
    for reader in readers:
        output, errors = reader.communicate("stop\n")
        assert errors == ""
        report = json.loads(output)
        assert report["looks"] > 0
        assert report["back"] is False
    assert len(set(names)) == len(names) == WRITERS * (EACH + 5 * -(-EACH // 10))
    with Memory.open(tmp_path, embedder="none") as memory:
        said = texts(memory)
        assert sum(text.endswith(" tea") for text in said) == WRITERS * EACH
        assert sorted(text for text in said if text.startswith("shared")) == sorted(f"shared {n}" for n in range(30))
        for name in names:
            memory.get(name)
        assert memory.verify().problems == ()
        assert len(memory.search("tea", limit=10_000)) >= WRITERS * EACH


@pytest.mark.requirement("F-PIPELINE-02", "F-MEMORY-10")
def test_the_same_history_from_two_processes_at_once_is_stored_once(tmp_path: Path) -> None:
    code = """
import sys
import clew
memory = clew.Memory.open(sys.argv[1], embedder="none", config={"ingest": {"batch": 7}})
turns = [clew.Turn(role="user", content=f"turn {n % 11}", session="s") for n in range(200)]
print("ready", flush=True)
sys.stdin.readline()
report = memory.add_many(turns)
memory.close()
print(report.added, report.known)
"""
    processes = [start(code, str(tmp_path)) for _ in range(2)]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        go(process)
    counts = []
    for process in processes:
        output, errors = process.communicate()
        assert errors == ""
        counts.append([int(word) for word in output.split()])
    assert [sum(column) for column in zip(*counts, strict=True)] == [200, 200]
    with quiet(tmp_path) as memory:
        assert texts(memory) == [f"turn {n % 11}" for n in range(200)]
