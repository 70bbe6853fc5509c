"""Two homes join without duplicates and without loss, whichever of them went on in between."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Final

import pytest

from clew.config import IngestConfig, load_config
from clew.errors import InputError, NotFoundError
from clew.maintain.copy_space import copy_space
from clew.maintain.merge_space import in_place, merge_space
from clew.memory import Memory
from clew.store.memory import MemoryStore
from clew.store.protocol import Transaction
from clew.store.tables import TURN
from clew.testing import FrozenClock
from clew.types import IngestReport, Part, Turn

NOON = datetime(2025, 4, 1, 12, tzinfo=UTC)


_opened: Final[list[Memory]] = []


@pytest.fixture(autouse=True)
def _close() -> Iterator[None]:
    """Closes the memories of a test's homes."""
    yield
    while _opened:
        _opened.pop().close()


class Home:
    """A store in memory, and the memory over it."""

    def __init__(self, secrets: str = "mask") -> None:
        self.store = MemoryStore()
        settings = {"ingest": {"secrets": secrets}, "embedder": "none"}
        self.config = load_config(None, settings, {}).ingest
        self.memory = Memory.open(self.store, config=settings, clock=FrozenClock(NOON))
        _opened.append(self.memory)

    def say(self, *words: str, session: str = "plan", start: int | None = 0) -> IngestReport:
        """Adds turns a minute apart from a minute of the day on, or without times."""
        return self.memory.add_many(
            Turn(role="user", content=each, session=session, at=None if start is None else minute(start + n))
            for n, each in enumerate(words)
        )

    def append(self, turns: Iterable[Turn]) -> None:
        """Adds turns one by one: nothing is lined up."""
        for turn in turns:
            self.memory.add(turn)

    def texts(self, session: str = "plan") -> list[str]:
        return [turn.text for turn in self.turns(session)]

    def turns(self, session: str = "plan") -> list[Turn]:
        with self.store.snapshot() as reader:
            seqs = reader.scan("turn", ("default", session), ("default", session), columns=("seq",))
        return [self.memory.get(f"{session}:turn:{seq!r}") for (seq,) in seqs]

    def merge(self, other: "Home") -> IngestReport:
        report = merge_space(other.store, self.store, "default", self.config, FrozenClock(NOON))
        assert self.memory.verify().problems == ()
        return report


def minute(number: int) -> datetime:
    return NOON + timedelta(minutes=number)


def turn(words: str, **fields: object) -> Turn:
    return Turn(role="user", content=words, session="plan", **fields)  # type: ignore[arg-type]  # as Turn takes them


@pytest.mark.requirement("S-COPY-06")
def test_what_is_new_is_appended_and_what_is_known_is_not() -> None:
    laptop, desktop = Home(), Home()
    laptop.say("one", "two", "three")
    laptop.say("apart", session="other")
    desktop.say("one", "two")
    desktop.say("only here", session="mine")
    report = desktop.merge(laptop)
    assert (report.added, report.known, report.rejected) == (2, 2, ())
    assert desktop.texts() == ["one", "two", "three"]
    assert report.turn_ids == ("plan:turn:0", "plan:turn:1", "plan:turn:2", "other:turn:0")
    assert desktop.memory.search("apart")[0].turn.session == "other"
    assert laptop.texts("mine") == []


def test_new_turns_whose_time_could_not_be_read_are_counted() -> None:
    laptop, desktop = Home(), Home()
    laptop.append([turn("known", metadata={"at_raw": "soon"}), turn("when?", metadata={"at_raw": "14:05"}), turn("hi")])
    desktop.append([turn("known", metadata={"at_raw": "soon"})])
    report = desktop.merge(laptop)
    assert (report.added, report.undated, report.first_undated) == (2, 1, "plan:turn:1: '14:05'")


@pytest.mark.requirement("S-COPY-06")
@pytest.mark.parametrize("timed", [True, False])
def test_a_second_merge_adds_nothing_although_both_went_on(timed: bool) -> None:
    laptop, desktop = Home(), Home()
    desktop.append(turn(word, at=minute(n) if timed else None) for n, word in enumerate(["b1", "b2", "b3"]))
    laptop.append(turn(word, at=minute(9 + n) if timed else None) for n, word in enumerate(["a1", "a2", "a3"]))
    assert desktop.merge(laptop).added == 3
    desktop.append([turn("b4", at=minute(20) if timed else None)])
    assert desktop.merge(laptop).added == 0
    laptop.append([turn("a4", at=minute(21) if timed else None)])
    assert desktop.merge(laptop).added == 1
    assert desktop.merge(laptop).added == 0
    assert desktop.texts() == ["b1", "b2", "b3", "a1", "a2", "a3", "b4", "a4"]
    back = laptop.merge(desktop)
    assert (back.added, back.known) == (4, 4)
    assert sorted(laptop.texts()) == sorted(desktop.texts())
    assert (laptop.merge(desktop).added, desktop.merge(laptop).added) == (0, 0)


@pytest.mark.requirement("S-COPY-06")
def test_a_persons_own_repetition_is_kept() -> None:
    laptop, desktop = Home(), Home()
    laptop.append(turn("ok", at=minute(n)) for n in (1, 1, 2, 3))
    desktop.append(turn("ok", at=minute(n)) for n in (1, 2))
    assert desktop.merge(laptop).added == 2
    assert sorted(each.at for each in desktop.turns() if each.at) == [minute(n) for n in (1, 1, 2, 3)]
    assert desktop.merge(laptop).added == 0


@pytest.mark.requirement("S-COPY-06")
def test_a_conversation_that_both_continued_gets_a_branch() -> None:
    laptop, desktop = Home(), Home()
    for home in (laptop, desktop):
        home.say("one", "two")
    laptop.append([turn("left", at=minute(5)), turn("further left", at=minute(6))])
    desktop.append([turn("right", at=minute(5))])
    desktop.merge(laptop)
    left = {each.text: (each.branch, each.parent) for each in desktop.turns()}
    assert left["left"] == ("edit-1", "plan:turn:1")
    assert left["further left"][0] == "edit-1"
    assert left["right"] == ("", None)
    laptop.append([turn("furthest left", at=minute(7))])
    assert desktop.merge(laptop).added == 1


@pytest.mark.requirement("S-COPY-07")
def test_answers_in_branches_answer_the_same_turns() -> None:
    laptop, desktop = Home(), Home()
    laptop.say("question", "answer")
    laptop.say("question", "other answer")
    assert [(each.branch, each.parent) for each in laptop.turns()][2] == ("edit-1", "plan:turn:0")
    desktop.append(turn(f"before {n}", at=minute(100 + n)) for n in range(5))
    desktop.merge(laptop)
    (other,) = (each for each in desktop.turns() if each.text == "other answer")
    assert other.parent is not None
    assert desktop.memory.get(other.parent).text == "question"


@pytest.mark.requirement("S-COPY-07")
def test_branches_of_one_name_are_not_mixed() -> None:
    laptop, desktop = Home(), Home()
    for home, words in ((laptop, "left"), (desktop, "right")):
        home.say(f"{words} question", "answer")
        home.say(f"{words} question", f"{words} answer")
    desktop.merge(laptop)
    branches = {each.text: each.branch for each in desktop.turns()}
    assert branches["right answer"] == "edit-1"
    assert branches["left answer"].startswith("edit-1~")
    assert desktop.merge(laptop).added == 0


@pytest.mark.requirement("S-COPY-06")
def test_external_ids_decide_where_both_have_one() -> None:
    laptop, desktop = Home(), Home()
    laptop.append([turn("same", external_id="x"), turn("edited", external_id="y"), turn("new", external_id="z")])
    desktop.append([turn("same", external_id="x"), turn("as it was", external_id="y")])
    report = desktop.merge(laptop)
    assert (report.added, report.known, len(report.rejected)) == (1, 1, 1)
    assert report.rejected[0].where == "plan:turn:1"
    assert "plan:turn:1 with other content" in report.rejected[0].reason
    laptop.append([turn("twin", external_id="t1", at=minute(1))])
    desktop.append([turn("twin", external_id="t2", at=minute(1))])
    assert desktop.merge(laptop).added == 1


@pytest.mark.requirement("S-COPY-08")
@pytest.mark.parametrize("timed", [True, False])
def test_what_the_target_forgot_stays_out(timed: bool) -> None:
    laptop, desktop = Home(), Home()
    words = [turn(word, at=minute(n) if timed else None) for n, word in enumerate(["one", "secret", "three"])]
    laptop.append(words)
    desktop.append(turn(f"b{n}", at=minute(50 + n)) for n in range(3))
    desktop.merge(laptop)
    desktop.memory.forget(match="secret")
    report = desktop.merge(laptop)
    assert (report.added, report.known, report.skipped) == (0, 2, {"forgotten": 1})
    laptop.append([turn("four", at=minute(80))])
    assert desktop.merge(laptop).added == 1
    assert "secret" not in desktop.texts()
    (four,) = (each for each in desktop.turns() if each.text == "four")
    assert four.branch == ""


@pytest.mark.requirement("S-COPY-08")
def test_of_equal_turns_only_the_forgotten_one_stays_out() -> None:
    laptop, desktop = Home(), Home()
    laptop.append(turn(word) for word in ("ok", "go", "ok"))
    desktop.merge(laptop)
    desktop.memory.forget(turn_ids=["plan:turn:2"])
    laptop.append([turn("ok")])
    report = desktop.merge(laptop)
    assert (report.added, report.known, report.skipped) == (1, 2, {"forgotten": 1})


@pytest.mark.requirement("S-COPY-06")
def test_originals_come_along_and_secrets_are_masked_as_the_target_does() -> None:
    laptop, desktop = Home(secrets="keep"), Home()
    key = "sk-" + "abcDEF1234567890" * 3
    laptop.append([turn(f"my key is {key}", at=minute(1))])
    laptop.memory.add(Turn(role="tool", content=(Part(type="tool_result", text="x" * 40_000),), session="plan"))
    report = desktop.merge(laptop)
    assert (report.added, sum(report.masked.values())) == (2, 1)
    assert key not in desktop.texts()[0]
    assert desktop.memory.restore("plan:turn:1").text == "x" * 40_000
    assert (desktop.merge(laptop).added, desktop.merge(laptop).known) == (0, 2)


@pytest.mark.requirement("S-COPY-06")
def test_homes_that_were_copied_join_again() -> None:
    laptop, desktop = Home(), Home()
    laptop.say("one", "two")
    copy_space(laptop.store, desktop.store, "default")
    laptop.append([turn("left", at=minute(5))])
    desktop.append([turn("right", at=minute(6))])
    assert desktop.merge(laptop).added == 1
    assert laptop.merge(desktop).added == 1
    assert sorted(laptop.texts()) == sorted(desktop.texts()) == ["left", "one", "right", "two"]


@pytest.mark.requirement("S-COPY-06")
def test_text_that_was_escaped_is_not_escaped_again() -> None:
    laptop, desktop = Home(), Home()
    laptop.append([turn("odd \ud800 text", at=minute(1)), turn("␛d800; as typed", at=minute(2))])
    desktop.merge(laptop)
    assert desktop.texts() == laptop.texts()
    assert desktop.merge(laptop).added == 0


@pytest.mark.requirement("S-COPY-06")
@pytest.mark.parametrize(
    ("mine", "theirs", "places"),
    [
        ("", "abc", {}),
        ("abc", "", {}),
        ("ac", "abc", {0: 0, 1: 2}),
        ("ax", "abc", {}),
        ("abx", "zabc", {0: 1, 1: 2}),
        ("abxc", "cabc", {0: 1, 1: 2, 3: 3}),
        ("abcd", "cdab", {0: 2, 1: 3, 2: 0, 3: 1}),
        ("abcx", "zabbabzcx", {0: 1, 1: 2, 2: 7, 3: 8}),
        ("xyab", "abz", {2: 0, 3: 1}),
        ("aab", "ba", {}),
    ],
)
def test_turns_without_times_are_told_by_their_order(mine: str, theirs: str, places: dict[int, int]) -> None:
    assert in_place([c.encode() for c in mine], [c.encode() for c in theirs]) == places


@pytest.mark.requirement("S-COPY-05")
def test_merging_what_is_not_there_is_an_error() -> None:
    home = Home()
    with pytest.raises(InputError, match="as source and as target"):
        merge_space(home.store, home.store, "default", IngestConfig(), FrozenClock(NOON))
    with pytest.raises(NotFoundError, match="no space 'default'"):
        merge_space(MemoryStore(), home.store, "default", IngestConfig(), FrozenClock(NOON))


@pytest.mark.requirement("S-COPY-06")
def test_a_damaged_turn_or_a_lost_original_does_not_keep_the_others_out() -> None:
    theirs, ours = Home(), Home()
    theirs.say("one", "two", "three")
    output = Part(type="tool_result", name="cat", call_id="c", text="long " * 20_000)
    theirs.append([Turn(role="tool", content=(output,), session="plan")])
    theirs.say("five", start=9)

    def damage(tx: Transaction) -> None:
        row = TURN.get(tx, ("default", "plan", 1))
        assert row is not None
        TURN.put(tx, [row._replace(parts="[5]")])
        assert tx.delete("blob", ("default",), ("default",)) == 1

    theirs.store.transaction(damage)
    report = merge_space(theirs.store, ours.store, "default", ours.config, FrozenClock(NOON))
    assert ours.texts() == ["one", "three", "five"]
    assert [each.where for each in report.rejected] == ["plan:turn:1", "plan:turn:3"]
    assert "is damaged" in report.rejected[0].reason
    assert "is missing" in report.rejected[1].reason
