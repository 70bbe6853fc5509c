"""Where sentences and paragraphs end."""

import pytest

from clew.text.sentences import paragraph_spans, sentence_spans

pytestmark = pytest.mark.requirement("F-ANALYZE-01")


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It rained. We stayed!  Why not?", ["It rained.", "We stayed!", "Why not?"]),
        ("i went home. then i slept.", ["i went home.", "then i slept."]),
        ("Dr. Smith paid 3.14 for clew.toml, e.g. twice.", ["Dr. Smith paid 3.14 for clew.toml, e.g. twice."]),
        ("J. R. Smith left. He won.", ["J. R. Smith left.", "He won."]),
        ("It ends at 5 p.m. and starts at 3 p.m. Come!", ["It ends at 5 p.m. and starts at 3 p.m.", "Come!"]),
        ('"Where to?" he asked. "Go!" She went.', ['"Where to?" he asked.', '"Go!"', "She went."]),
        ("I thought ... perhaps. What?! No.", ["I thought ... perhaps.", "What?!", "No."]),
        ("That was in 2019. We left.", ["That was in 2019.", "We left."]),
        ("So did I. Then we left.", ["So did I.", "Then we left."]),
        ("今天天气很好。我们去公园！好吗？", ["今天天气很好。", "我们去公园！", "好吗？"]),
        ("यह अच्छा है। हाँ।", ["यह अच्छा है।", "हाँ।"]),
        ("Great 😀 😀", ["Great 😀 😀"]),
        ("Great. 😀", ["Great. 😀"]),
        ("😀", ["😀"]),
        ("", []),
        (" \n\t ", []),
    ],
)
def test_marks(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1. Open it.\n2. Close it", ["1. Open it.", "2. Close it"]),
        ("To do:\n- milk\n- bread", ["To do:", "- milk", "- bread"]),
        ("Rose of the morning,\nSong of the sea", ["Rose of the morning,", "Song of the sea"]),
        ("see you\ntomorrow", ["see you\ntomorrow"]),
        (
            "This line is long enough that an editor broke it there\nAnd went on below.",
            ["This line is long enough that an editor broke it there\nAnd went on below."],
        ),
    ],
)
def test_lines(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


def test_a_blank_line_ends_sentence_and_paragraph() -> None:
    text = "  One thing\n \n and another. Yes.\n\n\n"
    assert sentences(text) == ["One thing", "and another.", "Yes."]
    assert [text[start:end] for start, end in paragraph_spans(text)] == ["One thing", "and another. Yes."]
