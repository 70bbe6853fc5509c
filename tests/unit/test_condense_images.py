"""Images of message lists: smaller, counted by their size, and kept."""

import base64
import io
import json
import zlib
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from clew.condense.images import MOST_SIDE, apart_from_images, shrink_images, without_images
from clew.errors import InputError
from clew.text.image_tokens import PRICES, anthropic_tokens, gemini_tokens, openai_tokens

pytestmark = pytest.mark.requirement("F-CONDENSE-22")
WIRES = ("anthropic", "openai", "responses", "gemini")


@cache
def picture(width: int, height: int, kind: str = "PNG", mode: str = "RGB") -> bytes:
    """A picture with some structure, so that formats differ."""
    image = Image.effect_mandelbrot((width, height), (-2, -1.5, 1, 1.5), 20).convert(mode)
    out = io.BytesIO()
    image.save(out, kind)
    return out.getvalue()


def message(wire: str, data: bytes, media_type: str = "image/png") -> dict[str, Any]:
    code = base64.b64encode(data).decode()
    if wire == "anthropic":
        source = {"type": "base64", "media_type": media_type, "data": code}
        result = {"type": "tool_result", "tool_use_id": "a", "content": [{"type": "image", "source": source}]}
        return {"role": "user", "content": [result, {"type": "text", "text": "see"}]}
    if wire == "openai":
        url = {"url": f"data:{media_type};base64,{code}", "detail": "high"}
        return {"role": "user", "content": [{"type": "image_url", "image_url": url}]}
    if wire == "responses":
        part = {"type": "input_image", "image_url": f"data:{media_type};base64,{code}"}
        return {"type": "message", "role": "user", "content": [part]}
    return {"role": "user", "parts": [{"inlineData": {"mimeType": media_type, "data": code}}]}


def images_of(value: Any) -> list[bytes]:
    found: list[bytes] = []
    for text in _texts(value):
        code = text.partition(";base64,")[2] or text
        try:
            found.append(base64.b64decode(code, validate=True))
        except ValueError:  # the text is no base64
            continue
    return [data for data in found if len(data) > 40]


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return [text for item in inner for text in _texts(item)]


@pytest.mark.parametrize("wire", WIRES)
def test_a_large_image_is_made_smaller_and_its_original_is_handed_back(wire: str) -> None:
    data = picture(1_200, 900)
    before = message(wire, data)
    (after,), (image,) = shrink_images([before], wire)
    assert image.original == data
    assert before == message(wire, data)
    (smaller,) = images_of(after)
    with Image.open(io.BytesIO(smaller)) as opened:
        assert max(opened.size) == MOST_SIDE
        assert opened.size[1] == 768
    assert len(smaller) == image.bytes_after < len(data)
    assert image.tokens_after <= image.tokens_before
    assert shrink_images([after], wire) == ([after], [])


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize(
    "made",
    [lambda: b"", lambda: b"no image", lambda: picture(640, 480)[:6_000], lambda: picture(8, 8)],
    ids=["empty", "text", "cut", "tiny"],
)
def test_what_is_no_image_or_tiny_stays(wire: str, made: Callable[[], bytes]) -> None:
    data = made()
    assert shrink_images([message(wire, data)], wire) == ([message(wire, data)], [])


def test_an_image_of_too_many_pixels_is_not_decoded(caplog: pytest.LogCaptureFixture) -> None:
    out = io.BytesIO()
    Image.new("1", (20_000, 4_000)).save(out, "PNG")
    given_ = message("anthropic", out.getvalue())
    assert shrink_images([given_], "anthropic") == ([given_], [])
    assert "stays as it is" in caplog.text


def test_transparency_is_kept() -> None:
    image_ = Image.open(io.BytesIO(picture(1_200, 880)))
    image_.putalpha(Image.linear_gradient("L").resize((1_200, 880)))
    out = io.BytesIO()
    image_.save(out, "PNG")
    clear = out.getvalue()
    (after,), (image,) = shrink_images([message("openai", clear)], "openai")
    with Image.open(io.BytesIO(images_of(after)[0])) as opened:
        assert "A" in opened.getbands()
    assert image.original == clear


def test_animations_stay() -> None:
    frames = [Image.new("RGB", (1_200, 1_200), (shade, 0, 0)) for shade in (0, 90, 180)]
    out = io.BytesIO()
    frames[0].save(out, "GIF", save_all=True, append_images=frames[1:])
    given_ = message("gemini", out.getvalue(), "image/gif")
    assert shrink_images([given_], "gemini") == ([given_], [])


@pytest.mark.parametrize(
    ("count", "size", "tokens"),
    [
        (anthropic_tokens, (200, 200), 64),
        (anthropic_tokens, (1_000, 1_000), 1_296),
        (anthropic_tokens, (1_920, 1_080), 2_691),
        (anthropic_tokens, (2_160, 3_840), 4_784),
        (anthropic_tokens, (4_032, 3_024), 4_740),
        (PRICES["anthropic-3"].tokens, (1_920, 1_080), 1_560),
        (PRICES["anthropic-3"].tokens, (200, 200), 64),
        (PRICES["gemini-3"].tokens, (3_000, 40), 1_120),
        (openai_tokens, (1_024, 1_024), 765),
        (openai_tokens, (2_048, 4_096), 1_105),
        (gemini_tokens, (384, 384), 258),
        (gemini_tokens, (769, 300), 516),
    ],
)
def test_the_cost_of_an_image_is_the_provider_s(count: Any, size: tuple[int, int], tokens: int) -> None:
    assert count(*size) == tokens


@given(width=st.integers(1, 30_000), height=st.integers(1, 30_000))
@settings(deadline=None)
def test_no_image_costs_more_than_the_provider_allows(width: int, height: int) -> None:
    assert 1 <= anthropic_tokens(width, height) <= 4_784
    assert 1 <= PRICES["anthropic-3"].tokens(width, height) <= 1_568
    assert 255 <= openai_tokens(width, height) <= 85 + 170 * 8
    assert gemini_tokens(width, height) >= 258


@pytest.mark.parametrize("wire", WIRES)
def test_images_are_counted_by_size_and_not_by_their_characters(wire: str) -> None:
    messages = [message(wire, picture(1_024, 1_024)), message(wire, b"no image, but as long as its code" * 9)]
    words, tokens = apart_from_images(messages, wire)
    assert tokens > 700
    assert len(str(words)) < 600
    assert words == without_images(messages)


def test_sixteen_bits_a_pixel_stay_since_they_would_turn_white() -> None:
    deep = Image.frombytes("I;16", (1_500, 1_200), bytes(place * 7 % 256 for place in range(1_500 * 1_200 * 2)))
    out = io.BytesIO()
    deep.save(out, "PNG")
    given_ = message("anthropic", out.getvalue())
    assert shrink_images([given_], "anthropic") == ([given_], [])


def saved(image: Image.Image, kind: str, **options: Any) -> bytes:
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def shrunk(data: bytes, media_type: str = "image/jpeg") -> Image.Image:
    """The image that stands for the one that was given, in a request to Anthropic."""
    before = message("anthropic", data, media_type)
    (after,), (image,) = shrink_images([before], "anthropic")
    assert image.original == data
    return Image.open(io.BytesIO(images_of(after)[0]))


def halves(mode: str, left: Any, right: Any, size: tuple[int, int] = (1_400, 700)) -> Image.Image:
    """A noisy picture, so that it is worth shrinking, below two plain halves of a known colour."""
    image = Image.effect_noise(size, 90).convert(mode)
    image.paste(left, (0, 0, size[0] // 2, size[1] // 2))
    image.paste(right, (size[0] // 2, 0, size[0], size[1] // 2))
    return image


def colour_at(image: Image.Image, place: tuple[int, int]) -> list[int]:
    pixel = image.convert("RGB").getpixel(place)
    assert isinstance(pixel, tuple)
    return [round(value / 255) for value in pixel]


@pytest.mark.requirement("IMAGE-FORM-01")
def test_a_photo_is_turned_as_its_camera_says() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # to be turned by a quarter
    image = shrunk(saved(halves("RGB", (255, 0, 0), (0, 0, 255)), "JPEG", exif=exif))
    assert image.size == (512, 1_024)
    assert [colour_at(image, place) for place in ((400, 100), (400, 900))] == [[1, 0, 0], [0, 0, 1]]
    assert 0x0112 not in image.getexif()


@pytest.mark.requirement("IMAGE-FORM-01")
@pytest.mark.parametrize("kind", ["PNG", "WEBP"])
def test_an_image_with_broken_notes_of_its_camera_stays(kind: str, caplog: pytest.LogCaptureFixture) -> None:
    out = io.BytesIO()
    Image.open(io.BytesIO(picture(1_200, 800))).save(out, kind, exif=b"Exif\0\0nothing")
    messages = [message("anthropic", out.getvalue())]
    assert shrink_images(messages, "anthropic") == (messages, [])
    assert "cannot be read and stays as it is" in caplog.text


@pytest.mark.requirement("IMAGE-FORM-01")
def test_colours_of_print_stay_what_they_are() -> None:
    image = shrunk(saved(halves("RGB", (255, 0, 0), (0, 0, 255)).convert("CMYK"), "JPEG"))
    assert [colour_at(image, place) for place in ((100, 100), (900, 100))] == [[1, 0, 0], [0, 0, 1]]


@pytest.mark.parametrize("kind", ["PNG", "GIF"])
def test_a_palette_keeps_its_transparent_colour(kind: str) -> None:
    image = Image.effect_noise((1_400, 700), 90).quantize(16)
    image.putpalette([shade for place in range(16) for shade in (place * 16, 255 - place * 16, 90)])
    image.paste(7, (0, 0, 700, 350))
    small = shrunk(saved(image, kind, transparency=7), "image/gif").convert("RGBA")
    clear, seen = small.getpixel((100, 100)), small.getchannel("A").getextrema()
    assert isinstance(clear, tuple)
    assert clear[3] == 0
    assert seen == (0, 255)


@pytest.mark.requirement("IMAGE-FORM-01")
def test_a_photo_with_more_pictures_behind_it_is_no_animation() -> None:
    more = [Image.new("RGB", (300, 200), "green")]
    data = saved(halves("RGB", (255, 0, 0), (0, 0, 255)), "MPO", save_all=True, append_images=more)
    image = shrunk(data)
    assert image.size == (1_024, 512)
    assert colour_at(image, (100, 100)) == [1, 0, 0]


@pytest.mark.parametrize("kind", ["PNG", "WEBP"])
def test_animations_of_other_formats_stay(kind: str) -> None:
    frames = [halves("RGB", shade, "black") for shade in ("red", "green")]
    given_ = message("anthropic", saved(frames[0], kind, compress_level=1, save_all=True, append_images=frames[1:]))
    assert shrink_images([given_], "anthropic") == ([given_], [])


def lying(data: bytes, width: int, height: int) -> bytes:
    """The PNG with another size in its header, and the right checksum of that."""
    head = data[12:16] + width.to_bytes(4, "big") + height.to_bytes(4, "big") + data[24:29]
    return data[:12] + head + zlib.crc32(head).to_bytes(4, "big") + data[33:]


def with_comment(data: bytes, name: bytes, size: int) -> bytes:
    """The PNG with a compressed chunk of so many bytes before its pixels."""
    body = name + b"c\0\0" + zlib.compress(b"a" * size)
    at = data.index(b"IDAT") - 4
    chunk = (len(body) - 4).to_bytes(4, "big") + body + zlib.crc32(body).to_bytes(4, "big")
    return data[:at] + chunk + data[at:]


@pytest.mark.requirement("IMAGE-FORM-01")
@pytest.mark.parametrize(
    "made",  # when the test runs, not when each worker collects it
    [
        lambda: lying(picture(1_200, 960), 2**31 - 1, 2**31 - 1),
        lambda: lying(picture(1_200, 960), 8_000, 8_001),
        lambda: lying(picture(1_200, 960), 7_000, 7_000),
        lambda: lying(picture(1_200, 960), 0, 0),
        lambda: with_comment(picture(1_200, 960), b"zTXt", 50_000_000),
        lambda: with_comment(picture(1_200, 960), b"iCCP", 50_000_000),
        lambda: saved(halves("RGB", "red", "blue"), "JPEG")[:60_000],
        lambda: saved(halves("RGB", "red", "blue"), "WEBP")[:30_000],
        lambda: saved(halves("L", 0, 255), "GIF")[:60_000],
    ],
    ids=["2**31", "64 million", "more than there is", "none", "comment", "profile", "jpeg", "webp", "gif"],
)
def test_bombs_and_broken_files_stay_and_are_counted(
    made: Callable[[], bytes], caplog: pytest.LogCaptureFixture
) -> None:
    given_ = message("anthropic", made())
    assert shrink_images([given_], "anthropic") == ([given_], [])
    assert "stays as it is" in caplog.text
    assert 0 < apart_from_images([given_], "anthropic")[1] <= 4_784


@pytest.mark.requirement("IMAGE-FORM-01")
@pytest.mark.parametrize(
    "written",
    [
        lambda data: base64.urlsafe_b64encode(data).decode(),  # Google's SDK
        lambda data: base64.b64encode(data).decode().rstrip("="),
        lambda data: base64.encodebytes(data).decode(),
    ],
    ids=["for addresses", "without padding", "in lines"],
)
def test_base64_is_read_as_clients_write_it(written: Any) -> None:
    data = saved(halves("RGB", (255, 0, 0), (0, 0, 255)), "PNG", compress_level=1)
    code = written(data)
    before = {"role": "user", "parts": [{"inlineData": {"mimeType": "image/png", "data": code}}]}
    (after,), (image,) = shrink_images([before], "gemini")
    assert image.original == data
    assert len(json.dumps(after)) < len(json.dumps(before)) / 2
    assert apart_from_images([before], "gemini")[1] == gemini_tokens(1_400, 700)


@pytest.mark.requirement("IMAGE-FORM-01")
def test_a_picture_that_gemini_made_and_signed_stays() -> None:
    part = {"inlineData": {"mimeType": "image/png", "data": base64.b64encode(picture(1_200, 900)).decode()}}
    made = {"role": "model", "parts": [{**part, "thoughtSignature": "c2ln"}]}
    assert shrink_images([made, {"role": "user", "parts": [{"text": "Nice."}]}], "gemini")[1] == []
    assert apart_from_images([made], "gemini")[1] == gemini_tokens(1_200, 900)


@pytest.mark.parametrize("kind", ["BMP", "TIFF", "ICO", "PPM"])
def test_formats_that_are_not_allowed_are_not_opened(kind: str, caplog: pytest.LogCaptureFixture) -> None:
    given_ = message("anthropic", picture(1_200, 960, kind))
    assert shrink_images([given_], "anthropic") == ([given_], [])
    assert "cannot be read and stays as it is" in caplog.text


@pytest.mark.parametrize("start", ["DATA:IMAGE/PNG;BASE64,", "data:image/png;charset=utf-8;base64,"])
def test_addresses_with_data_are_read_in_any_spelling(start: str) -> None:
    url = start + base64.b64encode(picture(1_200, 900)).decode()
    before = {"role": "user", "content": [{"type": "image_url", "image_url": {"url": url}}]}
    (after,), (image,) = shrink_images([before], "openai")
    assert len(json.dumps(after)) < len(json.dumps(before))
    assert image.media_type.lower().startswith("image/png")
    assert apart_from_images([before], "openai")[1] == 765


def test_messages_that_are_nested_too_deeply_are_refused() -> None:
    deep: Any = "x"
    for _ in range(800):
        deep = [{"a": deep}]
    with pytest.raises(InputError, match="message 0: more than 100 objects"):
        shrink_images([{"role": "user", "content": deep}], "anthropic")
