"""A command that only asks loads what a question needs, so that it starts quickly."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.cli_runs import environment

slow = pytest.mark.slow  # new processes are started

PROGRAM = """
import json, sys
from clew.cli.main import main
main(sys.argv[1:], standalone_mode=False)
print(json.dumps(sorted(sys.modules)), file=sys.stderr)
"""
"""Runs a command and prints the modules that it loaded as the last line of stderr."""

ANYTHING_ELSE = {
    "write": "stores turns",
    "derive": "analyses turns",
    "background": "runs pending jobs",
    "learn": "tunes",
    "maintain": "checks and repairs",
    "evaluate": "measures",
    "serve": "serves agents",
    "ingest.importers": "reads files",
    "memory.facade": "does all of it",
}


def loaded(home: Path, *words: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *words], env=environment(home), capture_output=True, text=True, check=True
    )
    return set(json.loads(done.stderr.splitlines()[-1]))


@pytest.mark.requirement("F-CLI-25")
@pytest.mark.parametrize(
    "words",
    [
        ("recall", "tea"),
        pytest.param(("search", "tea"), marks=slow),
        pytest.param(("quote", "tea"), marks=slow),
        pytest.param(("when", "what did we say yesterday?"), marks=slow),
        pytest.param(("explain", "last"), marks=slow),
    ],
)
def test_a_question_loads_nothing_that_stores_derives_or_maintains(tmp_path: Path, words: tuple[str, ...]) -> None:
    loaded(tmp_path, "add", "We drink tea.")
    if words[0] == "explain":
        loaded(tmp_path, "recall", "tea")
    modules = loaded(tmp_path, *words)
    assert [room for room in ANYTHING_ELSE if f"clew.{room}" in modules] == []


@slow
@pytest.mark.requirement("F-CLI-25")
@pytest.mark.parametrize("words", [("--version",), ("--help",), ("recall", "--help")])
def test_the_version_needs_no_numpy(tmp_path: Path, words: tuple[str, ...]) -> None:
    modules = loaded(tmp_path, *words)
    assert ("numpy" in modules) == (words[0] == "recall")
    assert "clew.write" not in modules
