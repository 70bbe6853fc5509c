"""Leases and jobs: who may do which work (clew.store.protocol)."""

import threading
from dataclasses import replace
from typing import cast

import pytest

from clew.errors import StoreError
from clew.store.protocol import Job, JobState, Lease, Store
from tests.support.store_rows import everything, job, put


def claim(store: Store, *, now: int, until: int = 1000, limit: int = 10, kind: str = "embed") -> list[Job]:
    return store.claim_jobs("a", kind, holder="me", now=now, until=until, limit=limit)


def names(jobs: list[Job]) -> list[str]:
    return [each.job for each in jobs]


@pytest.mark.requirement("F-STORE-17")
def test_a_lease_has_one_holder_until_it_expires(store: Store) -> None:
    first = store.lease("a", "pack", "one", now=0, until=100)
    assert first == Lease("a", "pack", "one", 1, 100)
    assert store.lease("a", "pack", "two", now=99, until=300) is None
    assert store.lease("a", "other", "two", now=99, until=300) is not None
    assert store.lease("b", "pack", "two", now=99, until=300) is not None
    assert store.lease("a", "pack", "one", now=99, until=200) == Lease("a", "pack", "one", 1, 200), "extended"
    assert store.lease("a", "pack", "two", now=150, until=300) is None
    assert store.lease("a", "pack", "two", now=200, until=300) == Lease("a", "pack", "two", 2, 300), "a rising number"
    assert store.lease("a", "pack", "one", now=250, until=400) is None


@pytest.mark.requirement("F-STORE-17")
def test_a_lease_that_is_given_back_is_free_and_its_number_goes_on(store: Store) -> None:
    lease = store.lease("a", "pack", "one", now=0, until=100)
    assert lease is not None
    store.release(lease)
    taken = store.lease("a", "pack", "two", now=1, until=100)
    assert taken is not None
    assert taken.fence == 2
    store.release(lease)
    assert store.lease("a", "pack", "three", now=2, until=100) is None, "giving a lost lease back frees nothing"
    store.release(replace(taken, fence=1))
    assert store.lease("a", "pack", "three", now=2, until=100) is None


@pytest.mark.requirement("F-STORE-17")
def test_of_many_who_ask_at_once_one_gets_the_lease(store: Store) -> None:
    taken: list[Lease | None] = []

    def ask(name: str) -> None:
        taken.append(store.lease("a", "pack", name, now=0, until=100))

    threads = [threading.Thread(target=ask, args=(str(number),)) for number in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len([lease for lease in taken if lease is not None]) == 1


@pytest.mark.requirement("F-STORE-18")
def test_jobs_are_claimed_in_order_of_their_names_and_hidden_then(store: Store) -> None:
    put(store, "job", job("c"), job("a"), job("b"), job("d", kind="other"), job("e", space="b"))
    assert claim(store, now=0, limit=2) == [Job("a", "a", "embed", "{}", 1), Job("a", "b", "embed", "{}", 1)]
    assert names(claim(store, now=1)) == ["c"]
    assert claim(store, now=999) == []
    assert claim(store, now=0, limit=0) == []


@pytest.mark.requirement("F-STORE-18")
def test_a_claim_that_runs_out_can_be_made_again_and_the_late_one_ends_nothing(store: Store) -> None:
    put(store, "job", job("a"))
    lost = claim(store, now=0, until=50)[0]
    again = claim(store, now=50, until=100)[0]
    assert (lost.attempts, again.attempts) == (1, 2)
    held = everything(store, "job")
    for state in JobState:
        store.finish_job(lost, state=state)
    assert everything(store, "job") == held, "the second claim still holds"
    assert claim(store, now=99) == []
    store.finish_job(again, state=JobState.DONE)
    assert everything(store, "job") == []
    store.finish_job(again, state=JobState.DONE)


@pytest.mark.requirement("F-STORE-18")
def test_finishing_removes_postpones_or_puts_aside(store: Store) -> None:
    put(store, "job", job("a"), job("b"), job("c"), job("z", not_before=7), job("aside", state="deferred"))
    first, second, third = claim(store, now=0)
    store.finish_job(first, state=JobState.DONE)
    store.finish_job(second, state=JobState.PENDING, reason="the model was busy", not_before=20)
    store.finish_job(third, state=JobState.DEFERRED, reason="three attempts")
    assert names(claim(store, now=19)) == ["z"]
    assert claim(store, now=20) == [Job("a", "b", "embed", "{}", 2)]
    kept = {row[1]: (row[3], row[6], row[7]) for row in everything(store, "job")}
    assert kept["c"] == ("deferred", "three attempts", None)
    assert set(kept) == {"aside", "b", "c", "z"}
    with pytest.raises(StoreError, match=r"'finished'.*pending, done, deferred"):
        store.finish_job(third, state=cast("JobState", "finished"))


@pytest.mark.requirement("F-STORE-18")
def test_jobs_behind_many_hidden_ones_are_found(store: Store) -> None:
    put(store, "job", *(job(f"{number:04}", not_before=100) for number in range(130)), job("last"), job("next"))
    assert names(claim(store, now=5, limit=1)) == ["last"]
    assert names(claim(store, now=5)) == ["next"]
    assert len(claim(store, now=100, limit=1000)) == 130


@pytest.mark.requirement("F-STORE-18")
def test_no_job_is_claimed_twice(store: Store) -> None:
    put(store, "job", *(job(f"{number:03}") for number in range(100)))
    claimed: list[str] = []

    def work() -> None:
        while found := claim(store, now=0, limit=3):
            claimed.extend(names(found))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(claimed) == [f"{number:03}" for number in range(100)]


@pytest.mark.requirement("F-STORE-18")
def test_asking_in_vain_changes_nothing(store: Store) -> None:
    put(store, "job", job("a", not_before=10))
    assert store.lease("a", "pack", "one", now=0, until=100) is not None
    version = store.version()
    assert claim(store, now=9) == []
    assert store.lease("a", "pack", "two", now=99, until=300) is None
    assert store.version() == version
