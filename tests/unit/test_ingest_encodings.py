"""Files in other encodings than UTF-8, and with other ends of lines than LF."""

from pathlib import Path

import pytest

from tests.support.ingest_reading import lines, put, read, said


@pytest.mark.requirement("F-INGEST-03")
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_other_encodings_are_read(tmp_path: Path, encoding: str) -> None:
    text = lines({"role": "user", "content": "größer 🎉"}).replace("\\u00f6\\u00df", "öß")
    assert said(read(put(tmp_path, "t.jsonl", text.encode(encoding)))) == [("user", "größer 🎉")]
    assert said(read(put(tmp_path, "t.txt", "Ann: größer\nAnn: 🎉".encode(encoding)))) == [
        ("user", "größer"),
        ("user", "🎉"),
    ]


@pytest.mark.requirement("F-INGEST-03")
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "cp1252"])
def test_lines_that_end_with_cr_are_lines(tmp_path: Path, encoding: str) -> None:
    text = "Ann: größer\rBo: and wider?\rAnn: Yes.\r"
    assert said(read(put(tmp_path, "t.txt", text.encode(encoding)))) == [
        ("user", "größer"),
        ("user", "and wider?"),
        ("user", "Yes."),
    ]
    records = lines({"role": "user", "content": "a\rb"}, {"role": "user", "content": "c"}).replace("\n", "\r")
    assert said(read(put(tmp_path, "t.jsonl", records.encode(encoding)))) == [("user", "a\rb"), ("user", "c")]


@pytest.mark.requirement("F-INGEST-03")
def test_a_character_that_is_none_in_utf32_is_marked_and_no_other(tmp_path: Path) -> None:
    data = "Ann: hi\nAnn: by".encode("utf-32") + b"\xff\xff\xff\xff" + "e\nAnn: ok".encode("utf-32-le")
    assert said(read(put(tmp_path, "t.txt", data))) == [("user", "hi"), ("user", "by\ufffde"), ("user", "ok")]


@pytest.mark.requirement("F-INGEST-03")
def test_half_a_character_at_the_end_of_utf16_is_marked(tmp_path: Path) -> None:
    assert said(read(put(tmp_path, "t.txt", "Ann: hi\nAnn: bye".encode("utf-16") + b"x"))) == [
        ("user", "hi"),
        ("user", "bye\ufffd"),
    ]
