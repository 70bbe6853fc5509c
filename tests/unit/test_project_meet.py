"""Conversations and projects: the meet, links, decisions about code, drift."""

import json
import os
import shutil
import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from clew.analyze.overlays import Overlay
from clew.errors import ExpressionError, InputError, NotFoundError
from clew.memory import Memory
from clew.project.elements import ProjectElement
from clew.project.genesis import genesis
from clew.project.lens import lens_of
from clew.project.meet import OverlayNodes
from clew.project.overlays import OverlayScorer
from clew.project.project import Project
from clew.project.update import update
from clew.rows.lenses import LensBook
from clew.rows.mentions import drop_mentions
from clew.store.tables import RECAP_STATE
from clew.testing import HashEmbedder
from clew.text.terms import terms
from clew.types import Turn
from tests.support.calls import observed
from tests.support.memories import NOON, at, quiet
from tests.support.projects import write
from tests.unit.test_quests import TASK, call, turn

FILES = {
    "SECURITY.md": "# Security\n\nReport a vulnerability of the turnstile by mail.\n",
    "docs/adr/0001-ledger.md": "# Ledger behind an interface\n\nThe ledger component sits behind one interface.\n",
    "src/turnstile.py": '"""Checks the ticket of a visitor at the turnstile gate before the door opens."""\n\n'
    'import hmac\n\n\ndef admit(ticket):\n    """Admits a visitor whose ticket has a valid signature."""\n',
    "src/ledger.py": '"""Adds up what visitors paid for tickets."""\n',
    "src/weather.py": '"""Fetches the forecast for the park."""\n',
}
TALK = (
    "We decided to check the ticket of each visitor at the turnstile gate, in src/turnstile.py.",
    "Shall we have soup for lunch?",
    "We decided to keep the tariff in src/tariff.py instead of the ledger.",
)


CLOSELY = {"condense": {"protected_turns": 0}}
"""Compactions take in all turns."""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "park"
    for path, text in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    genesis(root, NOON)
    return root


@pytest.fixture
def memory() -> Iterator[Memory]:
    with quiet() as opened:
        opened.add_many([turn("user", text, at=at(minute)) for minute, text in enumerate(TALK)])
        assert opened.drain(200)
        yield opened


def overlays(memory: Memory, seq: int) -> dict[str, float]:
    found = memory.annotations(f"work:turn:{seq}").get("overlays")
    return {} if found is None else dict(found.value)


def importance(memory: Memory, seq: int) -> float:
    return float(memory.annotations(f"work:turn:{seq}")["importance"].value)


def nodes(*elements: ProjectElement, **more: object) -> OverlayNodes:
    scorer = OverlayScorer()
    return OverlayNodes(map(scorer.score, elements), **more)  # type: ignore[arg-type]  # of tests


@pytest.mark.requirement("L-MEE-14")
def test_a_turn_meets_the_overlay_whose_elements_it_is_near() -> None:
    vault = ProjectElement(id="1", path="SECURITY.md", text="The vault seals the cargo manifest with a signature.")
    plan = ProjectElement(id="2", path="ARCHITECTURE.md", text="The harbour crane module talks to the pilot module.")
    held = nodes(vault, plan)
    near = held.scores(terms("Does the vault seal each cargo manifest?"))
    assert near[Overlay.SECURITY] > 5 > near.get(Overlay.STRUCTURAL, 0.0)
    assert held.scores(terms("Soup for lunch?")) == {}
    assert nodes().scores(terms("vault")) == {}
    assert [element.id for element, _ in held.nearest(terms("the pilot of the harbour crane"))] == ["2"]


@pytest.mark.requirement("L-MEE-14")
def test_the_three_best_elements_count() -> None:
    same = [
        ProjectElement(id=str(n), path=f"vault/{n}/SECURITY.md", text="cargo manifest seal vault crane pilot")
        for n in range(4)
    ]
    other = [ProjectElement(id=f"x{n}", path=f"x/{n}/SECURITY.md", text=f"word{n} thing{n} idea{n}") for n in range(60)]
    words = terms("cargo manifest seal vault crane pilot")
    few, many = nodes(*same[:2], *other), nodes(*same, *other)
    assert few.scores(words)[Overlay.SECURITY] < many.scores(words)[Overlay.SECURITY] <= 10


@pytest.mark.requirement("P-LINE-03")
def test_an_overlay_of_few_elements_is_met_before_one_of_many() -> None:
    def element(path: str, text: str) -> ProjectElement:
        return ProjectElement(id=path, path=path, text=text)

    said = "tiling of a lawn by hexagons, optimal for fern in loam"
    tests = [element(f"tests/test_{n}.py", f"Waters plot{n} for hose{n}" if n % 15 else said) for n in range(90)]
    proofs = [element(f"proofs/{name}.md", f"The {name}: {said} by induction") for name in ("lemma", "bound", "limit")]
    both = nodes(*proofs, *tests)
    met = both.scores(terms(f"We need a {said}."))
    assert met[Overlay.MATHEMATICAL] == 10 > 2 * met[Overlay.COHERENCE]
    met = both.scores(terms("Waters plot7 for hose7, then plot8 for hose8."))
    assert met[Overlay.COHERENCE] > met.get(Overlay.MATHEMATICAL, 0)


@pytest.mark.requirement("L-MEE-14")
def test_vectors_of_one_model_are_compared_and_of_another_are_not() -> None:
    embedder = HashEmbedder()
    texts = {"1": "the vault is sealed", "2": "the crane lifts cargo"}
    vectors = dict(zip(texts, embedder.embed(list(texts.values())), strict=True))
    elements = [ProjectElement(id="1", path="SECURITY.md"), ProjectElement(id="2", path="ARCHITECTURE.md")]
    held = nodes(*elements, model=embedder.name, vectors=vectors)
    (vector,) = embedder.embed(["the vault is sealed"])
    met = held.scores((), vector, embedder.name)
    assert met[Overlay.SECURITY] == pytest.approx(10, abs=0.1)
    assert held.scores((), vector, "another@1") == {}


@pytest.mark.requirement("L-MEE-15")
def test_an_attached_project_raises_overlays_and_importance_of_what_touches_it(memory: Memory, project: Path) -> None:
    before, lunch = overlays(memory, 0), memory.annotations("work:turn:1").get("overlays")
    assert memory.query("~O2 > 0") == []
    assert memory.attach_project(project) == (project.as_posix(),)
    assert memory.drain(200)
    after = overlays(memory, 0)
    assert after["O2_security"] > before.get("O2_security", 0.0)
    assert all(after[name] >= score for name, score in before.items())
    assert memory.annotations("work:turn:1").get("overlays") == lunch
    assert [each.seq for each in memory.query("~O2 > 2.5")] == [0]
    assert memory.projects() == (project.as_posix(),)
    assert memory.detach_project(project) == ()
    assert memory.drain(200)
    assert overlays(memory, 0) == before
    with pytest.raises(NotFoundError, match="attached: none"):
        memory.detach_project(project)


@pytest.mark.requirement("L-MEE-15")
def test_the_order_of_attaching_and_adding_does_not_matter(memory: Memory, project: Path) -> None:
    memory.attach_project(project)
    assert memory.drain(200)
    with quiet() as other:
        other.attach_project(project)
        for minute, text in enumerate(TALK):
            other.add(turn("user", text, at=at(minute)))
            other.drain(200)
        assert [other.annotations(f"work:turn:{seq}") for seq in range(3)] == [
            memory.annotations(f"work:turn:{seq}") for seq in range(3)
        ]


@pytest.mark.requirement("L-MEE-16")
def test_a_changed_project_is_met_anew(memory: Memory, project: Path) -> None:
    memory.attach_project(project)
    assert memory.drain(200)
    first, heavy = overlays(memory, 1), importance(memory, 1)
    menu = project / "SECURITY.md"
    menu.write_text("# Security\n\nShall soup be had for lunch? Soup for lunch.\n", encoding="utf-8")
    update(project, at(1))
    assert memory.drain(200)
    assert overlays(memory, 1).get("O2_security", 0.0) > first.get("O2_security", 0.0)
    assert importance(memory, 1) >= heavy
    menu.write_text(FILES["SECURITY.md"], encoding="utf-8")
    update(project, at(2))
    assert memory.drain(200)
    assert overlays(memory, 1) == first
    assert importance(memory, 1) == pytest.approx(heavy, abs=0.001)


@pytest.mark.requirement("L-MEE-16")
def test_a_project_whose_store_was_made_again_is_met_anew(memory: Memory, project: Path) -> None:
    memory.attach_project(project)
    assert memory.drain(200)
    assert "src/new.py" not in memory.drift()[0].unexplained
    shutil.rmtree(project / ".clew")
    (project / "src" / "new.py").write_text('"""What is new."""\n', encoding="utf-8")
    assert genesis(project, at(1)).generation == 1
    assert "src/new.py" in memory.drift()[0].unexplained


@pytest.mark.requirement("L-MEE-16")
def test_a_project_that_is_read_while_it_is_updated_is_read_again_after(memory: Memory, project: Path) -> None:
    memory.attach_project(project)
    assert memory.drain(200)
    for number in range(600):
        (project / f"note{number:03}.md").write_text(f"# Note {number}\n", encoding="utf-8")
    seen: list[int] = []

    def look(done: int, _every: int) -> None:
        if done == 550:
            seen.append(memory.drift()[0].files)

    update(project, at(1), on_progress=look)
    assert seen[0] < memory.drift()[0].files == len(FILES) + 600


@pytest.mark.requirement("L-MEE-16")
def test_a_project_is_met_anew_when_its_elements_are_embedded(project: Path) -> None:
    embedder = HashEmbedder()
    with quiet(embedder=embedder) as memory:
        book = LensBook(memory.reads.store, memory.space, model=embedder.name)
        memory.attach_project(project)
        before = book.meet()
        memory.attach_project(project, embed=True)
        after = book.meet()
    assert before is not None
    assert after is not None
    assert before.digest != after.digest
    (vector,) = embedder.embed([FILES["SECURITY.md"]])
    assert before.scores((), vector, embedder.name) == {} != after.scores((), vector, embedder.name)


@pytest.mark.requirement("L-CODE-22")
def test_whether_a_project_has_changed_is_seen_without_reading_it(tmp_path: Path, project: Path) -> None:
    with quiet(tmp_path / "home") as memory:
        memory.attach_project(project)
        memory.add(turn("user", TALK[0]))
        assert memory.drain(200)
    calls: list[str] = []
    with observed(lambda call: calls.append(call.function.co_qualname)), quiet(tmp_path / "home") as memory:
        assert memory.drain(200)
        assert memory.decisions("src/turnstile.py")
    assert "MeetSweep.pending" in calls
    assert "elements_of" not in calls
    (project / "src" / "turnstile.py").write_text('"""Feeds the ducks."""\n', encoding="utf-8")
    update(project, at(1))
    with quiet(tmp_path / "home") as memory:
        book = LensBook(memory.reads.store, memory.space)
        told = book.digest()
        meet = book.meet()
        assert meet is not None
        assert told == meet.digest == book.digest()
        memory.detach_project(project)
        assert book.digest() is None


@pytest.mark.requirement("L-MEE-15")
def test_a_project_whose_lens_cannot_be_made_is_left_out_once(memory: Memory, project: Path) -> None:
    memory.attach_project(project)
    assert memory.drain(200)
    with sqlite3.connect(project / ".clew/project/index/index.db") as database:
        database.execute("UPDATE node SET kind = 'turnip'")
    book = LensBook(memory.reads.store, memory.space)
    meet = book.meet()
    assert meet is not None
    assert meet.lenses == ()
    assert book.digest() == meet.digest


@pytest.mark.requirement("L-MEE-15")
def test_a_project_that_is_gone_or_damaged_disturbs_nothing(memory: Memory, project: Path) -> None:
    memory.attach_project(project)
    assert memory.drain(200)  # nobody reads the project while its folder is removed
    shutil.rmtree(project)
    memory.add(turn("user", "Is the turnstile still there?"))
    assert memory.drain(200)
    assert len(memory.query("importance >= 1")) == 4
    assert memory.search("turnstile")
    with pytest.raises(NotFoundError):
        memory.attach_project(project)


@pytest.mark.requirement("L-MEE-17")
def test_the_algebra_knows_files_symbols_commits_and_elements(memory: Memory, project: Path) -> None:
    memory.add_many(
        [
            turn("assistant", call("Edit", "c1", file_path="/srv/park/src/turnstile.py", new_string="x")),
            turn("assistant", "`admit` returns early now, see 3f2a9c1d."),
        ]
    )
    assert memory.drain(200)

    def found(expression: str) -> list[int | None]:
        return [each.seq for each in memory.query(expression)]

    assert found("file:src/turnstile.py") == [0, 3]
    assert found("file:turnstile.py AND role = user") == [0]
    assert found('file:"src/*.py"') == [0, 2, 3]
    assert found("edited:turnstile.py") == [3]
    assert found("NOT file:turnstile.py") == [1, 2, 4]
    assert found("symbol:admit") == [4]
    assert found("symbol:admi") == []
    assert found("commit:3f2a9c1d") == found("commit:3f2a9c1d77aa") == [4]
    assert found("~ file:turnstile.py") == [], "no project is attached"
    assert found("NOT ~ file:turnstile.py") == []
    memory.attach_project(project)
    assert memory.drain(200)
    assert found("~ file:turnstile.py") == [0, 3]
    assert found("role = user ~ file:turnstile.py") == [0]
    assert found('(role = user OR role = assistant) ~ file:src/* ~ "visitor"') == [0, 3]
    assert found('~ "visitor at the turnstile"') == [0, 3]
    assert found("~ symbol:park OR ~file:tariff.py") == []


@pytest.mark.requirement("L-MEE-17")
@pytest.mark.parametrize(
    ("expression", "place"),
    [("~", 2), ("O1 ~ auth", 6), ("routine AND ~", 14), ("~ importance > 3", 3), ("file:", 6), ("commit:xyz", 1)],
)
def test_a_meet_that_cannot_be_read_names_the_position(memory: Memory, expression: str, place: int) -> None:
    with pytest.raises(ExpressionError, match=f"at position {place} of the expression"):
        memory.query(expression)


@pytest.mark.requirement("L-MEE-18")
def test_decisions_about_a_file_come_with_what_changed_it_since(memory: Memory, project: Path) -> None:
    (said,) = memory.decisions("src/turnstile.py")
    assert (said.turn, said.kind, said.how, said.text) == ("work:turn:0", "decision", "said", TALK[0])
    assert (said.is_stale, said.changed_on_disk) == (False, None)
    memory.add_many(
        [
            turn("user", "The gate should open for children as well.", at=at(5)),
            turn("assistant", call("Edit", "c1", file_path="src/turnstile.py", new_string="x"), at=at(6)),
        ]
    )
    assert memory.drain(200)
    first, asked = memory.decisions("turnstile.py")
    assert (first.changed_by, first.is_stale) == (("work:turn:4",), True)
    assert (asked.turn, asked.kind, asked.is_stale) == ("work:turn:3", "request", False)
    os.utime(project / "src" / "turnstile.py", (at(3).timestamp(),) * 2)
    memory.attach_project(project)
    before, after = memory.decisions("turnstile.py")
    assert (before.changed_on_disk, after.changed_on_disk) == (True, False)
    assert len(memory.decisions("turnstile.py", limit=1)) == 1
    with pytest.raises(InputError, match="is empty"):
        memory.decisions("  ")


@pytest.mark.requirement("L-MEE-18")
def test_decisions_about_a_symbol_span_sessions() -> None:
    with quiet() as memory:
        memory.add_many(
            [
                Turn(role="user", content="We decided to keep `Gate.admit` free of side effects.", session="one"),
                Turn(role="user", content="We decided that admit must log each ticket.", session="two"),
                Turn(role="user", content="We decided to admit everybody, says the admittance rule.", session="three"),
            ]
        )
        assert memory.drain(200)
        assert [each.session for each in memory.decisions("Gate.admit")] == ["one"]
        assert [each.session for each in memory.decisions("symbol:admit")] == ["three", "two", "one"]


@pytest.mark.requirement("L-MEE-19")
def test_drift_names_unexplained_files_and_decisions_without_code(memory: Memory, project: Path) -> None:
    with pytest.raises(NotFoundError, match="attached to no project"):
        memory.drift()
    memory.attach_project(project)
    (found,) = memory.drift()
    assert (found.files, found.explained) == (5, 1)
    assert set(found.unexplained) == {"SECURITY.md", "docs/adr/0001-ledger.md", "src/ledger.py", "src/weather.py"}
    assert set(found.unexplained[:2]) == {"SECURITY.md", "docs/adr/0001-ledger.md"}, "those of overlays come first"
    (lost,) = found.unreflected
    assert (lost.turn, lost.names) == ("work:turn:2", ("src/tariff.py",))
    (link,) = memory.links("work:turn:0")
    assert (link.element.path, link.how, link.match) == ("src/turnstile.py", "said", "exact")


@pytest.mark.requirement("L-CODE-23")
def test_a_session_about_files_of_another_project_explains_none_of_this(memory: Memory, project: Path) -> None:
    write(project, {"LICENSE": "", "src/index.html": ""})
    update(project, at(1))
    memory.attach_project(project)
    said = "We decided to leave the LICENSE as it is and to load app.css in index.html, see `admit`."
    memory.add(turn("user", said, session="kitchen"))
    assert memory.drain(200)
    (found,) = memory.drift()
    assert (found.explained, len(found.unreflected)) == (1, 1), "only what the first session says"
    memory.add(turn("user", "src/index.html is fine, too.", session="kitchen"))
    assert memory.drain(200)
    (found,) = memory.drift()
    assert {"LICENSE", "src/index.html"}.isdisjoint(found.unexplained)
    memory.add(turn("user", "What does `admit` do? And the LICENSE?", session="chat"))
    assert memory.drain(200)
    assert "src/turnstile.py" not in memory.drift()[0].unexplained


@pytest.mark.requirement("L-MEE-20")
def test_several_projects_of_one_space_are_met_together(memory: Memory, project: Path, tmp_path: Path) -> None:
    kitchen = tmp_path / "kitchen"
    kitchen.mkdir()
    (kitchen / "ARCHITECTURE.md").write_text("# Soup\n\nShall we have soup for lunch?\n", encoding="utf-8")
    genesis(kitchen, datetime(2025, 1, 1, tzinfo=UTC))
    memory.attach_project(project)
    memory.attach_project(kitchen)
    assert memory.drain(200)
    assert [each.seq for each in memory.query("~O1 > 2.5")] == [1]
    assert [each.seq for each in memory.query("~O2 > 2.5")] == [0]
    assert [drift.root for drift in memory.drift()] == [project.as_posix(), kitchen.as_posix()]


@pytest.mark.requirement("L-MEE-14")
def test_elements_are_embedded_where_that_is_asked_for(project: Path) -> None:
    embedder = HashEmbedder()
    with quiet(embedder=embedder) as memory:
        memory.attach_project(project, embed=True)
        with Project.open(project) as opened:
            names = opened.vectors(embedder.name).ids
            (vector,) = opened.vectors(embedder.name, [node for node in opened.nodes() if node.id == names[0]]).matrix
            lens = lens_of(opened, model=embedder.name)
        assert set(names) == {element.id for element in lens.nodes.elements}
        assert max(lens.nodes.scores((), vector, embedder.name).values()) > 3
    with quiet() as memory, pytest.raises(InputError, match="no embedder"):
        memory.attach_project(project, embed=True)


@pytest.mark.requirement("L-MEE-02")
def test_the_store_of_a_project_lists_the_elements_of_each_overlay(project: Path) -> None:
    with Project.open(project) as opened:
        first = lens_of(opened)
        kept = {
            file.parent.name: json.loads(file.read_text("utf-8")) for file in opened.folder.glob("overlays/*/*.json")
        }
        assert sorted(kept) == [overlay.value[:2] for overlay in Overlay]
        assert set(kept["O2"]) == {"SECURITY.md", "SECURITY.md#Security", "src/turnstile.py"}
        (opened.folder / "overlays" / "scores.json.z").write_bytes(b"damaged")
        assert lens_of(opened).nodes.scores(terms(TALK[0])) == first.nodes.scores(terms(TALK[0]))


@pytest.mark.requirement("L-MEE-17")
def test_files_are_known_before_the_background_has_read_the_turns(memory: Memory) -> None:
    before = memory.decisions("src/turnstile.py"), memory.query("file:turnstile.py"), memory.quests()
    memory.reads.store.transaction(lambda tx: drop_mentions(tx, memory.space))
    assert (memory.decisions("src/turnstile.py"), memory.query("file:turnstile.py"), memory.quests()) == before
    assert len(before[0]) == len(before[1]) == 1


@pytest.mark.requirement("L-CODE-01")
@pytest.mark.parametrize("cut", [2, 9])
def test_a_recap_is_the_same_after_attaching_and_detaching(project: Path, cut: int) -> None:
    """The first compaction ends between a request and the first change, or between a check and its result."""
    with quiet(config=CLOSELY) as memory:
        memory.add_many([*TASK * 5, *TASK[:cut]])
        memory.condense("work", force=True)
        memory.add_many(TASK[cut:])
        memory.condense("work", force=True)
        assert memory.drain(200)
        assert status(memory).startswith("**Status:** Work done, last check passed; ")
        memory.attach_project(project)
        assert memory.drain(200)
        memory.detach_project(project)
        assert memory.drain(200)
        assert status(memory).startswith("**Status:** Work done, last check passed; ")
        memory.add_many([turn("assistant", "Tabs are accepted.")])
        memory.condense("work", force=True)
        assert status(memory).startswith("**Status:** Work done, last check passed; ")


@pytest.mark.requirement("C-PLAIN-06")
def test_a_recap_ends_its_quest_where_its_compaction_ends() -> None:
    """Also where what the compaction gathered is of other rules."""
    with quiet(config={"condense": {"session_tokens": 0}}) as memory:
        memory.add_many([*TASK * 5, *TASK[:3]])
        assert memory.drain(200)
        memory.condense("work", force=True)
        before, key = memory.recap("work", budget=900), (memory.space, "work")
        memory.reads.store.transaction(lambda tx: tx.delete(RECAP_STATE.name, key, key))
        after = memory.recap("work", budget=900)
        assert _status_of(after.text) == _status_of(before.text)


def status(memory: Memory) -> str:
    """The line of the recap that says how far the work is."""
    return _status_of(memory.recap("work").text)


def _status_of(recap: str) -> str:
    return next(line for line in recap.splitlines() if line.startswith("**Status:**"))
