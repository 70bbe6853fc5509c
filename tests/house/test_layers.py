"""The layers contract holds, and would be noticed if it did not."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.house.tree import ROOT

LINT_IMPORTS = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True))"


def contract() -> dict[str, object]:
    linter = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    (only,) = linter["contracts"]
    assert isinstance(only, dict)
    return only


def lint(folder: Path, path: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", LINT_IMPORTS]
    return subprocess.run(
        command, cwd=folder, env={"PYTHONPATH": path}, capture_output=True, encoding="utf-8", check=False
    )


@pytest.mark.requirement("F-HOUSE-02")
def test_no_stage_imports_what_lies_above_it() -> None:
    ran = lint(ROOT, str(ROOT / "src"))
    assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.mark.requirement("F-HOUSE-02")
@pytest.mark.parametrize(
    ("importer", "imported"), [("store", "recall"), ("errors", "types"), ("config", "text"), ("aio", "testing")]
)
def test_a_broken_layer_is_found(tmp_path: Path, importer: str, imported: str) -> None:
    package = tmp_path / "clew"
    package.mkdir()
    for module in ("__init__", "errors", imported):
        (package / f"{module}.py").write_text("")
    (package / f"{importer}.py").write_text(f"import clew.{imported}\n")
    (tmp_path / "pyproject.toml").write_bytes((ROOT / "pyproject.toml").read_bytes())
    ran = lint(tmp_path, str(tmp_path))
    assert ran.returncode == 1, ran.stdout + ran.stderr
    assert f"clew.{importer} is not allowed to import clew.{imported}" in ran.stdout


@pytest.mark.requirement("F-HOUSE-02")
def test_every_module_has_a_layer() -> None:
    assert contract()["exhaustive"] is True
