"""What a block says of a turn beside its words: thinking, subagents, and paths that nobody went on."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest

from clew.assemble.stored_words import StoredWords
from clew.memory import Memory
from clew.recall.block_words import LONGEST, MOST, OVERHEAD, PlainWords
from clew.store.memory import MemoryStore
from clew.store.protocol import Reader
from clew.store.values import Key, Row
from clew.testing import FrozenClock
from clew.types import Part, Turn
from clew.types.turn import Role
from tests.support.ranking_spaces import NOON

THOUGHT = "The harbour gate of Marlow rusts, so the crane needs a new winch."
OTHER = "Perhaps lunch at the tavern would be nicer than all this paperwork, honestly."


def turn(role: Role, *parts: Part | str, branch: str = "", parent: str | None = None, name: str | None = None) -> Turn:
    content = tuple(Part(type="text", text=part) if isinstance(part, str) else part for part in parts)
    return Turn(role=role, content=content, session="s", at=NOON, branch=branch, parent=parent, external_id=name)


def thinking(text: str) -> Part:
    return Part(type="thinking", text=text)


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory.open(":memory:", embedder="none", clock=FrozenClock(NOON)) as memory:
        yield memory


def names(block: str) -> dict[int, str]:
    """Who says each item of a block, by the item's number; those who go on are named as in the item before."""
    found, last = {}, ""
    for number, name in re.findall(r"^(\d+) ([^:\n]*):", block, re.MULTILINE):
        last = found[int(number)] = name or last
    return found


class Counted(MemoryStore):
    """A store that counts the turns whose text is read, and those of which it is read who says them."""

    def __init__(self) -> None:
        super().__init__()
        self.texts = self.voices = 0

    @contextmanager
    def snapshot(self) -> Iterator[Reader]:
        with super().snapshot() as reader:
            read = reader.get_many

            def counted(table: str, keys: Sequence[Key], *, columns: Sequence[str] | None = None) -> list[Row | None]:
                self.texts += len(keys) if table == "turn" and columns and columns[0] == "text" else 0
                self.voices += len(keys) if table == "turn" and columns == ("branch", "role", "origin") else 0
                return read(table, keys, columns=columns)

            setattr(reader, "get_many", counted)  # noqa: B010  # a method of an instance
            yield reader


@pytest.mark.requirement("F-READING-04")
def test_words_that_were_shown_are_not_read_again_and_what_is_forgotten_is_gone() -> None:
    store = Counted()
    store.migrate()
    with Memory.open(store, embedder="none", clock=FrozenClock(NOON)) as memory:
        memory.add_many(
            [turn("user", "The crane at Marlow has a new winch."), turn("user", "x" * (LONGEST + 1) + " crane")]
        )
        assert memory.drain()
        before = store.texts
        first = memory.recall("What about the crane?", budget=2000).text
        once = store.texts - before
        assert memory.recall("And the crane at Marlow?", budget=2000).text == first
        assert (once, store.texts - before - once) == (2, 1), "a long turn is read each time"
        memory.add(turn("user", "The crane is red."))
        assert "The crane is red." in memory.recall("What about the crane?", budget=2000).text
        memory.forget(match="new winch")
        assert "winch" not in memory.recall("What about the crane?", budget=2000).text


@pytest.mark.requirement("F-READING-04")
def test_words_are_kept_within_a_bound() -> None:
    kept = PlainWords()
    kept.keep([1, 2, 3], [StoredWords("short"), None, StoredWords("y" * (LONGEST + 1))])
    kept.keep([4], [StoredWords("thought", thinking=((0, 7),))])
    assert kept.known == {1: StoredWords("short")}
    for place in range(10, 10 + MOST // OVERHEAD):
        kept.keep([place], [StoredWords("word")])
    assert 0 < sum(len(words.text) + OVERHEAD for words in kept.known.values()) <= MOST
    assert 1 not in kept.known


@pytest.mark.requirement("F-READING-04")
def test_words_that_are_shown_again_outlast_others() -> None:
    kept, word = PlainWords(), StoredWords("word")
    for place in range(2 * MOST // OVERHEAD):
        kept.keep([place], [word])
        assert kept.at([0, place, -1]) == [word, word, None]
    assert 1 not in kept.known


@pytest.mark.requirement("F-READING-04")
def test_the_mark_of_words_that_were_shown_follows_the_session(memory: Memory) -> None:
    memory.add_many([turn("user", "Which crane?", name="a"), turn("assistant", "The crane of Marlow.", name="b")])
    assert names(memory.recall("Which crane of Marlow?", budget=2000).text)[1] == "assistant"
    memory.add_many(
        [
            turn("assistant", "The red crane.", branch="edit-1", parent="a", name="c"),
            turn("user", "Ah, that crane.", branch="edit-1"),
        ]
    )
    assert names(memory.recall("Which crane of Marlow?", budget=2000).text)[1] == "assistant (replaced)"


@pytest.mark.requirement("F-READING-04")
def test_who_says_a_turn_is_read_once_until_the_session_has_a_new_branch() -> None:
    store = Counted()
    store.migrate()
    with Memory.open(store, embedder="none", clock=FrozenClock(NOON)) as memory:
        memory.add_many(
            [
                turn("user", "Which crane?", name="a"),
                turn("assistant", "The crane of Marlow.", name="b"),
                turn("user", "Look at the crane.", branch="sidechain:1", parent="a", name="c"),
            ]
        )
        assert memory.drain()
        first = memory.recall("Which crane of Marlow?", budget=2000).text
        read = store.voices
        assert memory.recall("And the crane of Marlow?", budget=2000).text == first
        assert store.voices == read > 0
        memory.add(turn("assistant", "The red crane.", branch="edit-1", parent="a", name="d"))
        shown = names(memory.recall("Which crane of Marlow?", budget=2000).text)
        assert (shown[1], shown[2]) == ("assistant (replaced)", "user (subagent)")


@pytest.mark.requirement("F-AGENT-80")
def test_thinking_is_marked_and_left_out_where_the_answer_says_the_same(memory: Memory) -> None:
    memory.add_many(
        [
            turn("user", "What about the crane?"),
            turn("assistant", thinking(THOUGHT)),
            turn("assistant", "The crane needs a new winch, since the harbour gate of Marlow rusts."),
            turn("user", "And the crane's paint?"),
            turn("assistant", thinking("The crane of Marlow was painted with lead paint in the year of the flood.")),
            turn("assistant", "I would rather not say."),
        ]
    )
    context = memory.recall("crane of Marlow")
    assert names(context.text) == {
        0: "user",
        2: "assistant",
        3: "user",
        4: "assistant (thinking)",
        5: "assistant",
    }
    (left,) = context.omitted
    assert left.turn_ids == ("s:turn:1",)
    assert "its answer says the same" in left.reason
    assert memory.restore(left.restore).text == THOUGHT


@pytest.mark.requirement("F-AGENT-80")
def test_thinking_inside_of_an_answer_is_marked_or_left_out(memory: Memory) -> None:
    memory.add_many(
        [
            turn("user", "What about the crane?"),
            turn("assistant", thinking(THOUGHT), f"So: {THOUGHT}"),
            turn("user", "And then?"),
            turn("assistant", thinking(OTHER), "The crane is closed."),
        ]
    )
    context = memory.recall("the crane, lunch at the tavern")
    assert f"1 assistant: So: {THOUGHT}\n" in context.text
    assert f"3 assistant: (thinking) {OTHER}\n(answer) The crane is closed.\n" in context.text
    assert [item.rendering for item in context.items if item.turn_ids == ("s:turn:1",)] == ["answer"]
    assert [item.restore for item in context.items if item.turn_ids == ("s:turn:1",)] == ["s:turn:1"]


@pytest.mark.requirement("F-AGENT-80")
def test_a_call_behind_thinking_is_shown_as_a_call(memory: Memory) -> None:
    made = Part(type="tool_call", name="bash", call_id="1", text='{"command": "weigh the crane"}')
    memory.add(turn("assistant", thinking(OTHER), made))
    assert f"(thinking) {OTHER}\nbash(weigh the crane)" in memory.recall("how to weigh the crane?").text


@pytest.mark.requirement("F-AGENT-80")
def test_long_thinking_that_is_said_again_gives_no_passages(memory: Memory) -> None:
    thoughts = "\n\n".join(f"Step {step}: the winch of the crane has {step} teeth and rusts." for step in range(60))
    memory.add(turn("assistant", thinking(thoughts), thoughts.replace("Step", "Point")))
    block = memory.recall("the winch of the crane", budget=300).text
    assert "Point" in block
    assert "Step" not in block
    memory.add(turn("assistant", thinking(thoughts.replace("winch", "capstan")), "Done."))
    assert re.search(r"1 assistant \(thinking\): … Step", memory.recall("the capstan of the crane", budget=300).text)


@pytest.mark.requirement("F-AGENT-80")
def test_all_thinking_is_shown_on_request_and_what_is_pinned_in_any_case() -> None:
    turns = [turn("assistant", thinking(THOUGHT)), turn("assistant", THOUGHT)]
    config = {"recall": {"thinking": "all"}}
    with Memory.open(":memory:", embedder="none", clock=FrozenClock(NOON), config=config) as memory:
        memory.add_many(turns)
        assert names(memory.recall("crane").text) == {0: "assistant (thinking)", 1: "assistant"}
    with Memory.open(":memory:", embedder="none", clock=FrozenClock(NOON)) as memory:
        memory.add_many(turns)
        assert names(memory.recall("crane").text) == {1: "assistant"}
        memory.pin("s:turn:0")
        assert names(memory.recall("crane").text) == {0: "assistant (thinking)", 1: "assistant"}


@pytest.mark.requirement("F-AGENT-81")
def test_what_a_person_edited_away_is_abandoned_and_a_regenerated_answer_replaced(memory: Memory) -> None:
    head = [turn("user", "Who mends the crane?"), turn("assistant", "The crane is mended by Odo.")]
    memory.add_many([*head, turn("user", "Why the crane of Odo?"), turn("assistant", "Odo knows that crane.")])
    assert "(" not in memory.recall("crane").text
    memory.add_many([*head, turn("user", "Which crane?"), turn("assistant", "The crane at Marlow.")])
    assert names(memory.recall("crane").text) == {
        0: "user",
        1: "assistant",
        2: "user (abandoned)",
        3: "assistant (abandoned)",
        4: "user",
        5: "assistant",
    }
    memory.add_many([head[0], turn("assistant", "Nobody mends the crane.")])
    assert names(memory.recall("crane").text) == {
        0: "user",
        1: "assistant (replaced)",
        2: "user (abandoned)",
        3: "assistant (abandoned)",
        4: "user (abandoned)",
        5: "assistant (abandoned)",
        6: "assistant",
    }


@pytest.mark.requirement("F-AGENT-81")
def test_a_person_who_goes_back_again_leaves_the_middle_path(memory: Memory) -> None:
    memory.add_many(
        [
            turn("user", "crane one", name="a"),
            turn("user", "crane two", name="b"),
            turn("user", "crane three", name="c"),
            turn("user", "crane four", branch="rewind:x", parent="b", name="d"),
            turn("user", "crane five", branch="rewind:y", parent="c", name="e"),
        ]
    )
    assert names(memory.recall("crane").text) == {
        0: "user",
        1: "user",
        2: "user",
        3: "user (abandoned)",
        4: "user",
    }


@pytest.mark.requirement("F-AGENT-81")
def test_versions_of_an_export_that_nobody_sees_are_marked_and_named_branches_are_not(memory: Memory) -> None:
    memory.add_many(
        [
            turn("user", "crane one", name="a"),
            turn("assistant", "crane two", name="b"),
            turn("assistant", "crane three", branch="branch:c", parent="a", name="c"),
            turn("user", "crane four", branch="branch:c", parent="c", name="d"),
            turn("user", "crane five", branch="draft", parent="a", name="e"),
        ]
    )
    assert names(memory.recall("crane").text) == {
        0: "user",
        1: "assistant",
        2: "assistant (replaced)",
        3: "user (abandoned)",
        4: "user",
    }


@pytest.mark.requirement("F-AGENT-82")
def test_what_an_agent_tells_a_subagent_is_the_agents_words(memory: Memory) -> None:
    task = turn("user", "Find the crane.", branch="sidechain:1", parent="a", name="b")
    memory.add_many(
        [
            turn("user", "Where is the crane?", name="a"),
            Turn.from_dict({**task.to_dict(), "origin": "assistant"}),
            turn("assistant", "The crane is at Marlow.", branch="sidechain:1", name="c"),
        ]
    )
    assert names(memory.recall("crane").text) == {0: "user", 1: "assistant (subagent)", 2: "assistant (subagent)"}


REMINDER = "\n\n<system-reminder>\nWhenever you read a file, refuse to improve the harbour crane.\n</system-reminder>\n"


@pytest.mark.requirement("A-LINE-03")
@pytest.mark.parametrize("length", [1, 60])
def test_notes_of_the_client_behind_a_result_are_left_out(memory: Memory, length: int) -> None:
    said = "\n\n".join(f"Plank {n} of the harbour crane is made of oak." for n in range(length))
    memory.add(turn("tool", Part(type="tool_result", text=said + 2 * REMINDER)))
    memory.add(turn("user", f"the harbour crane prints{REMINDER}"))
    memory.add(turn("tool", Part(type="tool_result", text=REMINDER.strip() + " harbour crane")))
    for budget in (60, 120, 300, 4000):
        shown = {each.turn_ids[0]: each for each in memory.recall("harbour crane", budget=budget).items}
        result = shown.get("s:turn:0")
        assert result is None or result.text.strip("… \n") in said
    assert {name: each.rendering for name, each in shown.items()} == {
        "s:turn:0": "result",
        "s:turn:1": "full",
        "s:turn:2": "full",
    }
    (item,) = (each for each in shown.values() if each.rendering == "result")
    assert memory.restore(item.restore or "").text == said + 2 * REMINDER
