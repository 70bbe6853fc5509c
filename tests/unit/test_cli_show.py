"""What is printed: safe, short, and with reasons that mean something."""

import io
import json
import re
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.text import Text

from clew.cli.show import SafeConsole, day, excerpt, grid, lay_out, numbers, reasons, shortened, who
from clew.cli.signal_words import SIGNAL_WORDS, legend
from clew.cli.terminal import as_json
from clew.rank.dampening import STEPS
from clew.rank.signals import SIGNALS
from clew.text.counted import counted
from clew.text.printable import printable
from clew.types import Turn

ANY_TEXT = st.text(st.characters(), max_size=300)


@pytest.mark.requirement("F-BLOCK-16")
def test_an_excerpt_of_a_terminals_output_has_no_escape_sequences() -> None:
    assert excerpt("\x1b[32mPASS\x1b[39m\x1b[2K\x1b[1Gnext", "", 60) == "PASS next"


@pytest.mark.requirement("F-CLI-05")
@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain\ttext\nand a line", "plain\ttext\nand a line"),
        ("\x1b[31mred\x1b[0m", "␛[31mred␛[0m"),
        ("\x07\x7f", "␇␡"),
        ("one\r\ntwo\rthree\r", "one\r\ntwo␍three␍"),
        ("\x9b2J\u202egnp.exe", "\ufffd2J\ufffdgnp.exe"),
        ("a\u200eb\u061cc\u2028d", "a\ufffdb\ufffdc\ufffdd"),
        ("héllo 👋 日本", "héllo 👋 日本"),
    ],
)
def test_control_characters_are_made_visible(text: str, shown: str) -> None:
    assert printable(text) == shown


@pytest.mark.requirement("F-CLI-05")
def test_a_wide_column_is_laid_out_in_linear_time() -> None:
    table = grid("name", "about")
    table.add_row("n" * 200_000, "long")
    for number in range(10):
        table.add_row(f"n{number}", "short")
    file = io.StringIO()
    lay_out(Console(file=file, width=1 << 18), table)  # in the square of the width it would take minutes
    assert not any(line.endswith(" ") for line in file.getvalue().splitlines())


@pytest.mark.requirement("F-CLI-05")
@given(ANY_TEXT, st.integers(10, 80))
def test_shortened_is_one_safe_line_of_the_length_asked_for(text: str, limit: int) -> None:
    line = shortened(text, limit)
    assert len(line) <= limit + 2
    assert not re.search(r"[\x00-\x1f\x7f-\x9f]", line)
    if len(printable(text)) <= limit:
        assert line == " ".join(printable(text).split())


@pytest.mark.requirement("F-CLI-05")
@given(ANY_TEXT, ANY_TEXT)
def test_an_excerpt_is_one_line_for_any_texts(text: str, query: str) -> None:
    line = excerpt(text, query, 60)
    assert len(line) <= 62
    assert "\n" not in line


@pytest.mark.requirement("F-CLI-05")
def test_an_excerpt_begins_where_the_answer_is() -> None:
    text = "Good morning all. " * 10 + "The lift in Walle carries 180 kg. Then we had cake."
    assert excerpt(text, "How much weight can the lift in Walle carry?", 60).startswith(
        "… The lift in Walle carries 180 kg"
    )
    assert excerpt("Short. And whole.", "whole", 60) == "Short. And whole."


@pytest.mark.requirement("F-CLI-05")
def test_words_are_cut_between_words() -> None:
    assert shortened("one two three four", 12) == "one two …"
    assert shortened("x" * 30, 10) == "x" * 8 + " …"


@pytest.mark.requirement("F-CLI-06")
def test_reasons_are_what_the_question_brought_strongest_first() -> None:
    signals = {
        "lexical": 2.0,
        "dense": 1.5,
        "dense_rewritten": 1.5,
        "user": 9.0,
        "cost": -3.0,
        "quote": 4.0,
        "time": 0.01,
    }
    assert reasons(signals) == "quoted phrase 4.0, meaning 3.0, words 2.0"
    assert reasons(signals, most=1) == "quoted phrase 4.0"
    assert reasons({"user": 9.0, "lexical": -1.0}) == ""


@pytest.mark.requirement("F-CLI-05")
def test_small_things() -> None:
    assert (counted(1, "turn"), counted(2000, "turn")) == ("1 turn", "2,000 turns")
    assert numbers({"a": 1, "b": 2000}) == "1 a, 2,000 b"
    assert numbers({"turns": 1, "sessions": 2, "entities": 1, "status": 1}) == "1 turn, 2 sessions, 1 entity, 1 status"
    assert (day(None).strip(), day(datetime(2025, 4, 15, tzinfo=UTC))) == ("no date", "2025-04-15")
    assert who(Turn(role="user", content="hi", speaker="A\x1bn")) == "A␛n"
    assert who(Turn(role="assistant", content="hi")) == "assistant"


@pytest.mark.requirement("F-CLI-05")
def test_tables_end_their_lines_where_the_words_end(capsys: pytest.CaptureFixture[str]) -> None:
    table = grid(">number", "words", titles=True)
    table.add_row("1", Text("a few words " * 12))
    lay_out(Console(width=40), table)
    printed = capsys.readouterr().out.splitlines()
    assert len(printed) > 3
    assert [line for line in printed if line != line.rstrip() or len(line) > 40] == []


COMMANDS_TO_A_TERMINAL = "\x1b]0;title\x07\x9b2J\u202egnp.exe\u2066\u200f\x7f"


@pytest.mark.requirement("F-CLI-26")
def test_a_console_obeys_no_control_character_of_what_it_prints() -> None:
    written = io.StringIO()
    console = SafeConsole(file=written, width=80, highlight=False, markup=False, force_terminal=True)
    table = grid("name", "value")
    table.add_row(COMMANDS_TO_A_TERMINAL, Text(COMMANDS_TO_A_TERMINAL, style="bold"))
    lay_out(console, table)
    console.print(COMMANDS_TO_A_TERMINAL, Text(COMMANDS_TO_A_TERMINAL))
    plain = re.sub(r"\x1b\[[\d;]*m", "", written.getvalue())  # rich's own colours
    assert printable(plain) == plain


@pytest.mark.requirement("F-CLI-26")
def test_json_is_safe_to_look_at_and_says_the_same() -> None:
    record = {COMMANDS_TO_A_TERMINAL: COMMANDS_TO_A_TERMINAL, "text": "héllo 日本\t"}
    shown = as_json(record)
    assert printable(shown) == shown
    assert json.loads(shown) == record
    assert "héllo 日本" in shown


@pytest.mark.requirement("F-MENDED-09")
@pytest.mark.parametrize("filler", ["lorem ipsum dolor\n", "x", "The report of day nine was short. "], ids=str.strip)
def test_an_excerpt_reaches_the_end_of_a_long_text(filler: str) -> None:
    text = filler * 20_000 + " and the zebra sleeps in the attic"
    line = excerpt(text, "Where does the zebra sleep?", 240)
    assert "zebra sleeps in the attic" in line
    assert len(line) <= 242


@pytest.mark.requirement("F-BLOCK-18")
def test_every_signal_of_a_receipt_is_explained_in_words() -> None:
    assert SIGNAL_WORDS.keys() == {*(signal.name for signal in SIGNALS), *STEPS}
    assert legend(["user", "lexical", "user", "unheard"]) == "user: the person says it; lexical: words of the question"
