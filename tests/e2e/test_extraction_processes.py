"""Two programs that extract the same session, and one that is killed while a model is at work."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from clew.memory import Memory
from tests.support.extraction import asked, extractor, long_talk, model
from tests.support.memories import quiet, rows

pytestmark = [pytest.mark.requirement("K-TRI-22"), pytest.mark.slow]

EXTRACT = """
import json, sys, time
from tests.support.extraction import copying, extractor, model, turns_of
from tests.support.memories import quiet

home, hangs = sys.argv[1], sys.argv[2] == "hangs"

def say(prompt):
    print("asked", turns_of(prompt)[0]["turn"], flush=True)
    time.sleep(600 if hangs and turns_of(prompt)[0]["turn"] else 0.05)
    return copying(prompt)

with quiet(home) as memory:
    print("ready", flush=True)
    sys.stdin.readline()
    made = extractor(memory, model(say), concurrency=1).extract("s")
    print(json.dumps({"state": made.run.state, "number": made.run.number}), flush=True)
"""


def started(home: Path, way: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", EXTRACT, str(home), way]
    program = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert program.stdout is not None
    assert program.stdout.readline() == "ready\n"
    return program


def go(program: subprocess.Popen[str]) -> None:
    assert program.stdin is not None
    program.stdin.write("go\n")
    program.stdin.flush()


def filled(home: Path) -> None:
    with quiet(home) as memory:
        memory.add_many(long_talk())


def test_two_programs_do_the_work_once(tmp_path: Path) -> None:
    filled(tmp_path)
    with started(tmp_path, "works") as first, started(tmp_path, "works") as other:
        for program in (first, other):
            go(program)
        lines = [line for program in (first, other) for line in program.communicate(timeout=120)[0].splitlines()]
    assert len([line for line in lines if line.startswith("asked")]) == 2
    ends = [json.loads(line) for line in lines if line.startswith("{")]
    assert {end["state"] for end in ends} <= {"done", "running"}
    assert "done" in {end["state"] for end in ends}
    with quiet(tmp_path) as memory:
        assert [each.ok for each in memory.extractions()] == [True]


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the claim of a killed process runs out")
def test_what_a_killed_program_had_asked_is_kept_and_its_claim_is_free(tmp_path: Path) -> None:
    filled(tmp_path)
    with started(tmp_path, "hangs") as program, quiet(tmp_path) as memory:
        go(program)
        assert program.stdout is not None
        assert program.stdout.readline() == "asked 0\n"
        assert program.stdout.readline().startswith("asked")  # the first answer came
        busy = extractor(memory, model()).extract("s")
        assert (busy.run.number, busy.run.state) == (0, "running")
        program.kill()
        program.wait()
        llm = model()
        made = extractor(memory, llm, concurrency=1).extract("s")
        assert made.ok
        assert len(asked(llm)) == len(made.run.chunks) - kept(memory, made.run.telemetry)


def kept(memory: Memory, telemetry: dict[str, int]) -> int:
    """Answers that the killed program had left: at most the first, which it may not have come to write."""
    assert telemetry["kept"] in (0, 1)
    assert len(rows(memory.reads.store, "extraction_chunk")) == 2
    return telemetry["kept"]
