"""The stage that renders nodes: all of them, anew with their source, gone with a turn, the same after a rebuild."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from clew.condense.renderings import Rendering
from clew.derive.rendering import NodeRendering
from clew.maintain.forget_proof import prove
from clew.maintain.forget_traces import traces_of
from clew.memory import Memory
from clew.rows.renderings import SESSION_MARK, marked, put_renderings, rendering, session_node
from clew.store.protocol import Transaction
from clew.types import Turn
from tests.support.memories import NOON, quiet, rendered, rows

pytestmark = pytest.mark.requirement("F-RENDER-03")

SUBJECTS = (
    "The roses in the garden need water before noon, says the gardener {}.",
    "The server of the api failed with error {} and the queue worker was restarted.",
    "The ferry to Lisbon costs {} euros and leaves from the old harbour.",
    "The choir sings the requiem in the church of village {} on Sunday.",
)
PLACE = "The password of the safe is under stone seventeen near the bridge."


def turns(count: int, session: str = "s", start: int = 0) -> list[Turn]:
    """Beats of four turns, each three hours after the one before."""
    found = []
    for number in range(start, start + count):
        beat, place = divmod(number, 4)
        at = NOON + timedelta(hours=3 * beat, minutes=place)
        text = SUBJECTS[beat % len(SUBJECTS)].format(number) + " Nobody had told us about it before that day."
        found.append(Turn(role="user", speaker="Ann", content=text, session=session, at=at))
    return found


def filled(place: str | Path = ":memory:", count: int = 80) -> Memory:
    memory = quiet(place)
    memory.add_many([*turns(count), *turns(9, "other")])
    assert memory.drain(None)
    return memory


def named(memory: Memory, kind: str = "title") -> set[str]:
    return set(rendered(memory, kind))


def nodes(memory: Memory) -> set[str]:
    return {str(row[1]) for row in rows(memory.reads.store, "node")}


def test_every_node_every_session_and_every_label_of_two_beats_is_rendered() -> None:
    with filled() as memory:
        assert any(":chapter:" in name for name in nodes(memory))
        found = named(memory)
        labels = {name for name in found if name.startswith("tag:")}
        assert labels
        assert found - labels == nodes(memory) | {session_node("s"), session_node("other")}
        with memory.reads.store.snapshot() as reader:
            beat = rendering(reader, "default", "s:beat:0", "salient")
            whole = rendering(reader, "default", session_node("s"), "salient")
        assert beat is not None
        assert "Ann: The roses in the garden" in beat.text
        assert whole is not None
        assert len({word for word in ("roses", "ferry", "choir", "server") if word in whole.text}) >= 3
        assert memory.stats().pending == {}


def test_what_was_made_in_stretches_is_what_is_made_at_once() -> None:
    with filled() as whole, quiet() as little:
        for start in range(0, 80, 7):
            little.add_many(turns(min(7, 80 - start), start=start))
            assert little.drain(None)
        little.add_many(turns(9, "other"))
        assert little.drain(None)
        assert rows(little.reads.store, "rendering") == rows(whole.reads.store, "rendering")


def test_a_session_is_rendered_anew_when_it_has_grown_and_its_beats_are_not() -> None:
    with filled(count=20) as memory:
        before = {row[1]: row for row in rows(memory.reads.store, "rendering")}
        memory.add_many(turns(20, start=20))
        assert memory.drain(None)
        after = {row[1]: row for row in rows(memory.reads.store, "rendering")}
    assert after[session_node("s")] != before[session_node("s")]
    assert all(after[node] == row for node, row in before.items() if ":beat:" in str(node))


def test_a_forgotten_turn_is_in_no_rendering_and_the_rest_is_rendered_anew(tmp_path: Path) -> None:
    with filled(tmp_path, count=20) as memory:
        memory.add(Turn(role="user", speaker="Ann", content=PLACE, session="s", at=NOON + timedelta(hours=15)))
        memory.add_many(turns(16, start=24))
        assert memory.drain(None)
        assert any("stone seventeen" in each.text for each in rendered(memory, "salient").values())
        turn = memory.restore("s:turn:20")
        traces = traces_of([turn])
        memory.forget(turn_ids=["s:turn:20"])
        assert not any("stone seventeen" in each.text for each in rendered(memory, "salient").values())
        assert memory.drain(None)
        assert named(memory) >= nodes(memory)
        assert not any("stone seventeen" in each.text for each in rendered(memory, "salient").values())
        proof = prove(memory.reads.store, "default", traces)
        left = Rendering(kind="salient", text=PLACE, tokens=9, source="ab" * 8, coverage=1.0)
        memory.reads.store.transaction(lambda tx: put_renderings(tx, "default", [("s:beat:99", left)]))
        caught = prove(memory.reads.store, "default", traces_of([turn]))
    assert proof.found == {}
    assert proof.looked_in["rendering"] > 0
    assert caught.found["rendering"] > 0


def test_a_rebuild_gives_the_same_renderings() -> None:
    with filled(count=40) as memory:
        before = rows(memory.reads.store, "rendering")
        memory.rebuild()
        assert memory.drain(None)
        assert rows(memory.reads.store, "rendering") == before


def test_what_an_older_version_left_without_renderings_gets_them() -> None:
    with filled(count=40) as memory:
        store = memory.reads.store
        before = rows(store, "rendering")
        memory.parts.worker.stop()
        store.transaction(lambda tx: tx.delete("rendering", ("default",), ("default",)))
        # as the step of the schema does
        store.transaction(
            lambda tx: tx.put("meta", [("default", f"{SESSION_MARK}{name}", "") for name in ("s", "other")])
        )
        stage = NodeRendering(store, "default")
        while stage.step():
            pass
        assert rows(store, "rendering") == before
        assert stage.pending() == 0


def test_a_stretch_is_given_up_when_its_turns_went_meanwhile() -> None:
    class Forgetting(NodeRendering):
        """Has a turn forgotten between reading and writing."""

        def _keep_session(self, session: str, mark: str, made: Any, tx: Transaction) -> bool:
            tx.delete("turn", ("default", "s", 1), ("default", "s", 1))
            return super()._keep_session(session, mark, made, tx)

    with filled(count=40) as memory:
        store = memory.reads.store
        memory.parts.worker.stop()
        store.transaction(lambda tx: tx.delete("rendering", ("default",), ("default",)))
        store.transaction(lambda tx: tx.put("meta", [("default", f"{SESSION_MARK}s", "")]))
        assert Forgetting(store, "default").step()
        assert rows(store, "rendering") == []
        with store.snapshot() as reader:
            assert marked(reader, "default", SESSION_MARK) == [("s", "")]
