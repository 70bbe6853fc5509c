"""Content encodings of bodies that the proxy reads."""

import gzip
import sys
import zlib
from collections.abc import Callable
from random import Random

import brotli
import pytest
import zstandard

from clew.errors import FormatError, MissingExtra
from clew.serve.proxy.encodings import decoded, is_readable
from clew.serve.proxy.headers import only_readable_encodings

pytestmark = pytest.mark.requirement("P-LFT-07")

BODY = b'{"messages": []}' * 5000
PACKED: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstandard.compress,
}


@pytest.mark.parametrize("encoding", PACKED)
def test_a_body_is_unpacked(encoding: str) -> None:
    assert is_readable(encoding)
    assert decoded(PACKED[encoding](BODY), encoding, len(BODY)) == BODY
    assert decoded(gzip.compress(PACKED[encoding](BODY)), f"{encoding}, GZIP, identity", len(BODY)) == BODY


@pytest.mark.parametrize("encoding", PACKED)
def test_a_body_that_breaks_off_is_read_as_far_as_it_goes(encoding: str) -> None:
    words = Random(7).randbytes(100_000).hex().encode()  # noqa: S311 - no secret
    packed = PACKED[encoding](words)
    found = decoded(packed[: len(packed) * 3 // 4], encoding, len(words))
    assert len(found) > 1000
    assert words.startswith(found)


@pytest.mark.parametrize("encoding", PACKED)
def test_a_body_that_is_no_such_thing_or_too_large_is_refused(encoding: str) -> None:
    with pytest.raises(FormatError, match="not compressed by"):
        decoded(b"\x07no such thing at all", encoding, 1000)
    with pytest.raises(FormatError, match="more than 70000 bytes"):
        decoded(PACKED[encoding](bytes(16 << 20)), encoding, 70_000)


@pytest.mark.parametrize("bits", [9, 12, 15, -9, -15])
def test_deflate_may_have_any_window_and_no_frame(bits: int) -> None:
    packer = zlib.compressobj(wbits=bits)
    assert decoded(packer.compress(BODY) + packer.flush(), "deflate", len(BODY)) == BODY


def test_gzip_may_have_several_members() -> None:
    first, second = gzip.compress(BODY), gzip.compress(b"and more")
    assert decoded(first + second, "gzip", len(BODY) + 8) == BODY + b"and more"
    assert decoded(first + second[:-12], "gzip", len(BODY) + 8).startswith(BODY)
    assert decoded(first + bytes(8), "gzip", len(BODY)) == BODY
    with pytest.raises(FormatError, match="more than"):
        decoded(first + second, "gzip", len(BODY) + 7)


def test_other_encodings_are_refused() -> None:
    assert not is_readable("gzip, xz")
    with pytest.raises(FormatError, match="'xz'; expected one of gzip"):
        decoded(b"", "xz", 10)


def test_without_a_decoder_nothing_is_read_and_none_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = [(b"accept-encoding", b"gzip, br;q=0.5, zstd, xz")]
    assert only_readable_encodings(asked) == [(b"accept-encoding", b"gzip, br;q=0.5, zstd")]
    monkeypatch.setitem(sys.modules, "brotli", None)
    monkeypatch.setitem(sys.modules, "zstandard", None)
    for encoding in ("br", "zstd"):
        assert not is_readable(encoding)
        with pytest.raises(MissingExtra, match=r"clew\[encodings\]"):
            decoded(b"", encoding, 10)
    assert only_readable_encodings(asked) == [(b"accept-encoding", b"gzip")]
