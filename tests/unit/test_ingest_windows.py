"""A client that keeps the first messages of a history and sends the last ones behind them: the middle is left out."""

import pytest

from clew.ingest.identity import TurnKey, align
from clew.types import Turn
from tests.support.memories import quiet, texts


def keys(letters: str) -> list[TurnKey]:
    return [TurnKey(hash=letter.encode()) for letter in letters]


def fates(stored: str, incoming: str, *, is_live: bool) -> str:
    """For each incoming turn the stored one that it is, or the branch it is added to and the turn it answers."""
    found = []
    for place in align(keys(stored), keys(incoming), is_live=is_live):
        after = "" if place.follows is None else f"<{place.follows}"
        found.append(f"={place.known}" if place.known is not None else f"+{place.branch}{after}")
    return " ".join(found)


@pytest.mark.requirement("F-INGEST-93")
@pytest.mark.parametrize("is_live", [False, True])
@pytest.mark.parametrize(
    ("stored", "incoming", "expected"),
    [
        ("abcdef", "adefg", "=0 =3 =4 =5 +"),  # the end of what is stored
        ("abcdef", "abefg", "=0 =1 =4 =5 +"),
        ("abcdef", "abef", "=0 =1 =4 =5"),  # sent again
        ("abcdef", "adeg", "=0 =3 =4 +edit-1<4"),  # an edit inside the window
        ("abcdxcdef", "acdy", "=0 +edit-1<0 +edit-1 +edit-1"),  # two places, and neither is the end
        ("abcdxcdefcd", "acdy", "=0 =9 =10 +"),  # of three places the end
        ("abcdef", "afgh", "=0 +edit-1<0 +edit-1 +edit-1"),  # one equal turn alone says nothing
    ],
)
def test_what_comes_behind_a_kept_beginning_is_found_further_on(
    stored: str, incoming: str, expected: str, *, is_live: bool
) -> None:
    assert fates(stored, incoming, is_live=is_live) == expected


@pytest.mark.requirement("F-INGEST-93")
@pytest.mark.parametrize(
    ("stored", "incoming", "live", "copied"),
    [
        ("abcdef", "afg", "=0 =5 +", "=0 +edit-1<0 +edit-1"),  # what stands before the last turn was stored before
        ("abcdef", "aSefg", "=0 +<0 =4 =5 +<5", "=0 +edit-1<0 +edit-1 +edit-1 +edit-1"),  # a summary is put in
        ("abcdef", "STefg", "+ + =4 =5 +<5", "+ + + + +"),  # a summary and an answer to it, in place of the beginning
        ("abSdefgh", "aSSghi", "=0 =2 +<2 =6 =7 +<7", "=0 +edit-1<0 +edit-1 +edit-1 +edit-1 +edit-1"),  # one is stored
        ("bbaaabaa", "aaa", "=6 =7 +", "=6 =7 +"),  # the last one is not put in before the others
        ("abcbcd", "abcb", "=0 =1 =2 =3", "=0 =1 =2 =3"),
        ("ababab", "aba", "=4 =5 +", "=0 =1 =2"),  # "yes", "Right.", "yes", "Right." ...
        ("axbcbc", "abcb", "=0 =4 =5 +", "=0 =2 =3 =4"),  # said again, or sent again
    ],
)
def test_the_last_turn_of_a_live_history_is_said_now(stored: str, incoming: str, live: str, copied: str) -> None:
    assert fates(stored, incoming, is_live=True) == live
    assert fates(stored, incoming, is_live=False) == copied


@pytest.mark.requirement("F-INGEST-93")
def test_copies_of_a_window_add_what_is_new() -> None:
    def told(words: str) -> list[Turn]:
        return [Turn(role="user" if n % 2 else "assistant", content=word, session="s") for n, word in enumerate(words)]

    with quiet() as memory:
        memory.add_many(told("abcdef"))
        assert memory.add_many([*told("abcdef")[:1], *told("abcdefgh")[3:]]).added == 2
        assert texts(memory) == list("abcdefgh")


@pytest.mark.requirement("F-INGEST-93")
@pytest.mark.parametrize("count", [60_000])
def test_a_window_of_many_equal_turns_is_quickly_found(count: int) -> None:
    stored = [TurnKey(hash=b"h"), *(TurnKey(hash=b"x") for _ in range(count)), TurnKey(hash=b"y")]
    sent = [
        TurnKey(hash=b"h"),
        *(TurnKey(hash=b"x") for _ in range(count // 2)),
        TurnKey(hash=b"y"),
        TurnKey(hash=b"z"),
    ]
    places = align(stored, sent, is_live=True)
    assert sum(place.is_new for place in places) == 1


@pytest.mark.requirement("F-INGEST-93")
@pytest.mark.parametrize("count", [60_000])
def test_a_copy_that_ends_like_another_branch_is_quickly_placed(count: int) -> None:
    stored = [
        TurnKey(hash=b"a"),
        TurnKey(hash=b"e", branch="edit-1", follows=0),
        *(TurnKey(hash=b"x", branch="edit-1") for _ in range(count)),
        TurnKey(hash=b"b", follows=0),
        *(TurnKey(hash=b"x") for _ in range(count)),
        TurnKey(hash=b"z"),
    ]
    sent = [TurnKey(hash=b"a"), TurnKey(hash=b"e"), *(TurnKey(hash=b"x") for _ in range(count)), TurnKey(hash=b"z")]
    places = align(stored, sent)
    assert [n for n, place in enumerate(places) if place.is_new] == [count + 2]
