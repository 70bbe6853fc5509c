"""Summaries by a model, checked against their source."""

import pytest

from clew.condense.summary_check import SummaryBounds, fitting_summary

pytestmark = pytest.mark.requirement("F-RENDER-05")

SOURCE = (
    '[{"day": "2024-03-05", "speaker": "User", "text": "I moved the sessions of our shop from SQLite to Redis '
    "7.2 on March 3 because SQLite was slow. Lena Ortiz tested it: the login takes 120 ms now instead of 900 "
    'ms. The code is in src/session/store.py, and `flush_all` must never run in production."}, {"day": '
    '"2024-03-05", "speaker": "Assistant", "text": "Then keep an expiry of 15 minutes and watch the memory of '
    "the server. I would add a test for the login of a user with an old cookie, and write the decision down "
    'for the team."}]'
)
TRUE = (
    "The user moved the sessions of the shop from SQLite to Redis 7.2 on March 3, because SQLite was slow. "
    "Lena Ortiz tested it, and the login now takes 120 ms instead of 900 ms. The code is in "
    "src/session/store.py; `flush_all` must never run in production. The assistant advised to keep an expiry "
    "of 15 minutes, to watch the memory of the server, to add a test for the login of a user with an old "
    "cookie, and to write the decision down for the team."
)
OTHER = (
    "lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor incididunt ut labore et dolore magna "
    "aliqua ut enim ad minim veniam quis nostrud exercitation ullamco laboris nisi ut aliquip ex ea commodo consequat "
    "duis aute irure dolor in reprehenderit in voluptate velit esse cillum dolore eu fugiat nulla pariatur excepteur "
    "sint occaecat cupidatat non proident sunt in culpa qui officia deserunt mollit anim id est laborum"
)


def test_a_true_summary_is_used_as_it_is() -> None:
    assert fitting_summary(TRUE, SOURCE) == (TRUE, "")


@pytest.mark.parametrize(
    ("said", "instead", "named"),
    [
        ("120 ms", "12 ms", "12"),
        ("Redis 7.2", "Redis 7.4", "7.4"),
        ("March 3", "March 4", "4"),
        ("Lena Ortiz", "Lena Meyer", "Meyer"),
        ("Lena Ortiz tested", "Rita tested", "Rita"),
        ("src/session/store.py", "src/session/cache.py", "cache.py"),
        ("`flush_all`", "`drop_all`", "drop_all"),
        ("15 minutes", "15 minutes, see https://redis.io/docs", "redis.io"),
        ("SQLite to Redis", "Oracle to Redis", "Oracle"),
        ("15 minutes", "1,500 minutes", "1,500"),
    ],
)
def test_what_is_invented_is_found_and_named(said: str, instead: str, named: str) -> None:
    assert said in TRUE
    text, why = fitting_summary(TRUE.replace(said, instead, 1), SOURCE)
    assert text == ""
    assert named in why


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "fewer than"),
        ("I cannot help with that.", "fewer than"),
        ("it was said " * 60, "repeats itself"),
        (OTHER, "something else"),
        ("The user did. " + "x" * 20_000, "fewer than"),
    ],
)
def test_what_is_no_summary_is_refused(text: str, why: str) -> None:
    shown, said = fitting_summary(text, SOURCE)
    assert shown == ""
    assert why in said


def test_an_endless_summary_ends_after_a_whole_sentence() -> None:
    shown, why = fitting_summary(TRUE + " And so on" * 5_000, SOURCE)
    assert (shown, why) == (TRUE, "")
    assert len(shown) <= 4 * SummaryBounds().most


@pytest.mark.requirement("D-VC-01")
def test_the_bounds_of_a_summary_can_be_set() -> None:
    first = TRUE[: TRUE.index(" Lena")]
    assert fitting_summary(TRUE, SOURCE, SummaryBounds(20, 40)) == (first, "")
    assert "fewer than 300" in fitting_summary(TRUE, SOURCE, SummaryBounds(300, 500))[1]
    assert "fewer than 1" in fitting_summary("", SOURCE, SummaryBounds(0, 500))[1]
