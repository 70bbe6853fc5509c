"""The recaps of the conversations that come with Clew, as docs/recaps.md shows them."""

import pytest

from benchmarks.check import AGENT
from benchmarks.sample_recaps import BUDGET, PAGE, recap_of_sample


@pytest.mark.requirement("F-KEEP-04", "F-KEEP-06")
def test_the_agents_recap_says_what_is_open_decided_and_forbidden() -> None:
    recap, size = recap_of_sample(AGENT, "quest")
    assert recap.tokens <= BUDGET < size
    for part, told in {
        "Open tasks": "Bo reviews the lease",
        "Constraints": "the backup must go to /var/backups/tidebook",
        "Key decisions": "We decided to normalise every reading to UTC",
        "Mental map": "The quay screen still shows 14 tides",
    }.items():
        assert told in recap.text.partition(f"### {part}\n")[2].partition("\n###")[0]
    assert "/var/backups/tidebook" in recap.text


@pytest.mark.requirement("F-KEEP-06")
def test_the_page_shows_both_recaps() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page.count("````markdown\n") == 2
    assert "## Current quest: The nightly import of tide tables writes some days twice." in page
