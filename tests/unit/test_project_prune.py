"""What of earlier states goes, and what stays."""

from datetime import timedelta
from hashlib import sha256
from pathlib import Path

import pytest

from clew.errors import NotFoundError
from clew.memory import Memory
from clew.project.layout import Layout
from clew.project.project import Project
from clew.project.prune import PruneReport, prune
from clew.project.status import status
from clew.project.transforms import decoded_transform
from clew.testing import HashEmbedder
from tests.support.cli_runs import done, record
from tests.support.memories import quiet
from tests.support.projects import LATER, NOW, changed, made, stored, write
from tests.unit.test_quests import call, result, turn

SECOND = NOW + timedelta(days=40)


def grown(root: Path) -> list[set[str]]:
    """A project in which one file changed three times, and the objects after each state."""
    made(root, {"a.md": "# Zero\n", "b.md": "# Other\n"})
    states = [stored(root, "objects")]
    for text in ("# One\n", "# Two\n", "# Three\n"):
        changed(root, {"a.md": text})
        states.append(stored(root, "objects"))
    return states


def pruned(root: Path, **more: object) -> PruneReport:
    return prune(root, SECOND, before=SECOND, **more)  # type: ignore[arg-type]  # of tests


@pytest.mark.requirement("L-CODE-06")
def test_states_between_go_and_what_files_and_transforms_refer_to_stays(tmp_path: Path) -> None:
    first, _, third, last = grown(tmp_path)
    held = stored(tmp_path, "objects") | stored(tmp_path, "transforms")
    assert (pruned(tmp_path, dry_run=True).objects, pruned(tmp_path, dry_run=True).transforms) == (2, 2)
    assert stored(tmp_path, "objects") | stored(tmp_path, "transforms") == held
    report = pruned(tmp_path)
    assert (report.objects, report.transforms, report.superseded) == (2, 2, 1)
    assert report.bytes > 500
    # the first transform read b.md, which is as it was, and names the first object of a.md
    assert stored(tmp_path, "objects") == first | (last - third)
    assert status(Layout.of(tmp_path)).problems == ()
    with Project.open(tmp_path) as project:
        (said,) = (each for each in map(decoded_transform, project.index.transforms().values()) if each.goal == "prune")
    assert set(said.parameters["objects"]) == third - first
    assert pruned(tmp_path).objects == 0


@pytest.mark.requirement("L-CODE-06")
def test_what_is_young_stays(tmp_path: Path) -> None:
    grown(tmp_path)
    report = prune(tmp_path, SECOND, before=LATER)
    assert (report.objects, report.transforms, report.superseded) == (0, 0, 3)
    assert len(stored(tmp_path, "transforms")) == 4, "nothing went, so nothing is recorded"


@pytest.mark.requirement("L-CODE-06")
def test_what_a_seal_covers_stays(tmp_path: Path) -> None:
    _, second, third, _ = grown(tmp_path)
    report = pruned(tmp_path, sealed=[sha256(b"# Two\n").hexdigest()])
    assert (report.objects, report.superseded) == (1, 2)
    assert third - second <= stored(tmp_path, "objects")


@pytest.mark.requirement("L-CODE-06")
def test_vectors_of_texts_that_are_gone_go(tmp_path: Path) -> None:
    made(tmp_path, {"a.md": "# Zero\n", "b.md": "# Other\n"})
    with Project.open(tmp_path) as project:
        held = project.embed(HashEmbedder(), project.nodes())
    changed(tmp_path, {"a.md": "# One\n"})
    report = pruned(tmp_path)
    assert 0 < report.vectors < held
    with Project.open(tmp_path) as project:
        assert len(project.index.vector_keys()) == held - report.vectors
        assert project.embed(HashEmbedder(), project.nodes(path="b.md")) == 0


@pytest.mark.requirement("L-CODE-06")
def test_a_project_without_a_store_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="clew project genesis"):
        pruned(tmp_path)


@pytest.mark.requirement("L-CODE-06")
def test_the_command_keeps_what_the_seals_of_the_home_cover(tmp_home: Path, tmp_path: Path) -> None:
    root = tmp_path / "shop"
    grown(root)
    assert record("project", "prune", "--root", root, "--older-than", "0", "--dry-run")["objects"] == 2
    write(root, {"a.md": "# Two\n"})
    with quiet(tmp_home / ".clew") as memory:
        sealed(memory, root)
    write(root, {"a.md": "# Three\n"})
    assert record("project", "prune", "--root", root, "--older-than", "0")["objects"] == 1
    assert "0 objects, 0 transforms, 0 vectors removed" in done("project", "prune", "--root", root)
    assert "2 objects of earlier states" in done("project", "status", "--root", root)


def sealed(memory: Memory, root: Path) -> None:
    """Seals a quest over a.md."""
    memory.add_many(
        [
            turn("user", "Please number the title."),
            turn("assistant", call("Edit", "c1", file_path="a.md", new_string="x")),
            turn("assistant", call("Bash", "c2", command="pytest -q")),
            turn("tool", result("c2", "4 passed")),
            turn("assistant", "The title is numbered."),
        ]
    )
    assert memory.drain(200)
    memory.seal_quest("work:quest:0", root=root)
