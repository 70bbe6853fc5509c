"""What is exported comes back the same, under names that no file system minds."""

import hashlib
import json
from base64 import b64encode
from datetime import UTC, datetime
from pathlib import Path

import pytest

from clew.ingest.export import export_lines
from clew.ingest.importers import Skipped
from clew.ingest.media import offload
from clew.types import Part, Turn
from tests.support.ingest_reading import lines, put, read, rejections, turns

AT = datetime(2024, 3, 5, 14, 30, tzinfo=UTC)
LONG = "a long output\n" * 2000


def a_history() -> list[Turn]:
    """Turns with all that a turn can have."""
    image = Part(type="image", data=b"\x89PNG", media_type="image/png", extra={"encoding": {"padding": False}})
    call = Part(type="tool_call", name="bash", call_id="c1", text='{"command": "ls"}')
    answer = Part(type="tool_result", name="bash", call_id="c1", text=LONG)
    return [
        Turn(role="user", content="half ␛d83d; pair ✓", session="s 1", speaker="Ann", at=AT, external_id="e1"),
        Turn(role="user", content=(image, Part(type="text", text="look")), session="s 1", metadata={"title": "T"}),
        Turn(role="assistant", content=(Part(type="thinking", text="hm"), call), session="s 1", source="codex"),
        Turn(role="user", content=(answer, image), session="s 1", origin="web"),
        Turn(role="assistant", content="so", session="other", parent="e1", branch="edit-1", text="searched as this"),
    ]


@pytest.mark.requirement("F-INGEST-24")
def test_an_export_comes_back_the_same(tmp_path: Path) -> None:
    blobs: dict[str, bytes] = {}
    stored = []
    for n, turn in enumerate(a_history()):
        moved, found = offload(turn)
        blobs |= found
        stored.append(moved.stored(seq=n, ordinal=n + 10, ingested_at=AT))
    path = put(tmp_path, "out.jsonl", "".join(f"{line}\n" for line in export_lines(stored, blobs.__getitem__)))
    records = read(path)
    assert rejections(records, tmp_path) == []
    assert turns(records) == a_history()


@pytest.mark.requirement("F-INGEST-24")
def test_a_damaged_export_loses_only_the_damaged_turn(tmp_path: Path) -> None:
    stored, blobs = offload(Turn(role="user", content=(Part(type="image", data=b"x"),), session="s"))
    whole = list(export_lines([stored], blobs.__getitem__))
    other = Turn(role="user", content="other", session="s").to_dict()
    wrong = {**json.loads(whole[0]), "data": "eA=="}
    damaged = {**other, "content": [{"type": "text", "text": 5}]}
    path = put(
        tmp_path, "out.jsonl", lines(whole[1], {**wrong, "data": "eQ=="}, damaged, {**other, "speaker": 5}, other)
    )
    records = read(path)
    assert [turn.text for turn in turns(records)] == ["other"]
    found = rejections(records, tmp_path)
    assert [where for where, _ in found] == ["out.jsonl:1", "out.jsonl:2", "out.jsonl:3", "out.jsonl:4"]
    assert "does not stand before its turn" in found[0][1]
    assert "does not match its SHA-256" in found[1][1]
    assert "expected str" in found[2][1]
    assert "speaker of a turn: expected str, got int" in found[3][1]


@pytest.mark.requirement("F-INGEST-24")
def test_a_learned_number_beyond_every_float_is_left_out(tmp_path: Path) -> None:
    kept = lines(*(turn.to_dict() for turn in a_history()[:1]))
    path = put(tmp_path, "s.jsonl", kept + lines({"learned": {"a": 10**400, "b": 2}}))
    assert [record.learned for record in read(path) if isinstance(record, Skipped)] == [{"b": 2.0}]


@pytest.mark.requirement("F-INGEST-24")
@pytest.mark.parametrize("moved", [True, {}, {"media_type": None, "extra": False}])
def test_an_original_that_is_no_text_does_not_stop_the_export(tmp_path: Path, moved: object) -> None:
    data = b"\xff\xfe\x00"
    digest = hashlib.sha256(data).hexdigest()
    part = {"type": "tool_result", "text": "x", "blob": digest, "extra": {"moved": moved}}
    record = {"role": "tool", "content": [part], "text": "x", "session": "s", "origin": "tool"}
    good = a_history()[0].to_dict()
    path = put(tmp_path, "s.jsonl", lines({"blob": digest, "data": b64encode(data).decode()}, record, good))
    records = read(path)
    assert turns(records)[-1].text == a_history()[0].text
    if isinstance(moved, dict) and moved:
        assert rejections(records, tmp_path) == [
            ("s.jsonl:2", "damaged export: the original of a text is not UTF-8; export the space again")
        ]
