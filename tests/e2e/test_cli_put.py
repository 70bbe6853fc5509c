"""`clew add` and `clew import`, as people use them."""

import json
import zipfile
from pathlib import Path

import pytest

from tests.support.cli_runs import CONVERSATION, done, failure, record, records, run

pytestmark = pytest.mark.usefixtures("tmp_home")


def lines(path: Path, *rows: object) -> Path:
    """A JSON Lines file; text stands as it is."""
    path.write_text(
        "".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows), encoding="utf-8"
    )
    return path


@pytest.mark.requirement("F-CLI-10")
def test_add_prints_the_id_of_a_turn_that_is_found() -> None:
    name = done("add", "We picked Redis for sessions.", "--speaker", "Ann", "--session", "api").strip()
    assert name == "api:turn:0"
    assert done("restore", name) == "We picked Redis for sessions.\n"
    (hit,) = records("search", "what did we pick for sessions?")
    assert (hit["id"], hit["turn"]["speaker"], hit["turn"]["role"]) == (name, "Ann", "user")


@pytest.mark.requirement("F-CLI-10")
def test_add_takes_time_role_and_id() -> None:
    words = ("--role", "assistant", "--at", "2025-04-15T10:30+02:00", "--external-id", "m1")
    first = record("add", "Noted.", *words)
    assert first == {"id": "default:turn:0", "pending": {}}
    assert record("add", "Noted.", *words)["id"] == first["id"]
    (turn,) = records("quote", "noted")
    assert (turn["role"], turn["at"], turn["external_id"]) == ("assistant", "2025-04-15T08:30:00+00:00", "m1")


@pytest.mark.requirement("F-EDGE-07")
def test_the_end_of_a_day_and_the_first_years_are_written_and_printed_as_iso_8601() -> None:
    done("add", "Ann came.", "--at", "2024-03-05T24:00")
    done("add", "Bob left.", "--at", "0001-01-01")
    assert [turn["at"] for turn in records("query", "role = user")] == [
        "2024-03-06T00:00:00+00:00",
        "0001-01-01T00:00:00+00:00",
    ]
    assert "0001-01-01 00:00  Ann came." in done("sessions")
    assert "is not a date" in failure(2, "add", "x", "--at", "9999-12-31T23:59:59-05:00")


@pytest.mark.requirement("F-CLI-10")
def test_a_turn_without_a_time_is_said_now() -> None:
    done("add", "Lunch is at noon.")
    assert len(records("search", "lunch", "--since", "2020-01-01")) == 1


@pytest.mark.requirement("F-CLI-10")
@pytest.mark.parametrize("words", [["-"], []])
def test_add_reads_standard_input(words: list[str]) -> None:
    done("add", *words, given="line one\nzwei: grün\n".encode())
    assert records("quote", "grün")[0]["text"].splitlines() == ["line one", "zwei: grün"]


@pytest.mark.requirement("F-CLI-10", "F-CLI-03")
@pytest.mark.parametrize(
    ("words", "given", "said"),
    [
        (["   "], None, "the turn is empty"),
        (["-"], b"caf\xe9", "not valid UTF-8 (at byte 3)"),
        (["hello", "--session", " "], None, "session ' ' is empty"),
        (["hello", "--space", " "], None, "space ' ' is empty"),
    ],
)
def test_what_cannot_be_added_is_said_in_one_line(words: list[str], given: bytes | None, said: str) -> None:
    message = failure(1, "add", *words, given=given)
    assert said in message
    assert message.startswith("clew: ")
    assert message.count("\n") == 1


@pytest.mark.requirement("F-CLI-10", "F-CLI-03")
def test_an_id_with_other_words_is_a_conflict() -> None:
    done("add", "one", "--external-id", "m1")
    assert "'m1' is stored as default:turn:0" in failure(1, "add", "two", "--external-id", "m1")


@pytest.mark.requirement("F-CLI-11")
def test_import_counts_and_adds_nothing_twice() -> None:
    first = record("import", CONVERSATION)
    assert (first["added"], first["known"], len(first["turn_ids"])) == (533, 0, 533)
    assert "rejected" not in first or first["rejected"] == []
    assert first["seconds"] > 0
    second = run("import", CONVERSATION)
    assert second.exit_code == 0
    assert second.stdout.startswith("0 turns stored, 533 already stored, in ")


@pytest.mark.requirement("F-CLI-11", "F-INGEST-30")
def test_bad_records_are_named_by_file_and_line_and_do_not_stop_the_others(tmp_path: Path) -> None:
    path = lines(
        tmp_path / "log.jsonl",
        {"role": "user", "content": "one"},
        '{"role": "user", "con',
        {"role": "user", "content": " "},
        {"role": "user", "content": "two"},
    )
    result = run("import", path)
    assert result.exit_code == 1
    assert result.stdout.startswith("2 turns stored")
    rejected = [line for line in result.stderr.splitlines() if line.startswith("rejected ")]
    assert [line.partition(": ")[0].rpartition("log.jsonl:")[2] for line in rejected] == ["2", "3"]
    again = run("import", path, "--json")
    assert (again.exit_code, len(json.loads(again.stdout)["rejected"])) == (1, 2)


@pytest.mark.requirement("F-CLI-11")
def test_many_bad_records_are_counted(tmp_path: Path) -> None:
    path = lines(tmp_path / "log.jsonl", {"role": "user", "content": "one"}, *['{"role": '] * 30)
    rejected = [line for line in run("import", path).stderr.splitlines() if line.startswith("rejected ")]
    assert len(rejected) == 21
    assert rejected[-1] == "rejected 10 more; --json lists all of them"


@pytest.mark.requirement("F-CLI-11", "F-CLI-03")
def test_a_path_that_cannot_be_read_is_named_and_gives_status_1(tmp_path: Path) -> None:
    good = lines(tmp_path / "good.jsonl", {"role": "user", "content": "one"})
    absent = tmp_path / "absent.jsonl"
    message = failure(1, "import", absent)
    assert "absent.jsonl is not a file" in message
    assert message.endswith("clew: nothing was imported\n")
    result = run("import", absent, good)
    assert result.exit_code == 1
    assert result.stdout.startswith("1 turn stored")
    assert "absent.jsonl is not a file" in result.stderr


@pytest.mark.requirement("F-CLI-11")
def test_masked_secrets_are_counted(tmp_path: Path) -> None:
    key = "sk-" + "ant-api03-" + "Ab3dEf6hIj9k" * 8
    path = lines(tmp_path / "log.jsonl", {"role": "user", "content": f"my key is {key}"})
    result = run("import", path)
    assert "secrets masked before storing: 1 " in result.stdout
    assert records("quote", key) == []


@pytest.mark.requirement("F-CLI-11")
def test_a_session_can_be_named(tmp_path: Path) -> None:
    path = lines(tmp_path / "log.jsonl", {"role": "user", "content": "one"})
    assert record("import", path, "--session", "x", "--format", "jsonl")["turn_ids"] == ["x:turn:0"]


@pytest.mark.requirement("F-CLI-12")
def test_a_program_s_own_sessions_are_found_by_its_name(tmp_home: Path) -> None:
    folder = tmp_home / ".claude" / "projects" / "-srv-app"
    folder.mkdir(parents=True)
    message = {"role": "user", "content": "Rename the parser module."}
    entry = {
        "type": "user",
        "uuid": "u1",
        "parentUuid": None,
        "sessionId": "s1",
        "timestamp": "2025-04-15T10:00:00Z",
        "message": message,
    }
    lines(folder / "s1.jsonl", entry)
    assert record("import", "claude-code")["added"] == 1
    assert len(records("quote", "rename the parser")) == 1


@pytest.mark.requirement("F-CLI-11")
def test_one_object_over_many_lines_is_read_whatever_its_file_is_called(tmp_path: Path) -> None:
    messages = [{"id": "m1", "timestamp": "2026-01-15T20:51:48Z", "type": "user", "content": "Rename the parser."}]
    session = {"sessionId": "s1", "projectHash": "ab", "messages": messages}
    path = tmp_path / "full.jsonl"
    path.write_text(json.dumps(session, indent=2), encoding="utf-8")
    assert record("import", path)["added"] == 1


@pytest.mark.requirement("F-CLI-12", "F-CLI-03")
def test_a_program_without_sessions_is_said_with_the_next_step() -> None:
    assert "no sessions of codex were found" in failure(1, "import", "codex")


@pytest.mark.requirement("F-CLI-11")
def test_spaces_and_homes_are_apart(tmp_path: Path) -> None:
    done("add", "in the first", "--space", "one")
    assert records("quote", "in the first", "--space", "two") == []
    done("add", "in the second", "--space", "one", "--home", tmp_path / "other")
    assert records("quote", "in the first", "--space", "one", "--home", tmp_path / "other") == []
    assert len(records("--space", "one", "quote", "in the first")) == 1


@pytest.mark.requirement("F-MEMORY-15")
def test_an_empty_path_is_refused_before_anything_is_imported(tmp_path: Path) -> None:
    chat = tmp_path / "chat.txt"
    chat.write_text("The gate is green.", encoding="utf-8")
    assert "the path to import is empty" in failure(1, "import", chat, "")
    assert "there is no memory" in failure(1, "stats")


@pytest.mark.requirement("F-NAMED-01", "F-NAMED-02")
def test_an_import_names_what_it_skips_and_times_that_it_cannot_read(tmp_path: Path) -> None:
    folder = tmp_path / "talks"
    folder.mkdir()
    lines(folder / "talk.jsonl", {"role": "user", "content": "The queen is gone.", "timestamp": "9999-99-99"})
    for number in range(5):
        (folder / f"{number}.bin").write_bytes(bytes(100))
    said = done("import", folder, tmp_path / "talks/talk.jsonl")
    assert f"  file of another kind: {folder / '0.bin'}, {folder / '1.bin'}, {folder / '2.bin'}, and 2 more\n" in said
    first = f"{folder / 'talk.jsonl'}:1: '9999-99-99'"
    assert f"1 turn stored without a time, because it could not be read; the first, {first}\n" in said
    told = record("import", folder)
    assert told["skipped_at"]["file of another kind"] == [str(folder / f"{number}.bin") for number in range(5)]
    assert told["undated"] == 0


@pytest.mark.requirement("F-BLOCK-19")
def test_an_import_names_a_file_once_for_all_that_it_skips_or_rejects_there(tmp_path: Path) -> None:
    file = tmp_path / "session.jsonl"
    said = {"type": "user", "uuid": "u", "sessionId": "s", "message": {"role": "user", "content": "The gate is green."}}
    lines(file, said, *({"type": "progress", "uuid": f"p{number}", "sessionId": "s"} for number in range(4)))
    assert f"  progress: {file}:2, :3, :4, and 1 more\n" in done("import", file)
    odd = tmp_path / "odd.json"
    odd.write_text('{"answer": 42}', encoding="utf-8")
    said_of_it = run("import", odd).stderr
    assert f"rejected {odd} holds JSON of no known format" in said_of_it
    assert said_of_it.count(str(odd)) == 1


@pytest.mark.requirement("F-EDGE-02", "F-CLI-11")
@pytest.mark.parametrize(
    "files", [{"a.bin": "x"}, {"a.md": "A note.\n"}, {"a.json": '{"foo": 1}'}, {"a.txt": " \n"}, {"a.db": ""}]
)
def test_a_folder_of_which_nothing_is_read_is_a_failure(tmp_path: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (tmp_path / "all").mkdir()
        (tmp_path / "all" / name).write_text(text)
        with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
            archive.writestr(name, text)
    for name in ("all", "all.zip"):
        assert "clew: nothing was imported" in failure(1, "import", str(tmp_path / name))
