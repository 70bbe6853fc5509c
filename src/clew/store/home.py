"""The home directory: private, on a local disk, and durably created before anything is written into it."""

import errno
import os
import stat
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from clew.errors import InputError, StoreError, StoreReadOnly, shown
from clew.store.translate import translating

_PRIVATE: Final = 0o600
LONGEST_NAME: Final = 255
LONGEST_PATH: Final = 4095
"""Bytes of a file's name, and of a whole path, that Linux takes; others take no more."""

_KINDS: Final = (
    (stat.S_ISDIR, "a directory"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISCHR, "a device"),
)

OVERRIDE: Final = "CLEW_ALLOW_NETWORK_FS"
"""Set to 1 to use a home on a network file system at one's own risk."""

_NETWORK: Final = frozenset(
    "9p afs beegfs ceph cifs coda davfs gfs2 glusterfs gpfs lustre nfs nfs4 ocfs2 orangefs pvfs2 smb3 smbfs".split()
)
_NETWORK_FUSE: Final = ("ceph", "curl", "dav", "gcs", "gluster", "goofys", "nfs", "rclone", "s3", "smb", "sshfs")
"""A FUSE file system whose name (`fuse.<name>`) begins with one of these reaches over a network."""


def network_kind(home: Path) -> str | None:
    """The kind of network file system on which a path lies; None if it is local or unknown.

    Linux lists its mounts. On Windows, a share is recognised by its path, but a mapped drive is not. On other systems
    nothing is known.
    """
    if sys.platform == "win32":
        return "share" if home.drive.startswith("\\\\") else None
    mounts = Path("/proc/self/mountinfo")
    if not mounts.exists():
        return None
    return network_mount(home, mounts.read_text(encoding="utf-8", errors="surrogateescape"))


def usable_path(value: object, what: str) -> Path:
    """The path that a caller gave, with `~` expanded.

    Args:
        what: what lies at the path, for the message.

    Raises:
        InputError: it is no path, empty, holds a NUL or a character that file names cannot hold, its `~` is unknown, as
            without a HOME, or its links lead in a circle.
    """
    if not isinstance(value, str | Path):
        raise InputError(f"{what} is {shown(value)}; expected a path, as a str or a Path")
    if isinstance(value, str) and not value.strip():
        raise InputError(f"{what} is empty, {shown(value)}; expected a path, such as '.' for the current folder")
    try:
        encoded = os.fsencode(value)
    except UnicodeEncodeError:
        encoded = b"\0"
    if b"\0" in encoded:
        raise InputError(f"{what} {str(value)!r:.200} holds a character that no file name can; expected a plain path")
    if max(map(len, encoded.split(b"/"))) > LONGEST_NAME or len(encoded) > LONGEST_PATH:
        raise InputError(f"{what} {str(value)!r:.200} is too long for a file name; expected a shorter one")
    path = _expanded(Path(value), what)
    if is_endless(path):
        raise InputError(
            f"{what} {str(value)!r:.200} is a symbolic link that leads back to itself; remove the link, or name "
            "another path"
        )
    return path


def _expanded(path: Path, what: str) -> Path:
    """The path with `~` replaced by the user's own directory.

    Python takes an empty HOME for the root of the disk, where nobody expects a memory.

    Raises:
        InputError: the directory is unknown.
    """
    variable = "USERPROFILE" if sys.platform == "win32" else "HOME"
    named = os.environ.get(variable)
    is_own = path.parts[:1] == ("~",)
    if is_own and named is not None and not Path(named).is_absolute():
        raise InputError(
            f"{what} {str(path)!r:.200} begins with '~', the user's own directory, but {variable} is {named!r:.200}; "
            f"expected an absolute path there. Set {variable}, or write the path out, as with --home DIR or CLEW_HOME"
        )
    try:
        return path.expanduser()
    except RuntimeError:
        whose = f"the user's own directory, which is unknown: {variable} is not set" if is_own else "an unknown user"
        raise InputError(
            f"{what} {str(path)!r:.200} begins with {whose}; write the path out, as with --home DIR or CLEW_HOME"
        ) from None


def is_endless(path: Path) -> bool:
    """Whether the symbolic links of a path form a loop."""
    try:
        path.stat()
    except OSError as error:
        return error.errno == errno.ELOOP
    return False


def prepare_home(
    path: Path, environment: Mapping[str, str], kind_of: Callable[[Path], str | None] = network_kind
) -> Path:
    """The home's absolute path; made, with access for its owner only, when it is absent.

    Args:
        kind_of: names the kind of network file system that a path is on, or gives None.

    Raises:
        StoreError: it cannot be made, is not a directory, or is on a network file system while `CLEW_ALLOW_NETWORK_FS`
            is not 1.
    """
    with translating():
        home = local_home(path, environment, kind_of)
        if not home.exists():
            home.mkdir(mode=0o700, parents=True, exist_ok=True)
            sync_directory(home.parent)
    return home


def local_home(
    path: Path, environment: Mapping[str, str], kind_of: Callable[[Path], str | None] = network_kind
) -> Path:
    """The home's absolute path, which need not exist; the arguments and errors are those of `prepare_home`."""
    home = path.expanduser().resolve()
    if home.exists() and not home.is_dir():
        raise StoreError(f"{str(home)!r} is a file; expected a directory for the home, or nothing yet")
    if (above := next((folder for folder in home.parents if folder.exists()), home.parent)).is_file():
        raise StoreError(
            f"{str(home)!r} lies below {str(above)!r}, which is a file; name a directory, or move the file away"
        )
    if environment.get(OVERRIDE) != "1" and (kind := kind_of(home)) is not None:
        raise StoreError(
            f"{str(home)!r} is on a network file system ({kind}), where locks and shared memory fail and databases "
            f"break; choose a local directory, or set {OVERRIDE}=1 to use it at your own risk"
        )
    return home


def allowed(path: Path, rights: int) -> bool:
    """Whether this process has these rights (`os.R_OK`, `os.W_OK`) to a file; False if it does not exist."""
    return os.access(path, rights, effective_ids=os.access in os.supports_effective_ids)


def refuse_non_file(file: Path) -> None:
    """Refuses something other than a file in place of a database; opening a pipe would wait for its writer.

    Raises:
        StoreError: there is something that is not a file.
    """
    try:
        mode = file.stat().st_mode
    except OSError:
        if is_endless(file):
            kind = "a symbolic link that leads back to itself"
        elif file.is_symlink():
            kind = f"a symbolic link to {str(file.readlink())!r}, which does not exist"
        else:
            return
    else:
        if stat.S_ISREG(mode):
            return
        kind = next((name for fits, name in _KINDS if fits(mode)), "no regular file")
    raise StoreError(
        f"{str(file)!r} is {kind}; expected the database, a file. Move it away, then put the file back, or restore a "
        "backup with `clew restore-backup FILE`"
    )


def check_writable(home: Path, database: str) -> None:
    """Refuses a home that this process may not read and write.

    Raises:
        StoreReadOnly: it may not; the message says which.
    """
    paths = [path for path in (home, home / database) if path.exists()]
    for path in paths:
        if not allowed(path, os.R_OK):
            raise StoreReadOnly(
                f"{str(path)!r} cannot be read by this user; ask its owner for the right to read it, or name another "
                "home"
            )
    for path in paths:
        if not allowed(path, os.R_OK | os.W_OK):
            raise StoreReadOnly(
                f"{str(path)!r} cannot be written by this user; give the user the right to write, or copy the home "
                "and open the copy"
            )


def make_private(file: Path) -> None:
    """Creates a file for its owner only; removes the right to read from others, unless they may write.

    A file that others may write is shared on purpose, so its rights stay as they are.
    """
    if sys.platform == "win32":
        return
    try:
        os.close(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _PRIVATE))
    except FileExistsError:
        for path in (file, *(file.with_name(file.name + suffix) for suffix in ("-wal", "-shm"))):
            with suppress(FileNotFoundError, PermissionError):  # there is none, or it belongs to somebody else
                mode = path.stat().st_mode
                if mode & 0o044 and not mode & 0o022:
                    path.chmod(_PRIVATE)


def sync_directory(path: Path) -> None:
    """Makes the entries of a directory durable. Windows has no such call and does not need one."""
    if sys.platform != "win32":
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def network_mount(home: Path, mounts: str) -> str | None:
    """As `network_kind`, from the text of `/proc/self/mountinfo`; of several mounts on one path the last one counts."""
    deepest, kind = -1, ""
    for line in mounts.splitlines():
        before, _, after = line.partition(" - ")
        fields, described = before.split(), after.split()
        if len(fields) < 5 or not described:
            continue
        point = Path(_unescaped(fields[4]))
        if len(point.parts) >= deepest and home.is_relative_to(point):
            deepest, kind = len(point.parts), described[0]
    family, _, name = kind.partition(".")
    is_network = kind in _NETWORK or (family == "fuse" and name.startswith(_NETWORK_FUSE))
    return kind if is_network else None


def _unescaped(point: str) -> str:
    """A mount point as it is; the kernel writes blanks and backslashes as three octal digits."""
    for escaped, plain in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        point = point.replace(escaped, plain)
    return point
