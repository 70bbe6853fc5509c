"""The store of a project: made once, kept up to date, and healed."""

import hashlib
import os
from pathlib import Path

import pytest

from clew.errors import NotFoundError
from clew.project.genesis import genesis
from clew.project.layout import Layout
from clew.project.objects import encoded
from clew.project.project import Project
from clew.project.status import status
from clew.project.transforms import Goal, Transform, decoded_transform, method
from clew.project.update import update
from tests.support.projects import LATER, NOW, SHOP, changed, made, needs_grammars, stored, write


@pytest.mark.requirement("L-PRJ-01")
def test_what_is_stored_is_named_by_its_hash_and_genesis_makes_it_once(tmp_path: Path) -> None:
    first = made(tmp_path)
    assert (first.files, first.generation, len(first.added)) == (len(SHOP), 1, len(SHOP))
    objects, transforms = stored(tmp_path, "objects"), stored(tmp_path, "transforms")
    assert len(objects) == len(SHOP)
    assert transforms == set(first.transforms)
    for kind, names in (("objects", objects), ("transforms", transforms)):
        for name in names:
            data = (tmp_path / ".clew/project" / kind / name[:2] / name[2:]).read_bytes()
            assert hashlib.sha256(data).hexdigest() == name
    again = made(tmp_path)
    assert (again.generation, again.unchanged, again.objects, again.transforms) == (1, len(SHOP), 0, ())
    assert (stored(tmp_path, "objects"), stored(tmp_path, "transforms")) == (objects, transforms)


@pytest.mark.requirement("L-PRJ-02")
def test_a_changed_file_makes_one_object_and_one_transform(tmp_path: Path) -> None:
    made(tmp_path)
    objects, transforms = stored(tmp_path, "objects"), stored(tmp_path, "transforms")
    report = changed(tmp_path, {"web/pay.ts": "export function pay() { return 2; }\n"})
    assert (report.changed, report.added, report.removed) == (("web/pay.ts",), (), ())
    (name,) = stored(tmp_path, "objects") - objects
    (transform,) = stored(tmp_path, "transforms") - transforms
    data = (tmp_path / ".clew/project/transforms" / transform[:2] / transform[2:]).read_bytes()
    record = decoded_transform(data)
    assert record.goal == Goal.UPDATE
    assert [(each.path, each.object) for each in record.outputs] == [("web/pay.ts", name)]
    assert record.inputs[0].content == hashlib.sha256((tmp_path / "web/pay.ts").read_bytes()).hexdigest()
    assert record.method["parser"]
    assert record.parameters["max_bytes"]
    assert changed(tmp_path, {}).transforms == ()


@needs_grammars
@pytest.mark.requirement("L-PRJ-03")
def test_a_project_knows_its_symbols_and_what_depends_on_what(tmp_path: Path) -> None:
    made(tmp_path)
    with Project.open(tmp_path) as project:
        assert [node.id for node in project.symbols_named("Cart.pay")] == ["src/shop/cart.py#Cart.pay"]
        assert project.dependents("src/shop/price.py") == ("src/shop/cart.py",)
        edges = {(edge.source, str(edge.kind), edge.target) for edge in project.edges()}
        assert ("src/shop/cart.py#Cart.pay", "calls", "src/shop/price.py#total") in edges
        assert ("src/shop/cart.py#Cart", "contains", "src/shop/cart.py#Cart.pay") in edges
        assert ("README.md", "imports", "docs/rules.md") in edges
        assert ("web/app.ts#start", "calls", "web/pay.ts#pay") in edges
        assert project.imported("web/app.ts") == ("./pay",)
        decisions = [node.text for node in project.nodes() if node.kind == "decision"]
    assert decisions == ["Prices are whole cents.", "prices are whole cents, since floats lose some."]


@needs_grammars
@pytest.mark.requirement("L-PRJ-03")
def test_changes_name_only_what_changed(tmp_path: Path) -> None:
    first = made(tmp_path)
    text = SHOP["src/shop/price.py"].replace("item.cents", "round(item.cents)")
    second = changed(tmp_path, {"src/shop/price.py": text})
    (tmp_path / "web/app.ts").unlink()
    third = changed(tmp_path, {})
    with Project.open(tmp_path) as project:
        after_first = project.changes(first.generation)
        assert [node.id for node in after_first.changed] == ["src/shop/price.py", "src/shop/price.py#cents"]
        assert project.changes(second.generation).removed == ("web/app.ts", "web/app.ts#start")
        assert project.changes(third.generation).changed == ()


@pytest.mark.requirement("L-PRJ-01")
def test_there_is_no_project_before_genesis(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="clew project genesis"):
        Project.open(tmp_path)
    with pytest.raises(NotFoundError, match="clew project genesis"):
        changed(tmp_path, {})
    assert Project.find(tmp_path) is None
    made(tmp_path)
    found = Project.find(tmp_path / "web" / "pay.ts")
    assert found is not None
    assert found.root == tmp_path.resolve()
    found.close()


@pytest.mark.requirement("L-PRJ-11")
def test_links_of_files_that_a_stopped_update_stored_are_found_by_the_next(tmp_path: Path) -> None:
    made(tmp_path, {"b.md": "# B\n", "z.md": "# Z\n"})
    write(tmp_path, {f"a{n:03}.md": "# A\n\nSee [b](b.md).\n" for n in range(500)})

    class Stop(Exception):
        pass

    def stop(done: int, _every: int) -> None:
        if done == 500:
            raise Stop

    with pytest.raises(Stop):
        update(tmp_path, LATER, on_progress=stop)
    report = changed(tmp_path, {"z.md": "# Z\n\nChanged.\n"})
    assert (report.changed, report.added) == (("z.md",), ())
    with Project.open(tmp_path) as project:
        assert len(project.dependents("b.md")) == 500


@pytest.mark.requirement("L-PRJ-06")
def test_an_update_does_not_read_binary_files_again(tmp_path: Path) -> None:
    write(tmp_path, {"image.png": b"\x89PNG\0\0"})
    os.utime(tmp_path / "image.png", (1_000_000_000, 1_000_000_000))
    made(tmp_path, {})
    write(tmp_path, {"image.png": b"pixels"})  # of the same size and time: what is in it now shows whether it is read
    os.utime(tmp_path / "image.png", (1_000_000_000, 1_000_000_000))
    report = changed(tmp_path, {})
    assert (report.added, [each.path for each in report.skipped]) == ((), ["image.png"])


@pytest.mark.requirement("L-PRJ-06")
def test_a_file_that_grew_while_the_project_was_read_is_not_behind_for_good(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": "", "b.py": "x = 1\n"})

    def grow(_done: int, _every: int) -> None:
        write(tmp_path, {"b.py": "x = 1\ny = 2\n"})

    genesis(tmp_path, NOW, on_progress=grow)
    changed(tmp_path, {})
    assert status(Layout.of(tmp_path)).behind == ()
    assert made(tmp_path, {}).healed == ()


@pytest.mark.requirement("L-PRJ-11")
def test_an_update_takes_in_the_transform_that_a_killed_run_could_not_enter(tmp_path: Path) -> None:
    made(tmp_path)
    layout = Layout.of(tmp_path)
    left, _ = layout.transforms.write(
        encoded(Transform(goal=Goal.UPDATE, at=LATER, inputs=(), outputs=(), method=method(), parameters={}).to_dict())
    )
    assert changed(tmp_path, {}).transforms == ()
    assert status(layout).problems == ()
    assert left in stored(tmp_path, "transforms")
