"""What is said of turns beside each other, and the beats they make, however the work is cut up."""

from collections.abc import Iterator, Sequence
from datetime import timedelta
from itertools import groupby
from typing import Any

import pytest

from clew.analyze.prototypes import sentences
from clew.config import AnalyzeConfig
from clew.derive.analysis import STRETCH, Analysis
from clew.derive.analysis_dropped import analyse_again, drop_analysis
from clew.derive.branch_state import BEAT_CHARS, MARK, BranchMark
from clew.derive.embedding import embed_batch, missing
from clew.errors import ConflictError
from clew.evaluate.speed.synthetic import ConversationGenerator
from clew.index.live import LiveIndex
from clew.memory import Memory
from clew.rows.analysis_progress import read_progress
from clew.rows.annotations import ANALYSIS, annotations_of
from clew.store.memory import MemoryStore
from clew.store.protocol import Store
from clew.store.tables import NODE
from clew.structure.hierarchy_codec import seqs_of, summary_of
from clew.testing import HashEmbedder
from clew.types import Part, Turn
from tests.support.index_stores import Wrapped, as_store
from tests.support.memories import NOON, empty_store, quiet, rows, told

TOPICS = {
    "garden": (
        "The roses need water",
        "Tomato plants hate wet leaves",
        "My compost heap is warm",
        "Slugs ate the salad",
    ),
    "server": (
        "The deploy failed on node 3",
        "Restart the queue worker",
        "Redis ran out of memory",
        "Rotate the api key",
    ),
    "trip": ("We land in Lisbon at noon", "The hotel is near the river", "Trams run all night", "Book the museum tour"),
}


def talk(rounds: int = 3) -> list[Turn]:
    """Three topics again and again, with a silence before each."""
    turns = []
    for place in range(rounds * 12):
        topic = list(TOPICS)[place // 4 % 3]
        moment = NOON + timedelta(minutes=place + 60 * (place // 4))
        turns.append(told(f"{TOPICS[topic][place % 4]}, {topic} matter {place}.", at=moment))
    return turns


def analysis(store: Store, embedder: HashEmbedder | None = None, stretch: int = STRETCH) -> Analysis:
    return Analysis(store, "default", LiveIndex(store, "default"), embedder, AnalyzeConfig(), stretch)


def run(store: Store, embedder: HashEmbedder | None = None) -> None:
    work = analysis(store, embedder)
    while work.step():
        pass


def stored(turns: Sequence[Turn], **more: Any) -> Memory:
    memory = quiet(**more)
    memory.parts.worker.stop()
    memory.add_many(turns)
    return memory


def made(store: Store) -> dict[str, list[Any]]:
    """Everything that the analysis has made."""
    found = {name: rows(store, name) for name in ("node", "label")}
    found["analysis"] = rows(store, ANALYSIS)
    found["meta"] = [row for row in rows(store, "meta") if str(row[1]).startswith(MARK)]
    return found


@pytest.fixture
def memory() -> Iterator[Memory]:
    with stored(talk()) as held:
        yield held


def covered(store: Store, session: str = "s") -> list[int]:
    """The turns of a session in beats and open buffers, as often as they are in one."""
    nodes = [seqs_of(str(row[10])) or () for row in rows(store, "node") if row[2] == session and row[3] == 1]
    closed = [seq for seqs in nodes for seq in seqs]
    lines = [row for row in rows(store, "meta") if (str(row[1]) + ":").startswith(f"{MARK}{session}:")]
    marks = [BranchMark.from_json(str(row[2])) for row in lines]
    return sorted(closed + [seq for mark in marks for seq in mark.open])


@pytest.mark.requirement("W-STAGE-01")
@pytest.mark.parametrize("stretch", [1, 5, 1000])
def test_it_does_not_matter_how_the_work_is_cut_up(memory: Memory, stretch: int) -> None:
    run(memory.reads.store)
    whole = made(memory.reads.store)
    assert len(whole["node"]) >= 6
    memory.reads.store.transaction(lambda tx: drop_analysis(tx, "default"))
    while analysis(memory.reads.store, stretch=stretch).step():  # each step by a worker that remembers nothing
        pass
    assert made(memory.reads.store) == whole


@pytest.mark.requirement("W-STAGE-01")
def test_it_does_not_matter_when_turns_come() -> None:
    with stored([]) as slow, stored(talk()) as fast:
        work = analysis(slow.reads.store)
        for turn in talk():
            slow.add(turn)
            while work.step():
                pass
        run(fast.reads.store)
        assert made(slow.reads.store) == made(fast.reads.store)


@pytest.mark.requirement("W-STAGE-02")
def test_every_turn_is_in_one_beat_or_still_open(memory: Memory) -> None:
    run(memory.reads.store)
    assert covered(memory.reads.store) == list(range(36))
    ends = [(seqs_of(str(row[10])) or (-1,))[-1] for row in rows(memory.reads.store, "node")]
    assert {3, 7, 11} <= set(ends)  # where the talk was silent for an hour


@pytest.mark.requirement("W-STAGE-02")
def test_branches_and_sessions_have_beats_of_their_own() -> None:
    turns = talk(1)
    branch = [told(f"Other: {turn.text}", branch="b", at=turn.at) for turn in turns[8:]]
    other = [told(turn.text, session="s2", at=turn.at) for turn in turns]
    with stored([]) as held:
        for turn in (*turns, *branch, *other):
            held.add(turn)
        branches = {str(row[7]) for row in rows(held.reads.store, "turn")}
        run(held.reads.store)
        assert covered(held.reads.store) == list(range(16))
        assert covered(held.reads.store, "s2") == list(range(12))
        marks = [str(row[1]) for row in rows(held.reads.store, "meta") if str(row[1]).startswith(MARK)]
        assert len(marks) == len(branches) + 1 > 2
        beats = [seqs_of(str(row[10])) or () for row in rows(held.reads.store, "node") if row[2] == "s"]
        assert all(all(seq < 12 for seq in seqs) or seqs[0] >= 12 for seqs in beats)


@pytest.mark.requirement("W-STAGE-03")
def test_what_was_injected_is_no_turn_of_its_own() -> None:
    with stored(
        [told("Hello there."), Turn(role="user", content=(Part(type="injected", text="quoted"),), session="s")]
    ) as held:
        run(held.reads.store)
        assert covered(held.reads.store) == [0]
        with held.reads.store.snapshot() as reader:
            assert "novelty" in annotations_of(reader, "default", "s:turn:0")
            assert "novelty" not in annotations_of(reader, "default", "s:turn:1")
        assert analysis(held.reads.store).pending() == 0


@pytest.mark.requirement("W-STAGE-04")
def test_a_turn_waits_for_its_vector_unless_it_will_never_have_one() -> None:
    embedder = HashEmbedder()
    with stored(talk(1), embedder=embedder) as held:
        work = analysis(held.reads.store, embedder)
        assert not work.step()
        assert work.pending() == 12
        assert work.step(frozenset(range(12)))
        assert work.pending() == 0
        said = held.annotations("s:turn:0")
        assert (said["novelty"].provenance, said["coherence"].provenance) == (f"model:{embedder.name}", "rule")


@pytest.mark.requirement("W-STAGE-04")
def test_an_embedder_that_comes_later_has_everything_analysed_anew(memory: Memory) -> None:
    run(memory.reads.store)
    plain = made(memory.reads.store)
    model = HashEmbedder()
    assert not analysis(memory.reads.store, model).step()
    assert made(memory.reads.store) == plain
    memory.embedder = HashEmbedder()
    _embed_all(memory)
    run(memory.reads.store, model)
    with memory.reads.store.snapshot() as reader:
        assert read_progress(reader, "default")[1].epoch == 1
    assert {row[7] for row in rows(memory.reads.store, "node")} == {1}
    assert made(memory.reads.store)["analysis"] != plain["analysis"]
    run(memory.reads.store, None)  # a program without the embedder leaves it as it is
    assert {row[7] for row in rows(memory.reads.store, "node")} == {1}


@pytest.mark.requirement("P-LFT-11")
def test_names_of_labels_that_an_embedder_ends_leave_nothing_behind() -> None:
    store = MemoryStore()
    with Memory.open(store, embedder="none") as memory:
        memory.add_many(ConversationGenerator().turns(200))
        memory.drain()
    with Memory.open(store, embedder=HashEmbedder()) as memory:
        memory.drain()
        assert memory.verify().problems == ()


@pytest.mark.requirement("W-STAGE-11")
def test_vectors_have_a_say_in_what_a_turn_is_about() -> None:
    embedder = HashEmbedder()
    sentence = sentences()[0]
    with stored([told(sentence), told("Mm.")], embedder=embedder) as held:
        _embed_all(held)
        run(held.reads.store, embedder)
        with held.reads.store.snapshot() as reader:
            said = annotations_of(reader, "default", "s:turn:0")["domains"]
        assert said.provenance == f"model:{embedder.name}"
        assert said.value[0] == "physics"  # the first sentence is one of its own
        kept = [row for row in rows(held.reads.store, "meta") if str(row[1]).startswith("prototypes:")]
        assert len(kept) == 1
        run(held.reads.store, embedder)
        assert [row for row in rows(held.reads.store, "meta") if str(row[1]).startswith("prototypes:")] == kept


@pytest.mark.requirement("W-STAGE-05")
def test_forgetting_a_turn_has_its_session_analysed_anew(memory: Memory) -> None:
    memory.add_many([told("Quite another talk.", session="s2"), told("It goes on.", session="s2")])
    run(memory.reads.store)
    memory.forget(turn_ids=["s:turn:5"])
    assert not [row for row in rows(memory.reads.store, "node") if row[2] == "s"]
    assert analysis(memory.reads.store).pending() == 35
    run(memory.reads.store)
    again = made(memory.reads.store)
    assert covered(memory.reads.store) == [seq for seq in range(36) if seq != 5]
    memory.reads.store.transaction(lambda tx: drop_analysis(tx, "default"))
    run(memory.reads.store)
    assert made(memory.reads.store) == again


@pytest.mark.requirement("W-STAGE-05")
def test_nothing_is_written_of_turns_that_were_forgotten_meanwhile(memory: Memory) -> None:
    store = Wrapped(memory.reads.store)
    work = analysis(as_store(store))

    def forget() -> None:
        memory.forget(turn_ids=["s:turn:5"])

    store.before = forget  # runs after the turns are read and before anything is written
    with pytest.raises(ConflictError, match="changed while"):
        work.step()
    assert made(memory.reads.store) == {"node": [], "label": [], "analysis": [], "meta": []}


@pytest.mark.requirement("W-STAGE-05")
def test_a_session_whose_name_begins_another_keeps_what_was_made_of_it() -> None:
    with stored([told("One.", session=name) for name in ("a", "ab", "a:b", "a;", "a-") for _ in range(25)]) as held:
        run(held.reads.store)
        before = {name: covered(held.reads.store, name) for name in ("ab", "a-")}
        held.reads.store.transaction(lambda tx: analyse_again(tx, "default", ["a"]))
        kept = {str(row[2]) for row in rows(held.reads.store, "node")}
        assert kept == {"ab", "a:b", "a;", "a-"}
        assert {name: covered(held.reads.store, name) for name in ("ab", "a-")} == before


@pytest.mark.requirement("W-STAGE-06")
def test_what_is_said_can_be_read_singly(memory: Memory) -> None:
    run(memory.reads.store)
    with memory.reads.store.snapshot() as reader:
        said = annotations_of(reader, "default", "s:turn:0")
    assert {"layer1", "coherence", "novelty", "importance"} <= set(said)
    assert said["novelty"].value == 0.5
    assert said["novelty"].provenance == "rule"
    assert list(said) == sorted(said)


def _embed_all(memory: Memory) -> None:
    view = memory.reads.live.view()
    embedder = HashEmbedder()
    embed_batch(memory.reads.store, "default", embedder, missing(view, embedder.name, frozenset()), now=0)


@pytest.mark.slow
@pytest.mark.requirement("W-STRUCT-14")
def test_the_beats_of_a_meeting_do_not_depend_on_how_the_work_is_cut_up() -> None:
    names = list(TOPICS)
    turns = []
    for place in range(400):
        topic = place // 100 % 3
        said = " ".join(TOPICS[names[topic]][(place * part) % 4] for part in (1, 3))
        speaker = "Ana Ben Cem Dee Eva Finn".split()[2 * topic + place % 2 if place % 5 else place % 6]
        turns.append(told(f"{said}, {place}.", at=NOON + timedelta(seconds=9 * place), speaker=speaker))
    found = []
    for stretch in (7, 1000):
        with stored(turns) as held:
            while analysis(held.reads.store, stretch=stretch).step():  # each step by a worker that remembers nothing
                pass
            found.append(made(held.reads.store))
    assert found[0] == found[1]
    beats = [row for row in found[0]["node"] if ":beat:" in str(row)]
    assert 1 < len(beats) < 20


@pytest.mark.requirement("W-STAGE-08")
@pytest.mark.parametrize("stretch", [7, 1000])
def test_chapters_gather_beats_however_the_work_is_cut_up(stretch: int) -> None:
    with stored(talk(20)) as held:
        while analysis(held.reads.store, stretch=stretch).step():  # each step by a worker that remembers nothing
            pass
        found: list[dict[str, Any]] = [
            dict(zip(NODE.names, row, strict=True)) for row in rows(held.reads.store, "node")
        ]
        beats = sorted((node for node in found if node["level"] == 1), key=lambda node: node["place"])
        chapters = sorted((node for node in found if node["level"] == 2), key=lambda node: node["place"])
        assert len(beats) >= 50
        assert len(chapters) >= 5
        inside = [node for node in beats if node["parent"] is not None]
        assert inside == beats[: len(inside)]  # from the left, none left out
        gathered = [(name, list(nodes)) for name, nodes in groupby(inside, key=lambda node: node["parent"])]
        assert [name for name, _ in gathered] == [node["node"] for node in chapters]
        for chapter, (_, nodes) in zip(chapters, gathered, strict=True):
            assert 2 <= len(nodes) <= 8
            assert summary_of(chapter["data"]).turns == sum(summary_of(node["data"]).turns for node in nodes)
            assert (chapter["low"], chapter["high"]) == (nodes[0]["low"], nodes[-1]["high"])
        whole = made(held.reads.store)
        held.reads.store.transaction(lambda tx: drop_analysis(tx, "default"))
        run(held.reads.store)
        assert made(held.reads.store) == whole


@pytest.mark.requirement("F-MEMORY-12")
def test_turns_that_wait_for_their_beat_keep_nothing_large() -> None:
    memory = stored(talk())
    work = analysis(memory.reads.store)
    while work.step():
        pass
    waiting = [item for state in work._branches.values() for item in state.turns.values()]
    assert waiting
    assert all({"reading", "terms"}.isdisjoint(vars(item)) for item in waiting)
    assert waiting[0].reading.text == waiting[0].turn.text  # it is made again when it is needed
    memory.close()


@pytest.mark.requirement("F-BULK-03")
def test_of_a_long_turn_an_open_beat_holds_what_its_rows_are_made_of() -> None:
    block = "The pump of the reactor in Lyon failed again, and `src/pump.py` logs it.\n```\ncode = 1\n```\n"
    texts = [f"Report {n}: " + block * (BEAT_CHARS // 40) + f"The last word of report {n}?" for n in range(6)]
    texts += [f"The garden needs more roses, {n}." for n in range(12)]
    slow, fast = empty_store(), empty_store()
    for store in (slow, fast):
        with quiet(store) as memory:
            memory.parts.worker.stop()
            memory.add_many(
                [told(text, at=NOON + timedelta(minutes=n, hours=n // 6 * 5)) for n, text in enumerate(texts)]
            )
    work = analysis(slow, stretch=1)
    held = []
    while work.step():
        held += [len(item.turn.text) for state in work._branches.values() for item in state.turns.values()]
    assert BEAT_CHARS in held  # a long one was open between two steps
    assert max(held) == BEAT_CHARS
    run(fast)
    for table in ("node", "label", "analysis", "weighing"):
        assert rows(slow, table) == rows(fast, table) != [], table
