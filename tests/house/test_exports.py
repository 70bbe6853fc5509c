"""What `import clew` offers: public names, each documented, and nothing else."""

import ast
import inspect
import subprocess
import sys

import pytest

import clew
from tests.house.tree import ROOT


def undocumented(owner: object) -> list[str]:
    """Public names of `owner.__all__` without a docstring of their own, methods of classes included."""
    missing = []
    for export in owner.__all__:  # type: ignore[attr-defined]  # a module that has one
        thing = getattr(owner, export)
        if not (inspect.isclass(thing) or inspect.isroutine(thing)):
            continue  # a constant or a type alias is described where it stands
        members = vars(thing).items() if inspect.isclass(thing) else []
        methods = [(f"{export}.{m}", f) for m, f in members if inspect.isroutine(f) and not m.startswith("_")]
        for label, each in [(export, thing), *methods]:
            doc = each.__doc__ or ""
            if not doc or doc.startswith(f"{export}("):  # what dataclass writes where there is none
                missing.append(label)
    return missing


@pytest.mark.requirement("F-HOUSE-03")
def test_every_name_is_there_once_and_sorted() -> None:
    assert [n for n in clew.__all__ if not hasattr(clew, n)] == []
    assert list(clew.__all__) == sorted(set(clew.__all__))


@pytest.mark.requirement("F-HOUSE-03")
def test_every_name_is_documented() -> None:
    assert undocumented(clew) == []


@pytest.mark.requirement("F-HOUSE-03")
def test_the_package_module_holds_names_only() -> None:
    body = ast.parse((ROOT / "src/clew/__init__.py").read_text(encoding="utf-8")).body
    assert ast.get_docstring(ast.Module(body, [])), "the package needs a docstring"
    rest = [node for node in body[1:] if not isinstance(node, ast.Import | ast.ImportFrom)]
    assert [ast.unparse(node).partition("\n")[0].partition(" =")[0].partition("(")[0] for node in rest] == [
        "if TYPE_CHECKING:",
        "__all__",
        "_HOMES",
        "def __getattr__",
        "def __dir__",
    ]


@pytest.mark.requirement("F-HOUSE-03")
def test_importing_the_package_loads_nothing_heavy() -> None:
    loaded = "import sys, clew; print(sorted({'numpy', 'apsw', 'clew.memory'} & set(sys.modules)))"
    ran = subprocess.run([sys.executable, "-c", loaded], capture_output=True, encoding="utf-8", check=True)
    assert ran.stdout.strip() == "[]"


@pytest.mark.requirement("F-HOUSE-03")
def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="Memory"):
        clew.Memry  # noqa: B018 - the point of the test
