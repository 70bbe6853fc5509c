"""The page of sources names modules that exist, and in them the names that it says they hold."""

import re

import pytest

from tests.house.tree import ROOT

PAGE = ROOT / "docs" / "sources.md"
PLACES = (ROOT / "src" / "clew", ROOT)
PATH = re.compile(r"(?:[\w.]+/)+[\w.]*|[\w.]+\.(?:py|md|json)")


def rows(page: str) -> list[tuple[str, list[str], list[str]]]:
    """Of each row: its item, the paths behind it, and the identifiers that stand beside a path."""
    found = []
    for line in page.splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip("|"))]
        if len(cells) != 2 or set(cells[1]) <= {"-"} or cells == ["Item", "Where"]:
            continue
        terms = re.findall(r"`([^`]+)`", cells[1])
        paths = [term for term in terms if PATH.fullmatch(term)] + re.findall(r"\b(?:docs|tests)/[\w/]+\.\w+", cells[1])
        names = [term for term in terms if re.fullmatch(r"[A-Za-z]\w*", term)] if paths else []
        found.append((cells[0], paths, names))
    return found


def exists(path: str) -> bool:
    return any((place / path).exists() for place in PLACES)


@pytest.mark.requirement("W-SIGMA-09")
def test_modules_of_the_sources_exist() -> None:
    page = rows(PAGE.read_text(encoding="utf-8"))
    assert len(page) > 80
    assert [(item, path) for item, paths, _ in page for path in paths if not exists(path)] == []


@pytest.mark.requirement("W-SIGMA-09")
def test_names_of_the_sources_stand_in_their_modules() -> None:
    page = rows(PAGE.read_text(encoding="utf-8"))
    assert any(names for _, _, names in page)
    for item, paths, names in page:
        files = [place / path for path in paths for place in PLACES if (place / path).is_file()]
        text = "\n".join(file.read_text(encoding="utf-8") for file in files)
        missing = [name for name in names if files and not re.search(rf"\b{name}\b", text)]
        assert missing == [], f"{item}: not in {', '.join(paths)}"


@pytest.mark.requirement("W-SIGMA-09")
def test_rows_of_the_sources_are_read_as_they_are_written() -> None:
    page = "| Item | Where |\n|---|---|\n| a `b` | `analyze/x.py` `NAME`; docs/y.md |\n| c | recall (`views.z`) |\n"
    assert rows(page) == [("a `b`", ["analyze/x.py", "docs/y.md"], ["NAME"]), ("c", [], [])]
