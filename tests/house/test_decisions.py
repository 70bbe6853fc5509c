"""Every decision has a page of the agreed form, and the list names it."""

import re

import pytest

from tests.house.documents import links
from tests.house.tree import ROOT

FOLDER = ROOT / "docs/decisions"
PAGES = sorted(FOLDER.glob("[0-9]*.md"))
HEADINGS = ["Question", "Decision", "Why", "Instead"]
STATUS = re.compile(r"^Status: (?:accepted|replaced by \d{4})$", re.MULTILINE)
LINES = 60


@pytest.mark.requirement("F-HOUSE-18")
def test_decisions_are_numbered_and_listed() -> None:
    assert [page.name[:5] for page in PAGES] == [f"{n:04}-" for n in range(1, len(PAGES) + 1)]
    listed = links((FOLDER / "README.md").read_text(encoding="utf-8"))
    assert {page.name for page in PAGES} <= set(listed)


@pytest.mark.requirement("F-HOUSE-18")
def test_decisions_have_the_agreed_form() -> None:
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        assert text.startswith(f"# {page.name[:4]} "), page.name
        assert STATUS.search(text), page.name
        assert re.findall(r"^## (.*)$", text, re.MULTILINE) == HEADINGS, page.name
        assert len(text.splitlines()) <= LINES, page.name
