"""Meetings as WebVTT and SubRip: captions become turns, with who speaks and when."""

import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.ingest.importers import ImportLimits, detect
from clew.ingest.importers.subtitles import LONG, LONGEST
from tests.support.ingest_reading import put, read, rejections, skipped, turns

pytestmark = pytest.mark.requirement("F-SUBTITLES-01")


def clock(seconds: float, mark: str = ".") -> str:
    whole = int(seconds)
    return f"{whole // 3600:02}:{whole // 60 % 60:02}:{whole % 60:02}{mark}{round(seconds % 1 * 1000):03}"


def captions(*said: str, head: str = "WEBVTT\n\n", every: float = 4, mark: str = ".") -> str:
    """A file with one caption every few seconds."""
    return head + "".join(
        f"{number}\n{clock(every * number, mark)} --> {clock(every * number + 3, mark)}\n{text}\n\n"
        for number, text in enumerate(said, start=1)
    )


def spoken(path: Path) -> list[tuple[str | None, str]]:
    return [(turn.speaker, turn.text) for turn in turns(read(path))]


@pytest.mark.parametrize(
    "said",
    [
        ("Ann Lee: Hello.", "Ann Lee: Shall we?", "Bob: Yes,", "Bob: let us.", "Ann Lee: Good."),
        (
            "<v Ann Lee>Hello.</v>",
            "<v Ann Lee>Shall we?",
            "<v.loud Bob>Yes,</v>",
            "<v Bob><i>let</i> us.",
            "<v Ann Lee>Good.",
        ),
        ("Ann Lee: Hello.", "Shall we?", "Bob: Yes,", "let us.", "Ann Lee: Good."),
        ("- Ann Lee: Hello.", "Shall\nwe?\n- Bob: Yes,", ">> Bob: let us.", "Ann Lee: Good."),
    ],
)
@pytest.mark.parametrize("kind", ["vtt", "srt"])
def test_captions_of_one_speaker_become_one_turn(tmp_path: Path, said: tuple[str, ...], kind: str) -> None:
    text = captions(*said) if kind == "vtt" else captions(*said, head="", mark=",")
    path = put(tmp_path, f"talk.{kind}", text)
    assert detect(path) == "subtitles"
    assert spoken(path) == [("Ann Lee", "Hello. Shall we?"), ("Bob", "Yes, let us."), ("Ann Lee", "Good.")]
    found = turns(read(path))
    assert {(turn.role, turn.session, turn.at) for turn in found} == {("user", "talk", None)}
    assert found[0].metadata["offset"] == "0:00:04"


def test_the_name_of_a_recording_of_zoom_dates_its_turns(tmp_path: Path) -> None:
    text = captions("Ann: Hello.", "Bob: Hi.", "Ann: Well.", every=3000)
    found = turns(read(put(tmp_path, "GMT20240312-140235_Recording.transcript.vtt", text)))
    assert [turn.at and turn.at.isoformat() for turn in found] == [
        "2024-03-12T14:52:35+00:00",
        "2024-03-12T15:42:35+00:00",
        "2024-03-12T16:32:35+00:00",
    ]
    undated = turns(read(put(tmp_path, "GMT99999999-140235_Recording.vtt", text)))
    assert [turn.at for turn in undated] == [None] * 3


def test_rolling_captions_are_taken_once_and_marks_are_no_words(tmp_path: Path) -> None:
    text = (
        "WEBVTT\nKind: captions\n\nSTYLE\n::cue { color: red }\n\nNOTE a remark\nin two lines\n\n"
        "00:00.000 --> 00:02.000 align:start position:0%\n \nso<00:00:00.500><c> today</c>"
        "<00:00:01.000><c> we</c> talk\n\n"
        "00:02.000 --> 00:02.010\nso today we talk\n \n\n"
        "00:02.010 --> 00:04.000\nso today we talk\nabout<00:00:03.000><c> bees &amp; honey</c>\n\n"
        "00:05.000 --> 00:06.000\n{\\an8}Note: it is 5 < 6\n"
    )
    records = read(put(tmp_path, "bees.vtt", text))
    assert [(turn.speaker, turn.text) for turn in turns(records)] == [
        (None, "so today we talk about bees & honey Note: it is 5 < 6")
    ]
    assert skipped(records) == ["note of the file"] * 3


def test_a_silence_and_a_long_speech_begin_another_turn(tmp_path: Path) -> None:
    path = put(tmp_path, "a.srt", captions("Ann: One.", "Ann: Two.", head="", every=60))
    assert spoken(path) == [("Ann", "One."), ("Ann", "Two.")]
    found = turns(read(put(tmp_path, "b.vtt", captions(*["We go on and on about this."] * 100))))
    assert all(LONG <= len(turn.text) < LONG + 40 for turn in found[:-1])
    endless = turns(read(put(tmp_path, "c.vtt", captions(*["we go on and on about this"] * 100))))
    assert all(LONGEST <= len(turn.text) < LONGEST + 40 for turn in endless[:-1])


def test_what_is_broken_is_named_and_the_rest_read(tmp_path: Path) -> None:
    text = captions("Ann: One.", "Ann: Two.") + "00:01 -> broken\nAnn: Three.\n\n" + captions("Ann: Four.", head="")
    path = put(tmp_path, "a.vtt", text)
    assert spoken(path) == [("Ann", "One. Two. Four.")]
    assert rejections(read(path), tmp_path)[0][0] == "a.vtt:11"
    crowded = put(tmp_path, "b.srt", captions("Ann: One.", "Bob: Two.", head="").replace("\n\n", "\n"))
    assert spoken(crowded) == [("Ann", "One."), ("Bob", "Two.")]
    assert not turns(read(put(tmp_path, "c.vtt", "WEBVTT\n")))
    long = read(put(tmp_path, "d.vtt", captions("x" * 900, "Ann: Hi.")), limits=ImportLimits(max_line_bytes=300))
    assert len(turns(long)) == 1
    assert any("300" in reason for _, reason in rejections(long, tmp_path))


def test_subviewer_and_single_digits_are_read(tmp_path: Path) -> None:
    viewer = "0:00:01.000,0:00:03.000\nAnn: One.\n\n0:00:04.000,0:00:06.000\nBob: Two.\n"
    digits = "0:0:3.1 --> 0:0:6.5\nAnn: One.\n\n0:0:7.1 --> 0:0:9.5\nBob: Two.\n"
    for name, text in (("a.sbv", viewer), ("b.txt", digits)):
        assert spoken(put(tmp_path, name, text)) == [("Ann", "One."), ("Bob", "Two.")]


def test_subtitles_in_folders_and_zips_are_found(tmp_path: Path) -> None:
    for name in ("a.vtt", "b.srt"):
        put(tmp_path / "talks", name, captions("Ann: One.", "Bob: Two."))
    with zipfile.ZipFile(tmp_path / "talks.zip", "w") as archive:
        archive.write(tmp_path / "talks/a.vtt", "a.vtt")
    assert len(turns(read(tmp_path / "talks"))) == 4
    assert len(turns(read(tmp_path / "talks.zip"))) == 2


@pytest.mark.parametrize("sign", ["[Content_Types].xml", "mimetype"])
def test_office_documents_are_refused_with_what_to_do(tmp_path: Path, sign: str) -> None:
    with zipfile.ZipFile(tmp_path / "talk.docx", "w") as archive:
        archive.writestr(sign, "<Types/>")
        archive.writestr("word/document.xml", "<w:t>Ann: Hello.</w:t>")
    reason = "a document of an office program; save it as text, a meeting as .vtt"
    assert rejections(read(tmp_path / "talk.docx"), tmp_path) == [("talk.docx", reason)]


def test_texts_that_look_like_it_are_none(tmp_path: Path) -> None:
    assert detect(put(tmp_path, "a.txt", "WEBVTT2 is a band\n")) == "text"
    assert detect(put(tmp_path, "b.txt", "00:01:00,000 --> somewhere\n")) == "text"
    assert detect(put(tmp_path, "c.md", "1\n2\n00:00:01,000 --> 00:00:02,000\nHi\n")) == "markdown"


@given(
    st.lists(
        st.tuples(st.sampled_from(["Ann", "Bob", "Cyn Day"]), st.text("abc .?", min_size=1)), min_size=2, max_size=30
    )
)
def test_no_word_is_lost(tmp_path_factory: pytest.TempPathFactory, said: list[tuple[str, str]]) -> None:
    path = put(tmp_path_factory.mktemp("words"), "a.vtt", captions(*(f"{name}: x{text}" for name, text in said)))
    found = spoken(path)
    assert " ".join(text for _, text in found).split() == " ".join(f"x{text}" for _, text in said).split()
    assert {name for name, _ in found} == {name for name, _ in said}


@pytest.mark.requirement("F-EDGE-08")
def test_a_recording_at_the_end_of_time_has_no_dates(tmp_path: Path) -> None:
    text = captions("Ann: hello", every=4).replace("00:00:00.000", "9999:00:00.000")
    path = put(tmp_path, "GMT99991231-235959_Recording.vtt", text)
    assert [(turn.text, turn.at) for turn in turns(read(path))] == [("hello", None)]


@pytest.mark.requirement("F-EDGE-08")
def test_voice_tags_that_are_never_closed_are_words(tmp_path: Path) -> None:
    path = put(tmp_path, "a.vtt", captions("<v Ann" * 50_000, "<v Ben>I am here."))
    assert spoken(path)[-1] == ("Ben", "I am here.")
