"""The proof of forgetting: it finds every trace that is left, and nothing where none is."""

import zlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from clew.errors import NotFoundError
from clew.index.packer import pack
from clew.maintain.forget_proof import prove
from clew.maintain.forget_traces import Traces, traces_of, words
from clew.memory import Memory
from clew.store.protocol import Store
from clew.store.rows import dumps
from clew.store.sqlite import SqliteStore
from clew.testing import HashEmbedder
from clew.types import ForgetProof, Part, Turn
from tests.support.cli_runs import done, failure, record
from tests.support.memories import history, quiet, raw, rows, told

HIDDEN = "the violet submarine leaves Gothenburg at nine tomorrow"
LONG = "A long output about periscopes.\n" * 3_000


def said() -> list[Turn]:
    result = Part(type="tool_result", name="cat", call_id="c", text=LONG)
    return [
        told(HIDDEN, "hidden"),
        told("ok", "hidden"),
        told("quartz lanterns", "hidden"),
        Turn(role="tool", content=(result,), session="hidden"),
        *history([f"green tea number {n} of the day is hot" for n in range(30)], session="kept"),
        told("the boat leaves at nine tomorrow", "kept"),
    ]


def forgotten(store: Store, *, packed: bool = False) -> Traces:
    """What was unique to the session `hidden`, which is forgotten on return."""
    with quiet(store, embedder=HashEmbedder()) as memory:
        memory.add_many(said())
        assert memory.drain(None)
        if packed:
            pack(store, "default", minimum=4, fan_out=2)
        names = memory.forget(session="hidden", dry_run=True).turn_ids
        found = traces_of(map(memory.restore, names))
        memory.recall("where does the submarine go?")
        assert memory.drain(None)
        memory.forget(session="hidden")
    return found


@pytest.mark.requirement("F-HOLD-08")
@pytest.mark.parametrize("packed", [False, True])
def test_nothing_is_found_of_what_was_forgotten(tmp_path: Path, packed: bool) -> None:
    store = SqliteStore.open(tmp_path)
    proof = prove(store, "default", forgotten(store, packed=packed))
    store.close()
    assert proof.ok, proof.found
    assert proof.looked_for["turns"] == 4
    assert proof.looked_for["runs"] > 5
    assert proof.looked_in[str(tmp_path / "clew.db")] > 0
    index = "segments (terms)" if packed else "tail"
    assert proof.looked_in[index] == 31


@pytest.mark.requirement("F-HOLD-08")
def test_only_what_is_unique_is_looked_for(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path)
    traces = forgotten(store)
    prove(store, "default", traces)
    store.close()
    assert {"violet", "submarine", "periscopes", "quartz"} <= traces.words
    assert not traces.words & {"leaves", "tomorrow", "the"}
    assert "the violet submarine leaves gothenburg" in traces.runs
    assert "quartz lanterns" in traces.runs
    assert "ok" in traces.runs


PLANTS: dict[str, Callable[[Store], object]] = {
    "receipt": lambda store: put(
        store, "receipt", ("default", "r1", 1, zlib.compress(dumps({"query": f"x {HIDDEN} y"}).encode()))
    ),
    "completion": lambda store: put(store, "completion", ("default", "m", b"1", "x", HIDDEN, 1)),
    "job": lambda store: put(store, "job", ("default", "j", "k", "deferred", dumps(["violet"]), 1, None, None, 0)),
    "vectors (vector:m@1)": lambda store: put(store, "vector", ("default", "m@1", 0, 1.0, b"\1\2")),
    "segments (vector:m@1)": lambda store: (
        put(store, "vector", ("default", "m@1", 0, 1.0, b"\1\2")),
        pack(store, "default", minimum=1),
    ),
    "tail": lambda store: put(store, "tail", LEFT[0]),
    "segments (terms)": lambda store: (put(store, "tail", LEFT[0]), pack(store, "default", minimum=1)),
}
LEFT: list[tuple[object, ...]] = []


def put(store: Store, table: str, row: object) -> bool:
    store.transaction(lambda tx: tx.put(table, [row]))  # type: ignore[list-item]  # whatever is planted
    return True


@pytest.mark.requirement("F-HOLD-08")
@pytest.mark.parametrize("place", PLANTS)
def test_every_trace_that_is_left_is_found(tmp_path: Path, place: str) -> None:
    with quiet() as memory:
        memory.add(told(HIDDEN, "hidden"))
        LEFT[:] = rows(memory.reads.store, "tail")
    store = SqliteStore.open(tmp_path)
    traces = forgotten(store)
    PLANTS[place](store)
    proof = prove(store, "default", traces)
    store.close()
    assert place in proof.found
    assert not proof.ok


@pytest.mark.requirement("F-HOLD-08")
def test_a_list_of_ordinals_in_a_raw_file_is_no_trace_of_numbered_lines(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path / "home")
    with quiet(store) as memory:
        memory.add_many([told("lines 21 22 23 24 25 and 61 72 83 94 105", "hidden"), *said()])
        names = memory.forget(session="hidden", dry_run=True).turn_ids
        traces = traces_of(map(memory.restore, names))
        memory.forget(session="hidden")
    (tmp_path / "page").write_text('{"turns": [20, 21, 22, 23, 24, 25, 26]}', encoding="utf-8")
    (tmp_path / "left").write_text("61 72 83 94 105", encoding="utf-8")  # more turns than that were never stored
    assert prove(store, "default", traces, look_in=[tmp_path / "page", tmp_path / "left"]).found == {
        str(tmp_path / "left"): 1
    }
    store.close()


@pytest.mark.requirement("F-HOLD-08")
def test_a_file_that_still_has_it_is_named(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path / "home")
    with quiet(store) as memory:
        memory.add_many(said())
        memory.backup(tmp_path / "copy.db")
    traces = forgotten(store)
    (tmp_path / "home" / "clew.db.schema-0.backup").write_bytes((tmp_path / "copy.db").read_bytes())
    proof = prove(store, "default", traces, [tmp_path / "copy.db"])
    store.close()
    assert set(proof.found) == {str(tmp_path / "copy.db"), str(tmp_path / "home" / "clew.db.schema-0.backup")}


@pytest.mark.requirement("F-HOLD-08")
def test_a_file_that_vanishes_while_it_is_searched_hides_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the database's log does when the process that has it open ends."""
    folder = tmp_path / "backups"
    folder.mkdir()
    for name in ("a.txt", "b.txt"):
        (folder / name).write_text(HIDDEN)

    opened = apsw.VFSFile

    def open_what_is_left(vfs: str, name: str, flags: list[int]) -> apsw.VFSFile:
        if name == str(folder / "a.txt"):
            Path(name).unlink()
        return opened(vfs, name, flags)

    monkeypatch.setattr(apsw, "VFSFile", open_what_is_left)
    with closing(SqliteStore.open(tmp_path / "home")) as store:
        proof = prove(store, "default", forgotten(store), [folder])
    assert set(proof.found) == {str(folder / "b.txt")}
    assert str(folder / "a.txt") not in proof.looked_in


@pytest.mark.requirement("F-HOLD-08")
def test_a_place_to_look_in_that_does_not_exist_proves_nothing(tmp_path: Path) -> None:
    with closing(SqliteStore.open(tmp_path / "home")) as store:
        traces = forgotten(store)
        with pytest.raises(NotFoundError, match=r"copy\.dv.* does not exist"):
            prove(store, "default", traces, [tmp_path / "copy.dv"])


@pytest.mark.requirement("F-HOLD-08")
def test_deleting_without_scrubbing_is_found_out(tmp_path: Path) -> None:
    class Lazy(SqliteStore):
        def scrub(self) -> None:
            """Does nothing."""

    store = Lazy.open(tmp_path)
    proof = prove(store, "default", forgotten(store))
    store.close()
    assert any(name.startswith(str(tmp_path / "clew.db")) for name in proof.found)
    assert b"Gothenburg" in raw(tmp_path)


@pytest.mark.requirement("F-HOLD-08")
def test_words_are_told_alike_in_text_in_json_and_across_lines() -> None:
    text = 'Grüße,\n"Ann"\tsaid\n twice'
    assert words(text) == words(dumps(text)) == ["grüsse", "ann", "said", "twice"]
    assert words("") == words("🧶 — …") == []


@pytest.mark.requirement("F-HOLD-08")
def test_the_program_proves_it(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with Memory.open(home, embedder="none") as memory:
        memory.add_many(said())
        memory.backup(tmp_path / "copy.db")
    shown = done("forget", "hidden:turn:0", "--home", home, "--yes", "--proof")
    assert "searched for text unique to the deleted turns: 1 turn," in shown
    assert "0 traces" in shown
    found = record("forget", "--match", "quartz", "--home", home, "--yes", "--proof")["proof"]
    assert ForgetProof.from_dict(found).ok
    told_of = failure(1, "forget", "--match", "periscopes", "--home", home, "--yes", "--look-in", tmp_path / "copy.db")
    assert "traces were found in 1 place" in told_of
    assert "copy.db" in told_of
