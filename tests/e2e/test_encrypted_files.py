"""An encrypted home on the disk: no word in plain, whatever happens, and nothing is lost."""

import os
import random
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import apsw
import pytest

from clew.errors import KeyRefused, StoreCorrupt, StoreError, StoreFull, StoreLocked
from clew.memory import Memory
from clew.store.cipher import Key
from clew.store.memory import MemoryStore
from clew.store.migrate import APPLICATION
from clew.store.rekey import _write, rekey
from clew.store.sqlite import DATABASE, REKEYED, SqliteStore, _bring_up
from clew.store.statements import migrations
from clew.store.translate import translating
from clew.testing import HashEmbedder
from clew.types import Part, Turn
from tests.support.disk_faults import FaultyDisk
from tests.support.encrypted import OTHER, SECRET, files, in_plain, needed
from tests.support.killing import Program
from tests.support.store_rows import everything, put, session, turn

pytestmark = [needed, pytest.mark.usefixtures("tmp_home")]
LOOPS = int(os.environ.get("CLEW_KILL_LOOPS", "3"))
WORDS = ("zqxwool", "zqxalice", "zqxplan", "zqxoutput", "zqxquestion", "zqxforgotten", "external_id")


def opened(home: Path, monkeypatch: pytest.MonkeyPatch, secret: str = SECRET) -> Memory:
    monkeypatch.setenv("K", secret)
    return Memory.open(home, config={"store": {"key": "env:K"}}, embedder=HashEmbedder())


def talk(memory: Memory) -> None:
    """Turns, a long output that becomes a blob, vectors, segments, a question with its receipt, something forgotten."""
    for number in range(600):
        memory.add(Turn(role="user", speaker="zqxAlice", content=f"zqxwool {number}, said again", session="zqxplan"))
    output = Part(type="tool_result", text="zqxoutput " * 4000)
    memory.add(Turn(role="tool", content=(output,), session="zqxplan"))
    gone = memory.add(Turn(role="user", content="zqxforgotten for good", session="zqxplan"))
    assert "zqxwool" in memory.recall("zqxquestion about zqxwool", budget=500).text
    assert memory.drain(200)
    memory.forget(turn_ids=[gone])


@pytest.mark.requirement("F-CRYPT-01")
def test_no_word_lies_in_plain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    aside, home = tmp_path / "temporary", tmp_path / "a home"
    aside.mkdir()
    monkeypatch.setenv("TMPDIR", str(aside))
    monkeypatch.setenv("SQLITE_TMPDIR", str(aside))
    monkeypatch.setattr(tempfile, "tempdir", str(aside))
    with Memory.open(tmp_path / "plain", embedder="none") as plain:
        plain.add(Turn(role="user", speaker="zqxAlice", content="zqxwool", session="zqxplan"))
        assert in_plain(tmp_path / "plain", *WORDS) == {"zqxwool", "zqxalice", "zqxplan", "external_id"}
    with opened(home, monkeypatch) as memory:
        talk(memory)
        memory.add(Turn(role="user", content="zqxwool in the log", session="zqxplan"))
        assert (home / "clew.db-wal").stat().st_size
        assert in_plain(home, *WORDS, also=aside) == set()
        memory.backup(tmp_path / "backup")
        memory.rebuild()
        assert memory.verify().problems == ()
        assert in_plain(tmp_path / "backup", *WORDS) == set()
    assert in_plain(home, *WORDS, also=aside) == set()
    assert (tmp_path / "backup").stat().st_mode & 0o777 == 0o600
    restored = tmp_path / "restored"
    restored.mkdir()
    (tmp_path / "backup").rename(restored / DATABASE)
    with opened(restored, monkeypatch) as memory:
        assert memory.stats().turns == 602
        assert memory.verify().ok
        assert memory.verify().encryption == "ChaCha20-Poly1305" == memory.stats().details["encryption"]


@pytest.mark.requirement("F-CRYPT-01", "F-CRYPT-07")
def test_the_backup_of_a_memory_without_a_file_is_encrypted_too(tmp_path: Path) -> None:
    store = MemoryStore(SECRET)
    put(store, "turn", turn("s", 0, 0, text="zqxwool"))
    store.backup(tmp_path / DATABASE)
    assert in_plain(tmp_path, *WORDS) == set()
    copy = SqliteStore.open(tmp_path, secret=SECRET)
    assert everything(copy, "turn") == everything(store, "turn")
    copy.close()


@pytest.mark.requirement("F-CRYPT-01", "F-CRYPT-07")
def test_the_copy_that_a_migration_makes_is_encrypted(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path, secret=SECRET)
    put(store, "session", session("zqxplan"))
    store.close()
    later, key = (*migrations("sqlite"), "CREATE TABLE later (space TEXT) STRICT;"), store._key
    assert key is not None
    connection = apsw.Connection(str(tmp_path / DATABASE))
    key.open(connection)
    _bring_up(connection, tmp_path / DATABASE, later, key=key, has_log=False)
    assert connection.pragma("application_id") == APPLICATION
    connection.close()
    saved = tmp_path / f"{DATABASE}.schema-{len(later) - 1}.backup"
    assert saved.is_file()
    assert in_plain(tmp_path, *WORDS) == set()
    saved.replace(tmp_path / DATABASE)
    copy = SqliteStore.open(tmp_path, secret=SECRET)
    assert everything(copy, "session") == [session("zqxplan")]
    copy.close()


def ran(program: str, home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", program, str(home), *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


ADDER = """
import os, sys
from pathlib import Path
from clew.store.sqlite import SqliteStore
from clew.store.writer import Limits
store = SqliteStore.open(Path(sys.argv[1]), secret=sys.argv[3], limits=Limits(checkpoint=50, too_long=200))
for number in range(1_000_000):
    name = f"{sys.argv[2]}-{number:06}"
    def work(tx):
        tx.put_blob("a", name, name.encode() * 300)
        tx.put("receipt", [("a", name, 5, b'{"q": "zqxquestion"}')])
    store.transaction(work)
    os.write(1, f"{name}\\n".encode())
"""


@pytest.mark.requirement("F-CRYPT-01", "F-CRYPT-04", "F-CRYPT-06")
@pytest.mark.timeout(300 + 60 * LOOPS)
def test_killed_it_loses_nothing_and_shows_nothing(tmp_path: Path) -> None:
    home, acknowledged, chance = tmp_path / "home", set[str](), random.Random(7)  # noqa: S311  # moments to kill at
    for loop in range(LOOPS):
        adding = [Program(ADDER, home, f"{loop}{side}", SECRET) for side in "ab"]
        for each in adding:
            each.wait_for(1)
        threading.Event().wait(chance.uniform(0, 0.2))
        for each in adding:
            each.kill()
            acknowledged.update(each.said)
        assert in_plain(home, *WORDS) == set()
        before = files(home)
        for wrong in (OTHER, None, SECRET.upper()):
            with pytest.raises(KeyRefused):
                SqliteStore.open(home, secret=wrong)
        after = files(home)
        assert after["clew.db"] == before["clew.db"], "whoever has not the key changes nothing"
        # a log that was copied before the kill may go, once in a hundred kills; what it held is asked for below
        assert after.get("clew.db-wal") in (None, before.get("clew.db-wal"))
        store = SqliteStore.open(home, secret=SECRET)
        assert store.check() == []
        receipts = {str(row[1]) for row in everything(store, "receipt")}
        assert acknowledged <= receipts
        assert {row[1]: row[3] for row in everything(store, "blob")} == {name: name.encode() * 300 for name in receipts}
        store.close()


OPENER = """
import sys
from pathlib import Path
from clew.errors import KeyRefused
from clew.store.sqlite import SqliteStore
try:
    SqliteStore.open(Path(sys.argv[1]), secret=sys.argv[2] or None)
except KeyRefused as error:
    print(error)
"""


@pytest.mark.requirement("F-CRYPT-06")
def test_another_key_is_refused_while_the_home_is_open(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path, secret=SECRET)
    put(store, "turn", *(turn("s", seq, seq) for seq in range(50)))
    for wrong, said in ((OTHER, "does not open"), ("", "is encrypted, and store.key is 'none'")):
        with pytest.raises(KeyRefused, match=said):
            SqliteStore.open(tmp_path, secret=wrong or None)
        assert said in ran(OPENER, tmp_path, wrong).stdout
    put(store, "turn", turn("s", 50, 50))
    assert len(everything(store, "turn")) == 51
    assert store.check() == []
    store.close()
    again = SqliteStore.open(tmp_path, secret=SECRET)
    assert len(everything(again, "turn")) == 51
    again.close()


@pytest.mark.requirement("F-CRYPT-06")
def test_of_two_who_make_a_home_at_once_with_different_keys_one_is_refused(tmp_path: Path) -> None:
    outcomes: list[SqliteStore | KeyRefused] = []
    start = threading.Barrier(2)

    def make(secret: str) -> None:
        start.wait()
        try:
            outcomes.append(SqliteStore.open(tmp_path, secret=secret))
        except KeyRefused as error:
            outcomes.append(error)

    makers = [threading.Thread(target=make, args=(secret,)) for secret in (SECRET, OTHER)]
    for each in makers:
        each.start()
    for each in makers:
        each.join()
    (made,) = [each for each in outcomes if isinstance(each, SqliteStore)]
    assert len(outcomes) == 2
    put(made, "session", session("s"))
    made.close()


@pytest.mark.requirement("F-CRYPT-04")
def test_an_altered_page_is_found(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path, secret=SECRET)
    put(store, "turn", *(turn("s", seq, seq, text=f"text {seq} " * 20) for seq in range(500)))
    store.close()
    data = bytearray((tmp_path / DATABASE).read_bytes())
    for page in range(3 * len(data) // 16384, len(data) // 4096):  # rows of turns: the schema lies before them
        data[page * 4096 + 100] ^= 1
    (tmp_path / DATABASE).write_bytes(data)
    altered = SqliteStore.open(tmp_path, secret=SECRET)
    assert altered.check() != []
    with pytest.raises(StoreCorrupt):
        everything(altered, "turn")
    altered.close()


@pytest.mark.requirement("F-CRYPT-04")
def test_a_full_disk_is_told_and_loses_nothing(tmp_path: Path) -> None:
    disk = FaultyDisk()
    store = SqliteStore.open(tmp_path, secret=SECRET, vfs=disk.name)
    put(store, "turn", turn("s", 0, 0))
    disk.fault = lambda operation, _name: full() if operation == "write" else None
    with pytest.raises(StoreFull):
        put(store, "turn", *(turn("s", seq, seq, text="zqxwool " * 500) for seq in range(1, 50)))
    disk.fault = lambda _operation, _name: None
    put(store, "turn", turn("s", 1, 1))
    assert len(everything(store, "turn")) == 2
    store.close()
    assert in_plain(tmp_path, *WORDS) == set()


def full() -> int:
    raise OSError(28, "No space left on device")


# ------------------------------------------------------------------------------------------------------- other keys


@pytest.mark.requirement("F-CRYPT-01", "F-CRYPT-03")
def test_a_home_is_encrypted_gets_another_key_and_is_made_plain(tmp_path: Path) -> None:
    home = tmp_path / "home"
    store = SqliteStore.open(home)
    rows = [turn("zqxplan", seq, seq, text=f"zqxwool {seq}") for seq in range(300)]
    put(store, "turn", *rows)
    store.backup(home / f"{DATABASE}.schema-1.backup")
    store.close()
    for old, new in ((None, SECRET), (SECRET, OTHER), (OTHER, None), (None, None)):
        assert rekey(home, old, new) == (old != new)
        assert sorted(each.name for each in home.iterdir()) == [DATABASE, "clew.lock"]
        assert (home / DATABASE).stat().st_mode & 0o777 == 0o600
        assert in_plain(home, *WORDS) == (set() if new else {"zqxwool", "zqxplan", "external_id"})
        store = SqliteStore.open(home, secret=new)
        assert (everything(store, "turn"), store.check()) == (rows, [])
        assert store.migrate() == len(migrations("sqlite"))
        store.close()


@pytest.mark.requirement("F-CRYPT-03")
def test_a_key_that_is_there_already_is_not_made_again(tmp_path: Path) -> None:
    SqliteStore.open(tmp_path, secret=SECRET).close()
    before = files(tmp_path)
    assert not rekey(tmp_path, OTHER, SECRET)
    assert not rekey(tmp_path, None, SECRET)
    assert not rekey(tmp_path, SECRET, SECRET)
    assert files(tmp_path) == before


@pytest.mark.requirement("F-CRYPT-03", "F-CRYPT-06")
def test_a_key_is_changed_only_by_who_has_it(tmp_path: Path) -> None:
    SqliteStore.open(tmp_path, secret=SECRET).close()
    before = files(tmp_path)
    for wrong in (OTHER, None):
        with pytest.raises(KeyRefused):
            rekey(tmp_path, wrong, "a third")
    assert files(tmp_path) == before


@pytest.mark.requirement("F-CRYPT-03")
def test_a_key_is_not_changed_while_others_have_the_home(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path, secret=SECRET)
    put(store, "session", session("s"))
    with pytest.raises(StoreLocked, match="stop them"):
        rekey(tmp_path, SECRET, OTHER, busy_timeout=0.1)
    assert "StoreLocked" in ran(REKEY, tmp_path, SECRET, OTHER).stderr
    put(store, "session", session("t"))
    store.close()
    store = SqliteStore.open(tmp_path, secret=SECRET)
    assert len(everything(store, "session")) == 2
    store.close()


REKEY = """
import sys
from pathlib import Path
from clew.store.rekey import _write, rekey
print("begins", flush=True)
rekey(Path(sys.argv[1]), sys.argv[2] or None, sys.argv[3] or None, busy_timeout=0.1)
"""


@pytest.mark.requirement("F-CRYPT-03", "F-CRYPT-04")
@pytest.mark.timeout(300 + 60 * LOOPS)
def test_killed_while_its_key_changes_it_has_one_of_both(tmp_path: Path) -> None:
    home, chance, secrets = tmp_path / "home", random.Random(3), ["", SECRET, OTHER]  # noqa: S311  # moments to kill at
    store = SqliteStore.open(home)
    rows = [turn("s", seq, seq, text=f"zqxwool {seq} " * 50) for seq in range(2000)]
    put(store, "turn", *rows)
    store.close()
    old = 0
    for _ in range(3 * LOOPS):
        new = (old + 1) % 3
        command = [sys.executable, "-c", REKEY, str(home), secrets[old], secrets[new]]
        changing = subprocess.Popen(command, stdout=subprocess.PIPE)
        assert changing.stdout is not None
        changing.stdout.readline()
        threading.Event().wait(chance.uniform(0, 0.25))
        changing.kill()
        changing.communicate()
        try:
            store = SqliteStore.open(home, secret=secrets[old] or None)
        except KeyRefused:
            store, old = SqliteStore.open(home, secret=secrets[new] or None), new
        assert not (home / REKEYED).exists()
        assert (len(everything(store, "turn")), store.check()) == (len(rows), [])
        store.close()
        rekey(home, secrets[old] or None, secrets[new] or None)
        old = new


@pytest.mark.requirement("F-CRYPT-02")
def test_no_error_shows_a_key(tmp_path: Path) -> None:
    class Nowhere(Key):
        def address(self, file: Path) -> str:
            return f"{file.parent.as_uri()}/none/x?key=raw:5eC4e7"

    source = apsw.Connection(":memory:")
    with pytest.raises(StoreError, match=rf"{REKEYED} could not be written") as caught, translating():
        _write(source, tmp_path / REKEYED, Nowhere(b"", b""))
    errors = [caught.value, caught.value.__cause__, caught.value.__cause__ and caught.value.__cause__.__cause__]
    assert "5eC4e7" not in repr(errors)
    store = SqliteStore.open(tmp_path, secret=SECRET)
    assert repr(store._key) == "Key()"
    store.close()
