"""Renderings of nodes without a model: whole sentences with speakers and days, clean lists, no tools' output."""

import re

import pytest

from clew.condense.node_material import line_of, plain_line, tool_values
from clew.condense.node_renderings import NodeLine, NodeSize, NodeSource, lines_of, render_node
from clew.condense.renderings import Rendering
from clew.text.counters import counter
from clew.types import Part, Turn
from tests.support.memories import at

pytestmark = pytest.mark.requirement("F-RENDER-02")
SIZE = NodeSize(300, 300)
DAY = "2024-03-05"

TALK = (
    ("Ann", "Hey Ben! Long time no see!"),
    ("Ben", "Hi Ann! Wow, great to hear from you."),
    ("Ann", "We moved to Lisbon in May because my office opened there. The flat costs 900 euros a month."),
    ("Ben", "That sounds awesome!"),
    ("Ann", "Our daughter Mia starts at the school near the river next week. She is a bit nervous about it."),
    ("Ben", "I sold the boat last month and bought a used kayak from Rui for 250 euros."),
    ("Ann", "Nice! Thanks for telling me."),
)


def rendered(source: NodeSource, size: NodeSize = SIZE) -> dict[str, Rendering]:
    return {each.kind: each for each in render_node(source, size, counter())}


def talk(title: str | None = None, words: frozenset[str] = frozenset()) -> NodeSource:
    return NodeSource([NodeLine(DAY, *line) for line in TALK], (), [b"hash"], title, words)


def test_what_is_told_is_kept_in_whole_sentences_and_small_talk_is_not() -> None:
    found = rendered(talk())["salient"]
    said = " ".join(text for _, text in TALK)
    day, *lines = found.text.split("\n")
    assert day == DAY
    for line in lines:
        speaker, _, words = line.partition(": ")
        assert speaker in ("Ann", "Ben")
        for sentence in words.split(" … "):
            assert sentence in said
            assert sentence.endswith((".", "!"))
    assert "We moved to Lisbon in May" in found.text
    assert "kayak from Rui" in found.text
    assert not re.search(r"Hey|Hi Ann|awesome|Nice", found.text)
    assert len(found.text) <= SIZE.most + len(DAY) + 1
    assert found.tokens == counter()(found.text)
    assert found.method == "extract"
    assert found.coverage == 1.0


def test_a_digest_is_shorter_and_says_nothing_else() -> None:
    found = rendered(talk())
    salient, digest = found["salient"], found["digest"]
    assert 0 < len(digest.text) < len(salient.text) / 2
    assert {text for line in lines_of(digest.text) for text in (line.text,)} <= {
        part for line in lines_of(salient.text) for part in (line.text, *line.text.split(". "))
    } | {f"{part}." for line in lines_of(salient.text) for part in line.text.split(". ")}


def test_the_title_is_the_hierarchy_s_or_the_best_sentence() -> None:
    assert rendered(talk("lisbon, kayak"))["title"].text == "lisbon, kayak"
    assert rendered(talk())["title"].text in {
        "We moved to Lisbon in May because my office opened there.",
        "I sold the boat last month and bought a used kayak from Rui for 250 euros.",
    }


def test_the_words_of_a_label_draw_sentences_to_them() -> None:
    found = rendered(talk(words=frozenset({"school"})), NodeSize(120, 120))["salient"]
    assert "school near the river" in found.text


def test_a_document_gives_its_statements_and_not_its_headings() -> None:
    steps = "\n".join(f"### Step {n}\n- Updated Code\n- Part {n} of the list" for n in range(1, 9))
    lines = [
        NodeLine(DAY, "User", "I want the login of my Flask app to lock after 5 failed attempts, with Redis 7."),
        NodeLine(
            DAY, "Assistant", f"The counter belongs into Redis, with an expiry of 15 minutes.\n{steps}\nGood luck!"
        ),
    ]
    text = rendered(NodeSource(lines))["salient"].text
    assert "User: I want the login" in text
    assert "Assistant: The counter belongs into Redis" in text
    assert "Step" not in text
    assert "Updated Code" not in text


def test_tools_give_paths_and_commands_as_a_list_and_no_prose() -> None:
    call = Turn(
        role="assistant",
        session="s",
        content=(
            Part(type="text", text="I will fix the parser and run its tests."),
            Part(
                type="tool_call",
                name="Edit",
                call_id="1",
                text='{"file_path": "/src/app/parser.py", "new_string": "x"}',
            ),
            Part(type="tool_call", name="Bash", call_id="2", text='{"command": "pytest -q tests/test_parser.py"}'),
        ),
    )
    line = line_of(call)
    assert line == NodeLine("", "Assistant", "I will fix the parser and run its tests.")
    text = rendered(NodeSource([line], tool_values(call)))["salient"].text
    assert text == (
        "Assistant: I will fix the parser and run its tests.\n"
        "- files: /src/app/parser.py\n"
        "- commands: pytest -q tests/test_parser.py"
    )
    only = rendered(NodeSource([], tool_values(call)))["salient"].text
    assert only.startswith("- files: /src/app/parser.py")


def test_what_a_node_above_is_made_from_is_read_back_from_those_below() -> None:
    found = lines_of(rendered(talk())["salient"].text)
    assert {line.speaker for line in found} == {"Ann", "Ben"}
    assert {line.day for line in found} == {DAY}
    assert lines_of("Assistant: Done.\n- files: a.py\n- commands: ls") == [NodeLine("", "Assistant", "Done.")]


@pytest.mark.parametrize("text", ["", "   ", "<system-reminder>x</system-reminder>", "```\ncode()\n```"])
def test_what_is_no_prose_gives_no_line(text: str) -> None:
    assert plain_line(text, None, "user", at(0)) is None


@pytest.mark.parametrize("text", ["🙂🙂🙂", "明天我们去里斯本。我很高兴。", "x" * 10_000, "1 2 3 4 5 6 7 8"])
def test_any_text_gives_a_rendering_or_none_and_never_an_error(text: str) -> None:
    for each in render_node(NodeSource([NodeLine(DAY, "Ann", text)]), SIZE, counter()):
        assert each.text


def test_another_source_has_another_name() -> None:
    one, other = NodeSource([], hashes=[b"a", b"b"]), NodeSource([], hashes=[b"a", b"c"])
    assert one.digest() != other.digest()
    assert one.digest() == NodeSource([], hashes=[b"a", b"b"], title="x").digest()
