"""JSON files that hold only null, numbers, strings, true or false: nothing of them is a turn."""

from pathlib import Path

import pytest

from clew.errors import FormatError
from tests.support.ingest_reading import put, read, said, skipped


@pytest.mark.requirement("F-INGEST-13")
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.json", "null\n"),
        ("a.json", " -12.5e3"),
        ("a.json", '"hello there"'),
        ("a.jsonl", "true"),
        ("a.jsonl", '1\n\n"two"\nnull\n'),
        ("a.json", '"one"\n' * 40_000),
    ],
)
def test_json_of_bare_values_is_refused_with_what_was_expected(tmp_path: Path, name: str, text: str) -> None:
    path = put(tmp_path / "all", name, text)
    shown = text.split("\n", maxsplit=1)[0].strip()
    with pytest.raises(FormatError, match=f"nothing but the JSON value {shown}.*expected JSON objects, one a turn"):
        read(path)
    assert skipped(read(tmp_path / "all")) == ["file of no known format"]


@pytest.mark.requirement("F-INGEST-13")
def test_text_that_is_called_json_and_values_in_a_text_are_read(tmp_path: Path) -> None:
    assert said(read(put(tmp_path, "a.json", "null and void, she said"))) == [("user", "null and void, she said")]
    assert said(read(put(tmp_path, "a.txt", "42"))) == [("user", "42")]
