"""Two files of one name are two conversations, and each goes on in its own session."""

import json
import zipfile
from collections import Counter
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

from clew.memory import Memory
from tests.support.memories import quiet

pytestmark = pytest.mark.requirement("F-INGEST-58")

KEYS = ["Where is the key?", "Under the pot, behind the shed.", "And the code of the alarm?", "In the blue folder."]
BOILER = ["Did the man for the boiler come?", "Yes, at four.", "How much was it?", "Ninety euros."]


def talk(said: list[str]) -> str:
    return "".join(f"{('Ann', 'Bo')[place % 2]}: {text}\n" for place, text in enumerate(said))


def kept(folder: Path, said: list[str], kind: str = "file") -> Path:
    """A file `chat.txt`, alone, in its folder or in a zip."""
    folder.mkdir(parents=True, exist_ok=True)
    if kind == "zip":
        path = folder.with_suffix(".zip")
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("chat.txt", talk(said))
        return path
    (folder / "chat.txt").write_text(talk(said))
    return folder if kind == "folder" else folder / "chat.txt"


def turns_of(memory: Memory) -> Counter[str]:
    return Counter(turn.session for turn in memory.turns())


@pytest.mark.parametrize("kind", ["file", "folder", "zip"])
def test_files_of_one_name_are_sessions_of_their_own_and_come_again_without_new_turns(
    tmp_path: Path, kind: str
) -> None:
    paths = [kept(tmp_path / name, said, kind) for name, said in (("keys", KEYS), ("boiler", BOILER))]
    for order in (paths, paths[::-1]):
        with quiet(tmp_path / "home", config={"ingest": {"gather_turns": 3}}) as memory:
            for path in order:
                memory.import_path(path)
            assert turns_of(memory) == {"chat": 4, "boiler/chat": 4}
            said = [turn.text for turn in memory.turns() if turn.session == "boiler/chat"]
            assert said == BOILER


def test_a_file_goes_on_in_its_session_as_it_grows_and_when_it_is_written_anew(tmp_path: Path) -> None:
    kept(tmp_path / "keys", KEYS)
    boiler = kept(tmp_path / "boiler", BOILER)
    states = [
        BOILER,
        [*BOILER, "Good."],
        ["Something else.", "Yes.", "Altogether, Bo."],
        ["Is it warm?", "No, I think."],
    ]
    sizes = [4, 5, 8, 10]
    for said, size in zip(states, sizes, strict=True):
        boiler.write_text(talk(said))
        with quiet(tmp_path / "home") as memory:
            memory.import_path(tmp_path / "keys" / "chat.txt")
            memory.import_path(boiler)
            assert turns_of(memory) == {"chat": 4, "boiler/chat": size}


def test_an_import_that_was_stopped_goes_on_in_its_session(tmp_path: Path) -> None:
    said = [f"Box {number} holds the keys." for number in range(30)]
    with quiet(tmp_path / "one") as memory:
        memory.import_path(kept(tmp_path / "keys", said))
        begun = [replace(turn, seq=None, ordinal=None, ingested_at=None) for turn in islice(memory.turns(), 5)]
    with quiet(tmp_path / "home") as memory:
        memory.add_many(begun)
        memory.import_path(tmp_path / "keys" / "chat.txt")
        assert turns_of(memory) == {"chat": 30}


def test_what_has_the_same_folders_name_too_is_numbered(tmp_path: Path) -> None:
    talks = {"a": KEYS, "b": BOILER, "c": BOILER[::-1]}
    paths = [kept(tmp_path / where / "chats", said) for where, said in talks.items()]
    with quiet(tmp_path / "home") as memory:
        for path in [*paths, *paths]:
            memory.import_path(path)
        assert turns_of(memory) == {"chat": 4, "chats/chat": 4, "chats/chat 2": 4}


def test_copies_are_stored_once(tmp_path: Path) -> None:
    for name in ("one", "two"):
        kept(tmp_path / "all" / name, KEYS, "zip")
    with quiet() as memory:
        report = memory.import_path(tmp_path / "all")
        assert (report.added, report.known, turns_of(memory)) == (4, 4, {"chat": 4})


@pytest.mark.parametrize("is_gone_as_a_whole", [True, False])
def test_what_was_forgotten_stays_out(tmp_path: Path, is_gone_as_a_whole: bool) -> None:
    keys, boiler = kept(tmp_path / "keys", KEYS), kept(tmp_path / "boiler", BOILER)
    with quiet(tmp_path / "home") as memory:
        for path in (keys, boiler):
            memory.import_path(path)
        memory.forget(session="chat") if is_gone_as_a_whole else memory.forget(turn_ids=["chat:turn:0", "chat:turn:1"])
    with quiet(tmp_path / "home") as memory:
        for path in (boiler, keys, kept(tmp_path / "copy", KEYS)):
            memory.import_path(path)
        left = {} if is_gone_as_a_whole else {"chat": 2}
        assert turns_of(memory) == {**left, "boiler/chat": 4}


def test_the_end_of_a_dated_talk_goes_on_where_the_talk_is(tmp_path: Path) -> None:
    lines = [f"[2024-03-05 10:{n:02}] {'Ann' if n % 2 else 'Bo'}: line {n}\n" for n in range(50)]
    for name, some in (("old", lines[:30]), ("new", lines[29:])):
        (tmp_path / name).mkdir()
        (tmp_path / name / "chat.txt").write_text("".join(some))
    with quiet() as memory:
        for name in ("old", "new"):
            memory.import_path(tmp_path / name / "chat.txt")
        assert turns_of(memory) == {"chat": 50}


def test_lists_of_conversations_and_ids_of_one_file_alone(tmp_path: Path) -> None:
    for name, said in (("keys", KEYS), ("boiler", BOILER)):
        (tmp_path / name).mkdir()
        messages = [{"role": "user", "content": text, "id": f"m{place}"} for place, text in enumerate(said)]
        (tmp_path / name / "chats.json").write_text(json.dumps([{"messages": messages}, {"messages": messages[:2]}]))
    with quiet() as memory:
        for name in ("keys", "boiler", "keys", "boiler"):
            report = memory.import_path(tmp_path / name / "chats.json")
            assert report.rejected == ()
        assert turns_of(memory) == {"chats:0": 4, "chats:1": 2, "boiler/chats:0": 4, "boiler/chats:1": 2}


def test_an_export_says_itself_which_session_it_is(tmp_path: Path) -> None:
    with quiet() as memory:
        memory.import_path(kept(tmp_path / "boiler", BOILER))
        memory.export(tmp_path / "chat.jsonl")
    with quiet() as memory:
        memory.import_path(kept(tmp_path / "keys", KEYS))
        memory.import_path(tmp_path / "chat.jsonl")
        assert turns_of(memory) == {"chat": 8}


def aider(*said: str) -> str:
    words = "".join(f"\n#### {text}\n\nI do {text}.\n" for text in said)
    return f"\n# aider chat started at 2026-11-30 10:00:00\n\n> Aider v0.80\n{words}"


def test_two_chats_with_aider_of_one_second_are_two_sessions_as_they_grow(tmp_path: Path) -> None:
    files = [tmp_path / name / ".aider.chat.history.md" for name in ("shop", "game")]
    said = [["sort the list", "rename it", "rename it"], ["draw the board", "rename it", "add a die"]]
    with quiet(tmp_path / "home") as memory:
        for size in range(1, 4):
            for file, words in zip(files, said, strict=True):
                file.parent.mkdir(exist_ok=True)
                file.write_text(aider(*words[:size]))
                assert memory.import_path(file).rejected == ()
        (tmp_path / "moved" / "game").mkdir(parents=True)
        moved = files[1].rename(tmp_path / "moved" / "game" / files[1].name)
        moved.write_text(aider(*said[1]) + "> ^C again to exit\n")
        assert memory.import_path(moved).rejected == ()
        assert turns_of(memory) == {"aider 2026-11-30 10:00:00": 7, "game/aider 2026-11-30 10:00:00": 8}


def test_the_instructions_of_a_program_are_no_beginning_of_a_chat(tmp_path: Path) -> None:
    for name, said in (("keys", KEYS), ("boiler", BOILER)):
        (tmp_path / name).mkdir()
        messages = [{"role": "system", "content": "Be brief.", "timestamp": "2026-01-01T10:00:00Z"}]
        messages += [{"role": "user", "content": text} for text in said[:1]]
        (tmp_path / name / "chat.json").write_text(json.dumps(messages))
    with quiet() as memory:
        for name in ("keys", "boiler"):
            memory.import_path(tmp_path / name / "chat.json")
        assert turns_of(memory) == {"chat": 2, "boiler/chat": 2}
