"""A program that ends without closing its memory."""

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import os, sys, time
import clew
from clew.testing import HashEmbedder

class Slow(HashEmbedder):
    def embed(self, *args, **kwargs):
        os.write(1, b"begins\\n")
        time.sleep(0.3)
        made = super().embed(*args, **kwargs)
        os.write(1, b"ends\\n")
        return made

memory = clew.Memory.open(sys.argv[1], embedder=Slow())
memory.add(clew.Turn(role="user", content="The kettle is in the shed."))
time.sleep(float(sys.argv[2]))
"""


@pytest.mark.parametrize(
    "seconds", [pytest.param("0", marks=pytest.mark.slow), "0.2", pytest.param("0.4", marks=pytest.mark.slow)]
)
@pytest.mark.requirement("F-MEMORY-14")
def test_the_program_ends_well_and_no_step_is_cut(tmp_path: Path, seconds: str) -> None:
    command = [sys.executable, "-c", PROGRAM, str(tmp_path), seconds]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.count("begins") == ended.stdout.count("ends")
