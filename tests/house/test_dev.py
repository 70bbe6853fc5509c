"""./dev says what is missing, from any directory, in a checkout with spaces in its path."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.house.documents import commands, documents
from tests.house.tree import ROOT, label

pytestmark = pytest.mark.skipif(os.name == "nt", reason="./dev is a POSIX shell script")
TOOLS = ("cat", "cksum", "dirname")
COMMANDS = (
    "demo",
    "test",
    "test-adapters",
    "test-compiled",
    "test-encrypted",
    "test-model",
    "test-ner",
    "check",
    "bench",
    "fix",
    "lock",
    "help",
)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout with spaces in its path: all that ./dev reads before it needs Python."""
    folder = tmp_path / "a check out"
    shutil.copytree(ROOT / "requirements", folder / "requirements")
    for name in ("dev", "pyproject.toml"):
        shutil.copy(ROOT / name, folder)
    return folder


def dev(checkout: Path, *words: str, python: str | None = None) -> subprocess.CompletedProcess[str]:
    """Runs ./dev from elsewhere; `python` is the shell script that python3 is, None for no python3 at all."""
    path = checkout.parent / "bin"
    path.mkdir()
    for tool in TOOLS:
        (path / tool).symlink_to(shutil.which(tool) or tool)
    if python is not None:
        (path / "python3").write_text(f"#!/bin/sh\n{python}\n", encoding="utf-8")
        (path / "python3").chmod(0o755)
    command = ["/bin/sh", str(checkout / "dev"), *words]
    return subprocess.run(
        command, cwd=path, env={"PATH": str(path)}, capture_output=True, encoding="utf-8", check=False
    )


@pytest.mark.requirement("F-HOUSE-17")
def test_without_python_it_says_so(checkout: Path) -> None:
    ran = dev(checkout, "test")
    assert (ran.returncode, ran.stdout) == (1, "")
    assert "python3 was not found. Install Python 3.11 or newer" in ran.stderr


@pytest.mark.requirement("F-HOUSE-17")
def test_with_an_old_python_it_says_which(checkout: Path) -> None:
    ran = dev(checkout, "demo", python='[ "$1" = --version ] && echo Python 3.9.1 || exit 1')
    assert ran.returncode == 1
    assert "needs Python 3.11 or newer, but python3 is 'Python 3.9.1'" in ran.stderr


@pytest.mark.requirement("F-HOUSE-17")
def test_without_venv_it_names_the_package(checkout: Path) -> None:
    ran = dev(checkout, "check", python="case $2 in *ensurepip*) exit 1 ;; esac")
    assert ran.returncode == 1
    assert "has no venv module" in ran.stderr
    assert "apt install python3-venv" in ran.stderr


@pytest.mark.requirement("F-HOUSE-17")
@pytest.mark.parametrize("words", [[], ["help"], ["--help"]])
def test_help_names_every_command(checkout: Path, words: list[str]) -> None:
    ran = dev(checkout, *words)
    assert ran.returncode == 0
    assert tuple(line.split()[0] for line in ran.stdout.splitlines() if line.startswith("  ")) == COMMANDS


@pytest.mark.requirement("F-HOUSE-17")
def test_an_unknown_command_is_a_usage_error(checkout: Path) -> None:
    ran = dev(checkout, "deploy")
    assert ran.returncode == 2
    assert "there is no command 'deploy'" in ran.stderr


@pytest.mark.requirement("F-HOUSE-17")
def test_nothing_is_written_when_nothing_can_be_made(checkout: Path) -> None:
    before = sorted(checkout.rglob("*"))
    dev(checkout, "test")
    assert sorted(checkout.rglob("*")) == before


@pytest.mark.requirement("F-HOUSE-07")
def test_documents_name_commands_of_dev_that_exist() -> None:
    shown = {(label(p), *words) for p in documents() for words in commands(p.read_text(encoding="utf-8"), "./dev")}
    assert sorted(line for line in shown if line[1] not in COMMANDS) == []
