"""Bodies without their content encoding: gzip and deflate always, Brotli and Zstandard where a decoder is installed."""

import io
import zlib
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import Final

from clew.errors import FormatError, MissingExtra

_WINDOW_BITS: Final = {"gzip": 31, "x-gzip": 31, "deflate": 15}
_GZIP: Final = b"\x1f\x8b"
"""How a gzip member begins; a body may have several, one behind the other (RFC 1952, 2.2)."""
_MODULES: Final = {"br": "brotli", "zstd": "zstandard"}
"""Encodings that need a package of the extra `encodings`."""


def decoded(body: bytes, encoding: str, most: int) -> bytes:
    """A body without its content encoding; of one that breaks off, what can be read.

    Raises:
        FormatError: the encoding is not read here, the body is not in it, or it has more than `most` bytes.
        MissingExtra: no decoder of the encoding is installed.
    """
    for name in reversed(_names(encoding)):
        read = _READERS.get(name)
        if read is None:
            raise FormatError(f"the body is compressed by {name!r:.40}; expected one of {', '.join(_READERS)}")
        if not _is_readable(name):
            raise MissingExtra(f"no decoder of {name!r} is installed; run `pip install 'clew[encodings]'`")
        body = read(body, name, most)
        if len(body) > most:
            raise FormatError(f"the body has more than {most} bytes when it is decompressed")
    return body


def is_readable(encoding: str) -> bool:
    """Whether bodies of a content encoding can be read."""
    return all(name in _READERS and _is_readable(name) for name in _names(encoding))


def _names(encoding: str) -> list[str]:
    names = [part.strip().lower() for part in encoding.split(",")]
    return [name for name in names if name not in ("", "identity")]


def _is_readable(name: str) -> bool:
    module = _MODULES.get(name)
    return module is None or find_spec(module) is not None


def _by_zlib(body: bytes, name: str, most: int) -> bytes:
    bits = _WINDOW_BITS[name]
    if name == "deflate" and not _has_zlib_header(body):
        bits = -15  # without the frame that RFC 9110 asks for, as some programs send it
    pieces, size = list[bytes](), 0
    try:
        while size <= most:
            reader = zlib.decompressobj(bits)
            pieces.append(reader.decompress(body, most + 1 - size))
            size += len(pieces[-1])
            body = reader.unused_data
            if name == "deflate" or not body.startswith(_GZIP):  # the end, or bytes behind it that mean nothing
                break
    except zlib.error as error:
        raise FormatError(f"the body is not compressed by {name}: {error}") from error
    return b"".join(pieces)


def _has_zlib_header(body: bytes) -> bool:
    """Whether a body begins as RFC 1950 says, 2.2: with the method deflate, and two bytes that are a multiple of 31."""
    return len(body) > 1 and body[0] & 0x0F == zlib.DEFLATED and int.from_bytes(body[:2]) % 31 == 0


def _by_brotli(body: bytes, name: str, most: int) -> bytes:
    import brotli  # of the extra encodings

    reader, pieces, size = brotli.Decompressor(), list[bytes](), 0
    try:
        while size <= most and not reader.is_finished():
            piece = reader.process(body, output_buffer_limit=most + 1 - size)
            pieces.append(piece)
            size += len(piece)
            body = b""
            if reader.can_accept_more_data():
                break
    except brotli.error as error:
        raise FormatError(f"the body is not compressed by {name}: {error}") from error
    return b"".join(pieces)


def _by_zstandard(body: bytes, name: str, most: int) -> bytes:
    import zstandard  # of the extra encodings

    reader = zstandard.ZstdDecompressor().stream_reader(io.BytesIO(body), read_across_frames=True)
    try:
        return reader.read(most + 1)
    except zstandard.ZstdError as error:
        raise FormatError(f"the body is not compressed by {name}: {error}") from error


_READERS: Final[Mapping[str, Callable[[bytes, str, int], bytes]]] = {
    **dict.fromkeys(_WINDOW_BITS, _by_zlib),
    "br": _by_brotli,
    "zstd": _by_zstandard,
}
