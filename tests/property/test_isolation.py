"""Spaces of one home are isolated from each other: what one shows is the same whether the others are there or not."""

import inspect
import json
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import click
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from clew.cli.main import main
from clew.errors import ClewError
from clew.memory import Memory
from clew.testing import FrozenClock, HashEmbedder
from clew.types import Part, Turn
from tests.support.cli_runs import run
from tests.support.effort import examples

NOW = datetime(2025, 6, 1, tzinfo=UTC)
SESSIONS = ("talk", "work")
IDS = (None, "m1", "m2")
WORDS = ("ferry", "harbour", "nine", "ticket", "storm")
MARK = "zebra"
"""Stands in every text, speaker and session that only the other space has."""


@dataclass(frozen=True)
class Call:
    """One call to a space's memory: what it is, and all that any call may need."""

    name: str
    texts: tuple[str, ...]
    session: str
    external_id: str | None
    days: int

    def turns(self, mark: str) -> list[Turn]:
        """What it adds; `mark` goes into the words, the speaker and an original."""
        at = NOW - timedelta(days=self.days)
        parts = [f"{mark} {text}" for text in self.texts]
        spoken = [Turn(role="user", content=text, session=self.session, speaker=mark or "Ann", at=at) for text in parts]
        file = Part(type="image", data=f"{mark}{self.texts[0]}".encode() * 100, media_type="image/png")
        return [*spoken, Turn(role="user", content=(Part(type="text", text=parts[0]), file), session=self.session)]


CALLS = st.builds(
    Call,
    name=st.sampled_from(("add", "add_many", "recall", "search", "find_quote", "read", "explain", "forget", "export")),
    texts=st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join), min_size=1, max_size=3).map(
        tuple
    ),
    session=st.sampled_from(SESSIONS),
    external_id=st.sampled_from(IDS),
    days=st.integers(0, 5),
)


def answer(memory: Memory, call: Call, mark: str, receipts: list[str]) -> Any:
    """What a call shows, errors included; without times and keyed hashes, which are never the same twice."""
    try:
        return _answer(memory, call, mark, receipts)
    except ClewError as error:
        return type(error).__name__, str(error)


def _answer(memory: Memory, call: Call, mark: str, receipts: list[str]) -> Any:
    shown: Any
    query = " ".join((*call.texts, MARK))
    match call.name:
        case "add":
            first = call.turns(mark)[0].to_dict()
            shown = memory.add(Turn.from_dict({**first, "external_id": call.external_id}))
        case "add_many":
            shown = memory.add_many(call.turns(mark)).to_dict()
        case "recall":
            context = memory.recall(query)
            receipts.append(context.receipt_id)
            shown = context.to_dict()
        case "search":
            shown = [hit.to_dict() for hit in memory.search(query, session=call.session)]
        case "find_quote":
            shown = [turn.to_dict() for turn in (*memory.find_quote(call.texts[0]), *memory.find_quote(MARK))]
        case "read":
            name = f"{call.session}:turn:{call.days}"
            shown = memory.get(name).to_dict(), repr(memory.restore(name))
        case "explain":
            shown = [_timeless(memory.explain(name).to_dict()) for name in (None, *receipts[-1:])]
        case "forget":
            report = memory.forget(match=call.texts[0], session=call.session, dry_run=call.days > 1)
            shown = report.turns, report.rows, report.turn_ids, len(report.digests)
        case _:
            with tempfile.TemporaryDirectory() as folder:
                memory.export(Path(folder) / "all.jsonl")
                shown = (Path(folder) / "all.jsonl").read_text(encoding="utf-8")
    return shown


def _timeless(receipt: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in receipt.items() if name != "timings"}


def state(memory: Memory) -> Any:
    assert memory.drain()
    stats = memory.stats().to_dict()
    stats["details"].pop("store")
    return stats, memory.verify().to_dict()


def told(home: Path, calls: list[Call], others: list[Call]) -> list[Any]:
    """What one space shows, call by call, while another one of the same home is used in between."""
    shown: list[Any] = []
    receipts: list[str] = []
    clock, embedder = FrozenClock(NOW), HashEmbedder()
    with (
        Memory.open(home, space="one", embedder=embedder, clock=clock) as one,
        Memory.open(home, space="two", embedder=embedder, clock=clock) as two,
    ):
        theirs: list[str] = []
        for place, call in enumerate(calls):
            for other in others[place :: len(calls)]:
                answer(two, other, MARK, theirs)
            shown.append(answer(one, call, "", receipts))
            assert one.drain()
        shown.append(state(one))
        for name in set(theirs) - set(receipts):
            with pytest.raises(ClewError) as refused:
                one.explain(name)
            assert MARK not in str(refused.value)
        if not others:
            assert two.stats().turns == 0
    return shown


@pytest.mark.requirement("S-ISOLATION-01")
@settings(max_examples=examples(6, 20), phases=(Phase.explicit, Phase.reuse, Phase.generate))  # runs are long
@given(calls=st.lists(CALLS, min_size=2, max_size=8), others=st.lists(CALLS, min_size=1, max_size=8))
def test_a_space_shows_the_same_whether_or_not_others_are_there(calls: list[Call], others: list[Call]) -> None:
    with tempfile.TemporaryDirectory() as alone, tempfile.TemporaryDirectory() as shared:
        assert _plain(told(Path(shared), calls, others)) == _plain(told(Path(alone), calls, []))


def _plain(shown: list[Any]) -> list[str]:
    return [json.dumps(each, default=repr, sort_keys=True) for each in shown]


@pytest.mark.requirement("S-ISOLATION-01")
def test_pause_patterns_and_retention_of_one_space_leave_another_alone(tmp_path: Path) -> None:
    clock = FrozenClock(NOW)
    old = Turn(role="user", content="an old word", at=NOW - timedelta(days=50))
    with Memory.open(tmp_path, space="one", embedder="none", clock=clock) as one:
        one.add(old)
        strict = {"keep_days": 10, "ingest": {"exclude": ["text:word"]}}
        with Memory.open(tmp_path, space="two", embedder="none", clock=clock, config=strict) as two:
            two.add(Turn(role="user", content="an old thing", at=NOW - timedelta(days=50)))
            assert two.drain()
            assert two.stats().turns == 0
            two.pause()
        assert one.stats().turns == 1
        assert one.stats().details["paused_since"] is None
        one.add(Turn(role="user", content="another word"))


def _written(folder: Path, name: str, write: Callable[[Path], object]) -> str:
    write(folder / name)
    return (folder / name).read_text(encoding="utf-8")


def _read_in(memory: Memory, folder: Path) -> Any:
    (folder / "in.jsonl").write_text('{"role": "user", "content": "a ferry of a file", "session": "file"}\n', "utf-8")
    return memory.import_path(folder / "in.jsonl").to_dict()


FIRST = f"{SESSIONS[0]}:turn:0"


def _talk() -> list[Turn]:
    return Call("add_many", ("nine ferry tickets", "the storm at the harbour"), SESSIONS[0], None, 3).turns("")


SHOWN: dict[str, Callable[[Memory, Path], Any]] = {
    "add": lambda m, _: m.add(Turn(role="user", content="one ferry more", session="talk", external_id="m1")),
    "add_many": lambda m, _: m.add_many(_talk()),
    "import_path": _read_in,
    "drain": lambda m, _: m.drain(),
    "annotations": lambda m, _: m.annotations(FIRST),
    "snapshots": lambda m, _: m.snapshots(SESSIONS[0]),
    "state_before": lambda m, _: m.state_before(SESSIONS[0], "storm"),
    "evolution": lambda m, _: m.evolution(SESSIONS[0]),
    "in_common": lambda m, _: m.in_common(*[[each.snapshot_id for each in m.snapshots(SESSIONS[0])]] * 2),
    "domains": lambda m, _: m.domains(),
    "labels": lambda m, _: m.labels(),
    "labelled": lambda m, _: m.labelled("ferry"),
    "facts": lambda m, _: m.facts(),
    "edges": lambda m, _: m.edges(),
    "history": lambda m, _: m.history("user"),
    "correct": lambda m, _: [m.correct(each.id, "elsewhere") for each in m.facts(limit=1)],
    "entities": lambda m, _: m.entities(),
    "entity": lambda m, _: [m.entity(each.name) for each in m.entities()],
    "build_prompt": lambda m, _: m.build_prompt("which ferry left?"),
    "update": lambda m, _: m.update("The ferry is late.", "So it is."),
    "wrap_chat": lambda m, _: m.wrap_chat(lambda prompt: f"heard {prompt}")("which ferry left?"),
    "get": lambda m, _: m.get(FIRST),
    "restore": lambda m, _: m.restore(FIRST),
    "turns": lambda m, _: (m.turns(), m.turns("zebra")),
    "topics": lambda m, _: m.topics(),
    "search": lambda m, _: m.search("ferry harbour storm", limit=50),
    "ranked": lambda m, _: m.ranked("ferry harbour storm", limit=50),
    "find_quote": lambda m, _: m.find_quote("ferry", limit=50),
    "remember_when": lambda m, _: m.remember_when(query="ferry", budget=5000).to_dict(),
    "query": lambda m, _: (m.query("importance >= 1 OR tag:zebra OR session = zebra"), m.query('"ferry"')),
    "recall": lambda m, _: m.recall("which ferry left the harbour?"),
    "warm_up": lambda m, _: m.warm_up(),
    "sessions": lambda m, _: m.sessions(),
    "brief": lambda m, _: m.brief(),
    "explain": lambda m, _: _timeless(m.explain().to_dict()),
    "mark_used": lambda m, _: m.mark_used(m.recall("which ferry?").receipt_id, [FIRST]),
    "learned": lambda m, _: m.learned(),
    "tune": lambda m, _: m.tune(dry_run=True),
    "revert": lambda m, _: m.revert(1),
    "retry": lambda m, _: m.retry(),
    "extract": lambda m, _: m.extract(),
    "extractions": lambda m, _: m.extractions(),
    "recap": lambda m, _: m.recap(m.sessions()[0].name),
    "shown": lambda m, _: m.shown(m.sessions()[0].name),
    "insure": lambda m, _: m.insure(m.sessions()[0].name, []),
    "condense": lambda m, _: _timeless(m.condense(m.sessions()[0].name, force=True).to_dict()),
    "collapse": lambda m, _: m.collapse(LISTED, "openai", protected=0),
    "shrink_images": lambda m, _: m.shrink_images(LISTED, "openai"),
    "pin": lambda m, _: (m.pin(FIRST), m.pin(where='"ferry"')),
    "pins": lambda m, _: (m.pins(), m.recall("which ferry?").items),
    "unpin": lambda m, _: m.unpin(FIRST),
    "set_quest": lambda m, _: m.set_quest(session=SESSIONS[0], title="a ferry", stage="complete"),
    "attach_project": lambda m, _: m.attach_project("no-project"),
    "detach_project": lambda m, _: m.detach_project("no-project"),
    "projects": lambda m, _: m.projects(),
    "decisions": lambda m, _: (m.decisions("ferry.py"), m.decisions("zebra"), m.decisions("ferry")),
    "links": lambda m, _: m.links(FIRST),
    "drift": lambda m, _: m.drift(),
    "quests": lambda m, _: m.quests(),
    "seal_quest": lambda m, _: [m.seal_quest(each.id).head for each in m.quests() if each.stage == "complete"],
    "verify_quest": lambda m, _: [m.verify_quest(each.id) for each in m.quests() if each.sealed],
    "export_pattern": lambda m, path: _written(
        path, "pattern.json", lambda file: [m.export_pattern(each.id, file) for each in m.quests() if each.sealed]
    ),
    "import_pattern": lambda m, path: m.import_pattern(path / "pattern.json"),
    "quest_patterns": lambda m, _: m.quest_patterns(),
    "export": lambda m, path: _written(path, "out.jsonl", m.export),
    "rebuild": lambda m, _: m.rebuild(),
    "forget_expired": lambda m, _: m.forget_expired().turns,
    "forget": lambda m, _: m.forget(match="storm").rows,
    "pause": lambda m, _: m.pause(),
    "resume": lambda m, _: m.resume(),
    "verify": lambda m, _: m.verify(),
    "stats": lambda m, _: {**m.stats().to_dict(), "details": {**m.stats().details, "store": ""}},
}
"""A use of every method that shows something of a space, in an order in which each has something to show."""

LISTED: list[dict[str, Any]] = [
    {"role": "assistant", "content": None, "tool_calls": [{"id": "a", "function": {"name": "f", "arguments": "{}"}}]},
    {"role": "tool", "tool_call_id": "a", "content": "the ferry left the harbour in the storm " * 20},
]

WHOLE_HOME = {"open", "close", "backup"}
"""Methods that are about the whole home: a backup holds all of its spaces, as it says."""


def _shows(method: Callable[[Memory, Path], Any], memory: Memory, folder: Path) -> Any:
    try:
        return method(memory, folder)
    except ClewError as error:
        return type(error).__name__, str(error)


def _all_shown(folder: Path, *, beside: bool) -> dict[str, str]:
    """What each method shows of the space `one`, with or without another space that is full of the mark."""
    home, clock = folder / "home", FrozenClock(NOW)
    wide = {"keep_days": 400}
    with Memory.open(home, space="one", embedder=HashEmbedder(), clock=clock, config=wide) as one:
        if beside:
            with Memory.open(home, space="two", embedder=HashEmbedder(), clock=clock) as two:
                for method in SHOWN.values():
                    two.add_many(Call("add_many", ("the storm", MARK, "ferry"), MARK, "m1", 2).turns(MARK))
                    _shows(method, two, folder)
                two.pin(where=f'"{MARK}"', note=MARK)
                two.add_many(Call("add_many", ("storm ferry harbour", MARK), MARK, "m1", 2).turns(MARK))
                assert two.drain()
                two.recall(MARK)
        for name in ("out.jsonl", "pattern.json"):
            (folder / name).unlink(missing_ok=True)
        return {name: repr(_shows(method, one, folder)) for name, method in SHOWN.items() if one.drain()}


@pytest.mark.requirement("S-ISOLATION-01")
def test_no_method_shows_anything_of_another_space(tmp_path: Path) -> None:
    public = {name for name, _ in inspect.getmembers(Memory, inspect.isroutine) if not name.startswith("_")}
    assert public <= {*SHOWN, *WHOLE_HOME}, "each public method of Memory belongs into SHOWN"
    alone, beside = tmp_path / "alone", tmp_path / "beside"
    alone.mkdir()
    beside.mkdir()
    shown = _all_shown(beside, beside=True)
    assert shown.keys() == SHOWN.keys()
    assert [name for name, text in shown.items() if MARK in text] == []
    assert shown == _all_shown(alone, beside=False)


COMMANDS: dict[str, tuple[str, ...]] = {
    "add": ("add", "one more ferry"),
    "import": ("import", "{folder}/in.jsonl"),
    "work": ("work", "--once"),
    "recall": ("recall", "which ferry left?"),
    "search": ("search", "ferry harbour storm"),
    "quote": ("quote", "ferry"),
    "query": ("query", "importance >= 1 OR tag:zebra"),
    "explain": ("explain", "last"),
    "snapshots": ("snapshots", "talk"),
    "sessions": ("sessions",),
    "brief": ("brief",),
    "recap": ("recap",),
    "condense": ("condense", "--dry-run"),
    "watch": ("watch", "--once"),
    "labels": ("labels",),
    "pin": ("pin",),
    "quest": ("quest",),
    "project": ("project", "decisions", "ferry.py"),
    "entities": ("entities",),
    "facts": ("facts",),
    "history": ("history", "user"),
    "correct": ("correct", "talk:turn:0:fact:0", "--never"),
    "graph": ("graph", "--dot"),
    "mcp": ("mcp",),
    "when": ("when", "ferry harbour storm"),
    "ledger": ("ledger",),
    "install": ("install", "claude-code", "--print"),
    "restore": ("restore", "talk:turn:0"),
    "stats": ("stats",),
    "export": ("export", "{folder}/out.jsonl"),
    "forget": ("forget", "--match", "ferry", "--dry-run"),
    "extract": ("extract", "talk"),
    "chat": ("chat",),
    "jobs": ("jobs",),
    "mark-used": ("mark-used", "none", "talk:turn:0"),
    "tune": ("tune",),
    "pause": ("pause",),
    "resume": ("resume",),
    "verify": ("verify",),
    "doctor": ("doctor",),
    "rebuild": ("rebuild",),
}
"""A use of every command that takes --space."""

NO_SPACE = {"serve", "run", "demo", "backup", "copy", "merge", "rekey", "config", "bench", "eval", "restore-backup"}
"""Commands that bring a home of their own, are about the whole home, name their spaces, or run until stopped."""


@pytest.mark.requirement("S-ISOLATION-01")
@pytest.mark.usefixtures("tmp_home")
def test_no_command_prints_anything_of_another_space(tmp_path: Path) -> None:
    commands = set(main.list_commands(click.Context(main)))
    assert commands <= {*COMMANDS, *NO_SPACE}, "each command belongs into COMMANDS"
    (tmp_path / "in.jsonl").write_text('{"role": "user", "content": "a ferry of a file"}\n', "utf-8")
    home = tmp_path / "home"
    with Memory.open(home, space="two", embedder="none", clock=FrozenClock(NOW)) as two:
        two.add_many(Call("add_many", ("the storm", MARK, "ferry"), MARK, "m1", 2).turns(MARK))
        two.recall(MARK)
        two.pause()
    with Memory.open(home, space="one", embedder="none", clock=FrozenClock(NOW)) as one:
        one.add_many(_talk())
    for name, words in COMMANDS.items():
        place = [word.format(folder=tmp_path) for word in words]
        result = run(*place, "--space", "one", "--home", home)
        assert MARK not in result.output, name
        assert "Usage:" not in result.output, (name, result.output)
    assert MARK not in (tmp_path / "out.jsonl").read_text("utf-8")
