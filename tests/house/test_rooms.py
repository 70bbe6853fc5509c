"""Each room says what it does and where to start; a class name means one thing; pages name modules that exist."""

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

import pytest

import clew
from clew.config import SETTINGS
from tests.house.documents import documents
from tests.house.tree import ROOT, label, python_files

CLEW = ROOT / "src" / "clew"
SUPPORT = ROOT / "tests" / "support"
ENTRANCE = re.compile(r"[Ss]tart\s+at\s+`(?P<module>[\w.]+?)(?:\.(?P<name>\w+))?`")
A_CLASS = re.compile(r"^class ([A-Za-z]\w*)", re.MULTILINE)
FILES = (".db", ".toml", ".lock", ".sql", ".json", ".jsonl", ".md", ".tsv")
IN_BACKTICKS = re.compile(r"`([^`\n]+)`")

LARGE = 25
"""Modules from which the docstring of a room has a map of them."""

TWICE = {
    "Column": "a growing array in index, a selected column of a table in store",
    "Columns": "the growing arrays of a space in index, selected columns of a table in store",
    "LabelWeight": "a condition of the query language in rank, a selection of rows in store",
    "Limits": "the bounds of one writer each in the SQLite and the PostgreSQL engine",
    "SegmentKey": "a segment as index handles it, and its row in store",
    "SessionState": "the HSCA and the SIGMA document both define one; each view keeps its document's name",
    "Table": "annotations as columns in recall, a declared table in store",
    "TurnAnalysis": "the SIGMA document's shape in the view, the memory's own in types",
}
"""Class names that may be defined more than once, with the reason."""


@cache
def names_in(module: Path) -> frozenset[str]:
    """Functions, classes, constants and imports at the top level of a module, and the members of its classes."""
    names: set[str] = set()
    for node in ast.parse(module.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names |= {target.id for target in targets if isinstance(target, ast.Name)}
    return frozenset(names)


def rooms() -> list[Path]:
    """The packages directly below `clew`."""
    return sorted(p.parent for p in python_files("src/clew") if p.name == "__init__.py" and p.parent.parent == CLEW)


def modules_of(room: Path) -> list[str]:
    """The modules and packages in a room, sorted."""
    inside = {p.stem for p in room.iterdir() if p.suffix == ".py" or (p / "__init__.py").is_file()}
    return sorted(inside - {"__init__"})


def mapped_modules(docstring: str) -> list[str]:
    """The modules in the map of a room, sorted: indented lines with a heading, two spaces or more, and names."""
    lines = [line for line in docstring.splitlines() if line.startswith("    ")]
    listed = re.sub(r"\([^)]*\)", "", " ".join(re.sub(r"^    \S.*?  +", "", line) for line in lines))
    return sorted(name for name in re.split(r"[,\s]+", listed) if name)


def entrance_of(docstring: str, room: Path) -> str | None:
    """What is wrong with the entrance that a room's docstring names; None when it exists."""
    named = ENTRANCE.search(docstring)
    if named is None:
        return "names no entrance; write: Start at `module.function`."
    module, name = named["module"], named["name"]
    if name is None:
        return None if is_module(room, module) else f"there is no module {module!r}"
    if is_module(room, f"{module}.{name}"):
        return None
    file = room.joinpath(*module.split(".")).with_suffix(".py")
    if not file.is_file():
        file = room.joinpath(*module.split("."), "__init__.py")
    return None if file.is_file() and name in names_in(file) else f"{module}.{name} does not exist"


def is_module(folder: Path, dotted: str) -> bool:
    place = folder.joinpath(*dotted.split("."))
    return place.with_suffix(".py").is_file() or (place / "__init__.py").is_file()


def defined_twice(sources: Mapping[str, str]) -> dict[str, list[str]]:
    """Public class names that several modules define: name -> modules."""
    places: dict[str, list[str]] = defaultdict(list)
    lines = {module: set(A_CLASS.findall(source)) for module, source in sources.items()}
    counts = Counter(name for names in lines.values() for name in names)
    for module, source in sources.items():
        if all(counts[name] == 1 for name in lines[module]):
            continue  # as most modules, without being parsed
        for node in ast.parse(source).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(module)
    return {name: modules for name, modules in sorted(places.items()) if len(modules) > 1}


def unknown_modules(page: str) -> list[str]:
    """What a page names in backticks as a module, or a name of a module, of Clew and what does not exist."""
    terms = dict.fromkeys(term for term in IN_BACKTICKS.findall(page) if not is_known(term))
    return list(terms)


def is_known(term: str) -> bool:
    """Whether a term is something else than a name of Clew's modules, or a name that exists."""
    if term in SETTINGS or not re.fullmatch(r"\w+(?:[./]\w+)+", term) or (CLEW / term).exists():
        return True
    parts = re.split(r"[./]", term.removesuffix(".py"))
    if term.startswith("clew.db.") or term.endswith(FILES):
        return True
    if parts[0] == "clew":
        parts = parts[1:]
        if parts[0] in clew.__all__:
            return True
    elif not (CLEW / parts[0] / "__init__.py").is_file():
        return True  # an attribute of something
    return any(reaches(parts[:length], parts[length:]) for length in range(len(parts), 0, -1))


def reaches(module: Iterable[str], rest: list[str]) -> bool:
    """Whether a module exists and has the name that is left, if any is."""
    place = CLEW.joinpath(*module)
    file = place.with_suffix(".py") if place.with_suffix(".py").is_file() else place / "__init__.py"
    return file.is_file() and (not rest or rest[0] in names_in(file))


@pytest.mark.requirement("F-HOUSE-20")
@pytest.mark.parametrize("room", [pytest.param(room, id=room.name) for room in rooms()])
def test_each_room_names_its_entrance(room: Path) -> None:
    docstring = ast.get_docstring(ast.parse((room / "__init__.py").read_text(encoding="utf-8"))) or ""
    assert docstring, "a room without a docstring"
    assert entrance_of(docstring, room) is None, f"{room.name}: {entrance_of(docstring, room)}"


@pytest.mark.requirement("F-HOUSE-20")
@pytest.mark.parametrize(
    "room", [pytest.param(room, id=room.name) for room in [*rooms(), SUPPORT] if len(modules_of(room)) >= LARGE]
)
def test_the_map_of_a_large_room_is_complete(room: Path) -> None:
    assert mapped_modules((room / "__init__.py").read_text(encoding="utf-8")) == modules_of(room)


@pytest.mark.requirement("F-HOUSE-21")
def test_a_class_name_is_defined_once() -> None:
    twice = defined_twice({label(p): p.read_text(encoding="utf-8") for p in python_files("src")})
    assert {name: modules for name, modules in twice.items() if name not in TWICE} == {}


@pytest.mark.requirement("F-HOUSE-22")
@pytest.mark.parametrize("page", [pytest.param(p, id=label(p)) for p in documents() if p.is_relative_to(ROOT / "docs")])
def test_modules_that_pages_name_exist(page: Path) -> None:
    assert unknown_modules(page.read_text(encoding="utf-8")) == []


@pytest.mark.requirement("F-HOUSE-20", "F-HOUSE-21", "F-HOUSE-22")
def test_each_rule_notices_a_violation() -> None:
    store = CLEW / "store"
    assert mapped_modules("Rows.\n\n    open    b, a (rows),\n            c\n    shut    d") == ["a", "b", "c", "d"]
    assert entrance_of("Rows. Start at `open.open_store`.", store) is None
    assert entrance_of("Rows, found by key.", store) is not None
    assert entrance_of("Rows. Start at `open.no_such_name`.", store) is not None
    assert defined_twice({"a": "class A: ...\nclass _B: ...", "b": "class A: ...\nclass _B: ..."}) == {"A": ["a", "b"]}
    good = (
        "`store/open.py`, `clew.store.open.open_store`, `store.open`, `clew.db`, `O1.x`, `clew.Memory.open`, `a/b.py`"
    )
    assert unknown_modules(good) == []
    assert unknown_modules("`store/no.py`, `clew.store.no`, `store.open.no`") == [
        "store/no.py",
        "clew.store.no",
        "store.open.no",
    ]
