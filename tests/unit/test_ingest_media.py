"""Originals go to blobs and come back as they were."""

import base64
import hashlib

import pytest

from clew.errors import NotFoundError
from clew.ingest.base64 import decode_base64, encode_base64
from clew.ingest.media import image_type, inline, moved_characters, offload
from clew.memory import Memory
from clew.types import Part, Turn
from tests.support.effort import examples

LIMIT = 1000
LONG = "".join(f"line {n}: ä€🎉\n" for n in range(300))


@pytest.mark.requirement("F-INGEST-18")
def test_an_image_goes_to_a_blob_and_back() -> None:
    image = Part(type="image", data=b"\x89PNG rest", media_type="image/png", text="a caption")
    turn = Turn(role="user", content=(Part(type="text", text="look"), image))
    stored, blobs = offload(turn, LIMIT)
    digest = hashlib.sha256(b"\x89PNG rest").hexdigest()
    assert blobs == {digest: b"\x89PNG rest"}
    assert (stored.parts[1].blob, stored.parts[1].data) == (digest, None)
    assert inline(stored, blobs.__getitem__) == turn


@pytest.mark.requirement("F-INGEST-18")
@pytest.mark.parametrize("media_type", [None, "text/markdown"])
@pytest.mark.parametrize("extra", [None, {"is_error": True}])
def test_a_long_tool_result_leaves_its_ends_and_a_pointer(
    media_type: str | None, extra: dict[str, bool] | None
) -> None:
    part = Part(type="tool_result", text=LONG, call_id="c1", media_type=media_type, extra=extra)
    turn = Turn(role="tool", content=(part,))
    stored, blobs = offload(turn, LIMIT)
    shown = stored.parts[0].text
    digest = hashlib.sha256(LONG.encode()).hexdigest()
    assert LONG.startswith(shown.partition("\n[…")[0])
    assert LONG.endswith(shown.partition("…]\n")[2])
    assert f"[… {len(LONG)} characters in blob {digest[:12]} …]" in shown
    assert len(shown.encode()) <= LIMIT
    assert stored.text == shown
    assert inline(stored, blobs.__getitem__) == turn


@pytest.mark.requirement("F-INGEST-18")
@pytest.mark.parametrize(
    "part",
    [
        Part(type="text", text=LONG),
        Part(type="tool_call", text=LONG, name="write"),
        Part(type="thinking", text=LONG),
        Part(type="tool_result", text="x" * LIMIT),
    ],
)
def test_words_and_short_results_stay(part: Part) -> None:
    turn = Turn(role="assistant", content=(part,))
    assert offload(turn, LIMIT) == (turn, {})


@pytest.mark.requirement("F-INGEST-18")
def test_moving_twice_moves_once() -> None:
    stored, _ = offload(Turn(role="tool", content=(Part(type="tool_result", text=LONG),)), LIMIT)
    assert offload(stored, LIMIT) == (stored, {})


@pytest.mark.requirement("F-INGEST-18")
def test_a_plain_text_of_its_own_is_kept() -> None:
    turn = Turn(role="tool", content=(Part(type="tool_result", text=LONG),), text="what is searched")
    stored, blobs = offload(turn, LIMIT)
    assert stored.text == "what is searched"
    assert inline(stored, blobs.__getitem__) == turn


@pytest.mark.requirement("F-INGEST-18")
def test_a_missing_blob_is_named() -> None:
    stored, _ = offload(Turn(role="user", content=(Part(type="image", data=b"x"),)), LIMIT)

    def missing(digest: str) -> bytes:
        raise NotFoundError(f"blob {digest}")

    with pytest.raises(NotFoundError, match="blob 2d7116"):
        inline(stored, missing)


DATA = bytes(range(256)) * 2
CANONICAL = base64.b64encode(DATA).decode()


@pytest.mark.requirement("F-INGEST-18")
@pytest.mark.parametrize(
    ("written", "described"),
    [
        (CANONICAL, None),
        (CANONICAL.rstrip("="), {"padding": False}),
        (base64.urlsafe_b64encode(DATA).decode(), {"url": True}),
        (base64.encodebytes(DATA).decode(), {"width": 76, "break": "\n", "last": True}),
        (base64.encodebytes(DATA).decode().replace("\n", "\r\n"), {"width": 76, "break": "\r\n", "last": True}),
    ],
)
def test_base64_is_written_again_letter_for_letter(written: str, described: dict[str, object] | None) -> None:
    assert decode_base64(written) == (DATA, described)
    assert encode_base64(DATA, described) == written


@pytest.mark.requirement("F-INGEST-18")
@pytest.mark.parametrize("written", ["not base64!", "QUJ=D", "QUI D", "ä", "A", "QUJDR"])
def test_what_is_no_base64_is_kept_as_it_is(written: str) -> None:
    data, form = decode_base64(written)
    assert data == written.encode()
    assert encode_base64(data, form) == written


@pytest.mark.requirement("F-INGEST-18")
def test_images_are_told_by_their_first_bytes() -> None:
    heads = (b"\x89PNG\r\n", b"\xff\xd8\xff\xe0", b"GIF89a", b"RIFF1234WEBPVP8", b"other")
    assert [image_type(head).rpartition("/")[2] for head in heads] == ["png", "jpeg", "gif", "webp", "octet-stream"]


@pytest.mark.requirement("F-AGENT-89")
def test_what_failed_in_the_middle_of_a_long_result_remains_once() -> None:
    quiet = [f"line {number}: nothing of note" for number in range(3000)]
    quiet[1500:1500] = [f"[{number}] ERROR: pump {number} stalled" for number in range(400)]
    quiet[2000:2000] = [
        "x" * 5000 + " panic: valve 17 is open " + "y" * 5000,
        "terrors of the deep",
        "ValueError: no winch",
    ]
    text = "\n".join(quiet)
    turn = Turn(role="tool", content=(Part(type="tool_result", text=text, call_id="c1"),))
    stored, blobs = offload(turn, 8_000)
    shown = stored.parts[0].text
    assert len(shown.encode()) <= 8_000
    assert shown.count("ERROR") == 1
    assert "[0] ERROR: pump 0 stalled\n" in shown
    assert "panic: valve 17 is open" in shown
    assert "\nValueError: no winch\n" in shown
    assert "terrors" not in shown
    assert inline(stored, blobs.__getitem__) == turn


@pytest.mark.requirement("F-AGENT-89")
def test_the_middle_of_a_result_of_20_000_characters_is_found() -> None:
    lines = [f"line {number}: nothing of note happened at the kiln" for number in range(460)]
    lines[230] = "line 230: the zebrafinch sang"
    result = Part(type="tool_result", text="\n".join(lines), call_id="c1")
    with Memory.open(":memory:", embedder="none") as memory:
        memory.add_many(
            [
                Turn(role="user", content="Read the log of the kiln.", session="s"),
                Turn(role="tool", content=(result,), session="s"),
                Turn(role="assistant", content="Nothing of note.", session="s"),
            ]
        )
        assert len(result.text) > 20_000
        assert "the zebrafinch sang" in memory.recall("what did the zebrafinch do?", budget=300).text


@pytest.mark.requirement("F-KEEP-07")
def test_what_is_stored_apart_is_known_by_its_length() -> None:
    turn = Turn(role="tool", content=(Part(type="tool_result", text=LONG), Part(type="text", text="in blob 12")))
    stored, _ = offload(turn, LIMIT)
    assert len(stored.text) + moved_characters(stored) == pytest.approx(len(turn.text), abs=2)
    assert moved_characters(turn) == 0


@pytest.mark.thorough
@pytest.mark.timeout(120)
@pytest.mark.requirement("F-EDGE-08")
def test_one_long_line_of_failures_is_cut_in_time_that_grows_with_its_length() -> None:
    turn, blobs = offload(
        Turn(role="tool", content=(Part(type="tool_result", text="error x " * examples(160_000, 800_000)),))
    )
    assert blobs
    assert "error x" in turn.text
