"""Sessions of a memory as the SIGMA document's files: one anchor over many provider sessions, written and read back."""

import json
from pathlib import Path
from typing import Any

import pytest

from clew.errors import FormatError, InputError, NotFoundError
from clew.memory import Memory
from clew.testing import FrozenClock, HashEmbedder
from clew.types import Turn
from clew.types.ids import turn_id
from clew.views.sigma import Reason, load_lattice, load_recap, load_state
from clew.views.sigma_session import (
    anchor,
    continue_session,
    export_session,
    import_session,
    session_state,
    session_turns,
)
from tests.support.memories import NOON, at, quiet, texts
from tests.unit.test_condense_recap import work

SESSION = "my/work"
SAID = [turn_id(SESSION, seq) for seq, turn in enumerate(work()) if turn.role != "tool"]


def filled(**more: Any) -> Memory:
    memory = quiet(**more)
    memory.add_many(
        Turn(role=turn.role, content=turn.content, session=SESSION, at=at(place)) for place, turn in enumerate(work())
    )
    memory.drain()
    return memory


@pytest.mark.requirement("F-SIGMAVIEW-06")
def test_one_anchor_goes_over_many_sessions_of_the_provider() -> None:
    clock = FrozenClock(NOON)
    with filled(clock=clock) as memory:
        assert session_state(memory, SESSION).current_session == SESSION
        steps_taken: tuple[tuple[str, Reason, int | None], ...] = (
            ("sdk-1", "restart", None),
            ("sdk-1", "restart", None),
            ("sdk-2", "compression", 120_000),
            ("sdk-3", "expiration", None),
            ("sdk-4", "restart", None),
        )
        for name, reason, tokens in steps_taken:
            clock.advance(60)
            state = continue_session(memory, SESSION, name, reason=reason, tokens=tokens)
        steps = [(step.old_session, step.new_session, step.reason) for step in state.compression_history]
        assert steps == [
            ("", "sdk-1", "initial"),
            ("sdk-1", "sdk-2", "compression"),
            ("sdk-2", "sdk-3", "expiration"),
            ("sdk-3", "sdk-4", "restart"),
        ]
        assert state.compression_history[1].token_count_at_compression == 120_000
        assert state.anchor_id == SESSION
        assert state.current_session == "sdk-4"
        assert state.stats.total_turns_analyzed == len(SAID)
        assert anchor(memory, "sdk-2") == SESSION
        assert anchor(memory, "sdk-9") is None
        continue_session(memory, SESSION, "sdk-2")
        assert session_state(memory, SESSION).current_session == "sdk-2", "a session of before may go on"


@pytest.mark.requirement("F-SIGMAVIEW-06")
def test_a_session_of_tools_alone_has_a_state_and_files(tmp_path: Path) -> None:
    with quiet() as memory:
        memory.add(Turn(role="tool", content="12 files", session="t", at=at(3)))
        state = session_state(memory, "t")
        assert state.created_at == state.last_updated == 1_000 * int(at(3).timestamp())
        assert state.stats.total_turns_analyzed == 0
        export_session(memory, "t", tmp_path)
        assert import_session(memory, tmp_path, "t").added == 0


@pytest.mark.requirement("F-SIGMAVIEW-06")
def test_names_and_reasons_are_checked() -> None:
    with filled() as memory:
        with pytest.raises(NotFoundError, match="there is no session 'other'"):
            continue_session(memory, "other", "sdk-1")
        with pytest.raises(NotFoundError, match="there is no session 'other'"):
            session_state(memory, "other")
        with pytest.raises(InputError, match="'lost' is unknown; expected one of initial, compression"):
            continue_session(memory, SESSION, "sdk-1", reason="lost")  # type: ignore[arg-type]  # which is what is tested
        with pytest.raises(InputError, match="is not a name"):
            continue_session(memory, SESSION, "")


@pytest.mark.requirement("F-SIGMAVIEW-07")
def test_the_files_are_the_document_s_and_are_read_back(tmp_path: Path) -> None:
    with filled(embedder=HashEmbedder(dim=16)) as memory:
        continue_session(memory, SESSION, "sdk-1")
        files = export_session(memory, SESSION, tmp_path)
        assert {path.name for path in tmp_path.iterdir()} == {
            "my%2Fwork.state.json",
            "sdk-1.lattice.json",
            "sdk-1.recap.txt",
        }
        assert load_state(files.state) == session_state(memory, SESSION)
        assert load_recap(files.recap) == memory.recap(SESSION).text
        lattice = load_lattice(files.lattice)
        assert lattice.metadata.session_id == "sdk-1"
        assert {memory.restore(node.turn_id).session for node in lattice.nodes} == {SESSION}
        assert all(len(node.embedding) == 16 for node in lattice.nodes)
        before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
        export_session(memory, SESSION, tmp_path)
        assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
        known = import_session(memory, tmp_path, SESSION)
        assert (known.added, len(texts(memory))) == (0, len(work())), "what it has itself is not added"
    with quiet() as other:
        report = import_session(other, tmp_path, SESSION)
        assert report.added == len(lattice.nodes)
        assert import_session(other, tmp_path, SESSION).added == 0
        assert session_state(other, SESSION).compression_history == load_state(files.state).compression_history
        assert texts(other) == [node.content for node in lattice.nodes]
        assert anchor(other, "sdk-1") == SESSION


@pytest.mark.requirement("F-SIGMAVIEW-07")
def test_files_of_former_sessions_go_to_the_archives_when_asked(tmp_path: Path) -> None:
    with filled() as memory:
        continue_session(memory, SESSION, "sdk-1")
        export_session(memory, SESSION, tmp_path)
        continue_session(memory, SESSION, "sdk-2", reason="compression", tokens=9)
        assert export_session(memory, SESSION, tmp_path).archived == ()
        assert (tmp_path / "sdk-1.lattice.json").exists()
        moved = export_session(memory, SESSION, tmp_path, archive=True).archived
        assert [path.relative_to(tmp_path).as_posix() for path in moved] == [
            "archives/sdk-1.lattice.json",
            "archives/sdk-1.recap.txt",
        ]
        assert not (tmp_path / "sdk-1.lattice.json").exists()
    with quiet() as other:
        (tmp_path / "sdk-2.lattice.json").unlink()
        assert import_session(other, tmp_path, SESSION).added > 0, "archives are read as well"


@pytest.mark.requirement("F-SIGMAVIEW-07")
@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("turn_id", ["x"]),
        ("content", 5),
        ("timestamp", "today"),
        ("timestamp", 10**15),
        ("timestamp", 1e300),
        ("importance_score", None),
        ("overlay_scores", 5),
        ("semantic_tags", [{}]),
        ("old_session", 5),
        ("new_session", ["x"]),
        ("compression_history", [5]),
        ("created_at", "x"),
    ],
)
def test_a_field_of_another_type_is_named_and_nothing_is_stored(tmp_path: Path, field: str, value: Any) -> None:
    with filled() as memory:
        continue_session(memory, SESSION, "sdk-1")
        files = export_session(memory, SESSION, tmp_path)
    lattice, state = (json.loads(path.read_text(encoding="utf-8")) for path in (files.lattice, files.state))
    record = next(part for part in (lattice["nodes"][-1], state["compression_history"][0], state) if field in part)
    record[field] = value
    files.lattice.write_text(json.dumps(lattice), encoding="utf-8")
    files.state.write_text(json.dumps(state), encoding="utf-8")
    with quiet() as other:
        with pytest.raises(InputError, match=field):
            import_session(other, tmp_path, SESSION)
        assert other.sessions() == []


@pytest.mark.requirement("F-SIGMAVIEW-07")
@pytest.mark.parametrize("session", ["n" * 5_000, "\u6628\u5929\u7684\u4f1a\u8bae" * 8])
def test_a_session_whose_name_is_too_long_for_a_file_is_written_and_read(tmp_path: Path, session: str) -> None:
    with quiet() as memory:
        memory.add(Turn(role="user", content="We chose clay pots.", session=session))
        assert memory.drain(200)
        export_session(memory, session, tmp_path)
    with quiet() as other:
        assert import_session(other, tmp_path, session).added == 1
        with pytest.raises(NotFoundError, match="export the session first"):
            import_session(other, tmp_path, session + "n")


@pytest.mark.requirement("F-SIGMAVIEW-07")
def test_files_of_another_form_are_refused_by_name(tmp_path: Path) -> None:
    with filled() as memory:
        with pytest.raises(NotFoundError, match=r"has no my%2Fwork\.state\.json"):
            import_session(memory, tmp_path, SESSION)
        files = export_session(memory, SESSION, tmp_path)
        files.lattice.write_text("{", encoding="utf-8")
        with pytest.raises(FormatError, match="cannot be read as JSON"):
            import_session(memory, tmp_path, SESSION)
        files.lattice.write_text("[" * 100_000, encoding="utf-8")
        with pytest.raises(FormatError, match="cannot be read as JSON"):
            import_session(memory, tmp_path, SESSION)
        files.state.write_text(json.dumps({"anchor_id": SESSION}), encoding="utf-8")
        with pytest.raises(InputError, match="SessionState"):
            import_session(memory, tmp_path, SESSION)
        files.recap.write_bytes(b"\xff")
        with pytest.raises(FormatError, match="is not text in UTF-8"):
            load_recap(files.recap)


@pytest.mark.requirement("F-SIGMAVIEW-08")
def test_a_recap_is_there_after_a_restart_and_forgetting_ends_a_session(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with filled(path=home) as memory:
        memory.condense(SESSION, force=True)
        continue_session(memory, SESSION, "sdk-1")
        recap = memory.recap(SESSION).text
        memory.add(Turn(role="user", content="One word more.", session=SESSION))
    with quiet(path=home) as memory:
        assert memory.recap(SESSION).text == recap
        assert anchor(memory, "sdk-1") == SESSION
        assert load_recap(export_session(memory, SESSION, tmp_path / "out").recap) == recap
        memory.forget(session=SESSION)
        assert anchor(memory, "sdk-1") is None


@pytest.mark.requirement("F-SIGMAVIEW-06")
def test_turns_have_what_the_analysis_says() -> None:
    with filled() as memory:
        turns = session_turns(memory, SESSION)
        assert [turn.turn_id for turn in turns] == SAID
        for turn in turns:
            said = memory.annotations(turn.turn_id)
            assert turn.novelty == said["novelty"].value
            assert turn.importance_score == said["importance"].value
            assert turn.is_paradigm_shift == ("paradigm_shift" in said)
        assert turns[1].timestamp - turns[0].timestamp == 60_000


@pytest.mark.requirement("F-SIGMAVIEW-07")
def test_turns_of_one_millisecond_are_all_imported(tmp_path: Path) -> None:
    said = ["We chose OAuth2.", "TokenManager handles it.", "And SessionStore?"]
    with quiet() as memory:
        memory.add_many([Turn(role="user", content=text, session="s") for text in said])
        files = export_session(memory, "s", tmp_path)
    lattice = json.loads(files.lattice.read_text(encoding="utf-8"))
    for node in lattice["nodes"]:
        node["turn_id"] = node["id"] = "turn-1730849600000"
    files.lattice.write_text(json.dumps(lattice), encoding="utf-8")
    with quiet() as memory:
        assert import_session(memory, tmp_path, "s").added == 3
        assert [turn.text for turn in memory.turns("s")] == said
        assert import_session(memory, tmp_path, "s").added == 0
