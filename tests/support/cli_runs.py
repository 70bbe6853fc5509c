"""Runs of the program for tests: inside this process, or as a user starts it."""

import json
import os
import subprocess
import sys
from io import BytesIO
from pathlib import Path
from typing import IO, Any

from click.testing import CliRunner, Result

from clew.cli.main import main

SAMPLE = Path(__file__).resolve().parents[2] / "src" / "clew" / "cli" / "sample"
CONVERSATION = SAMPLE / "conversation.jsonl"
QUESTIONS: list[dict[str, Any]] = json.loads((SAMPLE / "questions.json").read_text(encoding="utf-8"))

PROGRAM = (sys.executable, "-c", "from clew.cli.main import main; main()")


class Terminal(BytesIO):
    """Input for `run` as a person types it."""

    def isatty(self) -> bool:
        """It is what a terminal gives."""
        return True


def run(*words: str | Path, given: str | bytes | IO[bytes] | None = None, embedder: str = "none") -> Result:
    """Runs the program in this process, with its own streams; what it did not mean to raise fails the test."""
    result = CliRunner().invoke(main, [str(word) for word in words], input=given, env={"CLEW_EMBEDDER": embedder})
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def done(*words: str | Path, given: str | bytes | None = None) -> str:
    """The standard output of a run that must succeed."""
    result = run(*words, given=given)
    assert result.exit_code == 0, result.output
    return result.stdout


def records(*words: str | Path, given: str | bytes | None = None) -> list[dict[str, Any]]:
    """The JSON objects that a run with --json prints, one a line."""
    found = [json.loads(line) for line in done(*words, "--json", given=given).splitlines()]
    assert all(isinstance(each, dict) for each in found)
    return found


def record(*words: str | Path, given: str | bytes | None = None) -> dict[str, Any]:
    """The one JSON object that a run with --json prints."""
    (only,) = records(*words, given=given)
    return only


def failure(status: int, *words: str | Path, given: str | bytes | None = None) -> str:
    """The standard error of a run that must end with this status."""
    result = run(*words, given=given)
    assert result.exit_code == status, result.output
    assert "Traceback" not in result.output
    return result.stderr


def environment(home: Path, **more: str) -> dict[str, str]:
    """A process's environment with a home of its own and without an embedder."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("CLEW_", "LC_", "LANG"))}
    return {**kept, "HOME": str(home), "USERPROFILE": str(home), "CLEW_EMBEDDER": "none", **more}


def process(home: Path, *words: str | Path, given: bytes = b"", **more: str) -> subprocess.CompletedProcess[bytes]:
    """Runs the program as a process of its own."""
    command = [*PROGRAM, *map(str, words)]
    return subprocess.run(command, input=given, env=environment(home, **more), capture_output=True, check=False)
