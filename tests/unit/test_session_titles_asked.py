"""Conversations that are asked for, or named, by the titles that clients and exports give them."""

from pathlib import Path

import pytest

from clew.memory import Memory
from clew.rank.intent.title_words import title_words
from clew.rank.intent.workplaces import workplace
from tests.support.cli_runs import done, failure
from tests.support.memories import quiet, told


def chats(home: Path) -> Memory:
    memory = quiet(home)
    for title, session, *texts in (
        ("Tax return 2024", "a", "I worked from home on 141 days.", "And my new desk, 389 euros?"),
        ("Regex parser in Rust", "b", "How do I represent the tree?", "The borrow checker complains."),
        ("Wedding speech", "c", "My sister met him at a rowing club.", "She once buried the keys."),
    ):
        memory.add_many([told(text, session=session, metadata={"title": title}) for text in texts])
    return memory


@pytest.mark.requirement("U-TITLE-01")
@pytest.mark.parametrize(
    ("question", "session"),
    [
        ("tax return", "a"),
        ("what was the chat about taxes about?", "a"),
        ("the session about the parser", "b"),
        ("the conversation about my wedding speech", "c"),
    ],
)
def test_a_conversation_is_found_by_its_title(tmp_path: Path, question: str, session: str) -> None:
    with chats(tmp_path) as memory:
        assert memory.search(question)[0].turn.session == session
        assert not memory.recall(question).is_doubtful


@pytest.mark.requirement("U-TITLE-01")
def test_titles_answer_no_other_question(tmp_path: Path) -> None:
    assert title_words("How was the wedding speech received?", exact=False) == frozenset()
    assert title_words("what was the chat about?", exact=False) == frozenset()
    with chats(tmp_path) as memory:
        assert memory.recall("the session about Kubernetes").text == ""
        assert memory.recall("Did anybody give a speech?").text == ""
        memory.forget(session="a")
        assert memory.recall("tax return").text == ""


@pytest.mark.requirement("U-TITLE-02")
def test_a_session_is_named_by_its_title(tmp_path: Path) -> None:
    chats(tmp_path).close()
    assert "rowing club" in done("recap", "wedding speech", "--home", tmp_path)
    assert "there is no session 'wedding'" in failure(1, "recap", "wedding", "--home", tmp_path)
    with quiet(tmp_path) as memory:
        memory.add(told("Another one.", session="d", metadata={"title": "Wedding speech"}))
    assert "may be any of c, d" in failure(1, "recap", "Wedding speech", "--home", tmp_path)


def work(home: Path) -> Memory:
    memory = quiet(home)
    for session, branch, folder, *texts in (
        ("a", "fix/login", "/home/ann/webshop", "The cookie has no SameSite flag.", "Added, and the tests pass."),
        ("b", "main", "/home/ann/webshop", "Show the number of items in a badge.", "The badge is there."),
        ("c", "feature/cache", "/home/ann/payments", "Keep prices for a while.", "The TTL is 60 seconds."),
    ):
        where = {"git_branch": branch, "cwd": folder}
        memory.add_many([told(text, session=session, metadata=where) for text in texts])
    return memory


@pytest.mark.requirement("U-TITLE-03")
@pytest.mark.parametrize(
    ("question", "sessions"),
    [
        ("what did I do on branch fix/login?", {"a"}),
        ("what did I work on in the fix/login branch last week?", {"a"}),
        ("fix/login", {"a"}),
        ("what happened in the payments project?", {"c"}),
        ("What did we do in the repo webshop?", {"a", "b"}),
        ("what was done in ~/webshop?", {"a", "b"}),
    ],
)
def test_a_conversation_is_found_by_its_branch_and_its_project(
    tmp_path: Path, question: str, sessions: set[str]
) -> None:
    with work(tmp_path) as memory:
        found = [hit.turn.session for hit in memory.search(question)]
        assert set(found[: 2 * len(sessions)]) == sessions
        assert not memory.recall(question).is_doubtful


@pytest.mark.requirement("U-TITLE-03")
def test_a_conversation_is_found_by_the_branch_it_went_on_to(tmp_path: Path) -> None:
    with work(tmp_path) as memory:
        assert memory.search("topic/frame") == []
        memory.add(told("It has a border.", session="b", metadata={"git_branch": "topic/frame"}))
        assert memory.search("topic/frame")[0].turn.session == "b"
        assert memory.search("fix/login")[0].turn.session == "a"


@pytest.mark.requirement("U-TITLE-03")
def test_a_branch_that_nobody_worked_on_finds_nothing(tmp_path: Path) -> None:
    with work(tmp_path) as memory:
        assert memory.recall("what did I do on branch fix/logout?").text == ""
        assert memory.search("what is the TTL in the payments project?")[0].turn.text == "The TTL is 60 seconds."
        assert workplace("which branch did we use in the project?", exact=False) is None
