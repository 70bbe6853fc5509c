"""The last turns of a compacted prompt: what stays whole, what is shown in part, and how small the prompt gets."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.condense.last_turns import shorten_last, tokens_of_last
from clew.condense.prompt_tokens import prompt_tokens
from clew.text.counters import counter
from clew.types import Part, Turn
from tests.support.effort import examples
from tests.support.memories import NOON, quiet, told

pytestmark = pytest.mark.requirement("F-THIRTY-01")
COUNT = counter()
ASKED = {"condense": {"session_tokens": 0}}


def result(text: str, call_id: str = "c") -> Turn:
    return Turn(role="tool", session="s", content=(Part(type="tool_result", call_id=call_id, text=text),))


def call(arguments: str, call_id: str = "c") -> Turn:
    part = Part(type="tool_call", name="Write", call_id=call_id, text=arguments)
    return Turn(role="assistant", session="s", content=(part,))


def numbered(turns: list[Turn]) -> list[Turn]:
    return [turn.stored(seq=seq, ordinal=seq, ingested_at=NOON) for seq, turn in enumerate(turns)]


def test_long_results_calls_and_older_answers_are_shown_in_part_and_what_people_said_stays() -> None:
    listing = "\n".join(f"line {number} of the listing" for number in range(400))
    turns = numbered(
        [
            told("Please write the table. " * 30, "s"),
            call('{"file_path": "src/table.py", "content": "' + "x = 1; " * 900 + '"}'),
            result(listing),
            told("The table has 40 rows. " * 150, "s", role="assistant"),
            told("Is it sorted?", "s"),
            told("It is sorted by time, because the screen asks for the last hour only. " * 8, "s", role="assistant"),
        ]
    )
    shown = shorten_last(turns, 4_000, COUNT)
    assert sorted(shown) == [1, 2, 3]
    assert shown[1].startswith("Write(src/table.py)\n[shortened by Clew, ")
    assert "line 0 of the listing" in shown[2]
    assert "line 399 of the listing" in shown[2]
    assert " […] " in shown[2]
    assert all(text.endswith(f"tokens in full: restore s:turn:{seq}]") for seq, text in shown.items())
    full = {turn.seq or 0: prompt_tokens(turn, COUNT) for turn in turns}
    assert tokens_of_last(full, shown, COUNT) <= 1_200 < sum(full.values())


def test_what_is_short_stays_whole() -> None:
    assert shorten_last(numbered([told("Yes."), result("ok"), told("Thanks.")]), 40, COUNT) == {}


@settings(max_examples=examples(12, 100), deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 3), st.text(max_size=40), st.integers(1, 400)), max_size=7),
    st.integers(0, 5_000),
)
def test_no_text_is_longer_than_its_turn(made: list[tuple[int, str, int]], target: int) -> None:
    kinds = (told, lambda text: told(text, role="assistant"), result, call)
    turns = numbered([kinds[kind](text * times) for kind, text, times in made])
    shown = shorten_last(turns, target, COUNT)
    assert all(COUNT(text) < prompt_tokens(turns[seq], COUNT) for seq, text in shown.items())
    assert shown == shorten_last(turns, target, COUNT)


def session(turns: int) -> list[Turn]:
    """Work of an agent, whose every third turn is a long result."""
    said = []
    for number in range(turns // 3):
        said += [
            told(f"Look at src/part_{number}.py, where `load_{number}()` waits for {number} ms, and say why.", "s"),
            call(f'{{"command": "cat src/part_{number}.py"}}', f"c{number}"),
            result(f"def load_{number}():\n    return part_{number}\n" * 90, f"c{number}"),
        ]
    return said


def test_a_compacted_prompt_is_thirty_times_smaller_and_all_of_it_comes_back() -> None:
    with quiet(config=ASKED) as memory:
        memory.add_many(session(240))
        memory.drain()
        receipt = memory.condense("s", force=True)
        read = receipt.understood
        assert read["tokens_before"] > 60_000
        assert read["ratio"] >= 30
        last = [each for each in memory.shown("s") if each.is_new]
        assert sum(each.tokens for each in last) + receipt.tokens == read["tokens_after"]
        parts = [each for each in last if each.rendering == "salient"]
        assert parts
        assert all(each.tokens < each.full_tokens for each in parts)
        listed = {row["restore"]: row for row in receipt.omitted}
        for each in parts:
            row = listed[each.turn_ids[0]]
            assert row["reason"] == "one of the last turns, shown in part"
            assert row["tokens"] == each.full_tokens
            assert memory.restore(each.turn_ids[0]).text.startswith("def load_")
        memory.add(told("And now?", "s"))
        assert memory.shown("s")[-1].rendering == "full"
        assert [each for each in memory.shown("s") if each.rendering == "salient"] == parts


def test_forgetting_one_of_the_last_turns_forgets_its_short_form() -> None:
    turns = [*session(60), result("the password of the quay is kingfisher\n" * 200, "z"), told("Thanks.", "s")]
    with quiet(config=ASKED) as memory:
        memory.add_many(turns)
        memory.drain()
        memory.condense("s", force=True)
        assert any("kingfisher" in each.text for each in memory.shown("s"))
        assert memory.forget(turn_ids=["s:turn:60"]).turns == 1
        assert not any("kingfisher" in each.text for each in memory.shown("s"))
