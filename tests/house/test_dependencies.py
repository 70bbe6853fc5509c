"""The core stays small, and what an extra brings is not needed to start."""

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.metadata import distribution, packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement as Dependency
from packaging.utils import canonicalize_name

from tests.house.tree import ROOT, Function, label, python_files, text_files

PACKAGES = 15
MEGABYTES = 110
APART = {"encrypted", "ner"}
"""Extras whose packages take the place of others, or are large and do nothing alone: they are in no `all`, and have a
lock of their own."""
ADAPTERS = {"agents", "langgraph", "llama-index"}
"""Extras that name a library whose users have it already: in no `all`, and locked together."""
OTHER_NAMES = {"nlp": "clew[ner]"}
"""Extras that are another name of one."""
MEASURING = {"bench"}
"""Extras that only measurements need: in no `all`, and locked with the packages of development."""
IMPORTED = re.compile(r"^[ \t]*(?:import|from)[ \t]+(\w+)", re.MULTILINE)
"""The package of every import, wherever it stands."""
OUTERMOST = {
    "src/clew/adapters/": {"agents", "anthropic", "langgraph", "llama-index"},
    "src/clew/serve/": {"anyio", "httpcore2", "httpx2", "starlette", "uvicorn"},
}
"""Folders that nothing loads unless it needs their libraries, so that these may be imported at the start."""
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT, GROUPS = PYPROJECT["project"], PYPROJECT["dependency-groups"]


def installed_with(name: str, extra: str = "") -> set[str]:
    """The distributions that `pip install name[extra]` needs in this environment, `name` included."""
    needed, waiting = set[str](), [(name, extra)]
    while waiting:
        current, wanted = waiting.pop()
        needed.add(canonicalize_name(current))
        for line in distribution(current).requires or []:
            dependency = Dependency(line)
            extras = dependency.extras or {""}
            applies = dependency.marker is None or dependency.marker.evaluate({"extra": wanted})
            if applies and canonicalize_name(dependency.name) not in needed:
                waiting += [(dependency.name, each) for each in extras]
    return needed


def declared(extra: str | None = None) -> set[str]:
    lines = PROJECT["dependencies"] if extra is None else PROJECT["optional-dependencies"][extra]
    return {canonicalize_name(Dependency(line).name) for line in lines}


def imports_at_start(module: ast.AST) -> Iterator[str]:
    """Top-level packages that importing the module imports; what functions import later is left out."""
    for node in ast.iter_child_nodes(module):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield (node.module or "").partition(".")[0]
        elif isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        elif not isinstance(node, Function):
            yield from imports_at_start(node)


distributions = cache(packages_distributions)  # it reads the list of files of everything that is installed


def outside_core(names: set[str]) -> set[str]:
    """The distributions of these top-level packages that are not of the core."""
    owners, outside = distributions(), names - sys.stdlib_module_names - {"clew"}
    return {str(canonicalize_name((owners.get(name) or [name])[0])) for name in outside} - declared()


def foreign(path: Path) -> set[str]:
    """Distributions outside of the core that the module imports at its start."""
    source = path.read_text(encoding="utf-8")
    if not outside_core(set(IMPORTED.findall(source))):
        return set()  # as most modules, without being parsed
    needed = outside_core(set(imports_at_start(ast.parse(source))))
    return needed.difference(*(given for folder, given in OUTERMOST.items() if label(path).startswith(folder)))


@pytest.mark.requirement("F-HOUSE-15")
def test_the_core_is_small() -> None:
    core = installed_with("clew")
    assert len(core) <= PACKAGES, sorted(core)
    sizes = {name: _bytes_of(name) for name in core}
    assert sum(sizes.values()) <= MEGABYTES * 1_000_000, sizes


def _bytes_of(name: str) -> int:
    places = (Path(str(entry.locate())) for entry in distribution(name).files or [])
    return sum(place.stat().st_size for place in places if place.is_file())


@pytest.mark.requirement("F-HOUSE-16")
def test_only_the_core_is_imported_at_start() -> None:
    assert {label(path): found for path in python_files("src") if (found := foreign(path))} == {}


@pytest.mark.requirement("F-HOUSE-16")
def test_late_imports_are_told_from_early_ones() -> None:
    module = ast.parse(
        "import a.b\nif x:\n    from c import d\nif TYPE_CHECKING:\n    import e\ndef f():\n    import g\n"
    )
    assert list(imports_at_start(module)) == ["a", "c"]


@pytest.mark.requirement("F-HOUSE-16")
def test_every_dependency_is_locked_and_every_extra_is_in_all() -> None:
    for name, meant in OTHER_NAMES.items():
        assert PROJECT["optional-dependencies"][name] == [meant]
    extras = set(PROJECT["optional-dependencies"]) - {"all", *MEASURING, *OTHER_NAMES} - APART - ADAPTERS
    wanted = declared().union(*(declared(extra) for extra in extras))
    lock = (ROOT / "requirements/run.txt").read_text(encoding="utf-8")
    assert wanted <= {canonicalize_name(name) for name in re.findall(r"^([\w.-]+)==", lock, re.MULTILINE)}
    (everything,) = PROJECT["optional-dependencies"]["all"]
    assert Dependency(everything).extras == extras


@pytest.mark.requirement("F-HOUSE-16")
def test_what_measurements_need_is_locked_for_development() -> None:
    lock = (ROOT / "requirements/dev.txt").read_text(encoding="utf-8")
    for extra in MEASURING:
        assert declared(extra) <= {canonicalize_name(name) for name in re.findall(r"^([\w.-]+)==", lock, re.MULTILINE)}


@pytest.mark.requirement("F-HOUSE-16")
def test_what_stands_apart_is_locked_apart() -> None:
    for extra in APART:
        lock = (ROOT / f"requirements/{extra}.txt").read_text(encoding="utf-8")
        assert declared(extra) <= {canonicalize_name(name) for name in re.findall(r"^([\w.-]+)==", lock, re.MULTILINE)}
        assert GROUPS[extra] == PROJECT["optional-dependencies"][extra]
    lock = (ROOT / "requirements/adapters.txt").read_text(encoding="utf-8")
    extras = [PROJECT["optional-dependencies"][extra] for extra in ADAPTERS]
    assert sorted(GROUPS["adapters"]) == sorted(line for lines in extras for line in lines)
    assert all(f"\n{Dependency(line).name}==" in lock for line in GROUPS["adapters"])


@pytest.mark.requirement("F-HOUSE-16")
def test_asking_loads_no_server() -> None:
    code = "import sys, clew.cli.main, clew.memory.facade, clew.cli.ask; print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    loaded = {name.partition(".")[0] for name in ran.stdout.split()}
    assert loaded.isdisjoint(set().union(*OUTERMOST.values()))


@pytest.mark.requirement("F-HOUSE-16")
def test_only_extras_that_exist_are_named() -> None:
    named = re.compile(r"clew\[([a-z,-]+)\]|the extra `(\w+)`")
    texts = ((path, text) for path, text in text_files() if label(path).startswith(("src/", "docs/", "README")))
    found = [(label(path), name) for path, text in texts for pair in named.findall(text) for name in pair if name]
    assert found
    extras = set(PROJECT["optional-dependencies"])
    assert [(where, name) for where, name in found if not extras.issuperset(name.split(","))] == []
