"""Names of code in words, the files that they mean, and which turns are read for it."""

from pathlib import Path

import pytest

from clew.project.elements import ProjectElement
from clew.project.genesis import genesis
from clew.project.links import links_of
from clew.project.names import NameResolver, names_in
from clew.types import Turn
from tests.support.index_stores import Wrapped, as_store
from tests.support.memories import NOON, empty_store, quiet
from tests.support.projects import write
from tests.unit.test_quests import TASK, call, turn


def element(path: str, name: str = "", kind: str = "function") -> ProjectElement:
    return ProjectElement(id=f"{path}#{name}", path=path, kind=kind if name else "file", name=name)


PARK = NameResolver(
    [
        element("src/park/gate.py"),
        element("src/park/gate.py", "TurnStile", "class"),
        element("src/park/gate.py", "TurnStile.admit_all", "method"),
        element("src/park/gate.py", "open_gate"),
        element("src/park/ledger.py"),
        element("src/park/ledger.py", "open_gate"),
        element("src/park/ledger.py", "State", "class"),
        element("src/park/tickets/__init__.py"),
        element("web/useTickets.ts"),
        element("web/api.ts"),
        element("lib/api.ts"),
        element("README.md", "open_gate", "heading"),
    ]
)


@pytest.mark.requirement("L-CODE-10")
@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Call handle_end and `admit`, then refund().", ["handle_end", "refund"]),
        ("The `TurnStile` of park.gate.TurnStile, the `State` struct", ["TurnStile", "park.gate.TurnStile", "State"]),
        ("See src/park/open_gate.py and useTickets.ts:12.", []),
        ("We saw it at the gate, e.g. a state of things. Well done!", []),
        ("ruby `Park::Gate#open_it`", ["Park::Gate#open_it"]),
        ("mail a_b@example.com about --some_flag or $HOME_DIR", []),
    ],
)
def test_names_are_told_from_words(text: str, names: list[str]) -> None:
    assert list(names_in(text)) == names


@pytest.mark.requirement("L-CODE-10")
@pytest.mark.parametrize(
    "name",
    ["handle_end", "useTickets", "TurnStile", "Gate2Be", "park.gate.stile", "Park::Gate", "refund()", "Makefile"],
)
def test_each_kind_of_name_is_found_without_any_other_beside_it(name: str) -> None:
    told = f"`{name}`" if "::" in name else name
    assert list(names_in(f"now {told} comes")) == [name.removesuffix("()")]


@pytest.mark.requirement("L-CODE-10")
@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("TurnStile", "src/park/gate.py"),
        ("TurnStile.admit_all", "src/park/gate.py"),
        ("admit_all", "src/park/gate.py"),
        ("open_gate", None),
        ("gate.open_gate", "src/park/gate.py"),
        ("park.ledger.open_gate", "src/park/ledger.py"),
        ("park.tickets", "src/park/tickets/__init__.py"),
        ("park.gate", "src/park/gate.py"),
        ("useTickets", "web/useTickets.ts"),
        ("api", None),
        ("other.TurnStile", None),
        ("Park::State", "src/park/ledger.py"),
        ("nothing_like_it", None),
    ],
)
def test_a_name_means_the_one_file_that_has_it(name: str, path: str | None) -> None:
    assert PARK.resolve(name) == path


@pytest.mark.requirement("L-CODE-10")
def test_a_turn_that_names_a_symbol_is_linked_to_its_file(tmp_path: Path) -> None:
    root = write(tmp_path / "park", {"src/gate.py": "class TurnStile:\n    pass\n", "src/other.py": "x = 1\n"})
    genesis(root, NOON)
    with quiet() as memory:
        memory.add(turn("user", "The `TurnStile` sticks."))
        memory.attach_project(root)
        assert memory.drain(200)
        (link,) = memory.links("work:turn:0")
        assert (link.element.path, link.how, link.match) == ("src/gate.py", "said", "name")
        assert [each.seq for each in memory.query("~ file:src/gate.py")] == [0]
        assert memory.drift()[0].unexplained == ("src/other.py",)


@pytest.mark.requirement("L-CODE-11")
def test_drift_tells_of_turns_of_the_project_alone(tmp_path: Path) -> None:
    root = write(tmp_path / "park", {"src/gate.py": "", "src/other.py": ""})
    foreign = tmp_path / "zoo"
    foreign.mkdir()
    genesis(root, NOON)
    said = {
        "here": ("We decided to keep the tariff in src/tariff.py from now on.", root),
        "there": ("We decided to keep the fodder in src/fodder.py and src/other.py.", foreign),
        "somewhere": ("We decided to keep the lions in src/lions.py from now on.", None),
        "unsaid": ("We decided to keep the roses in src/roses.py from now on.", None),
    }
    with quiet() as memory:
        for session, (text, folder) in said.items():
            metadata = {} if folder is None else {"cwd": folder.as_posix()}
            memory.add(Turn(role="user", content=text, session=session, metadata=metadata))
        memory.add(turn("user", "Look at src/gate.py.", session="unsaid"))
        memory.attach_project(root)
        for _ in range(2):  # before and after the background has read them
            (found,) = memory.drift()
            assert [each.names for each in found.unreflected] == [("src/roses.py",), ("src/tariff.py",)]
            assert found.unexplained == ("src/other.py",)
            assert memory.drain(200)


@pytest.mark.requirement("L-CODE-12")
def test_quests_and_drift_read_the_turns_of_work_and_no_others(tmp_path: Path) -> None:
    root = write(tmp_path / "park", {"src/parser.py": ""})
    genesis(root, NOON)
    store, read = Wrapped(empty_store()), []
    with quiet(as_store(store)) as memory:
        memory.attach_project(root)
        memory.add_many(TASK)
        for _ in range(2):
            assert memory.drain(200)
            memory.drift()
            before = store.rows_read
            assert len(memory.quests()) == 1
            middle = store.rows_read
            memory.drift()
            read.append((middle - before, store.rows_read - middle))
            memory.add_many(
                [Turn(role="user", content="The roses are in bloom.", session=f"talk{n}") for n in range(200)]
            )
    assert read[1] == read[0], read
    assert max(read[0]) < 60, read


@pytest.mark.requirement("L-MEE-18")
def test_the_request_for_a_change_is_found_however_long_ago_it_was() -> None:
    with quiet() as memory:
        memory.add(turn("user", "Please make the parser accept tabs."))
        memory.add_many([turn("assistant", call("Read", f"c{n}", file_path=f"src/{n}.py")) for n in range(60)])
        memory.add(turn("assistant", call("Edit", "e", file_path="/w/todo/src/useTodos.ts", new_string="x")))
        assert memory.drain(200)
        assert [(each.kind, each.turn) for each in memory.decisions("useTodos.ts")] == [("request", "work:turn:0")]


@pytest.mark.requirement("L-CODE-10")
def test_what_is_injected_or_a_result_names_nothing() -> None:
    assert links_of(turn("user", "`TurnStile`", origin="injected")).names == ()
    assert links_of(turn("tool", TASK[2].parts[0])).names == ()


@pytest.mark.requirement("F-PROJ-08")
@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("CommandParser", "cli/command_parser.pony"),
        ("TodoItem", "web/todo-item.component.ts"),
        ("ProGuard", None),
        ("README", "README.md"),
        ("useTickets", "web/useTickets.ts"),
        ("TurnStile", "src/TurnStile.java"),
        ("Makefile", None),
        ("LICENSE", "LICENSE"),
    ],
)
def test_a_name_means_the_file_that_is_spelled_like_it(name: str, path: str | None) -> None:
    files = (
        "cli/command_parser.pony web/todo-item.component.ts rules/proguard.pro README.md cli/README.md"
        " web/useTickets.ts web/useTickets.test.ts a/Makefile b/Makefile LICENSE"
    )
    defined = [element("src/TurnStile.java", "TurnStile", "class"), element("src/Gate.java", "Gate.TurnStile", "class")]
    resolver = NameResolver([*map(element, files.split()), *defined])
    assert resolver.resolve(name) == path


@pytest.mark.requirement("F-PROJ-08")
def test_files_that_are_called_by_one_word_are_names() -> None:
    assert list(names_in("Add the MIT text to the LICENSE file, then see docs/README.md.")) == ["LICENSE"]
