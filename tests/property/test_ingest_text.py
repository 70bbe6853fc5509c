"""Escaping, masking, moving and exporting: what holds for any text and any turn."""

import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.ingest.base64 import decode_base64, encode_base64
from clew.ingest.encoding import escape_surrogates, escape_turn, is_encodable, unescape
from clew.ingest.export import ExportReader, export_lines
from clew.ingest.identity import content_hash
from clew.ingest.media import inline, offload
from clew.ingest.secrets.masking import mask
from clew.ingest.when import parse_when
from clew.types import Part, Turn
from clew.types.turn import ORIGINS, PART_TYPES, ROLES

ANY_TEXT = st.text(alphabet=st.characters(codec=None) | st.sampled_from("␛d80;\0\ud800"))
TEXT = st.text(max_size=60)
EXTRA = st.none() | st.dictionaries(
    TEXT, st.one_of(TEXT, st.integers(), st.lists(TEXT, max_size=2)), min_size=1, max_size=3
)
PARTS = st.builds(
    Part,
    type=st.sampled_from(PART_TYPES),
    text=TEXT | TEXT.map(lambda text: text * 30),
    name=st.none() | TEXT,
    call_id=st.none() | TEXT,
    media_type=st.none() | st.sampled_from(["image/png", "text/plain"]),
    data=st.none() | st.binary(max_size=50),
    extra=EXTRA,
)
TURNS = st.builds(
    Turn,
    role=st.sampled_from(ROLES),
    content=st.lists(PARTS, max_size=4).map(tuple),
    session=st.text(min_size=1, max_size=20).filter(str.strip),
    speaker=st.none() | TEXT,
    at=st.none() | st.datetimes(),
    external_id=st.none() | TEXT,
    branch=TEXT,
    origin=st.none() | st.sampled_from(ORIGINS),
    metadata=st.dictionaries(TEXT, TEXT, max_size=2),
    text=st.just("") | TEXT,
)


@pytest.mark.requirement("F-INGEST-03")
@given(ANY_TEXT)
def test_escaping_gives_text_that_can_be_stored_and_comes_back(text: str) -> None:
    stored = escape_surrogates(text)
    assert is_encodable(stored)
    assert unescape(stored) == text


@pytest.mark.requirement("F-INGEST-03")
@given(st.binary())
def test_bytes_are_restored(data: bytes) -> None:
    stored = escape_surrogates(data.decode("utf-8", "surrogateescape"))
    assert unescape(stored).encode("utf-8", "surrogateescape") == data


@pytest.mark.requirement("F-INGEST-03")
@given(ANY_TEXT, ANY_TEXT)
def test_a_turn_of_any_text_can_be_stored(text: str, name: str) -> None:
    turn = escape_turn(Turn(role="user", content=(Part(type="text", text=text, name=name),), metadata={name: [text]}))
    assert json.dumps(turn.to_dict(), ensure_ascii=False).encode()


TELLING = st.sampled_from(
    (
        *("password=", "token: ", '"secret": "', "api_key='", "Bearer ", "Authorization: ", "://ann:", "@host"),
        *("sk-", "ghp_", "AKIA", "eyJ", ".eyJ", "-----BEGIN PRIVATE KEY-----\n", "4111 1111 1111 1111"),
        *("[masked:", "]", "aB3" * 12, "\n", '"'),
    )
)


@pytest.mark.requirement("F-INGEST-16")
@given(st.lists(st.one_of(TELLING, st.text(max_size=10)), max_size=12).map("".join))
def test_masking_again_changes_nothing(text: str) -> None:
    masked, counts = mask(text)
    assert mask(masked) == (masked, {})
    assert (masked == text) is (not counts)


@pytest.mark.requirement("F-INGEST-18")
@given(TURNS, st.integers(0, 300))
def test_moving_originals_out_and_back_gives_the_same_turn(turn: Turn, limit: int) -> None:
    stored, blobs = offload(turn, limit)
    assert all(part.data is None for part in stored.parts)
    assert inline(stored, blobs.__getitem__) == turn
    assert content_hash(stored) == content_hash(turn)
    assert offload(stored, limit) == (stored, {})


@pytest.mark.requirement("F-INGEST-18")
@given(st.one_of(st.binary().map(lambda data: base64.b64encode(data).decode()), st.text()))
def test_what_should_be_base64_is_written_again_letter_for_letter(text: str) -> None:
    data, form = decode_base64(text)
    assert encode_base64(data, form) == text


@pytest.mark.requirement("F-INGEST-24")
@given(st.lists(TURNS, max_size=3))
def test_exported_turns_can_be_imported_unchanged(turns: list[Turn]) -> None:
    moved = [offload(escape_turn(turn), 100) for turn in turns]
    blobs = {digest: data for _, found in moved for digest, data in found.items()}
    reader = ExportReader()
    records = (json.loads(line) for line in export_lines([turn for turn, _ in moved], blobs.__getitem__))
    back = [turn for record in records if (turn := reader.turn(record)) is not None]
    assert back == [escape_turn(turn) for turn in turns]


@pytest.mark.requirement("F-INGEST-15")
@given(
    st.one_of(
        st.text(max_size=30),
        st.text(alphabet="0123456789-/:., TZ+APMamp", max_size=30),
        st.integers(),
        st.floats(),
        st.datetimes(timezones=st.none() | st.timezones()),
    )
)
def test_any_date_is_read_or_unknown(written: object) -> None:
    found = parse_when(written)
    assert found is None or found.utcoffset() is not None
    assert parse_when(written) == found
