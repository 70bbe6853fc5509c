"""Where a home may lie, who may enter it, and which store a location names."""

import stat
import sys
from pathlib import Path

import pytest

from clew.errors import ConfigError, InputError, StoreError
from clew.store.home import network_mount, prepare_home
from clew.store.memory import MemoryStore
from clew.store.open import home_of, open_store
from clew.store.sqlite import DATABASE, SqliteStore

MOUNTS = """\
22 27 0:21 / /proc rw,relatime - proc proc rw
27 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard
30 27 0:40 / /net rw shared:1 - nfs4 server:/export rw
31 30 0:41 / /net/disk rw - xfs /dev/sdb rw
32 27 0:42 / /mnt/my\\040share rw,relatime master:1 - cifs //server/share rw
33 27 0:43 / /cloud rw - fuse.sshfs me@there: rw
34 27 0:44 / /safe rw - fuse.encfs encfs rw
35 27 0:45 / /twice rw - nfs server:/a rw
36 35 0:46 / /twice rw - tmpfs tmpfs rw
a line that means nothing
"""


@pytest.mark.requirement("F-STORE-25")
@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/home/alice/.clew", None),
        ("/", None),
        ("/net/alice/.clew", "nfs4"),
        ("/net", "nfs4"),
        ("/network/.clew", None),
        ("/net/disk/.clew", None),
        ("/mnt/my share/clew", "cifs"),
        ("/cloud/clew", "fuse.sshfs"),
        ("/safe/clew", None),
        ("/twice/clew", None),
    ],
)
def test_the_innermost_mount_decides(path: str, kind: str | None) -> None:
    assert network_mount(Path(path), MOUNTS) == kind


@pytest.mark.requirement("F-STORE-25")
def test_a_network_file_system_is_refused_unless_it_is_allowed(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with pytest.raises(StoreError, match=r"network file system \(nfs4\).*CLEW_ALLOW_NETWORK_FS=1"):
        prepare_home(home, {}, lambda _: "nfs4")
    with pytest.raises(StoreError):
        prepare_home(home, {"CLEW_ALLOW_NETWORK_FS": "0"}, lambda _: "nfs4")
    assert not home.exists()
    assert prepare_home(home, {"CLEW_ALLOW_NETWORK_FS": "1"}, lambda _: "nfs4") == home.resolve()


@pytest.mark.requirement("F-STORE-32")
def test_a_new_home_is_for_its_owner_alone(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path / "above" / "home")
    if sys.platform != "win32":
        assert stat.S_IMODE((tmp_path / "above" / "home").stat().st_mode) == 0o700
    assert store.url == f"sqlite:///{(tmp_path / 'above' / 'home').resolve()}"
    assert store.size() > 0
    store.close()


@pytest.mark.requirement("F-STORE-32")
def test_a_home_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    with pytest.raises(StoreError, match=r"file' is a file; expected a directory"):
        SqliteStore.open(tmp_path / "file")
    for below in ("home", "above/home"):
        with pytest.raises(StoreError, match=r"lies below '.*file', which is a file; name a directory"):
            SqliteStore.open(tmp_path / "file" / below)
    assert (tmp_path / "file").read_text(encoding="utf-8") == "mine"


@pytest.mark.requirement("F-STORE-29")
def test_a_location_names_its_store(tmp_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for location in (None, "~/.clew", "sqlite:///~/.clew", Path("~/.clew"), str(tmp_home / ".clew")):
        store = open_store(location)
        assert isinstance(store, SqliteStore)
        store.close()
        assert home_of(location) == tmp_home / ".clew"
    assert (tmp_home / ".clew" / DATABASE).exists()
    assert home_of(f"sqlite:///{tmp_home}") == tmp_home
    monkeypatch.setenv("CLEW_HOME", str(tmp_home / "other"))
    assert home_of(None) == tmp_home / "other"
    assert home_of("~/.clew") == tmp_home / ".clew"


@pytest.mark.requirement("F-STORE-29")
@pytest.mark.skipif(sys.platform == "win32", reason="USERPROFILE names the user's directory there")
@pytest.mark.parametrize("named", ["", "relative/path"])
def test_the_users_own_directory_must_be_known(named: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CLEW_STORE", raising=False)
    monkeypatch.delenv("CLEW_HOME", raising=False)
    monkeypatch.setenv("HOME", named)
    for location in (None, "~/notes", Path("~/notes"), "sqlite:///~/notes"):
        with pytest.raises(InputError, match=f"HOME is {named!r}; expected an absolute path there. Set HOME, or"):
            home_of(location)
    assert home_of("/srv/clew") == Path("/srv/clew")


@pytest.mark.requirement("F-STORE-29")
def test_memory_has_no_home() -> None:
    assert home_of(":memory:") is None
    store = open_store(":memory:")
    assert isinstance(store, MemoryStore)
    assert store.size() == 0


@pytest.mark.requirement("F-STORE-29")
@pytest.mark.parametrize("location", ["Postgres://me:secret@host/db", "mysql://me:secret@host", "", "sqlite:///"])
def test_other_engines_are_refused_without_showing_a_password(location: str) -> None:
    with pytest.raises(ConfigError, match="expected a home directory") as caught:
        open_store(location)
    assert "secret" not in str(caught.value)


@pytest.mark.requirement("F-STORE-29")
@pytest.mark.parametrize("scheme", ["postgresql", "postgres"])
def test_a_server_has_no_home(scheme: str, tmp_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    location = f"{scheme}://me:secret@127.0.0.1:1/db"
    assert home_of(location) is None
    monkeypatch.setenv("CLEW_HOME", location)
    assert home_of(None) is None
    with pytest.raises(StoreError, match="cannot be reached"):
        open_store(None)
    assert list(tmp_home.iterdir()) == []
