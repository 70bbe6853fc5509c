"""Addresses are blanked as one expression would, and in time in proportion to the text."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from clew.analyze.addresses import without_addresses
from clew.analyze.entities import entities_in

MEANT = re.compile(r"(?:https?://|www\.)\S+|(?<!\w)[@#]\w+|\S+@\S+\.\w+")
PIECES = st.sampled_from(["a", "é", "1", "@", "@", ".", ".", "#", ",", "/", " ", "\n", "\u00a0", "www.", "http://"])


@pytest.mark.requirement("F-ENTITY-04")
@given(st.lists(PIECES, max_size=14).map("".join))
@example("write to ann@hive.example, or @ann, see https://hive.example/a?b#c")
@example("see.@ann.lee/#bees,(ann@x.y.z).")
def test_what_one_expression_would_match_is_blanked(text: str) -> None:
    blank = MEANT.sub(lambda found: " " * len(found[0]), text)
    assert without_addresses(text) == (blank if set(text) & set("@#/") else text)


@pytest.mark.requirement("F-ENTITY-04")
@pytest.mark.parametrize("piece", ["@", "a@", "a@.", "Qm/", "#a,", "@a,"])
def test_a_long_run_of_signs_is_read(piece: str) -> None:
    """The expression above would take hours on the first of them, and the memory would stand still."""
    assert entities_in(f"We met Ann Lee. {piece * 9_000}").mentions[0].name == "Ann Lee"
