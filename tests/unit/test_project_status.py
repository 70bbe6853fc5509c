"""Damage of a project's store: `status` names it, and genesis heals it."""

import shutil
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from clew.errors import NotFoundError, StoreCorrupt
from clew.project.layout import Layout
from clew.project.project import Project
from clew.project.status import status
from clew.types.reports import Problem
from tests.support.projects import SHOP, changed, made, stored, write

Damage = Callable[[Path], object]


def objects(store: Path) -> list[Path]:
    return sorted(file for file in (store / "objects").glob("??/*"))


def run_sql(store: Path, sql: str) -> None:
    with apsw.Connection(str(store / "index" / "index.db")) as database:
        database.execute(sql)
    database.close()


def transform(store: Path) -> Path:
    return next((store / "transforms").glob("??/*"))


DAMAGES: dict[str, tuple[Damage, str]] = {
    "an object is deleted": (lambda store: objects(store)[2].unlink(), "object"),
    "an object is altered": (lambda store: objects(store)[2].write_bytes(b"{}"), "object"),
    "an object is empty": (lambda store: objects(store)[0].write_bytes(b""), "object"),
    "all objects are deleted": (lambda store: shutil.rmtree(store / "objects"), "object"),
    "a foreign object is added": (lambda store: (store / "objects/ab" / ("c" * 62)).write_bytes(b"x"), "object"),
    "a transform is deleted": (lambda store: transform(store).unlink(), "transform"),
    "a transform is altered": (lambda store: transform(store).write_bytes(b"{}"), "transform"),
    "a transform is unknown": (lambda store: run_sql(store, "DELETE FROM transform"), "transform"),
    "a node is renamed": (
        lambda store: run_sql(store, "UPDATE node SET name = 'x' WHERE path = 'web/pay.ts'"),
        "index",
    ),
    "a node is gone": (lambda store: run_sql(store, "DELETE FROM node WHERE path = 'web/pay.ts'"), "index"),
    "a file is gone": (lambda store: run_sql(store, "DELETE FROM file WHERE path = 'docs/rules.md'"), "dependency"),
    "a hash is changed": (
        lambda store: run_sql(store, "UPDATE file SET content = 'x' WHERE path = 'README.md'"),
        "index",
    ),
    "an object's name is changed": (
        lambda store: run_sql(store, "UPDATE file SET object = printf('%064d', 7) WHERE path = 'README.md'"),
        "object",
    ),
    "a file has another transform": (
        lambda store: run_sql(store, "UPDATE file SET transform = printf('%064d', 7) WHERE path = 'README.md'"),
        "transform",
    ),
    "a file has other lines": (
        lambda store: run_sql(store, "UPDATE file SET lines = 900 WHERE path = 'README.md'"),
        "index",
    ),
    "a node is of no kind": (
        lambda store: run_sql(store, "UPDATE node SET kind = 'x' WHERE path = 'web/pay.ts'"),
        "index",
    ),
    "a reference is of no kind": (lambda store: run_sql(store, "UPDATE reference SET kind = 'x'"), "index"),
    "a reference names another": (lambda store: run_sql(store, "UPDATE OR IGNORE reference SET name = 'x'"), "index"),
    "an import is gone": (lambda store: run_sql(store, "DELETE FROM import WHERE path = 'README.md'"), "index"),
    "a dependency leads to another file": (
        lambda store: run_sql(store, "UPDATE dependency SET target = 'web/pay.ts' WHERE source = 'README.md'"),
        "dependency",
    ),
    "the record of a transform is altered": (
        lambda store: run_sql(store, "UPDATE transform SET record = CAST('{}' AS BLOB)"),
        "transform",
    ),
    "the digest is altered": (
        lambda store: run_sql(store, "UPDATE meta SET value = 'x' WHERE key = 'digest'"),
        "index",
    ),
    "the limits cannot be read": (
        lambda store: run_sql(
            store, "PRAGMA ignore_check_constraints = ON; UPDATE meta SET value = 'x' WHERE key = 'limits'"
        ),
        "index",
    ),
    "a dependency leads nowhere": (
        lambda store: run_sql(store, "INSERT INTO dependency VALUES ('README.md', 'none.md')"),
        "dependency",
    ),
    "a reference is from nowhere": (
        lambda store: run_sql(store, "INSERT INTO reference VALUES ('README.md', 'README.md#x', 'calls', 'y', 0)"),
        "reference",
    ),
    "the index is no database": (lambda store: (store / "index/index.db").write_bytes(b"x" * 5000), "index"),
    "the index is deleted": (lambda store: (store / "index/index.db").unlink(), "index"),
}


@pytest.mark.requirement("L-PRJ-10")
@pytest.mark.parametrize("what", DAMAGES)
def test_damage_is_named_and_healed(tmp_path: Path, what: str) -> None:
    made(tmp_path)
    layout = Layout.of(tmp_path)
    (layout.folder / "objects" / "ab").mkdir(exist_ok=True)
    before = status(layout)
    assert before.ok, before.problems
    with Project.open(tmp_path) as project:
        digest = project.digest
    damage, kind = DAMAGES[what]
    damage(layout.folder)
    found = status(layout)
    assert not found.ok
    assert kind in {problem.kind for problem in found.problems}
    assert all(problem.where and problem.detail and problem.repair for problem in found.problems)
    made(tmp_path)
    after = status(layout)
    assert after.ok, after.problems
    assert after.checked["files"] == before.checked["files"]
    with Project.open(tmp_path) as project:
        assert project.digest == digest
        assert project.dependents("docs/rules.md") == ("README.md",)


@pytest.mark.requirement("L-PRJ-10")
def test_status_says_what_changed_since_and_what_was_superseded(tmp_path: Path) -> None:
    made(tmp_path)
    write(tmp_path, {"web/pay.ts": "export const pay = 1;\n", "new.md": "# New\n"})
    (tmp_path / "README.md").unlink()
    found = status(Layout.of(tmp_path))
    assert found.ok
    assert found.behind == ("README.md", "new.md", "web/pay.ts")
    changed(tmp_path, {})
    found = status(Layout.of(tmp_path))
    assert (found.behind, found.superseded, found.generation) == ((), 2, 2)


@pytest.mark.requirement("L-PRJ-10")
def test_a_check_of_others_belongs_to_the_status(tmp_path: Path) -> None:
    made(tmp_path)
    problem = Problem(kind="overlay", where="O1", detail="is torn", repair="clew project genesis")
    assert status(Layout.of(tmp_path), [lambda _: [problem]]).problems == (problem,)
    with pytest.raises(NotFoundError, match="clew project genesis"):
        status(Layout.of(tmp_path.parent))


@pytest.mark.requirement("L-PRJ-10")
def test_an_update_refuses_a_damaged_index_and_changes_nothing(tmp_path: Path) -> None:
    made(tmp_path)
    index = Layout.of(tmp_path).index
    index.write_bytes(b"no database" * 1000)
    with pytest.raises(StoreCorrupt, match="clew project genesis"):
        changed(tmp_path, {})
    assert index.read_bytes() == b"no database" * 1000


@pytest.mark.requirement("L-PRJ-10")
@pytest.mark.parametrize("again", [made, lambda root: changed(root, {})])
def test_an_index_of_another_format_is_made_anew(tmp_path: Path, again: Callable[[Path], object]) -> None:
    made(tmp_path)
    run_sql(Layout.of(tmp_path).folder, "PRAGMA user_version = 1; ALTER TABLE file RENAME TO older")
    again(tmp_path)
    assert status(Layout.of(tmp_path)).ok


@pytest.mark.requirement("L-PRJ-10")
def test_history_outlives_a_lost_index(tmp_path: Path) -> None:
    made(tmp_path)
    changed(tmp_path, {"web/pay.ts": "export const pay = 1;\n"})
    before = stored(tmp_path, "transforms")
    Layout.of(tmp_path).drop_index()
    made(tmp_path, {name: text for name, text in SHOP.items() if name != "web/pay.ts"})
    assert before < stored(tmp_path, "transforms")
    assert status(Layout.of(tmp_path)).ok
