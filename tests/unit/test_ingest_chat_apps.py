"""Exports of programs in which people chat: Slack, Telegram, Messenger, and records that name who sent them."""

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from clew.errors import FormatError
from clew.ingest.importers import detect
from clew.memory import Memory
from tests.support.ingest_reading import lines, put, read, rejections, skipped, turns
from tests.support.memories import quiet

_USERS = [
    {"id": "U1", "name": "ann", "profile": {"real_name": "Ann Lee", "display_name": "ann"}},
    {"id": "U2", "name": "bob", "profile": {"real_name": "", "display_name": "bob"}},
]
_MONDAY = [
    {
        "type": "message",
        "user": "U1",
        "text": "Hi <@U2>, see <https://x.example|the page> &amp; <#C1|general>",
        "ts": "1709546400.0001",
    },
    {"type": "message", "user": "U2", "text": "ok", "ts": "1709546460.0002", "thread_ts": "1709546400.0001"},
    {"type": "message", "subtype": "channel_join", "user": "U2", "text": "<@U2> has joined", "ts": "1709546461.0001"},
    {"type": "message", "user": "U2", "text": "", "ts": "1709546462.0001", "files": [{"name": "plan.pdf"}]},
]
_TUESDAY = [
    {
        "type": "message",
        "subtype": "bot_message",
        "bot_id": "B1",
        "username": "Pager",
        "text": "",
        "attachments": [{"title": "Disk full", "text": "db-3"}],
        "ts": "1709632800.0001",
    },
    {"type": "message", "user": "U9", "user_profile": {"real_name": "Cem"}, "text": "resized", "ts": "1709633800.0001"},
]
_CHANNEL = [
    ("general", "Ann Lee", "Hi @bob, see the page (https://x.example) & #general"),
    ("general", "bob", "ok"),
    ("general", "Pager", "Disk full\ndb-3"),
    ("general", "Cem", "resized"),
]


@pytest.mark.requirement("F-INGEST-57")
@pytest.mark.parametrize("kind", ["folder", "zip", "day"])
def test_slack(tmp_path: Path, kind: str) -> None:
    files = {
        "users.json": _USERS,
        "channels.json": [{"id": "C1", "name": "general"}],
        "groups.json": [],
        "general/2024-03-04.json": _MONDAY,
        "general/2024-03-05.json": _TUESDAY,
    }
    for name, content in files.items():
        put(tmp_path / "export", name, content)
    path = tmp_path / "export"
    if kind == "zip":
        path = tmp_path / "export.zip"
        with zipfile.ZipFile(path, "w") as archive:
            for name, content in files.items():
                archive.writestr(name, json.dumps(content))
    if kind == "day":
        path = tmp_path / "export" / "general" / "2024-03-04.json"
    assert detect(path) == "slack"
    records = read(path)
    found = turns(records)
    assert [(turn.session, turn.speaker, turn.text) for turn in found] == _CHANNEL[: 2 if kind == "day" else 4]
    assert found[0].at is not None
    assert found[0].at.isoformat().startswith("2024-03-04T10:00:00")
    assert (found[1].external_id, found[1].metadata) == ("1709546460.0002", {"thread": "1709546400.0001"})
    assert {"event:channel_join", "blank message"} <= set(skipped(records))
    assert skipped(records).count("list of a Slack export") == (0 if kind == "day" else 3)
    with pytest.raises(FormatError, match="no messages; import the folder or the zip of the export"):
        detect(tmp_path / "export" / "users.json")  # told also of the one file


def _telegram(own: int, name: str, text: Any, **members: Any) -> dict[str, Any]:
    date = "2024-02-01T12:00:00"
    return {"id": own, "type": "message", "date": date, "from": name, "from_id": f"user{own}", "text": text, **members}


@pytest.mark.requirement("F-INGEST-57")
@pytest.mark.parametrize("is_account", [False, True])
def test_telegram(tmp_path: Path, is_account: bool) -> None:
    messages = [
        _telegram(1, "Ann", "The number?", date_unixtime="1706788800"),
        _telegram(
            *(2, "Bob", ["It is ", {"type": "code", "text": "QX7"}, "!"]),
            date_unixtime="1706788860",
            reply_to_message_id=1,
        ),
        {"id": 3, "type": "service", "date": "2024-02-01T12:02:00", "actor": "Ann", "action": "phone_call", "text": ""},
        _telegram(4, "Ann", "", photo="photos/1.jpg"),
    ]
    chat = {"name": "Bob", "type": "personal_chat", "id": 5, "messages": messages}
    content = (
        {"about": "...", "chats": {"about": "...", "list": [chat, {"name": "empty", "messages": []}]}}
        if is_account
        else chat
    )
    path = put(tmp_path, "result.json", content)
    assert detect(path) == "telegram"
    records = read(path)
    found = turns(records)
    assert [(turn.session, turn.speaker, turn.text) for turn in found] == [
        ("Bob", "Ann", "The number?"),
        ("Bob", "Bob", "It is QX7!"),
    ]
    assert found[1].at is not None
    assert found[1].at.isoformat() == "2024-02-01T12:01:00+00:00"
    assert found[1].metadata == {"reply_to": "1"}
    expected = ["event:phone_call", "blank message"] + ["chat without messages"] * is_account
    assert skipped(records) == expected


@pytest.mark.requirement("F-INGEST-11")
def test_a_chat_of_one_name_goes_on_by_its_id_when_it_is_exported_alone(tmp_path: Path) -> None:
    def chat(own: int, *texts: str) -> dict[str, Any]:
        messages = [_telegram(place, "Ann", text) for place, text in enumerate(texts, start=1)]  # as in groups
        return {"name": "Ann", "type": "private_supergroup", "id": own, "messages": messages}

    def stored(memory: Memory) -> list[tuple[str, str]]:
        return sorted((turn.session, turn.text) for turn in memory.turns())

    both = put(tmp_path, "both.json", {"chats": {"list": [chat(9, "hello"), chat(7, "hello", "ok")]}})
    alone = put(tmp_path, "alone.json", chat(7, "hello", "ok", "bye", "again"))
    sole = put(tmp_path, "sole.json", {"chats": {"list": [chat(7, "hello", "ok", "bye", "again", "ever")]}})
    other = put(tmp_path, "other.json", chat(9, "hi", "what?"))
    with quiet(config={"ingest": {"gather_turns": 2}}) as memory:
        memory.import_path(both)
        for _ in range(2):
            memory.import_path(alone)
            memory.import_path(sole)
        seven = [("Ann 7", text) for text in ("again", "bye", "ever", "hello", "ok")]
        assert stored(memory) == [*seven, ("Ann 9", "hello")]
    with quiet(config={"ingest": {"gather_turns": 2}}) as memory:
        for _ in range(2):
            memory.import_path(alone)
            memory.import_path(other)  # another chat, whose messages have the same ids
        assert stored(memory) == [
            *(("Ann", text) for text in ("again", "bye", "hello", "ok")),
            ("Ann 9", "hi"),
            ("Ann 9", "what?"),
        ]


@pytest.mark.requirement("F-INGEST-57")
def test_messenger_is_put_in_order_and_its_letters_right(tmp_path: Path) -> None:
    content = {
        "participants": [{"name": "Zo\u00c3\u00ab"}, {"name": "Max"}],
        "messages": [
            {"sender_name": "Max", "timestamp_ms": 1714990100000, "content": "Ja, im Blauen Haus \u00e2\u0082\u00ac"},
            {"sender_name": "Zo\u00c3\u00ab", "timestamp_ms": 1714990000000, "content": "Caf\u00c3\u00a9 at 5?"},
            {"sender_name": "Max", "timestamp_ms": 1714980000000, "photos": [{"uri": "photos/1.jpg"}]},
        ],
        "title": "Zo\u00c3\u00ab",
        "thread_path": "inbox/zoe_1",
    }
    records = read(put(tmp_path, "message_1.json", content), "messenger")
    found = turns(records)
    assert [(turn.session, turn.speaker, turn.text) for turn in found] == [
        ("zoe_1", "Zoë", "Café at 5?"),
        ("zoe_1", "Max", "Ja, im Blauen Haus €"),
    ]
    assert found[0].at is not None
    assert found[0].at.isoformat() == "2024-05-06T10:06:40+00:00"
    assert found[0].metadata == {"title": "Zoë"}
    assert skipped(records) == ["blank message"]


@pytest.mark.requirement("F-INGEST-57")
def test_a_record_may_name_its_sender(tmp_path: Path) -> None:
    text = lines(
        {"body": "Meet at the lake", "sender": "Ann", "sent_at": 1714990000000},
        {"text": "ok", "from": "bob smith"},
        {"text": "yes", "from": "human"},
        {"text": "what is this?", "from": "observation"},
        {"text": "no role either", "role": "Ann"},
    )
    records = read(put(tmp_path, "own.jsonl", text))
    assert [(turn.role, turn.speaker, turn.at is not None) for turn in turns(records)] == [
        ("user", "Ann", True),
        ("user", "bob smith", False),
        ("user", None, False),
    ]
    assert [reason.partition(" is ")[0] for _, reason in rejections(records, tmp_path)] == [
        "role 'observation'",
        "role 'Ann'",
    ]


@pytest.mark.requirement("F-INGEST-11")
def test_chats_of_one_name_are_sessions_of_their_own(tmp_path: Path) -> None:
    chats = [
        {"name": name, "type": "personal_chat", "id": own, "messages": [_telegram(1, name, f"hello {own}")]}
        for own, name in ((7, "Ann"), (8, "Ben"), (9, "Ann"))
    ]
    path = put(tmp_path, "result.json", {"chats": {"list": chats}})
    found = [(turn.session, turn.text) for turn in turns(read(path))]
    assert found == [("Ann 7", "hello 7"), ("Ben", "hello 8"), ("Ann 9", "hello 9")]


@pytest.mark.requirement("F-INGEST-11")
def test_a_chat_that_gets_a_namesake_goes_on_in_its_session(tmp_path: Path) -> None:
    def chat(own: int, *texts: str) -> dict[str, Any]:
        messages = [_telegram(10 * own + place, "Ann", text) for place, text in enumerate(texts)]
        return {"name": "Ann", "type": "personal_chat", "id": own, "messages": messages}

    def stored(memory: Memory) -> list[tuple[str, str]]:
        return [(turn.session, turn.text) for turn in memory.turns()]

    first = put(tmp_path, "first.json", {"chats": {"list": [chat(7, "hello", "ok")]}})
    both = put(tmp_path, "both.json", {"chats": {"list": [chat(9, "hello"), chat(7, "hello", "ok", "bye")]}})
    with quiet(config={"ingest": {"gather_turns": 2}}) as memory:
        memory.import_path(first)
        assert stored(memory) == [("Ann", "hello"), ("Ann", "ok")]
        for _ in range(2):
            memory.import_path(both)
            assert sorted(stored(memory)) == [("Ann", "bye"), ("Ann", "hello"), ("Ann", "ok"), ("Ann 9", "hello")]
    with quiet() as memory:
        memory.import_path(both)
        assert sorted({session for session, _ in stored(memory)}) == ["Ann 7", "Ann 9"]


def _whatsapp(name: str, cat: str, *more: str) -> bytes:
    said = f"[01.02.25, 10:00:00] {name}: hello\n[01.02.25, 10:01:00] Cy: hi\n[01.02.25, 10:02:00] {name}: {cat}\n"
    return (said + "".join(f"[01.02.25, 11:{n:02}:00] Cy: {text}\n" for n, text in enumerate(more))).encode()


def _as_exported(folder: Path, name: str, kind: str, data: bytes) -> Path:
    """A chat as an iPhone exports it, or as it was unpacked."""
    path = folder / f"WhatsApp Chat - {name}"
    if kind == "zip":
        path = path.with_name(f"{path.name}.zip")
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("_chat.txt", data)
        return path
    path.mkdir(exist_ok=True)
    (path / "_chat.txt").write_bytes(data)
    return path if kind == "folder" else path / "_chat.txt"


@pytest.mark.requirement("F-INGEST-57")
@pytest.mark.parametrize("kind", ["zip", "folder", "file"])
def test_two_chats_of_whatsapp_are_two_sessions(tmp_path: Path, kind: str) -> None:
    ann = _as_exported(tmp_path, "Ann", kind, _whatsapp("Ann", "My cat is Felix"))
    bo = _as_exported(tmp_path, "Bo", kind, _whatsapp("Bo", "My cat is Tom"))
    with quiet() as memory:
        for path in (ann, bo, ann, bo):
            memory.import_path(path)
        stored = [(turn.session, turn.text) for turn in memory.turns() if "cat" in turn.text]
        assert sorted(stored) == [("WhatsApp Chat - Ann", "My cat is Felix"), ("WhatsApp Chat - Bo", "My cat is Tom")]
        assert len(list(memory.turns())) == 6
    with quiet() as memory:
        memory.import_path(ann, session="cats")
        assert {turn.session for turn in memory.turns()} == {"cats"}


@pytest.mark.requirement("F-INGEST-57")
def test_a_chat_of_whatsapp_goes_on_where_an_earlier_version_stored_it(tmp_path: Path) -> None:
    ann = _as_exported(tmp_path, "Ann", "zip", _whatsapp("Ann", "My cat is Felix"))
    with quiet(config={"ingest": {"gather_turns": 2}}) as memory:
        memory.import_path(ann, session="_chat")
        _as_exported(tmp_path, "Ann", "zip", _whatsapp("Ann", "My cat is Felix", "nice", "bye"))
        bo = _as_exported(tmp_path, "Bo", "zip", _whatsapp("Bo", "My cat is Tom"))
        for path in (ann, bo, ann, bo):
            memory.import_path(path)
        turns_of = {name: sum(turn.session == name for turn in memory.turns()) for name in ("_chat", bo.stem)}
        assert turns_of == {"_chat": 5, "WhatsApp Chat - Bo": 3}
        assert len(list(memory.turns())) == 8
