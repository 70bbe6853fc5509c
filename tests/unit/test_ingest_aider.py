"""Histories of Aider."""

from pathlib import Path

import pytest

from clew.ingest.importers import detect
from clew.memory import Memory
from clew.types import IngestReport
from tests.support.ingest_reading import put, read, skipped, turns
from tests.support.memories import quiet

AIDER = """
# aider chat started at 2025-06-19 14:32:16

> Aider v0.84.0
> Main model: claude-sonnet with diff edit format

#### add a parser
#### and tests for it

I will add the parser:

```python
# a comment
> not a quote
#### not a question
```

> Tokens: 2.3k sent, 120 received.
> Applied edit to parser.py

#### /commit

# aider chat started at 2025-06-20 09:00:00

#### hello

Hi! How can I help?
"""


@pytest.mark.requirement("F-INGEST-40")
def test_aider_s_history_has_sessions_roles_and_times(tmp_path: Path) -> None:
    path = put(tmp_path, ".aider.chat.history.md", AIDER)
    assert detect(path) == "aider"
    records = read(path)
    found = turns(records)
    assert [(turn.session, turn.role, turn.origin, turn.text.partition("\n")[0]) for turn in found] == [
        ("aider 2025-06-19 14:32:16", "tool", "tool", "Aider v0.84.0"),
        ("aider 2025-06-19 14:32:16", "user", "user", "add a parser"),
        ("aider 2025-06-19 14:32:16", "assistant", "assistant", "I will add the parser:"),
        ("aider 2025-06-19 14:32:16", "tool", "tool", "Tokens: 2.3k sent, 120 received."),
        ("aider 2025-06-19 14:32:16", "user", "user", "/commit"),
        ("aider 2025-06-20 09:00:00", "user", "user", "hello"),
        ("aider 2025-06-20 09:00:00", "assistant", "assistant", "Hi! How can I help?"),
    ]
    assert found[1].text == "add a parser\nand tests for it"
    assert "#### not a question" in found[2].text
    assert {str(turn.at) for turn in found[:5]} == {"2025-06-19 14:32:16+00:00"}
    assert len({turn.external_id for turn in found}) == len(found)
    assert skipped(records) == ["session start", "session start"]


AIDER_WORK = """# aider chat started at 2025-06-19 14:32:16

> Aider v0.84.0~
> Added src/a.py to the chat.~

#### /drop src/b.py~
#### /ask is Marker2D right?~

#### is Marker2D right?~

<thinking-content-7bbeb8e1441453ad>

They ask about Marker2D.

</thinking-content-7bbeb8e1441453ad>

The docs say:

> A marker is a position.
> It draws nothing.

So yes.

> Tokens: 2.3k sent, 120 received.~

#### /commit~

#### /ask why?~

It fits.

#### /ask and then?~
""".replace("~", "  ")


@pytest.mark.requirement("F-INGEST-40")
def test_aider_s_own_words_are_told_from_those_of_the_model_and_the_user(tmp_path: Path) -> None:
    text = AIDER_WORK.replace("src/b.py  \n", "src/b.py  \n\n> Removed src/b.py from the chat.  \n\n")
    records = read(put(tmp_path, ".aider.chat.history.md", text))
    assert [(turn.origin, [(part.type, part.text) for part in turn.parts]) for turn in turns(records)][1:] == [
        ("injected", [("injected", "/drop src/b.py")]),
        ("tool", [("tool_result", "Removed src/b.py from the chat.")]),
        ("user", [("text", "is Marker2D right?")]),
        (
            "assistant",
            [
                ("thinking", "They ask about Marker2D."),
                ("text", "The docs say:\n\n> A marker is a position.\n> It draws nothing.\n\nSo yes."),
            ],
        ),
        ("tool", [("tool_result", "Tokens: 2.3k sent, 120 received.")]),
        ("user", [("text", "/commit")]),
        ("user", [("text", "/ask why?")]),
        ("assistant", [("text", "It fits.")]),
        ("user", [("text", "/ask and then?")]),
    ]
    assert skipped(records) == ["session start", "command that is sent in the next message"]


@pytest.mark.requirement("F-INGEST-40")
def test_what_an_architect_sends_to_its_editor_is_no_word_of_the_person(tmp_path: Path) -> None:
    answer = "Change `src/a.py`:\n\n```python\nx = 1\n```\n\nThat is all that the tests need."
    sent = "".join(f"#### {line}  \n" for line in answer.split("\n"))
    text = (
        "# aider chat started at 2025-06-19 14:32:16\n\n"
        "#### /architect  \n\n#### make the tests pass  \n\n"
        f"{answer}\n\n> Tokens: 2.3k sent, 120 received.  \n\n{sent}\n"
        "Done.\n\n#### Done.  \n\nYes.\n\n"
        f"#### what did you say?  \n\n{sent}\n"
    )
    records = read(put(tmp_path, ".aider.chat.history.md", text))
    said = [(turn.role, turn.origin, turn.text) for turn in turns(records) if turn.role != "tool"]
    assert said == [
        ("user", "injected", "/architect"),
        ("user", "user", "make the tests pass"),
        ("assistant", "assistant", answer),
        ("assistant", "assistant", "Done."),
        ("user", "user", "Done."),
        ("assistant", "assistant", "Yes."),
        ("user", "user", "what did you say?"),
        ("user", "user", answer),  # not behind that answer
    ]
    assert skipped(records) == ["session start", "answer of the architect, sent to the editor"]


@pytest.mark.requirement("F-SESSION-05")
def test_a_session_of_aider_is_called_by_its_first_question_behind_all_commands(tmp_path: Path) -> None:
    commands = "".join(f"#### /add src/{n}.py  \n\n> Added src/{n}.py to the chat.  \n\n" for n in range(20))
    start = "# aider chat started at 2025-06-19 14:32:16\n\n> Aider v0.84.0  \n\n"
    with quiet() as memory:
        memory.import_path(
            put(tmp_path, ".aider.chat.history.md", f"{start}{commands}#### is Marker2D right?  \n\nYes, it is.\n")
        )
        assert [session.title for session in memory.sessions()] == ["is Marker2D right?"]
        assert "Last request" not in memory.brief(), "it is the request"


@pytest.mark.requirement("F-INGEST-40")
def test_two_sessions_of_aider_that_start_in_the_same_second_are_both_kept(tmp_path: Path) -> None:
    start = "# aider chat started at 2025-06-19 14:32:16\n\n"
    path = put(tmp_path, ".aider.chat.history.md", f"{start}#### a\n\nOne.\n\n{start}#### b\n\nTwo.\n")
    with quiet() as memory:
        report = memory.import_path(path)
        assert (report.added, report.rejected) == (4, ())
        assert memory.import_path(path).known == 4


def history_imported(memory: Memory, folder: Path, text: str) -> IngestReport:
    """The report of an import of Aider's history, as it stands now."""
    return memory.import_path(put(folder, ".aider.chat.history.md", text))


@pytest.mark.requirement("F-INGEST-40")
def test_what_aider_adds_to_a_message_after_an_import_is_stored_behind_it(tmp_path: Path) -> None:
    begun = "# aider chat started at 2025-06-19 14:32:16\n\n#### a\n\nOne.\n\n> Tokens: 1 sent\n"
    grown, quit_ = f"{begun}> Applied edit to a.py\n", f"{begun}> Applied edit to a.py\n>  \n> ^C again to exit\n"
    next_one = f"{quit_}\n# aider chat started at 2025-06-20 09:00:00\n\n#### b\n\nTwo.\n"
    with quiet() as memory:
        for text, added in ((begun, 3), (begun, 0), (grown, 1), (grown, 0), (quit_, 1), (next_one, 2), (next_one, 0)):
            report = history_imported(memory, tmp_path, text)
            assert (report.added, report.rejected) == (added, ())
        stored = [turn.text for turn in memory.turns("aider 2025-06-19 14:32:16")]
        assert stored == ["a", "One.", "Tokens: 1 sent", "Applied edit to a.py", "^C again to exit"]
        assert memory.verify().ok
    with quiet() as memory:  # what grew between messages, too
        for text in (begun, f"{grown}\n#### c\n\nThree.\n"):
            assert not history_imported(memory, tmp_path, text).rejected
        turns_now = list(memory.turns("aider 2025-06-19 14:32:16"))
        texts = [turn.text for turn in turns_now]
        assert texts == ["a", "One.", "Tokens: 1 sent", "Applied edit to a.py", "c", "Three."]
        assert {turn.branch for turn in turns_now} == {""}


@pytest.mark.requirement("F-INGEST-40")
def test_what_is_masked_in_what_aider_added_is_counted_once(tmp_path: Path) -> None:
    keys = ["sk-proj-" + f"{letter}1b2C3d4E5" * 5 for letter in "xyz"]
    start = f"# aider chat started at 2025-06-19 14:32:16\n\n#### a\n\n> Tokens: 1 sent\n> {keys[0]}\n"
    texts = (start, f"{start}> {keys[1]}\n> {keys[0]}\n", f"{start}> {keys[1]}\n> {keys[0]}\n> {keys[2]}\n> end\n")
    with quiet() as memory:
        for text, masked in zip((*texts, texts[-1]), ({"openai": 1}, {"openai": 2}, {"openai": 1}, {}), strict=True):
            assert history_imported(memory, tmp_path, text).masked == masked
        assert not [key for turn in memory.turns("aider 2025-06-19 14:32:16") for key in keys if key in turn.text]


@pytest.mark.requirement("F-INGEST-40")
def test_what_aider_added_stays_out_with_a_message_that_a_pattern_keeps_out(tmp_path: Path) -> None:
    start = "# aider chat started at 2025-06-19 14:32:16\n\n#### a\n\n> Tokens: 1 sent\n"
    key = "sk-proj-" + "x1b2C3d4E5" * 5
    for pattern in ("sk-proj-", r"1 sent\nkey"):  # of what is masked, and over where the stored part ends
        with quiet(config={"ingest": {"exclude": [f"text:{pattern}"]}}) as memory:
            for text in (start, f"{start}> key {key}\n", f"{start}> key {key}\n> end\n"):
                report = history_imported(memory, tmp_path, text)
            assert report.skipped["excluded"] == 1
            assert [turn.text for turn in memory.turns("aider 2025-06-19 14:32:16")] == ["a", "Tokens: 1 sent"]


@pytest.mark.requirement("F-INGEST-40")
def test_white_space_that_aider_adds_to_a_message_is_no_turn(tmp_path: Path) -> None:
    start = "# aider chat started at 2025-06-19 14:32:16\n\n#### a\n\nOne.\n"
    with quiet() as memory:
        for more, added in (("", 2), ("   \n", 0), ("   \n\t\n#### b\n", 1), (" \n\t\n#### b\n> Tokens: 1 sent\n", 1)):
            report = history_imported(memory, tmp_path, f"{start}{more}")
            assert (report.added, report.rejected) == (added, ())
        texts = [turn.text for turn in memory.turns("aider 2025-06-19 14:32:16")]
        assert texts == ["a", "One.", "b", "Tokens: 1 sent"]


@pytest.mark.requirement("F-INGEST-40")
def test_a_copy_from_before_a_message_of_aider_grew_is_known(tmp_path: Path) -> None:
    start = "# aider chat started at 2025-06-19 14:32:16\n\n#### a\n\n> Tokens: 1 sent\n"
    older = (f"{start}> b\n> c\n", f"{start}> b\n", start, f"{start}> b\n> c\n> d\n", f"{start}> b\n> c\n")
    with quiet() as memory:
        history_imported(memory, tmp_path, start)
        for text, added in zip(older, (1, 0, 0, 1, 0), strict=True):
            report = history_imported(memory, tmp_path, text)
            assert (report.added, report.rejected) == (added, ())
        texts = [turn.text for turn in memory.turns("aider 2025-06-19 14:32:16")]
        assert texts == ["a", "Tokens: 1 sent", "b\nc", "d"]


@pytest.mark.requirement("F-INGEST-40")
def test_a_message_of_aider_that_is_no_beginning_of_the_new_one_is_kept_and_told(tmp_path: Path) -> None:
    start = "# aider chat started at 2025-06-19 14:32:16\n\n#### a\n\n> Tokens: 1 sent"
    with quiet() as memory:
        history_imported(memory, tmp_path, f"{start}\n")
        report = history_imported(memory, tmp_path, f"{start}ence\n")
        assert "with other content, which was kept" in report.rejected[0].reason


@pytest.mark.requirement("F-INGEST-40")
def test_aider_s_open_fence_ends_at_aider_s_own_lines(tmp_path: Path) -> None:
    text = "# aider chat started at 2025-06-19 14:32:16\n\n#### a\n\n```\nopen\n\n> Tokens: 1 sent\n\n#### b\n"
    found = turns(read(put(tmp_path, ".aider.chat.history.md", text)))
    assert [(turn.role, turn.text) for turn in found] == [
        ("user", "a"),
        ("assistant", "```\nopen"),
        ("tool", "Tokens: 1 sent"),
        ("user", "b"),
    ]


@pytest.mark.requirement("F-INGEST-40")
@pytest.mark.parametrize("run", [" ", "-", "\u00a0"])
def test_thoughts_of_aider_are_looked_for_in_linear_time(tmp_path: Path, run: str) -> None:
    """The square of these lengths would take longer than the time limit of all tests."""
    begun = "# aider chat started at 2025-06-19 14:32:16\n\n#### a\n\n"
    for opening in ("", "► **THINKING**\n"):
        text = f"{begun}{opening}{run * 500_000}x\n"
        found = turns(read(put(tmp_path, ".aider.chat.history.md", text)))
        assert [part.type for turn in found for part in turn.parts] == ["text", "text"]


@pytest.mark.requirement("F-INGEST-40")
def test_an_answer_of_another_session_is_not_handed_on(tmp_path: Path) -> None:
    words = "one two three four five six seven eight nine"
    text = (
        f"# aider chat started at 2025-06-19 14:32:16\n\n#### a\n\n{words}\n\n"
        f"# aider chat started at 2025-06-19 15:00:00\n\n#### {words}\n"
    )
    found = turns(read(put(tmp_path, ".aider.chat.history.md", text)))
    assert [(turn.role, turn.text) for turn in found] == [("user", "a"), ("assistant", words), ("user", words)]
