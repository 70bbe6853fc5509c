"""`clew sessions`, and the filters by project, branch and words for a time."""

import json
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest

from tests.support.cli_runs import done, failure, records, run
from tests.support.memories import quiet, told

pytestmark = pytest.mark.usefixtures("tmp_home")


def line(number: int, text: str, folder: str, branch: str, day: int) -> dict[str, Any]:
    """A request as Claude Code writes it."""
    return {
        "type": "user",
        "uuid": f"{folder}-{number}",
        "parentUuid": f"{folder}-{number - 1}" if number else None,
        "sessionId": folder.rpartition("/")[2],
        "timestamp": f"2025-05-{day:02}T1{number}:00:00Z",
        "cwd": folder,
        "gitBranch": branch,
        "message": {"role": "user", "content": text},
    }


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files of three sessions and a home that holds them; to be copied."""
    place = tmp_path_factory.mktemp("imported")
    for folder, branch, day in (
        ("/srv/shop", "main", 3),
        ("/srv/shop/api", "fix-login", 5),
        ("/srv/blog", "main", 7),
    ):
        texts = [f"Why does the login of {folder} fail?", "The cookie had expired."]
        lines = [line(number, text, folder, branch, day) for number, text in enumerate(texts)]
        file = place / f"{folder.rpartition('/')[2]}.jsonl"
        file.write_text("".join(json.dumps(each) + "\n" for each in lines), encoding="utf-8")
        done("import", file, "--format", "claude-code", "--home", place / ".clew")
    return place


@pytest.fixture(autouse=True)
def sessions(tmp_home: Path, imported: Path) -> None:
    copytree(imported, tmp_home, dirs_exist_ok=True)


@pytest.mark.requirement("F-SESSION-01")
def test_sessions_are_listed_with_what_people_know_of_them() -> None:
    latest = records("sessions")[0]
    assert latest == {
        "name": "blog",
        "title": "Why does the login of /srv/blog fail?",
        "topics": [],
        "project": "/srv/blog",
        "branch": "main",
        "client": "claude-code",
        "start": "2025-05-07T10:00:00+00:00",
        "end": "2025-05-07T11:00:00+00:00",
        "turns": 2,
    }
    page = done("sessions")
    assert page.index("/srv/blog on main") < page.index("/srv/shop/api on fix-login") < page.index("/srv/shop on")
    assert "claude-code, 2 turns, 60 min" in page


@pytest.mark.requirement("F-SESSION-01")
@pytest.mark.parametrize(
    ("words", "names"),
    [
        (["--project", "shop"], ["shop"]),
        (["--project", "/srv/shop"], ["api", "shop"]),
        (["--branch", "main"], ["blog", "shop"]),
        (["--project", "/srv", "--branch", "main", "--limit", "1"], ["blog"]),
        (["--since", "2025-05-05"], ["blog", "api"]),
        (["--since", "May 7 2025"], ["blog"]),
        (["--project", "nowhere"], []),
    ],
)
def test_sessions_are_chosen_by_project_branch_and_time(words: list[str], names: list[str]) -> None:
    assert [session["name"] for session in records("sessions", *words)] == names


@pytest.mark.requirement("F-SESSION-02")
@pytest.mark.parametrize("command", ["search", "query"])
def test_turns_are_chosen_by_project_and_branch(command: str) -> None:
    question = "login" if command == "search" else '"login"'

    def found(*words: str) -> set[str]:
        rows = records(command, question, *words)
        return {(row["turn"] if command == "search" else row)["session"] for row in rows}

    assert found("--project", "/srv/shop") == {"shop", "api"}
    assert found("--project", "/srv/shop", "--branch", "main") == {"shop"}
    assert found("--branch", "fix-login") == {"api"}
    assert found("--project", "nowhere") == set()


@pytest.mark.requirement("F-SESSION-02")
def test_blocks_are_made_of_the_project_alone() -> None:
    for command in (["recall", "Why does the login fail?"], ["when", "what did we say about the login in May 2025?"]):
        block = run(*command, "--project", "blog").stdout
        assert "/srv/blog" in block
        assert "/srv/shop" not in block
    assert "there is 'api', 'blog', 'shop'" in run("recall", "login", "--project", "nowhere").stderr


@pytest.mark.requirement("F-SESSION-03")
def test_words_for_a_time_are_taken_where_dates_are() -> None:
    def found(*words: str) -> set[str]:
        return {row["turn"]["session"] for row in records("search", "login", *words)}

    assert found("--since", "May 6 2025") == {"blog"}
    assert found("--until", "May 3 2025") == {"shop"}
    assert found("--since", "last week", "--until", "yesterday") <= {"shop", "api", "blog"}
    assert "'soonish' names no time" in failure(2, "search", "login", "--since", "soonish")


@pytest.mark.requirement("F-SESSION-04")
def test_the_brief_tells_of_the_last_session_of_a_project_and_its_open_tasks(tmp_home: Path) -> None:
    tasks = [{"content": "Renew the cookie", "status": "pending"}, {"content": "Find the cause", "status": "completed"}]
    call = {"type": "tool_use", "id": "t1", "name": "TodoWrite", "input": {"todos": tasks}}
    answer = line(2, "", "/srv/shop/api", "fix-login", 5) | {"type": "assistant"}
    answer["message"] = {"role": "assistant", "content": [{"type": "text", "text": "The cookie is the cause."}, call]}
    with (tmp_home / "api.jsonl").open("a", encoding="utf-8") as stream:
        stream.write(json.dumps(answer) + "\n")
    done("import", tmp_home / "api.jsonl", "--format", "claude-code")
    brief = done("brief", "--project", "/srv/shop")
    assert "Last session: 2025-05-05, 3 turns, /srv/shop/api on fix-login\n" in brief
    assert "Last request: The cookie had expired.\n" in brief
    assert "Last answer: The cookie is the cause.\n" in brief
    assert "no answer" not in brief
    assert brief.index("Open tasks:\n- Renew the cookie\n") < brief.index("Earlier:\n- 2025-05-03 [shop] Why does")
    assert "Find the cause" not in brief
    assert "/srv/blog" in done("brief"), "no conversation of this folder: the last of all"
    for command in ("brief", "sessions"):
        said = run(command, "--project", "nowhere").stderr
        assert "No conversation is of the project 'nowhere'; there is 'api', 'blog', 'shop'." in " ".join(said.split())
    assert "No conversation matches." in run("brief", "--project", "shop", "--branch", "nowhere").stderr


@pytest.mark.requirement("C-PLAIN-07")
def test_the_brief_and_titles_of_quests_are_plain(tmp_home: Path) -> None:
    told = "## Done\n\n**Cookie:** it is renewed.\n- Or we decided to drop the old one."
    edit = {"type": "tool_use", "id": "e1", "name": "Edit", "input": {"file_path": "/srv/shop/a.py", "new_string": "x"}}
    asked, answered = (line(n, "B) Renew the cookie, please.", "/srv/shop/till", "main", 8) for n in (0, 1))
    answered["type"] = "assistant"
    answered["message"] = {"role": "assistant", "content": [edit, {"type": "text", "text": told}]}
    more = "".join(json.dumps(each) + "\n" for each in (asked, answered))
    (tmp_home / "more.jsonl").write_text(more, encoding="utf-8")
    done("import", tmp_home / "more.jsonl", "--format", "claude-code")
    brief = done("brief", "--project", "/srv/shop")
    assert "Last answer: Done Cookie: it is renewed. Or we decided to drop the old one.\n" in brief
    assert "- We decided to drop the old one.\n" in brief
    assert [quest["title"] for quest in records("quest")] == ["Renew the cookie, please."]


@pytest.mark.requirement("F-EDGE-05")
def test_a_list_as_json_is_whole_and_one_for_people_says_that_it_is_not(tmp_home: Path) -> None:
    with quiet(tmp_home / ".clew") as memory:
        memory.add_many([told(f"We drink tea in room {n}.", session=f"room {n}") for n in range(25)])
        every = len(memory.sessions())
    assert len(records("sessions")) == every
    assert len(records("sessions", "--limit", "3")) == 3
    assert len(records("query", "role = user", "--limit", "3")) == 3
    assert "There are more; --limit shows them" in run("sessions").stderr


def test_a_very_long_name_is_cut_and_still_names_its_session(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with quiet(home) as memory:
        memory.add(told("tea at four", session="x" * 5_000))
    shown = done("sessions", "--home", home).split()[-1]
    assert (len(shown), shown[-1]) == (100, "…")
    assert "tea at four" in done("recall", "tea", "--session", shown, "--home", home)
    (listed,) = records("sessions", "--home", home)
    assert listed["name"] == "x" * 5_000
