"""How `clew verify` and `clew doctor` print many problems."""

import pytest

from clew.cli.problem_lines import SHOWN, problem_lines
from clew.types.reports import Problem


def problem(detail: str, kind: str = "database") -> Problem:
    return Problem(kind=kind, where="file", detail=detail, repair="restore a backup")


@pytest.mark.requirement("F-CLI-21")
def test_problems_that_differ_in_numbers_only_are_counted_after_the_first_few() -> None:
    pages = [problem(f"Page {number}: never used") for number in range(72)]
    others = [problem("row 3 missing from index"), problem("its words changed", "turn")]
    lines = list(problem_lines([*pages[:40], *others, *pages[40:]], lambda each: f"{each.kind}: {each.detail}"))
    assert lines == [
        *(f"database: Page {number}: never used" for number in range(SHOWN)),
        "and 67 more of this kind",
        "database: row 3 missing from index",
        "turn: its words changed",
    ]
    assert len(list(problem_lines(pages[:SHOWN], str))) == SHOWN
