"""Channels of one name in two Slack workspaces are two sessions, and each goes on with its newer exports."""

import json
import zipfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest

from clew.memory import Memory
from clew.types import Turn
from tests.support.memories import quiet

pytestmark = pytest.mark.requirement("F-INGEST-58")

Days = Mapping[int, list[str]]
SAIL: Days = {4: ["Is the mast up?", "Since noon."], 5: ["And the rope?", "In the shed."]}
BAKE: Days = {4: ["Who has the yeast?", "Ask Cem."], 5: ["Is the oven hot?", "Yes."]}
LATER: Days = {6: ["Anything new?", "No."]}
PEOPLE = {"sail": ("Ann", "Bo"), "bake": ("Cem", "Dee")}


def export(path: Path, name: str, days: Days, team: str | None, kind: str = "zip", channel: str = "general") -> Path:
    """The export of a workspace, called by its name and dates, with one channel."""
    team_id = {} if team is None else {"team_id": team}
    users = [{"id": f"U{n}", "name": who, **team_id} for n, who in enumerate(PEOPLE[name])]
    guests = [{"id": "U9", "name": "guest", "team_id": "T999"}] if team else []
    files: dict[str, object] = {"users.json": [*users, *guests]}
    for day, said in days.items():
        files[f"{channel}/2024-03-{day:02}.json"] = [
            {"type": "message", "user": f"U{n % 2}", "text": text, "ts": f"{1709546400 + day * 86400 + n}.0001"}
            for n, text in enumerate(said)
        ]
    made = path / f"{name} {min(days)}-{max(days)}"
    if kind == "zip":
        made = made.with_suffix(".zip")
        made.parent.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(made, "w") as archive:
            for file, content in files.items():
                archive.writestr(file, json.dumps(content))
        return made
    for file, content in files.items():
        (made / file).parent.mkdir(parents=True, exist_ok=True)
        (made / file).write_text(json.dumps(content))
    return made


def turns_of(memory: Memory) -> Counter[str]:
    return Counter(turn.session for turn in memory.turns())


@pytest.mark.parametrize("kind", ["zip", "folder"])
@pytest.mark.parametrize("teams", [("T1", "T2"), (None, None), (None, "T2")])
def test_each_workspace_goes_on_in_its_session(tmp_path: Path, kind: str, teams: tuple[str | None, str | None]) -> None:
    sail, bake = teams
    second = f"general {bake}" if bake else "bake 4-5/general"
    paths = [export(tmp_path, "sail", SAIL, sail, kind), export(tmp_path, "bake", BAKE, bake, kind)]
    for order in (paths, paths[::-1]):
        with quiet(tmp_path / "home", config={"ingest": {"gather_turns": 3}}) as memory:
            for path in order:
                assert memory.import_path(path).rejected == ()
            assert turns_of(memory) == {"general": 4, second: 4}
            assert [turn.text for turn in memory.turns() if turn.session == second] == [*BAKE[4], *BAKE[5]]
    newer = [
        export(tmp_path, "sail", {**SAIL, **LATER}, sail, kind),  # all of it again
        export(tmp_path, "bake", LATER, bake, kind),  # only what is later
    ]
    for number in range(2):
        with quiet(tmp_path / "home") as memory:
            for path in newer[:: 1 - 2 * number]:
                assert memory.import_path(path).rejected == ()
            if bake:
                assert turns_of(memory) == {"general": 6, second: 6}
            else:
                assert sum(turns_of(memory).values()) == 12
                assert turns_of(memory)["general"] == 6


def test_two_exports_in_one_folder_and_copies_of_them(tmp_path: Path) -> None:
    for name, days, team in (("sail", SAIL, "T1"), ("bake", BAKE, "T2")):
        for folder in ("all", "copy"):
            export(tmp_path / folder, name, days, team)
    with quiet() as memory:
        memory.import_path(tmp_path / "all")
        report = memory.import_path(tmp_path / "copy")
        assert (report.added, report.known, report.rejected) == (0, 8, ())
        assert turns_of(memory) == {"general": 4, "general T1": 4}  # by the names of the zips, that of the bakers first


def test_messages_of_the_same_moment_in_two_workspaces_are_no_conflict(tmp_path: Path) -> None:
    with quiet() as memory:
        for name, days, team in (("sail", SAIL, "T1"), ("bake", BAKE, "T2")):
            assert memory.import_path(export(tmp_path, name, days, team)).rejected == ()


def test_a_day_that_is_named_is_of_its_workspace(tmp_path: Path) -> None:
    export(tmp_path, "bake", BAKE, "T2", "folder")
    with quiet() as memory:
        memory.import_path(export(tmp_path, "sail", SAIL, "T1"))
        for day in BAKE:
            memory.import_path(tmp_path / "bake 4-5" / "general" / f"2024-03-{day:02}.json")
        assert turns_of(memory) == {"general": 4, "general T2": 4}


def test_what_an_earlier_version_stored_goes_on_by_its_people(tmp_path: Path) -> None:
    with quiet(tmp_path / "home") as memory:
        memory.import_path(export(tmp_path, "sail", SAIL, None))
    with quiet(tmp_path / "home") as memory:
        memory.import_path(export(tmp_path, "sail", LATER, "T1"))
        memory.import_path(export(tmp_path, "bake", BAKE, "T2"))
        assert turns_of(memory) == {"general": 6, "general T2": 4}


def test_a_session_of_another_program_is_no_channel(tmp_path: Path) -> None:
    with quiet() as memory:
        memory.add(Turn(role="user", content="hello", session="general", speaker="Ann"))
        memory.import_path(export(tmp_path, "sail", SAIL, "T1"))
        memory.import_path(export(tmp_path, "sail", {**SAIL, **LATER}, "T1"))
        assert turns_of(memory) == {"general": 1, "general T1": 6}


def test_a_session_that_is_asked_for_takes_both(tmp_path: Path) -> None:
    with quiet() as memory:
        for name, days, team in (("sail", SAIL, "T1"), ("bake", LATER, "T2")):
            memory.import_path(export(tmp_path, name, days, team), session="work")
        assert turns_of(memory) == {"work": 6}
