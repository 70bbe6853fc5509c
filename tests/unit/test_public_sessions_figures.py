"""Blind questions over public sessions: their data, which quotes nothing, and how needles are found by digests."""

import hashlib
import re
from collections import Counter
from pathlib import Path

import pytest

from benchmarks.public_sessions import (
    Asked,
    BlindQuestion,
    Needle,
    PublicSession,
    PublicSet,
    ask,
    fetching,
    main,
    read_public,
    shows,
    tables,
)

SESSION = PublicSession("ann/boilers", "c" * 40, "chats/boiler.md")
CHAT = "User: Which boiler leaks?\n\nAssistant: The blue boiler in the cellar leaks at its lower valve.\n"


def needle(text: str) -> Needle:
    return Needle(len(text), hashlib.sha256(text.encode()).hexdigest())


def of(*questions: BlindQuestion) -> PublicSet:
    return PublicSet("boilers", (SESSION,), questions)


@pytest.mark.requirement("F-BENCH-12")
def test_the_data_points_at_sessions_and_quotes_nothing_of_them() -> None:
    sets = list(read_public())
    assert [len(each.questions) for each in sets] == [61, 59]
    commits: dict[str, set[str]] = {}
    for each in sets:
        assert {question.session for question in each.questions} == set(range(len(each.sessions)))
        assert Counter(question.kind for question in each.questions).keys() == {
            "user",
            "assistant",
            "tool",
            "middle",
            "list",
        }
        assert 0.05 < sum(not question.needles for question in each.questions) / len(each.questions) < 0.15
        assert len({question.text for question in each.questions}) == len(each.questions)
        for session in each.sessions:
            commits.setdefault(session.repo, set()).add(session.commit)
            assert re.fullmatch(r"[\w.-]+/[\w.-]+ [0-9a-f]{40}", f"{session.repo} {session.commit}")
        for question in each.questions:
            assert not shows(question.text, question.needles) or not question.needles, "a question tells its answer"
            for each_needle in question.needles:
                assert re.fullmatch("[0-9a-f]{64}", each_needle.sha256)
                assert 3 <= each_needle.length <= 40
    assert {len(each) for each in commits.values()} == {1}, "a clone has one commit"


@pytest.mark.requirement("F-BENCH-12")
def test_a_needle_is_found_anywhere_and_however_its_whitespace_is_broken() -> None:
    assert shows("the blue boiler", [needle("the"), needle("boiler"), needle("the blue boiler")])
    assert shows("the blue\n\t boiler", [needle("blue boiler")])
    assert not shows("the blue boiler", [needle("blue"), needle("red")])
    assert not shows("the blue boiler", [needle("Blue")])
    assert not shows("blue", [needle("the blue boiler")])
    assert shows("ein Gerät für 80 €", [needle("Gerät für"), needle("80 €")])


@pytest.mark.requirement("F-BENCH-12")
def test_sessions_are_imported_and_asked_and_the_tables_count_by_half(tmp_path: Path) -> None:
    (tmp_path / "ann+boilers" / "chats").mkdir(parents=True)
    (tmp_path / "ann+boilers" / "chats" / "boiler.md").write_text(CHAT, encoding="utf-8")
    told = BlindQuestion(0, "assistant", "which boiler leaks?", (needle("lower valve"),))
    lost = BlindQuestion(1, "user", "what colour is the boiler?", (needle("red"),))
    never = BlindQuestion(0, "user", "who repaired the roof?", ())
    found = ask(of(told, lost, never), tmp_path, None, None)
    assert [each.shown for each in found] == [(True,) * 4, (False,) * 4, ()]
    assert [each.question for each in ask(of(told, lost), tmp_path, None, "odd")] == [lost]
    rows, doubts = tables("x", {"boilers": [*found, Asked(question=never, shown=(), is_doubted=True)]})
    assert [(row[0], row[1], row[2]) for row in rows.rows] == [
        ("boilers", "2", "50.0"),
        ("boilers: even", "1", "100.0"),
        ("boilers: odd", "1", "0.0"),
        ("boilers: assistant", "1", "100.0"),
        ("boilers: user", "1", "0.0"),
    ]
    assert doubts.rows[0][2].endswith(" of 2")


@pytest.mark.requirement("F-BENCH-12")
def test_what_is_missing_is_told_with_the_commands_that_fetch_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "ann+boilers"
    assert list(fetching([of(), of()], tmp_path)) == [
        f"git clone https://github.com/ann/boilers {place}",
        f"git -C {place} checkout {'c' * 40}",
    ]
    assert main(["--data", str(tmp_path), "--embedder", "none"]) == 1
    said = capsys.readouterr()
    assert said.out.count("git clone") == len({s.repo for each in read_public() for s in each.sessions})
    assert "sessions are missing" in said.err
