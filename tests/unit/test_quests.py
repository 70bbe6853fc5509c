"""Quests: found in what turns did, set by a person, sealed, exported and imported."""

import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from clew.errors import FormatError, InputError, NotFoundError, StoreError
from clew.memory import Memory
from clew.project.links import TurnLinks, links_of
from clew.project.quests import QuestState, TurnActs, quest_state, quests_of
from clew.store.protocol import Transaction
from clew.types import Part, Turn
from clew.types.quests import QuestStage
from tests.support.cli_runs import done, failure, record, records, run
from tests.support.index_stores import Wrapped, as_store
from tests.support.memories import empty_store, quiet

ASKED = "Please make the parser accept tabs."
FEEDS = "Add tabs and form feeds to the characters that the parser accepts."


def call(name: str, number: str, **arguments: Any) -> Part:
    return Part(type="tool_call", name=name, call_id=number, text=json.dumps(arguments))


def result(number: str, text: str) -> Part:
    return Part(type="tool_result", call_id=number, text=text)


def turn(role: str, *content: str | Part, session: str = "work", **more: Any) -> Turn:
    parts = tuple(Part(type="text", text=each) if isinstance(each, str) else each for each in content)
    return Turn(**{"role": role, "content": parts, "session": session, **more})


TASK = (
    turn("user", ASKED),
    turn("assistant", "I look first.", call("Read", "c1", file_path="src/parser.py")),
    turn("tool", result("c1", "def parse(): ...")),
    turn("assistant", call("Edit", "c2", file_path="src/parser.py", old_string="a", new_string="b")),
    turn("tool", result("c2", "done")),
    turn("assistant", call("Bash", "c3", command="pytest -q tests/test_parser.py")),
    turn("tool", result("c3", "1 failed, 3 passed")),
    turn("assistant", call("Edit", "c4", file_path="src/tabs.py", old_string="a", new_string="b")),
    turn("assistant", call("Bash", "c5", command="pytest -q tests/test_parser.py")),
    turn("tool", result("c5", "4 passed")),
    turn("assistant", "Tabs are accepted now, and the tests pass."),
)
NEXT = (
    turn("user", "Thanks!"),
    turn("user", "Now write the changelog."),
    turn("assistant", call("Write", "c6", file_path="CHANGELOG.md", content="Tabs.")),
)


@pytest.fixture
def memory() -> Iterator[Memory]:
    with quiet() as opened:
        opened.add_many((*TASK, *NEXT))
        assert opened.drain(200)
        yield opened


@pytest.mark.requirement("L-MEE-08")
@pytest.mark.parametrize(
    ("said", "title"),
    [
        (["commit this", FEEDS], FEEDS),
        (["What does the parser accept?", FEEDS, "go ahead"], FEEDS),
        (["What does the parser accept?", "ok"], "What does the parser accept?"),
        (["Implement the following plan:\n\n# Plan: Tabs in the parser\n\nThey fail."], "Plan: Tabs in the parser"),
    ],
)
def test_a_task_is_called_by_the_order_that_led_to_its_first_change(said: list[str], title: str) -> None:
    with quiet() as memory:
        for words in said:
            memory.add_many((turn("user", words), turn("assistant", "It is so.")))
        memory.add_many((*TASK[3:5], turn("user", "Thanks, now document the tabs in the manual.")))
        assert [quest.title for quest in memory.quests()] == [title]


@pytest.mark.requirement("L-MEE-08")
def test_a_failed_check_with_silent_ones_behind_it_is_no_failure() -> None:
    lint = (
        turn("assistant", call("Bash", "c9", command="ruff check src")),
        turn("tool", result("c9", "Checked 9 files.")),
    )
    with quiet() as memory:
        memory.add_many(TASK[:7])
        assert [quest.passed for quest in memory.quests()] == [False]
        memory.add_many(lint)
        assert [quest.passed for quest in memory.quests()] == [None]
        memory.add_many(TASK[8:10])
        assert [quest.passed for quest in memory.quests()] == [True]


@pytest.mark.requirement("L-MEE-08")
def test_a_task_is_recognised_with_its_stages_files_and_checks(memory: Memory) -> None:
    first, second = memory.quests("work")
    assert (first.id, first.title, first.stage, first.provenance) == ("work:quest:0", ASKED, "complete", "rule")
    assert first.began == {"genesis": 0, "transform": 3, "verify": 5, "complete": 10}
    assert (first.first, first.last, first.files) == (0, 10, ("src/parser.py", "src/tabs.py"))
    assert [(check.seq, check.passed) for check in first.checks] == [(5, False), (8, True)]
    assert (second.title, second.stage, second.first) == ("Now write the changelog.", "transform", 12)
    assert memory.quests() == [first, second]
    assert memory.quests("another") == []


@pytest.mark.requirement("L-MEE-08")
def test_stages_follow_from_what_was_done_last() -> None:
    edit, check = TurnLinks(edited=("a.py",), calls=True), TurnLinks(checks=(("1", "pytest"),), calls=True)
    passed, failed = (
        TurnLinks(verdicts=(("1", True),), wordless=True),
        TurnLinks(verdicts=(("1", False),), wordless=True),
    )

    def stage(*links: tuple[str, TurnLinks]) -> str | None:
        turns = [TurnActs(seq=seq, role=role, links=each) for seq, (role, each) in enumerate(links)]
        found = quests_of("s", turns)
        return found[-1].stage.value if found else None

    asked, said = ("user", TurnLinks()), ("assistant", TurnLinks())
    assert stage(asked, said) is None, "talk is no quest"
    assert stage(asked, ("assistant", check)) == "genesis", "nothing was changed yet"
    assert stage(asked, ("assistant", edit), said) == "transform", "nothing was checked"
    assert stage(asked, ("assistant", edit), ("assistant", check), ("tool", failed), said) == "verify"
    assert stage(asked, ("assistant", edit), ("assistant", check), ("tool", passed), said) == "complete"
    assert stage(asked, ("assistant", check), ("tool", passed), ("assistant", edit), said) == "transform"
    assert stage(asked, ("assistant", edit), ("user", TurnLinks(confirms=True))) == "complete"
    assert stage(asked, ("assistant", edit), ("assistant", TurnLinks(commits=True, calls=True))) == "complete"
    assert stage(("assistant", edit)) == "transform", "work that nobody asked for in words"


@pytest.mark.requirement("L-MEE-08")
def test_recognition_does_not_depend_on_how_turns_arrive() -> None:
    with quiet() as one, quiet() as other:
        one.add_many((*TASK, *NEXT))
        for each in (*TASK, *NEXT):
            other.add(each)
            other.drain(200)
        assert one.drain(200)
        found = one.quests()
        assert found == other.quests()
        assert one.rebuild() == len(TASK) + len(NEXT)
        assert one.drain(200)
        assert one.quests() == found


@pytest.mark.requirement("L-MEE-09")
def test_a_person_sets_title_and_stage_or_begins_a_quest(memory: Memory) -> None:
    changed = memory.set_quest("work:quest:12", title="Changelog", stage="complete")
    assert (changed.title, changed.stage, changed.provenance) == ("Changelog", QuestStage.COMPLETE, "user")
    assert memory.quests("work")[1] == changed
    begun = memory.set_quest(session="work", title='Windows, password = "hunter2-is-Zebra"')
    assert (begun.id, begun.stage) == ("work:quest:14", "genesis")
    assert "Zebra" not in begun.title
    memory.add(turn("assistant", call("Edit", "c9", file_path="src/windows.py", new_string="x")))
    assert memory.drain(200)
    last = memory.quests("work")[-1]
    assert (last.id, last.title, last.files, last.first) == (begun.id, begun.title, ("src/windows.py",), 14)


@pytest.mark.requirement("C-PLAIN-05")
def test_a_quest_without_a_request_in_words_is_called_like_its_session() -> None:
    summary = turn("assistant", "Primary Request and Intent: Make tabs count.", metadata={"summary": True})
    with quiet() as memory:
        memory.add_many((summary, *TASK[1:], *(replace(each, session="bare") for each in TASK[1:])))
        assert memory.drain(200)
        assert [quest.title for quest in memory.quests()] == ["bare", "Make tabs count."]


@pytest.mark.requirement("L-CODE-09")
def test_a_mistyped_session_begins_no_quest(memory: Memory) -> None:
    with pytest.raises(NotFoundError, match=r"no session 'wrok'; there is 'work'; `clew sessions`"):
        memory.set_quest(session="wrok", title="Windows")
    with pytest.raises(NotFoundError, match="no session 'zzz'; `clew sessions`"):
        memory.set_quest(session="zzz", title="Windows")
    assert len(memory.quests()) == 2
    assert memory.set_quest(session="wor", title="Windows").id == "work:quest:14"


@pytest.mark.requirement("L-MEE-09")
def test_what_cannot_be_set_is_named(memory: Memory) -> None:
    with pytest.raises(InputError, match="the id of a quest, or the session"):
        memory.set_quest(title="x")
    with pytest.raises(InputError, match="nothing is set"):
        memory.set_quest("work:quest:0")
    with pytest.raises(InputError, match=r"'begun'.*genesis, transform, verify, complete"):
        memory.set_quest("work:quest:0", stage="begun")
    with pytest.raises(NotFoundError, match="work:quest:5"):
        memory.set_quest("work:quest:5", stage="verify")
    with pytest.raises(InputError, match="is not a quest"):
        memory.set_quest("work:turn:5", stage="verify")
    memory.pause()
    with pytest.raises(InputError, match="paused"):
        memory.set_quest("work:quest:0", stage="verify")


@pytest.mark.requirement("L-MEE-10")
def test_a_seal_holds_until_something_is_changed(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "parser.py").write_text("tabs", encoding="utf-8")
    seal = memory.seal_quest("work:quest:0", root=tmp_path)
    kinds = [entry.kind for entry in seal.entries]
    assert kinds == ["turn"] * 11 + ["file"] * 2 + ["check"] * 2
    assert [entry.digest for entry in seal.entries[-4:]][1:] == ["absent", "failed", "passed"]
    assert memory.quests("work")[0].sealed == seal.head
    held = memory.verify_quest("work:quest:0")
    assert (held.ok, held.changed, held.head) == (True, (), seal.head)
    (tmp_path / "src" / "parser.py").write_text("spaces", encoding="utf-8")
    held = memory.verify_quest("work:quest:0")
    assert (held.ok, held.changed) == (True, ("src/parser.py",))
    with pytest.raises(InputError, match="only a complete quest is sealed"):
        memory.seal_quest("work:quest:12")
    with pytest.raises(NotFoundError, match="not sealed"):
        memory.verify_quest("work:quest:12")


@pytest.mark.requirement("L-MEE-10")
@pytest.mark.parametrize("what", ["digest", "name", "left out", "head", "title"])
def test_whatever_is_changed_in_a_record_breaks_its_chain(memory: Memory, what: str) -> None:
    memory.seal_quest("work:quest:0")
    store = memory.reads.store
    with store.snapshot() as reader:
        (row,) = reader.scan("quest", ("default", "seal"), ("default", "seal"))
    said = json.loads(str(row[-1]))
    if what == "left out":
        del said["entries"][4]
    elif what == "head":
        said["head"] = "0" * 64
    elif what == "title":
        said["quest"]["title"] = "something else"
    else:
        said["entries"][4][what] = said["entries"][5][what]
    store.transaction(lambda tx: tx.put("quest", [(*row[:-1], json.dumps(said))]))
    assert not memory.verify_quest("work:quest:0").ok


@pytest.mark.requirement("L-MEE-10")
def test_each_seal_follows_the_one_before(memory: Memory) -> None:
    memory.set_quest("work:quest:12", stage="complete")
    first, second = memory.seal_quest("work:quest:0"), memory.seal_quest("work:quest:12")
    assert (first.previous, second.previous) == ("", first.head)
    assert memory.verify_quest("work:quest:12").before == "stored"
    again = memory.seal_quest("work:quest:0")  # so the record that the second follows is not stored any more
    assert again.previous == second.head
    held = memory.verify_quest("work:quest:12")
    assert (held.ok, held.before) == (True, "gone")


@pytest.mark.requirement("L-MEE-11")
def test_forgetting_a_turn_takes_what_is_kept_of_its_quest(memory: Memory) -> None:
    memory.set_quest("work:quest:12", title="Changelog", stage="complete")
    memory.set_quest("work:quest:0", title="Tabs in the parser")
    memory.seal_quest("work:quest:0")
    memory.forget(turn_ids=["work:turn:7"])
    assert memory.drain(200)
    first, second = memory.quests("work")
    assert (first.title, first.sealed, first.files) == (ASKED, "", ("src/parser.py",))
    assert second.title == "Changelog"
    memory.forget(session="work")
    with memory.reads.store.snapshot() as reader:
        assert reader.count("mention", ("default",), ("default",)) == 0
        assert reader.count("quest", ("default",), ("default",)) == 0


@pytest.mark.requirement("L-CODE-05")
@pytest.mark.parametrize("what", ["nothing", "file", "title"])
def test_files_are_read_before_the_store_is_locked_and_again_if_they_change(tmp_path: Path, what: str) -> None:
    file = tmp_path / "src" / "parser.py"
    file.parent.mkdir()
    file.write_text("tabs", encoding="utf-8")
    opened: list[bool] = []
    locked = False

    def watch(event: str, given: tuple[object, ...]) -> None:
        if event == "open" and given[0] == file.as_posix():
            opened.append(locked)

    class Locking(Wrapped):
        def transaction(self, work: Callable[[Transaction], Any], *, durable: bool = True) -> Any:
            def inside(tx: Transaction) -> Any:
                nonlocal locked
                locked = True
                try:
                    return work(tx)
                finally:
                    locked = False

            return super().transaction(inside, durable=durable)

    store = Locking(empty_store())
    with quiet(as_store(store)) as memory:
        memory.add_many(TASK)
        assert memory.drain(200)
        changes: dict[str, Callable[[], object]] = {
            "nothing": lambda: None,
            "file": lambda: file.write_text("tabs and spaces", encoding="utf-8"),
            "title": lambda: memory.set_quest("work:quest:0", title="Tabs in the parser"),
        }
        store.before = lambda: (changes[what](), None)[1]
        sys.addaudithook(watch)
        seal = memory.seal_quest("work:quest:0", root=tmp_path)
        (digest,) = (entry.digest for entry in seal.entries if entry.name == "src/parser.py")
        assert digest == sha256(file.read_bytes()).hexdigest()
        assert opened
        assert not any(opened)
        assert (seal.quest.title == "Tabs in the parser") is (what == "title")
        assert memory.verify_quest("work:quest:0").ok
        assert memory.verify_quest("work:quest:0").changed == ()


@pytest.mark.requirement("L-MEE-12")
def test_a_pattern_whose_file_cannot_be_written_is_not_kept_either(memory: Memory, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="its folder does not exist; make it, or name another place"):
        memory.export_pattern("work:quest:0", tmp_path / "none" / "tabs.json")
    assert memory.quest_patterns() == []


@pytest.mark.requirement("L-MEE-12")
def test_a_pattern_goes_to_another_home_with_its_provenance(memory: Memory, tmp_path: Path) -> None:
    seal = memory.seal_quest("work:quest:0")
    file = tmp_path / "tabs.json"
    made = memory.export_pattern("work:quest:0", file)
    assert (made.steps, made.endings) == (("genesis", "transform", "verify", "complete"), {".py": 2})
    assert made.checks == ("pytest -q tests/test_parser.py",)
    assert made.provenance["seal"] == seal.head
    assert memory.quest_patterns() == [made]
    with pytest.raises(InputError, match="exists"):
        memory.export_pattern("work:quest:0", file)
    with quiet() as other:
        got = other.import_pattern(file)
        assert (got.name, got.provenance, got.imported_from) == (made.name, made.provenance, "tabs.json")
        assert other.import_pattern(file) == got
        assert other.quest_patterns() == [got]
        with pytest.raises(InputError, match=r"none\.json cannot be read: No such file or directory; name a file of"):
            other.import_pattern(file.with_name("none.json"))
        file.write_text(file.read_text(encoding="utf-8").replace("pytest -q", "pytest -x"), encoding="utf-8")
        with pytest.raises(FormatError, match="was changed"):
            other.import_pattern(file)
        for text in ("", "[]", "{}", '{"name": 3}', "\x00"):
            file.write_text(text, encoding="utf-8")
            with pytest.raises(FormatError, match="holds no pattern"):
                other.import_pattern(file)


@pytest.mark.requirement("L-MEE-11")
def test_a_pattern_of_an_own_quest_goes_with_its_turns_after_it_was_imported_again(
    memory: Memory, tmp_path: Path
) -> None:
    file = tmp_path / "tabs.json"
    made = memory.export_pattern("work:quest:0", file)
    assert memory.import_pattern(file) == made
    memory.forget(session="work")
    assert memory.quest_patterns() == []


@pytest.mark.requirement("L-MEE-13")
def test_the_command_line_lists_seals_and_verifies(tmp_home: Path, tmp_path: Path) -> None:
    with quiet(tmp_home / ".clew") as memory:
        memory.add_many((*TASK, *NEXT))
    said = done("quest")
    assert ASKED in said
    assert "work:quest:0" in said
    assert "2 checks, the last one passed" in " ".join(said.split())
    assert [each["id"] for each in records("quest", "--limit", "1")] == ["work:quest:12"]
    assert "1 before; --limit shows them" in run("quest", "--limit", "1").stderr
    head = record("quest", "seal", "work:quest:0")["head"]
    assert record("verify", "--quest", "work:quest:0")["ok"] is True
    assert "the seal holds" in done("verify", "--quest", "work:quest:0")
    assert head[:12] in done("verify", "--quest", "work:quest:0")
    assert "complete" in done("quest", "set", "work:quest:12", "--stage", "complete")
    assert "belong to the list" in failure(2, "quest", "--session", "work", "set", "work:quest:12", "--title", "Mend")
    done("quest", "export", "work:quest:0", tmp_path / "p.json")
    done("quest", "import", tmp_path / "p.json")
    assert "genesis > transform > verify > complete" in done("quest", "patterns")
    with quiet(tmp_home / ".clew") as memory:
        memory.forget(turn_ids=["work:turn:3"])
    assert "not sealed" in failure(1, "verify", "--quest", "work:quest:0")
    failure(2, "verify", "--root", tmp_path)


@pytest.mark.requirement("L-MEE-24")
def test_the_recap_tells_of_the_quest_that_the_session_is_at() -> None:
    with quiet() as memory:
        memory.add_many(TASK[:7])
        assert (
            "**Status:** Changes being checked, last check failed; last request answered"
            in memory.recap("work", style="quest").text
        )
        memory.add_many(TASK[7:])
        assert (
            "**Status:** Work done, last check passed; last request answered"
            in memory.recap("work", style="quest").text
        )
        memory.set_quest("work:quest:0", title="Tabs in the parser")
        assert "## Current quest: Tabs in the parser" in memory.recap("work", style="quest").text
        memory.condense("work", force=True)
        assert "stage" not in memory.recap("work", style="chat").text


def failing_edit(number: str, path: str, said: str) -> tuple[Turn, Turn]:
    return turn("assistant", call("Edit", number, file_path=path, new_string="x")), turn("tool", result(number, said))


@pytest.mark.requirement("L-CODE-17")
def test_a_change_that_was_refused_is_none() -> None:
    refused = failing_edit("e1", "src/parser.py", "<tool_use_error>File has not been read yet")
    also = failing_edit("e2", "src/lexer.py", "ERROR:\nNo replacement was performed, old_str `x` did not appear.")
    done_ = failing_edit("e3", "src/parser.py", "The file has been edited.")
    with quiet() as memory:
        memory.add_many([turn("user", ASKED), *refused])
        assert memory.quests() == []
        memory.add_many([*also, *done_, *failing_edit("e4", "src/parser.py", "String to replace not found in file.")])
        assert memory.drain(200)
        (found,) = memory.quests()
        assert (found.files, found.began) == (("src/parser.py",), {"genesis": 0, "transform": 5})


@pytest.mark.requirement("L-CODE-17")
@pytest.mark.parametrize("cut", range(1, 8))
def test_a_refusal_is_understood_across_compactions(cut: int) -> None:
    said = [
        turn("user", ASKED),
        *failing_edit("e1", "src/a.py", "done"),
        *failing_edit("e2", "src/a.py", "ERROR: Invalid"),
    ]
    said += [*failing_edit("e3", "src/b.py", "[No exact match found"), turn("assistant", "Done.")]
    acts = [TurnActs(seq=n, role=each.role, links=links_of(each)) for n, each in enumerate(said)]
    first = quest_state("work", acts[:cut], cut - 1, (), QuestState())
    whole = quest_state("work", acts[cut:], 7, (), QuestState.from_dict(first.to_dict()))
    assert whole == quest_state("work", acts, 7, (), QuestState())
    assert whole.shown is not None
    assert whole.shown.files == ("src/a.py",)


@pytest.mark.requirement("L-CODE-17")
def test_code_of_an_interpreter_changes_files() -> None:
    code = "edit_file_by_replace('src/App.tsx', to_replace='a', new_content='b')\nopen('LICENSE', 'w')"
    assert links_of(turn("assistant", call("execute_ipython_cell", "c1", code=code))).edited == (
        "src/App.tsx",
        "LICENSE",
    )
    assert links_of(turn("assistant", call("execute_ipython_cell", "c1", code="open('a.py').read()"))).edited == ()


@pytest.mark.requirement("L-CODE-18")
@pytest.mark.parametrize(
    ("words", "quests"),
    [
        ("Thanks! Please update the changelog.", 2),
        ("Great. Now write the changelog.", 2),
        ("Great, but the changelog is missing. Please write it.", 1),
        ("Please update the changelog too.", 1),
        ("Perfect, however it still fails. Write the changelog.", 1),
    ],
)
def test_thanks_before_another_request_end_a_quest(words: str, quests: int) -> None:
    with quiet() as memory:
        memory.add_many([*TASK[:4], turn("assistant", "Tabs are accepted now."), turn("user", words), NEXT[-1]])
        assert memory.drain(200)
        found = memory.quests()
        assert len(found) == quests
        if quests == 2:
            assert (found[0].stage, found[0].last, found[1].first, found[1].title) == ("complete", 4, 5, words)


@pytest.mark.requirement("P-LINE-09")
def test_a_file_that_is_written_in_two_ways_is_one() -> None:
    whole, short = "/srv/app/src/parser.py", "src/parser.py"
    turns = [
        turn("user", ASKED),
        turn("assistant", call("Write", "c1", file_path=whole, content="a")),
        turn("assistant", call("Bash", "c2", command=f"cat > {short} <<'EOF'\nb\nEOF")),
        turn("assistant", call("Bash", "c3", command="touch parser.py")),
    ]
    acts = [TurnActs(seq=seq, role=each.role, links=links_of(each)) for seq, each in enumerate(turns)]
    (quest,) = quests_of("s", acts)
    assert quest.files == (whole, "parser.py"), "a name alone may be another file"
    acts = [TurnActs(seq=seq, role=turns[at].role, links=links_of(turns[at])) for seq, at in enumerate((0, 2, 1))]
    (quest,) = quests_of("s", acts)
    assert quest.files == (short,), "in either order"
