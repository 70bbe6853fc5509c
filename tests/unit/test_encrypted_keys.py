"""Where a key comes from, and what is said when there is none: on any SQLite."""

import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import apsw
import pytest

from clew.cli.rekey import note_key
from clew.config import Config, StoreConfig, load_config
from clew.errors import ClewError, ConfigError, KeyRefused, MissingExtra, StoreError
from clew.memory import Memory
from clew.store.cipher import Key
from clew.store.keys import asked_from_keyring, secret_of
from clew.store.open import open_store
from clew.store.rekey import rekey
from clew.store.sqlite import DATABASE, SqliteStore
from tests.support.cli_runs import failure, record

KEY = "correct horse battery staple"
HEAD = bytes(range(16)) + b"\x10\x00\x02\x02\x20\x40\x20\x20"
"""The beginning of an encrypted file: its salt, and the part of SQLite's header that stays plain."""

Ask = Callable[[str, str], str | None]


def entries(**held: str) -> Ask:
    """A keyring that holds these."""
    return lambda service, name: held.get(name) if service == "clew" else None


def encrypted_file(home: Path) -> bytes:
    """A home whose database is encrypted, as far as its first bytes tell."""
    home.mkdir()
    (home / DATABASE).write_bytes(data := HEAD + b"\xa5" * 4072)
    return data


@pytest.mark.requirement("F-CRYPT-02")
@pytest.mark.parametrize(
    ("reference", "found"),
    [("none", None), ("env:K", KEY), ("keyring:my home", "from the ring"), ("env:BYTES", "\udcff\U0001f511")],
)
def test_a_key_comes_from_where_its_name_says(reference: str, found: str | None) -> None:
    environment = {"K": KEY, "BYTES": "\udcff\U0001f511"}
    assert secret_of(reference, environment, entries(**{"my home": "from the ring"})) == found


@pytest.mark.requirement("F-CRYPT-06")
@pytest.mark.parametrize(
    ("reference", "said"),
    [
        ("env:ABSENT", "'env:ABSENT', and the variable ABSENT is not set"),
        ("env:EMPTY", "'env:EMPTY', and the key there is empty"),
        ("env:BLANK", "'env:BLANK', and the key there is empty"),
        ("keyring:absent", "has no such entry; `keyring set clew absent`"),
        ("keyring:empty", "'keyring:empty', and the key there is empty"),
    ],
)
def test_a_key_that_is_not_there_is_told(reference: str, said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        secret_of(reference, {"EMPTY": "", "BLANK": " \n"}, entries(empty=""))
    assert said in str(caught.value)


@pytest.mark.requirement("F-CRYPT-02")
@pytest.mark.parametrize("wrong", [KEY, "", "env:", "env:a b", "keyring:", "keyring: ", "ENV:K", "None"])
def test_a_key_in_the_place_of_its_name_is_refused_and_not_shown(tmp_path: Path, wrong: str) -> None:
    (tmp_path / "clew.toml").write_text(f'[store]\nkey = "{wrong}"\n', encoding="utf-8")
    for load in (
        lambda: load_config(tmp_path, None, {}),
        lambda: load_config(None, None, {"CLEW_STORE_KEY": wrong}),
        lambda: load_config(None, {"store": {"key": wrong}}, {}),
        lambda: secret_of(wrong, {}, entries()),
        lambda: Memory.open(tmp_path / "home", config=Config(store=StoreConfig(key=wrong)), embedder="none"),
    ):
        with pytest.raises(ConfigError, match=r"not shown|is not set") as caught:
            load()
        assert KEY not in str(caught.value)
    assert not (tmp_path / "home").exists()


@pytest.mark.requirement("F-CRYPT-06")
def test_a_number_is_no_name_of_a_key() -> None:
    with pytest.raises(ConfigError, match="not shown"):
        load_config(None, {"store": {"key": 12345}}, {})


@pytest.mark.requirement("F-CRYPT-06")
def test_without_the_package_the_keyring_cannot_be_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "keyring", None)
    with pytest.raises(MissingExtra, match=r"clew\[encrypted\]"):
        asked_from_keyring("clew", "x")


@pytest.mark.requirement("F-CRYPT-06")
@pytest.mark.parametrize("answers", [True, False])
def test_the_keyring_answers_or_its_silence_is_told(monkeypatch: pytest.MonkeyPatch, *, answers: bool) -> None:
    class KeyringError(Exception):
        pass

    def get_password(service: str, name: str) -> str:
        if not answers:
            raise KeyringError("No recommended backend\nwas available.")
        return f"{service}/{name}"

    errors = ModuleType("keyring.errors")
    ring = ModuleType("keyring")
    vars(errors)["KeyringError"] = KeyringError
    vars(ring)["get_password"] = get_password
    monkeypatch.setitem(sys.modules, "keyring", ring)
    monkeypatch.setitem(sys.modules, "keyring.errors", errors)
    if answers:
        assert secret_of("keyring:x") == "clew/x"
    else:
        with pytest.raises(ConfigError, match=r"does not answer \(No recommended backend was available.\)"):
            secret_of("keyring:x")


@pytest.mark.requirement("F-CRYPT-06")
def test_an_encrypted_home_without_a_key_is_told_and_left_alone(tmp_path: Path) -> None:
    home = tmp_path / "home"
    data = encrypted_file(home)
    with pytest.raises(KeyRefused, match=r"is encrypted, and store.key is 'none'; say where its key is"):
        SqliteStore.open(home)
    with pytest.raises(KeyRefused, match=r"is encrypted, and store.key is 'none'"):
        rekey(home, None, None)
    assert (home / DATABASE).read_bytes() == data
    assert sorted(entry.name for entry in home.iterdir()) == [DATABASE, "clew.lock"]


@pytest.mark.requirement("F-CRYPT-06")
def test_a_plain_home_with_a_key_is_told_and_left_alone(tmp_path: Path) -> None:
    SqliteStore.open(tmp_path).close()
    data = (tmp_path / DATABASE).read_bytes()
    with pytest.raises(KeyRefused, match=r"is not encrypted, and store.key names a key; encrypt it with `clew rekey`"):
        SqliteStore.open(tmp_path, secret=KEY)
    assert (tmp_path / DATABASE).read_bytes() == data


@pytest.mark.requirement("F-CRYPT-06")
def test_a_sqlite_that_cannot_encrypt_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(apsw, "mc_version", raising=False)
    home = tmp_path / "home"
    data = encrypted_file(home)
    for place in (home, tmp_path / "new"):
        with pytest.raises(MissingExtra, match="--force-reinstall --no-deps apsw-sqlite3mc"):
            SqliteStore.open(place, secret=KEY)
    assert (home / DATABASE).read_bytes() == data
    assert not (tmp_path / "new" / DATABASE).exists()
    plain = tmp_path / "plain"
    SqliteStore.open(plain).close()
    before = (plain / DATABASE).read_bytes()
    with pytest.raises(MissingExtra, match="apsw-sqlite3mc in the place of apsw"):
        rekey(plain, None, KEY)
    assert (plain / DATABASE).read_bytes() == before
    SqliteStore.open(plain).close()


@pytest.mark.requirement("F-CRYPT-06")
@pytest.mark.parametrize("junk", [b"x" * 600, b"shopping list: wool, thread\n" * 100])
def test_a_file_that_is_no_database_is_not_taken_for_an_encrypted_one(tmp_path: Path, junk: bytes) -> None:
    (tmp_path / DATABASE).write_bytes(junk)
    with pytest.raises(ClewError, match="not a database"):
        SqliteStore.open(tmp_path)
    assert (tmp_path / DATABASE).read_bytes() == junk


@pytest.mark.requirement("F-CRYPT-06")
def test_a_server_is_not_ours_to_encrypt(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("K", KEY)
    with pytest.raises(ConfigError, match="this is a server: encrypt its disk"):
        open_store("postgresql://127.0.0.1/none", key="env:K")


@pytest.mark.requirement("F-CRYPT-03")
def test_a_home_that_is_not_there_gets_no_key(tmp_path: Path) -> None:
    with pytest.raises(ClewError, match="is not a home"):
        rekey(tmp_path / "nowhere", None, KEY)
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.requirement("F-CRYPT-05")
def test_a_plain_home_says_so_where_it_is_asked(tmp_home: Path) -> None:
    SqliteStore.open(tmp_home).close()
    assert record("stats", "--home", tmp_home)["details"]["encryption"] == "none"
    assert record("verify", "--home", tmp_home)["encryption"] == "none"
    assert record("doctor", "--home", tmp_home)["encryption"] == "none"


@pytest.mark.requirement("F-CRYPT-06")
def test_checking_the_settings_looks_for_the_key(tmp_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEW_STORE_KEY", "env:K")
    assert "the variable K is not set" in failure(1, "config", "check", "--home", tmp_home)
    monkeypatch.setenv("K", KEY)
    monkeypatch.delattr(apsw, "mc_version", raising=False)
    assert "apsw-sqlite3mc" in failure(1, "config", "check", "--home", tmp_home)


@pytest.mark.requirement("F-CRYPT-01")
def test_what_takes_no_key_writes_nothing_in_plain(tmp_path: Path) -> None:
    system = ("unix", "win32")  # others are of other tests, and may encrypt
    layer = next(name for name in system if name in apsw.vfs_names())
    connection = apsw.Connection(str(tmp_path / DATABASE), vfs=layer)
    with pytest.raises((StoreError, apsw.SQLError), match=r"takes no key|not supported"):
        Key(b"k" * 32, b"s" * 16).open(connection)
    connection.close()
    assert (tmp_path / DATABASE).stat().st_size == 0


# ------------------------------------------------------------------------------------------- the line of clew.toml


@pytest.mark.requirement("F-CRYPT-03")
@pytest.mark.parametrize(
    ("before", "after"),
    [
        (None, '[store]\nkey = "env:K"\n'),
        ("budget = 3", 'budget = 3\n\n[store]\nkey = "env:K"\n'),
        ("[store]\nkey = 'none'  # plain\n[recall]\nrrf_k = 9\n", '[store]\nkey = "env:K"\n[recall]\nrrf_k = 9\n'),
        ("[ store ] # here\n\n[recall]\n", '[ store ] # here\nkey = "env:K"\n\n[recall]\n'),
        ("[store]\r\nkey = 'none'\r\n", None),
        ('[store]\nkey = "env:K"\n', '[store]\nkey = "env:K"\n'),
    ],
)
def test_a_key_is_named_in_the_settings(tmp_home: Path, before: str | None, after: str | None) -> None:
    path = tmp_home / "clew.toml"
    if before is not None:
        path.write_bytes(before.encode())
    note_key(tmp_home, "env:K")
    assert after is None or path.read_bytes().decode() == after
    assert load_config(tmp_home, None, {}).store.key == "env:K"
    assert [entry.name for entry in tmp_home.iterdir()] == ["clew.toml"]


@pytest.mark.requirement("F-CRYPT-03")
def test_settings_that_need_no_change_are_not_made(tmp_home: Path) -> None:
    note_key(tmp_home, "none")
    assert list(tmp_home.iterdir()) == []


@pytest.mark.requirement("F-CRYPT-03")
@pytest.mark.parametrize("before", ["store.key = 'none'\n", "store = { key = 'none' }\n", "a = '''\n[store]\n'''\n"])
def test_settings_that_are_laid_out_otherwise_are_left_alone(tmp_home: Path, before: str) -> None:
    path = tmp_home / "clew.toml"
    path.write_text(before, encoding="utf-8")
    with pytest.raises(ConfigError, match=r'add this line to its table \[store\]: key = "env:K"'):
        note_key(tmp_home, "env:K")
    assert path.read_text(encoding="utf-8") == before
    assert [entry.name for entry in tmp_home.iterdir()] == ["clew.toml"]


@pytest.mark.requirement("F-CRYPT-03")
def test_a_variable_that_wins_over_the_settings_is_told(
    tmp_home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CLEW_STORE_KEY", "env:OTHER")
    note_key(tmp_home, "env:K")
    assert "CLEW_STORE_KEY overrides clew.toml" in capsys.readouterr().err
