"""Processes and servers killed at random: what was acknowledged is there, and no transaction is there by half."""

import os
import random
import threading

import pytest

from clew.errors import StoreError
from clew.store.postgres import PostgresStore
from clew.store.protocol import Transaction
from tests.support.killing import Program
from tests.support.postgres_servers import Server, own

LOOPS = max(2, int(os.environ.get("CLEW_LOOPS", "6")) // 2)  # each kind of kill, on each server

ADDER = """
import os, sys, threading
from clew.store.postgres import PostgresStore
store = PostgresStore.open(sys.argv[1])
def add(thread):
    for number in range(1_000_000):
        name = f"{sys.argv[2]}-{thread}-{number:06}"
        def work(tx):
            tx.put("receipt", [("a", name, 5, b"{}")])
            count = tx.get("session", ("a", "counter"))
            tx.put("session", [("a", "counter", (count[2] if count else 0) + 1, None, "{}", 1)])
            tx.put_blob("a", name, name.encode() * 300)
        store.transaction(work)
        os.write(1, f"{name}\\n".encode())
for thread in range(3):
    threading.Thread(target=add, args=(thread,)).start()
"""


def check(store: PostgresStore, acknowledged: set[str]) -> None:
    assert store.check() == []
    with store.snapshot() as reader:
        receipts = {str(name) for (name,) in reader.scan("receipt", ("a",), ("a",), columns=("receipt",))}
        blobs = {str(row[1]): row[3] for row in reader.scan("blob", ("a",), ("a",))}
        counter = reader.get("session", ("a", "counter"))
    assert acknowledged <= receipts
    assert blobs == {name: name.encode() * 300 for name in receipts}
    assert counter is not None
    assert counter[2] == len(receipts)


@pytest.mark.slow
@pytest.mark.requirement("S-POSTGRES-19")
@pytest.mark.timeout(300 + 60 * LOOPS)
def test_nothing_acknowledged_is_lost_when_processes_are_killed(server: Server, url: str) -> None:
    acknowledged, chance = set[str](), random.Random(7)  # noqa: S311  # moments to kill at
    store = PostgresStore.open(url)
    for loop in range(LOOPS):
        first, second = (Program(ADDER, url, f"{loop}{side}", may_complain=True) for side in "ab")
        first.wait_for(1)
        threading.Event().wait(chance.uniform(0, 0.2))
        first.kill()
        second.wait_for(len(second.said) + 5)  # goes on, whatever the other held
        second.kill()
        acknowledged.update(first.said, second.said)
        check(store, acknowledged)
    store.close()


@pytest.mark.slow
@pytest.mark.requirement("S-POSTGRES-19")
@pytest.mark.timeout(300 + 60 * LOOPS)
def test_nothing_acknowledged_is_lost_when_the_server_is_killed(server_name: str) -> None:
    acknowledged, failed, lock = set[str](), list[str](), threading.Lock()
    chance = random.Random(11)  # noqa: S311  # moments to kill at
    stop = threading.Event()
    with own(server_name) as server:
        store = PostgresStore.open(server.url())

        def add(thread: int) -> None:
            number = 0
            while not stop.is_set():
                number += 1
                name = f"{thread}-{number:06}"

                def work(tx: Transaction, name: str = name) -> None:
                    tx.put("receipt", [("a", name, 5, b"{}")])
                    row = tx.get("session", ("a", "counter"))
                    tx.put("session", [("a", "counter", int(str(row[2] if row else 0)) + 1, None, "{}", 1)])
                    tx.put_blob("a", name, name.encode() * 300)

                try:
                    store.transaction(work)
                except StoreError as error:
                    with lock:
                        failed.append(str(error))
                    stop.wait(0.01)
                else:
                    with lock:
                        acknowledged.add(name)

        threads = [threading.Thread(target=add, args=(thread,)) for thread in range(4)]
        for thread in threads:
            thread.start()
        for _ in range(LOOPS):
            stop.wait(chance.uniform(0.05, 0.4))
            server.kill()
            stop.wait(chance.uniform(0, 0.2))
            server.start()
        before = len(acknowledged)
        while len(acknowledged) == before:
            stop.wait(0.01)
        stop.set()
        for thread in threads:
            thread.join()
        check(store, acknowledged)
        assert failed, "no kill hit anything"
        assert all("lost" in words or "server" in words for words in failed), failed
        store.close()
