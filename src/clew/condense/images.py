"""Shrink the images of a message list, and count what they cost; the originals are handed back for keeping.

Works on any wire format: base64 images are found wherever they stand in a message, also in tool results. Images given
by an address or a file id cost no bytes in the request and stay.
"""

import base64
import hashlib
import io
import logging
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from clew.condense.wires.protocol import Message, checked_list
from clew.errors import MissingExtra
from clew.ingest.base64 import base64_bytes
from clew.text.image_tokens import IMAGE_TOKENS, UNREADABLE
from clew.types.record import Record

if TYPE_CHECKING:
    from PIL.Image import Image

MOST_SIDE: Final = 1_024
"""Pixels of the longer side of a shrunk image."""

MOST_PIXELS: Final = 64_000_000
"""Pixels above which an image is not decoded: a small file can expand to gigabytes."""

FEWEST_BYTES: Final = 4_096
"""Bytes below which an image is not worth the work."""

_FORMATS: Final = ("PNG", "JPEG", "WEBP", "GIF")
_MODES: Final = frozenset(("1", "L", "LA", "P", "PA", "RGB", "RGBA", "CMYK", "YCbCr"))  # 16 bits would be cut off to 8
_INDEXED: Final = ("P", "PA", "1")
_FIRST_COUNTS: Final = ("MPO",)  # photos of telephones: a JPEG with more pictures behind it that no viewer shows
_QUALITY: Final = 80
_WORTH: Final = 0.75  # share of its bytes that an image may keep if it is only recompressed: a second pass changes none
_DIGITS: Final = 16
_DATA_URL: Final = re.compile(r"data:(image/[^,]{1,100}?);base64,", re.IGNORECASE)

log = logging.getLogger("clew.condense")


@dataclass(frozen=True, slots=True, kw_only=True)
class ShrunkImage(Record):
    """An image that was replaced by a smaller one.

    Attributes:
        ref: what `restore` takes: `image-` and the head of the SHA-256 of `original`.
        original: the bytes as they were.
        media_type: of the original, as the message named it.
        tokens_before, tokens_after: what the provider charges, by the dimensions.
        bytes_after: length of the image that stands in its place.
    """

    ref: str
    original: bytes
    media_type: str
    tokens_before: int
    tokens_after: int
    bytes_after: int


def shrink_images(messages: Sequence[Message], wire: str) -> tuple[list[Message], list[ShrunkImage]]:
    """The list with its large images scaled down and recompressed, and the originals of those that were replaced.

    An image is replaced only by one of fewer bytes, of three quarters at most where its size stays. Animations, images
    below `FEWEST_BYTES`, pictures that Gemini made itself and signed, and, with a warning in the log, those that cannot
    be read or have more than `MOST_PIXELS` stay as they are. The given messages are not changed.

    Raises:
        InputError: `messages` is not a list of objects.
        MissingExtra: there is an image, and Pillow is not installed.
    """
    given = checked_list(messages)
    shrunk: list[ShrunkImage] = []

    def smaller(media_type: str, code: str) -> tuple[str, str] | None:
        made = _shrunk(media_type, code, wire)
        if made is None:
            return None
        image, new_type, data = made
        shrunk.append(image)
        return new_type, base64.b64encode(data).decode()

    return [message if message.get("role") == "model" else _replaced(message, smaller) for message in given], shrunk


def apart_from_images(messages: Sequence[Message], wire: str) -> tuple[list[Message], int]:
    """A list with the bytes of its base64 images left out, which is counted as text, and what the images cost.

    They cost by their dimensions; Pillow reads only their headers.
    """
    total = 0

    def count(media_type: str, code: str) -> tuple[str, str]:
        nonlocal total
        try:
            size = _size(code)
        except MissingExtra:
            size = None
        total += UNREADABLE[wire] if size is None else IMAGE_TOKENS[wire](*size)
        return media_type, ""

    return [_replaced(message, count) for message in messages], total


def without_images(value: Any) -> Any:
    """A message, or a list of them, with the bytes of its base64 images left out."""
    return _replaced(value, lambda media_type, _: (media_type, ""))


_New = Callable[[str, str], tuple[str, str] | None]


def _replaced(value: Any, new: _New) -> Any:
    """A copy with other images: `new` gets media type and base64 of each, and gives those to put there, or None."""
    if isinstance(value, list):
        return [_replaced(item, new) for item in value]
    if not isinstance(value, Mapping):
        return value
    for find in (_source, _inline, _address):
        changed = find(value, new)
        if changed is not None:
            return changed
    return {name: _replaced(item, new) for name, item in value.items()}


def _source(value: Mapping[str, Any], new: _New) -> dict[str, Any] | None:
    """Anthropic: `{"type": "base64", "media_type": ..., "data": ...}`."""
    media_type, data = value.get("media_type"), value.get("data")
    if value.get("type") != "base64" or not isinstance(data, str) or not _is_image(media_type):
        return None
    found = new(str(media_type), data)
    return dict(value) if found is None else {**value, "media_type": found[0], "data": found[1]}


def _inline(value: Mapping[str, Any], new: _New) -> dict[str, Any] | None:
    """Gemini: `{"inlineData": {"mimeType": ..., "data": ...}}`, or with the Python SDK's names."""
    for outer, inner in (("inlineData", "mimeType"), ("inline_data", "mime_type")):
        blob = value.get(outer)
        if isinstance(blob, Mapping) and isinstance(blob.get("data"), str) and _is_image(blob.get(inner)):
            found = new(str(blob[inner]), blob["data"])
            changed = dict(blob) if found is None else {**blob, inner: found[0], "data": found[1]}
            return {**value, outer: changed}
    return None


def _address(value: Mapping[str, Any], new: _New) -> dict[str, Any] | None:
    """OpenAI: `{"image_url": {"url": "data:..."}}` and `{"image_url": "data:..."}`."""
    inner = value.get("image_url")
    url = inner.get("url") if isinstance(inner, Mapping) else inner
    known = _DATA_URL.match(url) if isinstance(url, str) else None
    if known is None or not isinstance(url, str):
        return None
    found = new(known[1], url[known.end() :])
    if found is None:
        return dict(value)
    written = f"data:{found[0]};base64,{found[1]}"
    return {**value, "image_url": {**inner, "url": written} if isinstance(inner, Mapping) else written}


def _is_image(media_type: object) -> bool:
    return isinstance(media_type, str) and media_type.startswith("image/")


def _shrunk(media_type: str, code: str, wire: str) -> tuple[ShrunkImage, str, bytes] | None:
    original = _decoded(code)
    found = None if original is None or len(original) < FEWEST_BYTES else _smaller(original)
    if original is None or found is None:
        return None
    before, new_type, data = found
    scale = min(1.0, MOST_SIDE / max(before))
    if len(data) >= len(original) * (1.0 if scale < 1.0 else _WORTH):
        return None
    after = (max(1, round(before[0] * scale)), max(1, round(before[1] * scale)))
    shrunk = ShrunkImage(
        ref=f"image-{hashlib.sha256(original).hexdigest()[:_DIGITS]}",
        original=original,
        media_type=media_type,
        tokens_before=IMAGE_TOKENS[wire](*before),
        tokens_after=IMAGE_TOKENS[wire](*after),
        bytes_after=len(data),
    )
    return shrunk, new_type, data


def _decoded(code: str) -> bytes | None:
    data = base64_bytes(code)
    if data is None:
        log.warning("an image of %d characters is not base64 and stays as it is", len(code))
    return data


def _smaller(data: bytes) -> tuple[tuple[int, int], str, bytes] | None:
    """The size of the image, and media type and bytes of it scaled down; None, with a warning, for what is to stay."""
    image_module, unreadable = _pillow()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # its own limit on pixels only warns; ours is below
            image: Image = image_module.open(io.BytesIO(data), formats=_FORMATS)
            width, height = image.size
            if width * height > MOST_PIXELS or min(width, height) < 1:
                log.warning("an image of %d x %d pixels is too large to be shrunk and stays as it is", width, height)
                return None
            if (getattr(image, "is_animated", False) and image.format not in _FIRST_COUNTS) or image.mode not in _MODES:
                return None
            if image.mode in _INDEXED:  # whose pixels cannot be averaged
                image = image.convert("RGBA" if "transparency" in image.info or image.mode == "PA" else "RGB")
            image.thumbnail((MOST_SIDE, MOST_SIDE))  # before any other copy is made: of a large image each is 256 MB
            image.load()
            return (width, height), *min(_written(image), key=lambda written: len(written[1]))
    except unreadable as error:
        log.warning("an image of %d bytes cannot be read and stays as it is: %s", len(data), error)
        return None


def _written(image: "Image") -> Iterator[tuple[str, bytes]]:
    """The image, upright, in each format that may suit: media type and bytes."""
    from PIL import ImageOps  # an extra, see `_pillow`

    upright = ImageOps.exif_transpose(image)
    clear = "A" in upright.getbands() or "transparency" in upright.info
    plain = upright.convert("RGBA" if clear else "RGB")
    for name, options in (
        ("WEBP", {"quality": _QUALITY}),
        ("PNG", {"optimize": True}),
        ("JPEG", {"quality": _QUALITY}),
    ):
        if name == "JPEG" and clear:
            continue
        out = io.BytesIO()
        plain.save(out, name, **options)
        yield f"image/{name.lower()}", out.getvalue()


def _size(code: str) -> tuple[int, int] | None:
    data = _decoded(code)
    if data is None:
        return None
    image_module, unreadable = _pillow()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            width, height = image_module.open(io.BytesIO(data), formats=_FORMATS).size
    except unreadable:
        return None
    return (width, height) if width and height else None


def _pillow() -> tuple[Any, tuple[type[Exception], ...]]:
    """Pillow's module of images, and what it raises for data that is not an image or a broken one."""
    try:
        from PIL import Image  # an extra, and slow to load
    except ImportError as error:
        raise MissingExtra("images need the package Pillow; install clew[images]") from error
    broken = (
        OSError,
        ValueError,
        SyntaxError,
        EOFError,
        Image.DecompressionBombError,
        MemoryError,
        IndexError,
        KeyError,
    )
    return Image, (*broken, OverflowError, TypeError)
