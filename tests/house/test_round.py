"""The whole round (.ci/run) fails with any of its parts, and says at the end which beside each other failed."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.house.tree import ROOT

pytestmark = pytest.mark.skipif(os.name == "nt" or not shutil.which("timeout"), reason="needs bash and timeout")
TOOLS = ("bash", "cat", "dirname", "id", "ls", "mktemp", "rm", "sh", "timeout")
BESIDE = ("test-ner", "test-adapters", "test-model")


def ended(folder: Path, *failing: str) -> tuple[int, list[str]]:
    """The status and the lines of a round of which these parts fail; without apt-get nothing is installed."""
    (folder / ".ci").mkdir()
    (folder / "bin").mkdir()
    shutil.copy(ROOT / ".ci" / "run", folder / ".ci")
    for tool in TOOLS:
        (folder / "bin" / tool).symlink_to(shutil.which(tool) or tool)
    fails = "".join(f"[ $1 = {part} ] && exit 3\n" for part in failing)
    (folder / "dev").write_text(f"#!/bin/sh\n{fails}echo $1\n", encoding="utf-8")
    (folder / "dev").chmod(0o755)
    run = [str(folder / "bin" / "bash"), str(folder / ".ci" / "run")]
    ran = subprocess.run(run, env={"PATH": str(folder / "bin")}, capture_output=True, encoding="utf-8", check=False)
    return ran.returncode, ran.stdout.splitlines()


@pytest.mark.requirement("F-HOUSE-27")
def test_a_round_of_parts_that_succeed_succeeds_and_runs_each(tmp_path: Path) -> None:
    status, lines = ended(tmp_path)
    assert status == 0
    assert set(lines) >= {"check", "test-compiled", *BESIDE, "test-encrypted", "test"}
    assert lines[-1] == "test"


@pytest.mark.requirement("F-HOUSE-27")
@pytest.mark.parametrize("part", ["check", "test-compiled", *BESIDE, "test-encrypted", "test"])
def test_a_part_that_fails_fails_the_round(part: str, tmp_path: Path) -> None:
    status, lines = ended(tmp_path, part)
    assert status == 3
    assert part not in lines
    if part in BESIDE:
        assert lines[-1] == "what ran beside test-compiled ended with status 3"
    elif part == "test-compiled":
        assert lines[-2:] == ["test-model", "test-compiled ended with status 3"]


@pytest.mark.requirement("F-HOUSE-27")
def test_of_two_parts_that_fail_beside_each_other_both_are_named(tmp_path: Path) -> None:
    status, lines = ended(tmp_path, "test-compiled", "test-adapters")
    assert status == 3
    assert lines[-3:] == [
        "test-ner",
        "test-compiled ended with status 3",
        "what ran beside test-compiled ended with status 3",
    ]
