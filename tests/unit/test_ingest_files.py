"""Files as they come: large, damaged, in odd encodings, in folders and zips."""

import json
import os
import sys
import tracemalloc
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.errors import FormatError, InputError
from clew.ingest.encoding import unescape
from clew.ingest.importers import FORMATS, ImportLimits, detect, find_sessions, is_single, read_path
from tests.support.ingest_reading import lines, put, read, rejections, said, skipped, turns

ONE, TWO = {"role": "user", "content": "one"}, {"role": "user", "content": "two"}
BOTH = [("user", "one"), ("user", "two")]


@pytest.mark.requirement("F-INGEST-02")
def test_a_line_of_a_hundred_megabytes_is_rejected_unread(tmp_path: Path) -> None:
    path = tmp_path / "turns.jsonl"
    with path.open("wb") as file:
        file.write(lines(ONE).encode())
        file.write(b'{"role": "user", "content": "')
        for _ in range(100):
            file.write(b"x" * 1_000_000)
        file.write(b'"}\n')
        file.write(lines(TWO).encode())
    tracemalloc.start()
    records = read(path, limits=ImportLimits(max_line_bytes=1 << 20))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert said(records) == BOTH
    assert rejections(records, tmp_path) == [
        ("turns.jsonl:2", "a line of 100000032 bytes; the limit is 1048576, see max_line_bytes")
    ]
    assert peak < 20_000_000


@pytest.mark.requirement("F-INGEST-02")
def test_an_element_over_the_limit_is_rejected_unread(tmp_path: Path) -> None:
    huge = {"role": "user", "content": "x" * 5_000_000}
    tracemalloc.start()
    records = read(put(tmp_path, "chat.json", [ONE, huge, TWO]), limits=ImportLimits(max_line_bytes=1000))
    tracemalloc.stop()
    assert said(records) == BOTH
    (found,) = rejections(records, tmp_path)
    assert found[0] == "chat.json:[1]"
    assert "longer than 1000 bytes" in found[1]


@pytest.mark.requirement("F-INGEST-02")
@pytest.mark.parametrize("size", [999, 1000])
@pytest.mark.parametrize("end", ["\n", "\r\n", ""])
def test_a_line_within_the_limit_is_read_to_the_last_byte(tmp_path: Path, size: int, end: str) -> None:
    line = json.dumps({"role": "user", "content": ""})
    line = json.dumps({"role": "user", "content": "x" * (size - len(line))})
    assert len(line) == size
    records = read(put(tmp_path, "t.jsonl", lines(ONE) + line + end), limits=ImportLimits(max_line_bytes=size))
    assert len(turns(records)) == 2


@pytest.mark.requirement("F-INGEST-03")
def test_invalid_utf8_lone_surrogates_and_nul_can_be_stored_and_come_back(tmp_path: Path) -> None:
    content = b"gr\xc3\xbc\xc3\x9fe \xe9 \\ud83d \\u0000 \x07"
    data = b'{"role": "user", "content": "' + content + b'", "speaker": "\\udc80", "session": "s\\ud800"}\n'
    (turn,) = turns(read(put(tmp_path, "t.jsonl", data)))
    assert turn.text == "grüße ␛dce9; ␛d83d; ␛0000; \x07"
    json.dumps(turn.to_dict(), ensure_ascii=False).encode()
    assert (turn.speaker, turn.session) == ("␛dc80;", "s␛d800;")


@pytest.mark.requirement("F-INGEST-03")
def test_bytes_that_are_no_text_come_back(tmp_path: Path) -> None:
    (turn,) = turns(read(put(tmp_path, "t.txt", b"User: caf\xfe\xff\nsecond line\x1b[0m")))
    assert unescape(turn.text).encode("utf-8", "surrogateescape") == b"caf\xfe\xff\nsecond line\x1b[0m"


@pytest.mark.requirement("F-INGEST-32")
@pytest.mark.parametrize("encoding", ["latin-1", "cp1252"])
def test_latin_1_is_decoded_and_the_file_named(tmp_path: Path, encoding: str, caplog: pytest.LogCaptureFixture) -> None:
    text = "Human: Grüße aus Köln, sagt René\nUser: ça va? Für mich schon"
    records = read(put(tmp_path, "alt.txt", text.encode(encoding)))
    assert said(records) == [("user", "Grüße aus Köln, sagt René"), ("user", "ça va? Für mich schon")]
    assert ["alt.txt" in message and "Windows-1252" in message for message in caplog.messages] == [True]


@pytest.mark.requirement("F-INGEST-32")
def test_damaged_utf_8_is_not_taken_for_latin_1(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    records = read(put(tmp_path, "t.txt", "User: größer als caf".encode() + b"\xe9 hier"))
    assert said(records) == [("user", "größer als caf␛dce9; hier")]
    (message,) = caplog.messages
    assert "t.txt:1 is not UTF-8; it keeps the bytes that are none" in message


@pytest.mark.requirement("F-EDGE-06")
def test_lines_in_another_encoding_than_their_file_are_named(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    rows = [
        {"role": "user", "content": "日本 and größer"},
        *({"role": "user", "content": f"Grüße {n}"} for n in range(5)),
    ]
    written = [json.dumps(row, ensure_ascii=False).encode("latin-1" if n else "utf-8") for n, row in enumerate(rows)]
    records = read(put(tmp_path, "t.jsonl", b"\n".join(written)))
    assert [text for _, text in said(records)] == [row["content"] for row in rows]
    assert [message.partition("t.jsonl:")[2][:60] for message in caplog.messages] == [
        "2 is not UTF-8; it was read as Windows-1252 (Latin-1)",
        "3 is not UTF-8; it was read as Windows-1252 (Latin-1)",
        "4 is not UTF-8; it was read as Windows-1252 (Latin-1); furth",
    ]
    caplog.clear()
    text = "Ann: 日本\nBob: größer\n".encode() + "Ann: Grüße\nBob: naïve\n".encode("latin-1")
    assert [said for _, said in said(read(put(tmp_path, "t.txt", text)))] == ["日本", "größer", "Grüße", "naïve"]
    assert len(caplog.messages) == 2


def bring_links(root: Path, target: Path) -> list[str]:
    """Puts links to a file and its folder, and a pipe, into a folder that is imported; gives the names."""
    (root / "linked.jsonl").symlink_to(target)
    (root / "folder").symlink_to(target.parent)
    (root / "archive.zip").symlink_to(target)
    os.mkfifo(root / "pipe.jsonl")
    return ["archive.zip", "folder", "linked.jsonl", "pipe.jsonl"]


@pytest.mark.requirement("F-INGEST-29")
def test_links_and_pipes_in_a_folder_are_counted_and_never_opened(tmp_path: Path) -> None:
    outside = put(tmp_path / "outside", "private.jsonl", lines(TWO))
    root = tmp_path / "root"
    put(root, "a.jsonl", lines(ONE))
    bring_links(root, outside)
    with zipfile.ZipFile(root / "z.zip", "w") as archive:
        link = zipfile.ZipInfo("inside.jsonl")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, str(outside))
    records = read(root)
    assert [turn.text for turn in turns(records)] == ["one"]
    assert sorted(skipped(records)) == ["link", "link", "link", "link", "no regular file"]
    assert rejections(records, root) == []


@pytest.mark.requirement("F-INGEST-29")
@pytest.mark.parametrize("folder", [".", "dalle-generations"])
def test_no_link_beside_an_export_is_followed(tmp_path: Path, folder: str) -> None:
    secret = put(tmp_path, "outside/passwd", "root:x:0:0")
    pointer = {"content_type": "image_asset_pointer", "asset_pointer": "file-service://file-XYZ"}
    content = {"content_type": "multimodal_text", "parts": [pointer, "look"]}
    message = {"id": "m", "author": {"role": "user"}, "content": content}
    export = tmp_path / "export"
    put(export, "conversations.json", [{"mapping": {"m": {"id": "m", "message": message}}}])
    if folder == ".":
        (export / "file-XYZ.png").symlink_to(secret)
    else:
        put(tmp_path, "outside/file-XYZ.png", "root:x:0:0")
        (export / folder).symlink_to(secret.parent)
    (turn,) = turns(read(export / "conversations.json"))
    assert [part.data for part in turn.parts] == [None, None]


@pytest.mark.requirement("F-INGEST-33")
def test_hidden_folders_of_programs_are_found_in_a_folder(tmp_path: Path) -> None:
    claude = {"type": "user", "uuid": "u1", "sessionId": "s1", "message": {"role": "user", "content": "hello"}}
    put(tmp_path, ".claude/projects/-app/s1.jsonl", lines(claude))
    put(tmp_path, ".claude/history.jsonl", lines(ONE))
    put(tmp_path, ".config/notes.jsonl", lines(ONE))
    chat = {"sessionId": "g1", "projectHash": "h", "messages": [{"id": "m1", "type": "user", "content": "hi there"}]}
    put(tmp_path, ".gemini/tmp/h/chats/session-1.json", chat)
    put(
        tmp_path,
        ".gemini/tmp/h/logs.json",
        [{"sessionId": "g1", "messageId": 0, "type": "user", "message": "hi there"}],
    )
    assert [(turn.source, turn.text) for turn in turns(read(tmp_path))] == [
        ("claude-code", "hello"),
        ("gemini-cli", "hi there"),
    ]


@pytest.mark.requirement("F-INGEST-01")
@pytest.mark.parametrize(
    "bad", ["{", '{"role": "user", "content": "tr', "[]", "null", "NaN", "[[[[", "\x00", "}{", '"x"', "1e999"]
)
def test_a_damaged_line_is_named_and_its_neighbours_are_kept(tmp_path: Path, bad: str) -> None:
    records = read(put(tmp_path, "t.jsonl", lines(ONE, bad, TWO)))
    assert said(records) == BOTH
    assert [where for where, _ in rejections(records, tmp_path)] == ["t.jsonl:2"]


@pytest.mark.requirement("F-INGEST-01")
@pytest.mark.parametrize("depth", [150, 5_000, 200_000])
def test_a_record_nested_without_end_is_rejected(tmp_path: Path, depth: int) -> None:
    deep = '{"role": "user", "content": ' + "[" * depth + "]" * depth + "}"
    records = read(put(tmp_path, "t.jsonl", lines(ONE, deep, TWO)))
    assert said(records) == BOTH
    assert [reason for _, reason in rejections(records, tmp_path)] == ["nested deeper than 100 levels"]


@pytest.mark.requirement("F-INGEST-01")
def test_what_is_no_number_is_unknown(tmp_path: Path) -> None:
    text = '{"role": "user", "content": "x", "score": NaN, "most": Infinity, "id": 5}\n' + lines(TWO)
    assert turns(read(put(tmp_path, "t.jsonl", text)))[0].metadata == {}
    huge = '{"role": "user", "content": "x", "id": ' + "9" * 5000 + "}\n"
    assert len(rejections(read(put(tmp_path, "u.jsonl", lines(ONE) + huge)), tmp_path)) == 1


@pytest.mark.requirement("F-INGEST-01")
@pytest.mark.parametrize("cut", [1, 2, 10, 25, 34])
def test_a_list_that_breaks_off_gives_what_is_whole(tmp_path: Path, cut: int) -> None:
    records = read(put(tmp_path, "t.json", json.dumps([ONE, TWO])[:-cut]), "jsonl")
    assert said(records) == (BOTH if cut == 1 else BOTH[:1])
    (found,) = rejections(records, tmp_path)
    assert "the file ends inside this record" in found[1]


@pytest.mark.requirement("F-INGEST-01")
def test_a_list_with_damage_inside_goes_on_behind_it(tmp_path: Path) -> None:
    text = f"[{json.dumps(ONE)}, {{broken: 1}}, 5, nonsense, {json.dumps(TWO)}] trailing"
    records = read(put(tmp_path, "t.json", text))
    assert said(records) == BOTH
    assert [where for where, _ in rejections(records, tmp_path)] == [f"t.json:[{n}]" for n in (1, 2, 3, 5)]


@pytest.mark.requirement("F-INGEST-13")
@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.json", {"foo": 1, "bar": [2]}, "JSON of no known format (members: bar, foo)"),
        ("a.json", {"history": []}, "holds no turns: the list 'history' is empty; there is nothing to import"),
        ("a.json", {"id": "x", "messages": []}, "holds no turns: the list 'messages' is empty"),
        ("a.json", [], "holds no turns: its JSON list is empty"),
        ("a.json", {}, "holds no turns: its JSON object is empty"),
        ("a.jsonl", lines({"issue": 1, "history": []}), "no known format"),
        ("a.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\xff\xfe\xfd\xfc", "is not text"),
        ("a.pdf", b"%PDF-1.7 text", "is not text"),
    ],
)
def test_an_unknown_file_is_an_error_that_says_what_it_is(
    tmp_path: Path, name: str, content: object, reason: str
) -> None:
    path = put(tmp_path, name, content)
    for attempt in (detect, read):
        with pytest.raises(FormatError, match=reason.replace("(", r"\(").replace(")", r"\)")):
            attempt(path)


@pytest.mark.requirement("F-INGEST-13")
def test_what_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="is not a file or directory; check the path"):
        read(tmp_path / "missing.jsonl")
    with pytest.raises(FormatError, match="'docx' is not a format; expected one of claude-code"):
        read(put(tmp_path, "a.txt", "x"), "docx")


@pytest.mark.requirement("F-INGEST-13")
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="needs a user whom permissions bind")
def test_what_may_not_be_read_is_named(tmp_path: Path) -> None:
    path = put(tmp_path, "a.txt", "x")
    path.chmod(0)
    with pytest.raises(FormatError, match="cannot be read"):
        read(path)
    folder = put(tmp_path, "closed/b.txt", "x").parent
    folder.chmod(0)
    found = rejections(read(tmp_path), tmp_path)
    folder.chmod(0o700)
    assert [where for where, _ in found] == ["a.txt", "closed"]


@pytest.mark.requirement("F-INGEST-01", "F-INGEST-13")
def test_a_directory_is_read_in_order_and_everything_is_accounted_for(tmp_path: Path) -> None:
    root = tmp_path / "root"
    put(root, "b/chat.jsonl", lines(TWO))
    put(root, "a/chat.jsonl", lines(ONE))
    put(root, "a/LICENSE.txt", "All rights: reserved.\n\nReally.")
    put(root, "README.md", "# A project\n\nNote: it is good.\n")
    put(root, "data.json", {"foo": 1})
    put(root, "cat.png", b"\x89PNG")
    put(root, "empty.jsonl", "")
    put(root, ".git/config.json", lines(ONE))
    with zipfile.ZipFile(root / "z.zip", "w") as archive:
        archive.writestr("in/side.jsonl", lines(ONE))
        archive.writestr("notes.bin", "x")
    records = read(root)
    assert [(turn.session, turn.text) for turn in turns(records)] == [
        ("a/chat", "one"),
        ("b/chat", "two"),
        ("in/side", "one"),
    ]
    assert sorted(skipped(records)) == [
        "file of another kind",
        "file of another kind",
        "file of no known format",
        *["text that nobody speaks in"] * 3,
    ]
    assert detect(root) == "jsonl"


@pytest.mark.requirement("F-INGEST-13")
def test_a_directory_without_conversations_has_no_format(tmp_path: Path) -> None:
    put(tmp_path, "data.json", {"foo": 1})
    with pytest.raises(FormatError, match="holds no file of a known format"):
        detect(tmp_path)


@pytest.mark.requirement("F-INGEST-13")
def test_an_empty_file_holds_nothing(tmp_path: Path) -> None:
    assert skipped(read(put(tmp_path, "a.txt", " \n\n"))) == ["empty file"]


@pytest.mark.requirement("F-INGEST-01", "F-INGEST-13")
def test_damaged_zips_are_rejected_and_stop_nothing(tmp_path: Path) -> None:
    root = tmp_path / "root"
    put(root, "a.jsonl", lines(ONE))
    with zipfile.ZipFile(root / "b.zip", "w") as archive:
        archive.writestr("x.jsonl", lines(ONE, "padding" * 100, TWO))
    data = (root / "b.zip").read_bytes()
    put(root, "b.zip", data.replace(b"padding", b"PADDING", 1))  # the checksum is wrong now
    put(root, "c.zip", data[:50])
    with zipfile.ZipFile(root / "d.zip", "w") as archive:
        archive.writestr("big.jsonl", lines(ONE))
    put(root, "e.jsonl", lines(TWO))
    records = read(root, limits=ImportLimits(max_file_bytes=10))
    assert [turn.text for turn in turns(records)] == ["one", "two"]
    found = rejections(records, root)
    assert [where for where, _ in found] == ["b.zip!x.jsonl", "c.zip", "d.zip!big.jsonl"]
    assert found[1][1] == "a damaged zip: its end is missing; fetch or pack it again"
    assert "max_file_bytes" in found[2][1]
    (broken,) = rejections(read(root / "b.zip"), root)[-1:]
    assert broken[0] == "b.zip!x.jsonl"
    assert "Bad CRC" in broken[1]


@pytest.mark.requirement("F-INGEST-13")
def test_an_encrypted_member_is_rejected(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("x.jsonl", lines(ONE))
    data = bytearray(path.read_bytes())
    data[data.index(b"PK\x01\x02") + 8] |= 1  # the flag in the central directory
    path.write_bytes(data)
    assert rejections(read(path), tmp_path) == [("a.zip!x.jsonl", "encrypted; unpack the zip and import the folder")]


@pytest.mark.requirement("F-INGEST-03")
@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not take such names")
def test_a_file_name_that_is_no_text_can_be_shown(tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.jsonl"))
    path.write_text(lines(ONE, "{"), encoding="utf-8")
    records = read(tmp_path)
    assert [turn.session for turn in turns(records)] == ["caf␛dce9;"]
    assert [where.rpartition("/")[2] for where, _ in rejections(records, tmp_path)] == ["caf␛dce9;.jsonl:2"]


@pytest.mark.requirement("F-INGEST-13")
def test_every_format_says_what_it_is() -> None:
    assert [(name, importer.name) for name, importer in FORMATS.items()] == [(name, name) for name in FORMATS]
    assert all(importer.about for importer in FORMATS.values())


@pytest.mark.requirement("F-INGEST-37")
@pytest.mark.parametrize("name", ["a\0b", "a\ud800b"])
def test_impossible_names_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match=r"path .* holds NUL or a lone surrogate"):
        read(tmp_path / name)
    with pytest.raises(InputError, match=r"session name .* holds NUL or a lone surrogate"):
        read(put(tmp_path, "t.jsonl", lines(ONE)), session=name)


@pytest.mark.requirement("F-INGEST-37")
def test_a_number_of_many_digits_costs_its_record_alone(tmp_path: Path) -> None:
    huge = '{"role": "user", "content": "x", "at": ' + "9" * 6000 + "}\n"
    records = read(put(tmp_path, "t.jsonl", lines(ONE) + huge + lines(TWO)))
    assert [turn.text for turn in turns(records)] == ["one", "two"]
    assert rejections(records, tmp_path) == [("t.jsonl:2", "a number with more digits than are read; write it as text")]


@pytest.mark.requirement("F-INGEST-13")
def test_a_record_that_ends_before_its_value_is_told_as_that(tmp_path: Path) -> None:
    records = read(put(tmp_path, "t.jsonl", lines(ONE) + "{\n" + lines(TWO)))
    assert rejections(records, tmp_path) == [("t.jsonl:2", "not JSON: it breaks off after 1 characters")]


@pytest.mark.requirement("F-INGEST-13")
def test_a_message_that_breaks_off_is_broken_json(tmp_path: Path) -> None:
    records = read(put(tmp_path, "a.json", '{"role":"user","content":"trunc'))
    ((where, reason),) = rejections(records, tmp_path)
    assert where == "a.json"
    assert "not JSON: Unterminated string at character 26 of 31" in reason


@pytest.mark.requirement("F-INGEST-13")
@pytest.mark.parametrize(("content", "kind"), [(5, "int 5"), (True, "bool True"), ({"a": 1}, "dict {'a': 1}")])
def test_content_of_another_kind_is_named(tmp_path: Path, content: object, kind: str) -> None:
    records = read(put(tmp_path, "a.json", [{"role": "user", "content": content}, ONE]))
    assert [turn.text for turn in turns(records)] == ["one"]
    assert rejections(records, tmp_path) == [
        ("a.json:[0]", f"the content is {kind}; expected text or a list of blocks")
    ]


@pytest.mark.requirement("F-INGEST-13")
@pytest.mark.parametrize(
    ("text", "reason"),
    [("[" * 100_000, "nested deeper than 100 levels"), ("{broken", "not JSON"), ("[1, 2]", "expected a JSON object")],
)
def test_a_json_file_is_never_stored_as_text(tmp_path: Path, text: str, reason: str) -> None:
    with pytest.raises(FormatError, match=reason):
        read(put(tmp_path, "deep.json", text))


@pytest.mark.requirement("F-INGEST-13")
def test_a_truncated_zip_that_is_named_is_a_damaged_zip(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("x.jsonl", lines(ONE) * 50)
    (tmp_path / "a.zip").write_bytes((tmp_path / "a.zip").read_bytes()[:500])
    with pytest.raises(FormatError, match="a damaged zip"):
        read(tmp_path / "a.zip")


@pytest.mark.requirement("F-INGEST-25")
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("chat.html", "<html><body><p>Ann: hello</p></body></html>"),
        ("saved.txt", "\n<!DOCTYPE html>\n<p>Ann: hi</p>\n"),
    ],
)
def test_a_page_is_refused_with_what_to_do(tmp_path: Path, name: str, text: str) -> None:
    with pytest.raises(FormatError, match=r"is an HTML page.*export the conversation as JSON or text"):
        read(put(tmp_path, name, text))
    marks = put(tmp_path, "marks.txt", "<b>bold</b> words\n\nand more\n")
    assert len(turns(read(marks))) == 2


@pytest.mark.requirement("F-EDGE-08")
def test_a_list_of_nothing_but_space_is_recognised_at_once(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="holds no conversation"):
        read(put(tmp_path, "a.json", "[" + " " * 400_000 + "x"))


class _Vanishing(type(Path())):  # type: ignore[misc]  # the class of paths on this system
    """A path whose files are taken away as soon as they were listed."""

    def glob(self, pattern: str) -> Iterator[Path]:
        """Lists a file that is gone."""
        yield Path(self) / pattern.replace("*", "gone")

    def is_file(self) -> bool:
        """Fails as it does in a folder that may not be entered."""
        raise PermissionError(13, "Permission denied", str(self))


@pytest.mark.requirement("F-EDGE-08")
def test_a_file_that_was_taken_away_meanwhile_is_none(tmp_path: Path) -> None:
    assert find_sessions("claude-code", _Vanishing(tmp_path)) == []
    assert not is_single(_Vanishing(tmp_path))


@pytest.mark.requirement("F-EDGE-08")
def test_a_file_of_a_folder_that_was_taken_away_meanwhile_does_not_stop_the_others(tmp_path: Path) -> None:
    put(tmp_path, "a.txt", "Ann: a\nAnn: b\n")
    put(tmp_path, "b.txt", "Ben: a\nBen: b\n")

    def is_unchanged(where: str, _stamp: str) -> bool:
        (tmp_path / "b.txt").unlink(missing_ok=True)
        return False

    records = list(read_path(tmp_path, is_unchanged=is_unchanged))
    assert [turn.speaker for turn in turns(records)] == ["Ann", "Ann"]
    assert rejections(records, tmp_path) == [("b.txt", "cannot be read: No such file or directory")]


@pytest.mark.requirement("F-EDGE-08")
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_members_of_a_zip_with_the_same_name_are_all_read(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("chat.txt", "Ann: a\nAnn: b\n")
        archive.writestr("chat.txt", "Ben: c\nBen: d\n")
    assert [turn.text for turn in turns(read(tmp_path / "a.zip"))] == ["a", "b", "c", "d"]
