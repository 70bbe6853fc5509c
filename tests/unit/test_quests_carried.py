"""What is kept of quests goes from home to home by export and import, and by merging."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.maintain.merge_space import merge_space
from clew.memory import Memory
from clew.types import Turn
from tests.support.memories import at, quiet
from tests.unit.test_quests import NEXT, TASK, turn

DATED = tuple(Turn.from_dict({**each.to_dict(), "at": at(n).isoformat()}) for n, each in enumerate((*TASK, *NEXT)))


@pytest.fixture
def source(tmp_path: Path) -> Iterator[Memory]:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "parser.py").write_text("tabs", encoding="utf-8")
    with quiet() as memory:
        memory.add_many(DATED)
        assert memory.drain(200)
        memory.set_quest("work:quest:12", title="Changelog", stage="complete")
        memory.set_quest("work:quest:0", title="Tabs in the parser")
        memory.seal_quest("work:quest:0", root=tmp_path)
        memory.seal_quest("work:quest:12")
        memory.export_pattern("work:quest:0", tmp_path / "tabs.json")
        yield memory


def merged(target: Memory, source: Memory) -> None:
    merge_space(source.reads.store, target.reads.store, target.space, target.config.ingest, target.reads.clock)


def exported(source: Memory, path: Path) -> list[str]:
    source.export(path)
    return path.read_text(encoding="utf-8").splitlines()


@pytest.mark.requirement("L-CODE-13")
def test_an_export_gives_the_same_quests_seals_and_patterns(source: Memory, tmp_path: Path) -> None:
    lines = exported(source, tmp_path / "all.jsonl")
    assert sum('{"quest":' in line[:10] for line in lines) == 5
    with quiet() as target:
        target.import_path(tmp_path / "all.jsonl")
        target.import_path(tmp_path / "all.jsonl")
        assert target.drain(200)
        assert target.quests() == source.quests()
        assert target.quest_patterns() == source.quest_patterns()
        for name, before in (("work:quest:0", "first"), ("work:quest:12", "stored")):
            checked = target.verify_quest(name, root=tmp_path)
            assert (checked.ok, checked.changed, checked.before) == (True, (), before)
        (tmp_path / "src" / "parser.py").write_text("spaces", encoding="utf-8")
        assert target.verify_quest("work:quest:0", root=tmp_path).changed == ("src/parser.py",)


@pytest.mark.requirement("L-CODE-13")
@pytest.mark.parametrize("by", ["merge", "import"])
def test_a_seal_holds_where_its_turns_have_other_ids(source: Memory, tmp_path: Path, by: str) -> None:
    with quiet() as target:
        target.add_many([turn("user", "Hello.", at=at(200)), turn("assistant", "Good day.", at=at(201))])
        if by == "merge":
            merged(target, source)
        else:
            exported(source, tmp_path / "all.jsonl")
            target.import_path(tmp_path / "all.jsonl")
        assert target.drain(200)
        kept = {quest.title: quest for quest in target.quests()}
        sealed = kept["Tabs in the parser"]
        assert sealed.first > 0
        assert sealed.sealed == source.quests()[0].sealed
        assert target.verify_quest(sealed.id, root=tmp_path).ok
        assert target.verify_quest(kept["Changelog"].id).before == "stored"
        target.forget(turn_ids=[sealed.id.replace("quest", "turn")])
        assert "Tabs in the parser" not in {quest.title for quest in target.quests()}
        assert [quest.sealed != "" for quest in target.quests() if quest.title == "Changelog"] == [True]


@pytest.mark.requirement("L-CODE-13")
def test_what_does_not_hold_or_has_no_turns_stays_behind(source: Memory, tmp_path: Path) -> None:
    lines = exported(source, tmp_path / "all.jsonl")
    held = [json.loads(line) for line in lines]
    for record in held:
        if record.get("quest", {}).get("kind") == "seal" and record["quest"]["name"] == "work:quest:0":
            record["quest"]["data"]["quest"]["title"] = "Something else"
        if record.get("quest", {}).get("kind") == "pattern":
            record["quest"]["data"]["checks"] = ["rm -rf /"]
    odd = [{"quest": {}}, {"quest": {"kind": "seal", "name": 3}}, {"quest": held[-1].get("quest", {}) | {"turns": []}}]
    kept = [record for record in held if record.get("seq") != 13]  # a turn of the second quest is missing
    (tmp_path / "odd.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in [*kept, *odd]), encoding="utf-8")
    with quiet() as target:
        target.import_path(tmp_path / "odd.jsonl")
        assert target.drain(200)
        assert target.quest_patterns() == []
        assert [quest.sealed for quest in target.quests()] == ["", ""][: len(target.quests())]
        assert target.quests()[0].title == "Tabs in the parser"


@pytest.mark.requirement("L-CODE-13")
def test_what_was_set_here_stays(source: Memory) -> None:
    with quiet() as target:
        target.add_many(DATED)
        assert target.drain(200)
        target.set_quest("work:quest:0", title="Own words")
        merged(target, source)
        assert [quest.title for quest in target.quests()] == ["Own words", "Changelog"]
        assert target.verify_quest("work:quest:0").ok
