"""Every decision has a page of the agreed form (docs/decisions/0001)."""

import pytest

from tests.house.pages import decisions

LINES = 60


@pytest.mark.requirement("F-HOUSE-18")
def test_decisions_are_numbered_in_order() -> None:
    assert [page.name[:5] for page in decisions()] == [f"{n:04}-" for n in range(1, len(decisions()) + 1)]


@pytest.mark.requirement("F-HOUSE-18")
def test_decisions_have_the_agreed_form() -> None:
    for page in decisions():
        text = page.read_text(encoding="utf-8")
        assert text.startswith(f"# {page.name[:4]}: "), page.name
        assert "\n**Decided.** " in text, page.name
        assert "\n**Why.** " in text, page.name
        assert len(text.splitlines()) <= LINES, page.name
