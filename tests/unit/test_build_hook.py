"""The build hook: pure Python unless asked, and clear words where that cannot be compiled."""

import ast
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hatchling.builders.wheel import WheelBuilder

from clew.index.kernel import MODULES
from clew.version import build
from hatch_build import WISH, CompiledModules, compile_modules, extension_name, modules
from tests.house.tree import ROOT

BUILD = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]
SETTINGS: dict[str, Any] = BUILD["targets"]["wheel"]["hooks"]["custom"]


def hook() -> CompiledModules:
    builder = WheelBuilder(str(ROOT))
    return CompiledModules(str(ROOT), SETTINGS, builder.config, builder.metadata, str(ROOT), "wheel")


@pytest.mark.requirement("F-FAST-01")
@pytest.mark.parametrize("value", [None, "", "0"])
def test_a_wheel_is_pure_python_and_needs_nothing_more_by_default(
    monkeypatch: pytest.MonkeyPatch, value: str | None
) -> None:
    monkeypatch.delenv(WISH, raising=False) if value is None else monkeypatch.setenv(WISH, value)
    made: dict[str, Any] = {"force_include": {}, "pure_python": True}
    hook().initialize("standard", made)
    assert made == {"force_include": {}, "pure_python": True}
    assert hook().dependencies() == []


@pytest.mark.requirement("F-FAST-01")
def test_compiling_asks_for_mypyc_and_for_the_types_of_all_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(WISH, "1")
    needed = hook().dependencies()
    assert needed[0].startswith("mypy[mypyc]")
    assert any(each.startswith("numpy") for each in needed)


@pytest.mark.requirement("F-FAST-01")
@pytest.mark.parametrize(
    ("value", "version", "words"),
    [("yes", "standard", "CLEW_COMPILE is 'yes'; expected 1"), ("1", "editable", "install without -e, or unset it")],
)
def test_what_cannot_be_meant_is_refused(monkeypatch: pytest.MonkeyPatch, value: str, version: str, words: str) -> None:
    monkeypatch.setenv(WISH, value)
    with pytest.raises(SystemExit, match=words):
        hook().initialize(version, {"force_include": {}})


@pytest.mark.requirement("F-FAST-01")
def test_the_list_of_modules_names_what_is_there() -> None:
    for pattern in [*SETTINGS["modules"], *SETTINGS["exclude"], *SETTINGS["c"]]:
        assert list(ROOT.glob(pattern)), pattern
    listed = modules(ROOT, SETTINGS)
    assert {"src/clew/analyze/words.py", "src/clew/text/terms.py"} <= set(listed)
    assert not {*SETTINGS["exclude"], "src/clew/text/__init__.py"} & set(listed)


@pytest.mark.requirement("F-FAST-05")
def test_a_file_in_c_is_a_module_beside_the_python_that_it_stands_in_for() -> None:
    assert tuple(map(extension_name, SETTINGS["c"])) == MODULES


@pytest.mark.requirement("F-FAST-02")
def test_no_compiled_module_imports_inside_a_function() -> None:
    """A compiled function imports once and then never again, so that a package that is missing later is not noticed."""
    late = [
        f"{path}:{line.lineno}"
        for path in modules(ROOT, SETTINGS)
        for function in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8")))
        if isinstance(function, ast.FunctionDef)
        for line in ast.walk(function)
        if isinstance(line, ast.Import | ast.ImportFrom)
    ]
    assert late == []


@pytest.mark.slow
@pytest.mark.requirement("F-FAST-01")
def test_without_a_compiler_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CC", "no-such-compiler")
    (tmp_path / "twice.py").write_text("def twice(value: int) -> int:\n    return 2 * value\n", encoding="utf-8")
    with pytest.raises(SystemExit, match="needs a C compiler") as stopped:
        compile_modules(tmp_path, ["twice.py"], tmp_path / "made")
    assert "apt install gcc python3-dev" in str(stopped.value)


@pytest.mark.requirement("F-FAST-03")
def test_the_build_that_runs_can_be_told() -> None:
    assert build() in {"compiled", "pure Python"}
