"""A whole memory on a server: every call does there what it does at home."""

import os
import sys
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import clew
from clew.errors import ConflictError, NotFoundError
from clew.store.postgres import PostgresStore
from clew.testing import HashEmbedder
from tests.support.postgres_servers import Server, running

AT = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.fixture
def memory(url: str) -> Iterator[clew.Memory]:
    small = {"index": {"pack_minimum": 64}}
    with clew.Memory.open(url, embedder=HashEmbedder(), clock=lambda: AT, config=small) as opened:
        yield opened


def said(text: str, **fields: object) -> clew.Turn:
    return clew.Turn(role="user", content=text, session="api", **fields)  # type: ignore[arg-type]  # as the test names them


@pytest.mark.skipif(not os.environ.get("CI"), reason="a machine of one's own may do without")
@pytest.mark.skipif(sys.platform != "linux", reason="the package brings a server for Linux only")
@pytest.mark.requirement("S-POSTGRES-17")
def test_where_everything_is_tested_a_server_is_there() -> None:
    assert running("embedded").port


@pytest.mark.requirement("S-POSTGRES-17")
def test_every_call_of_a_memory_works_on_a_server(memory: clew.Memory, tmp_path: Path) -> None:
    picture = bytes(range(256)) * 40
    part = clew.Part(type="image", media_type="image/png", data=picture)
    first = memory.add(said("We picked Redis for sessions.", speaker="Ann", at=AT, external_id="one"))
    assert memory.add(said("We picked Redis for sessions.", speaker="Ann", at=AT, external_id="one")) == first
    with pytest.raises(ConflictError):
        memory.add(said("We picked Postgres.", external_id="one"))
    pictured = memory.add(clew.Turn(role="user", content=(clew.Part(type="text", text="see"), part), session="api"))
    report = memory.add_many([said(f"Later, about the cache, number {n}") for n in range(150)])
    assert report.added == 150
    assert memory.drain(200)
    context = memory.recall("what did we pick for sessions?", budget=200)
    assert "Redis" in context.text
    assert memory.explain().id == context.receipt_id
    assert memory.search("redis", limit=1)[0].turn.id == first
    assert [turn.id for turn in memory.find_quote("picked Redis")] == [first]
    assert memory.get(first).speaker == "Ann"
    assert memory.restore(pictured).parts[1].data == picture
    stats = memory.stats()
    assert (stats.turns, stats.details["worker_failure"]) == (152, None)
    assert sum(stats.details["vectors_by_model"].values()) == 152
    assert memory.verify().ok
    assert memory.rebuild() == 152
    assert memory.export(tmp_path / "out.jsonl") == 152
    assert memory.forget(match="Redis").turns == 1
    assert memory.find_quote("picked Redis") == []
    assert memory.add_many([said("We picked Redis for sessions.", speaker="Ann", at=AT)]).skipped == {"forgotten": 1}
    assert memory.verify().ok
    with pytest.raises(NotFoundError):
        memory.get(first)


@pytest.mark.requirement("S-POSTGRES-17")
def test_spaces_of_one_installation_are_apart(memory: clew.Memory, url: str) -> None:
    memory.add(said("We picked Redis."))
    with clew.Memory.open(url, space="other", embedder="none") as other:
        assert other.find_quote("picked") == []
        other.add(said("They picked Kafka."))
        assert [turn.text for turn in memory.find_quote("picked")] == ["We picked Redis."]


@pytest.mark.requirement("S-POSTGRES-12", "S-POSTGRES-17")
def test_what_another_process_adds_is_recalled_soon(memory: clew.Memory, url: str) -> None:
    with clew.Memory.open(url, embedder="none") as other:
        assert memory.search("kafka") == []
        other.add(said("They picked Kafka."))
        for _ in range(3_000):
            if memory.search("kafka"):
                break
            threading.Event().wait(0.02)
        assert [hit.turn.text for hit in memory.search("kafka")] == ["They picked Kafka."]


@pytest.mark.requirement("S-POSTGRES-18")
def test_a_backup_of_a_server_is_a_home(memory: clew.Memory, tmp_path: Path) -> None:
    memory.add_many([said(f"about the cache, number {n}") for n in range(200)])
    assert memory.drain(200)
    place = tmp_path / "restored"
    place.mkdir()
    memory.reads.store.backup(place / "clew.db")
    with clew.Memory.open(place, embedder=HashEmbedder(), clock=lambda: AT) as copy:
        assert copy.verify().ok
        assert copy.recall("number 7", budget=300) == memory.recall("number 7", budget=300)


@pytest.mark.requirement("S-POSTGRES-09")
def test_of_two_workers_one_works_and_the_other_takes_over(server: Server, url: str) -> None:
    first, second = PostgresStore.open(url), PostgresStore.open(url)
    lease = first.lease("a", "worker", "one", now=0, until=100)
    assert lease is not None
    assert second.lease("a", "worker", "two", now=50, until=150) is None
    taken = second.lease("a", "worker", "two", now=100, until=200)
    assert taken is not None
    assert taken.fence == lease.fence + 1
    first.release(lease)
    assert first.lease("a", "worker", "one", now=150, until=250) is None
    first.close()
    second.close()


@pytest.mark.requirement("K-FCT-01", "K-FCT-03", "K-FCT-06")
def test_facts_are_the_same_on_a_server(memory: clew.Memory, tmp_path: Path) -> None:
    def told(opened: clew.Memory) -> list[tuple[str, str | None, int]]:
        return [(fact.told, fact.standing, len(fact.links)) for fact in opened.history("Ann")]

    with clew.Memory.open(tmp_path / "home", embedder="none", clock=lambda: AT) as at_home:
        found = []
        for opened in (memory, at_home):
            for day, text in enumerate(("I live in Porto.", "I like green tea.", "I moved to Lisbon.")):
                opened.add(said(text, speaker="Ann", at=AT + timedelta(days=day - 9)))
            assert opened.drain(200)
            opened.correct(opened.facts("Ann", "lives")[0].id, "Braga")
            assert opened.drain(200)
            found.append(told(opened))
            opened.rebuild()
            assert opened.drain(200)
            assert told(opened) == found[-1]
            opened.forget(session="corrections")
            found.append(told(opened))
            assert opened.verify().ok
        assert found[:2] == found[2:]
        assert [told for told, *_ in found[1] if "lives" in told] == ["Ann lives in Porto", "Ann lives in Lisbon"]
