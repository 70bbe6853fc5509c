"""Which values a recap shows, and that they are whole and are what they are shown as."""

import json

import pytest

from clew.condense.material import Mark
from clew.condense.recap import RecapSource, compose_recap
from clew.condense.recap_lines import in_words
from clew.condense.recap_told import phrases_to_ask, reports
from clew.condense.reuse import values_by_worth
from clew.text.counters import counter
from clew.text.evidence import evidence
from clew.types.turn import Part, Turn
from tests.support.memories import told
from tests.unit.test_condense_recap import read

COUNT = counter()


def values_of(text: str, kind: str) -> list[str]:
    return [text[start:end] for start, end, each in evidence(text) if each == kind]


def marks_of(part: Part) -> list[Mark]:
    (turn,) = read([Turn(role="tool" if part.type == "tool_result" else "assistant", content=(part,))])
    return list(turn.marks)


@pytest.mark.requirement("CND-VALUE-01")
@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("Return a summary (100-150 words).", ["100-150 words"]),
        ("It shrank by 60-75% within 10–12 minutes.", ["60-75%", "10–12 minutes"]),
        ('<p class="text-gray-700 mb-2 w-5 h-5 py-1 px-3">', []),
        ("A 24-hour job of 15 minutes.", ["24-hour", "15 minutes"]),
    ],
)
def test_a_range_is_one_number_and_a_part_of_a_name_is_none(text: str, numbers: list[str]) -> None:
    assert values_of(text, "number") == numbers


@pytest.mark.requirement("CND-VALUE-01")
def test_a_path_behind_a_variable_is_no_path_from_the_root() -> None:
    assert values_of("cp $(libsDir)/build/libs ${ROOT}/pumps/wells /srv/pumps/wells", "path") == ["/srv/pumps/wells"]
    assert values_of("See [wells](/docs/wells/index.md).", "path") == ["/docs/wells/index.md"]


@pytest.mark.requirement("CND-VALUE-01")
def test_what_an_editor_is_told_to_do_is_no_command() -> None:
    for command, is_command in (("str_replace", False), ("make -n all", True)):
        part = Part(type="tool_call", name="edit", text=json.dumps({"command": command, "path": "/srv/pump.py"}))
        assert (Mark("command", command) in marks_of(part)) == is_command
    assert Mark("command", "make") in marks_of(Part(type="tool_call", name="run", text='{"command": "make"}'))


@pytest.mark.requirement("CND-VALUE-01")
@pytest.mark.parametrize(
    ("printed", "shown", "hidden"),
    [
        ('    "TypeError: pump is not a function")', "TypeError: pump is not a function", '")'),
        ('print(f"Error: {problem}")', None, "{problem}"),
        ("-rw-r--r-- 1 ann ann 120 Nov 12 09:54 pump.py", "pump.py", "Nov 12 09:54"),
        ("7909310 tests of the pump", None, "7909310 tests"),
        ('  (use "git add <file>..." to update the index)', None, "git add"),
        ('changes (use "git add" and/or "git commit -a")', None, "git commit"),
        ("added 1 package\n  run `npm fund` for details", None, "npm fund"),
    ],
)
def test_what_a_tool_printed_is_shown_without_what_stands_around_it(
    printed: str, shown: str | None, hidden: str
) -> None:
    values = [mark.value for mark in marks_of(Part(type="tool_result", text=printed))]
    assert shown is None or shown in values
    assert not any(hidden in value for value in values)


@pytest.mark.requirement("CND-VALUE-02")
def test_words_around_a_number_open_no_bracket_or_code_that_they_do_not_close() -> None:
    assert in_words("19 euros", ["The price (in town `19 euros` net) was kept."]) == "town `19 euros`"
    assert in_words("10.0.0.8", ["Start it with -b 10.0.0.8:8000 on juno."]) == "Start it with -b `10.0.0.8`"
    assert in_words("19 euros", ["The new price of 19 euros then holds."]) == "The new price of `19 euros` then"


@pytest.mark.requirement("CND-REUSE-01")
def test_a_value_in_every_listing_does_not_push_out_several_that_were_used_twice() -> None:
    often = "/srv/tidebook/harbours/quays/north/pumps/station_of_the_old_town.py"
    few = ["wellId", "pumpId", "quayId"]
    said = [told(f"The listing has {often} again.", role="assistant") for _ in range(12)]
    said[3:3] = [told(f"We read `{name}` of it.", role="assistant") for name in few for _ in range(2)]
    order = [each.mark.value for each in values_by_worth(read(said), COUNT)]
    assert set(order[:3]) == set(few)


@pytest.mark.requirement("CND-REUSE-01")
def test_a_value_that_was_used_often_long_ago_is_not_forgotten_for_one_that_was_seen_once() -> None:
    said = [told(f"Step {n}: the field `tideGauge` is read.", role="assistant") for n in range(6)]
    said += [told("Nothing else was to be seen here today. " * 40, role="assistant") for _ in range(12)]
    said += [told("The listing has `quayNorth`, too.", role="assistant")]
    order = [each.mark.value for each in values_by_worth(read(said), COUNT)]
    assert order.index("tideGauge") < order.index("quayNorth")


@pytest.mark.requirement("CND-TELL-01")
@pytest.mark.parametrize(
    ("sentence", "is_report"),
    [
        ("Return a concise summary of what was created and the structure of the project.", False),
        ("2. Create the Indexes: Ensure that the indexes are created on the fields of the harbour.", False),
        ("If the harbour is missing, the old table has been read twice.", False),
        ("The harbour table has been created with its indexes on the quay and the day.", True),
        ("Fixed the lease of the worker on juno, and added a test of its clock.", True),
        ("Run times were caused by the old lease of the worker on the quay.", False),
    ],
)
def test_an_instruction_is_no_report_of_what_was_done(sentence: str, is_report: bool) -> None:
    assert reports(sentence) == is_report


@pytest.mark.requirement("CND-TELL-01")
def test_a_part_of_a_path_is_nothing_to_ask_about() -> None:
    turns = read([told(f"I wrote /srv/to/Demo/quay{n}.py for the harbour gauge.") for n in range(3)])
    assert phrases_to_ask([("to/Demo", 0), ("harbour gauge", 1)], turns) == ["harbour gauge"]


@pytest.mark.requirement("CND-TELL-01")
def test_a_conversation_begins_with_the_first_words_that_tell_something() -> None:
    said = ["Hey! Good to see you! How have you been?", "My sister Mia moved to Porto for a job at the harbour."]
    turns = read([told(text, speaker="Ann") for text in said])
    text = compose_recap(RecapSource("s", turns), COUNT, style="chat").text
    assert "**Began** [#1]: My sister Mia moved to Porto" in text


@pytest.mark.requirement("CND-VALUE-01")
def test_a_file_of_an_installed_package_counts_once_a_second_turn_names_it() -> None:
    listing = "./src/main.ts\n./node_modules/left-pad/index.js\n./node_modules/is-odd/package.json"
    turns = [told(listing, role="tool"), told("the bug is in ./node_modules/is-odd/package.json")]
    names = {value.mark.value for value in values_by_worth(read(turns), COUNT)}
    assert "./src/main.ts" in names
    assert {name for name in names if "node_modules" in name} == {"./node_modules/is-odd/package.json"}
