"""Secrets that were masked before they were stored, as `verify` counts them."""

from pathlib import Path

import pytest

from clew.types import Part, Turn
from tests.support.cli_runs import run
from tests.support.memories import quiet, told

GITHUB = "ghp_" + "abcdefghijklmnopqrstuvwxyz0123456789"


@pytest.mark.requirement("F-CLI-33")
def test_verifying_counts_the_masks_by_kind(tmp_path: Path) -> None:
    with quiet(tmp_path / "home") as memory:
        memory.add(told(f"The token is {GITHUB}, I repeat: {GITHUB}."))
        call = Part(type="tool_call", name="login", call_id="c", text=f'{{"token": "{GITHUB}"}}')
        memory.add(Turn(role="assistant", content=(call,), session="s"))
        memory.add(told("A mask looks like [masked:kind and this is none."))
        memory.drain(200)
        report = memory.verify()
        assert report.ok
        assert report.masked == {"github": 3}
        assert report.to_dict()["masked"] == {"github": 3}
    result = run("verify", "--home", tmp_path / "home")
    assert result.exit_code == 0
    assert "masked secrets: 3 github" in result.output


@pytest.mark.requirement("F-CLI-33")
def test_where_nothing_was_masked_nothing_is_said(tmp_path: Path) -> None:
    with quiet(tmp_path / "home") as memory:
        memory.add(told("Nothing secret."))
        assert memory.verify().masked == {}
    assert "masked" not in run("verify", "--home", tmp_path / "home").output
