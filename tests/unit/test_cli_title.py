"""What other users of the machine see of the program's arguments."""

import subprocess
import sys
from pathlib import Path

import pytest

HIDING = "import sys; from clew.cli.title import hide_secrets; hide_secrets(); print(flush=True); sys.stdin.read()"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere the arguments cannot be written over")
@pytest.mark.requirement("S-POSTGRES-22")
@pytest.mark.parametrize(
    ("words", "seen"),
    [
        (["serve", "--token", "needle", "--port", "0"], ["serve", "--token", "******", "--port", "0"]),
        (["serve", "--token=needle"], ["serve", "--token=******"]),
        (["serve", "--token", "env:NAME", "--tools"], ["serve", "--token", "env:NAME", "--tools"]),
        (["serve", "--store", "postgresql://u:p@h/d"], ["serve", "--store", "postgresql://*******"]),
    ],
)
def test_tokens_and_addresses_are_hidden(words: list[str], seen: list[str]) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HIDING, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as program:
        assert program.stdout is not None
        program.stdout.readline()  # it has hidden what it hides
        shown = Path(f"/proc/{program.pid}/cmdline").read_bytes().decode()
        program.communicate(b"")
    assert shown.rstrip("\0").split("\0")[3:] == seen
