"""Which files of a folder belong to a project, and what becomes of all others."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.errors import InputError, NotFoundError, StoreReadOnly
from clew.project.blast_radius import find_node
from clew.project.layout import Layout
from clew.project.lens import lens_of
from clew.project.project import Project
from clew.project.query import query
from clew.project.reading import read_bytes
from clew.project.status import status
from clew.project.walk import SkipReason, shown_path, walk
from tests.support.cli_runs import done
from tests.support.effort import examples
from tests.support.projects import made, write

MIB = 1 << 20
on_posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such names or files")

IGNORES = st.lists(
    st.sampled_from(
        [
            *"a b/ *.log !keep.log /top c/*.txt **/deep d/** !d/keep /b/*/x.py foo* [ab].py !b.py * !d/ !*/".split(),
            *"# \\#x a/b *.py[co] ! / ** a/**/z /* !/b".split(),
            "trailing ",
            "sp ace",
            *"[[:alpha:]][[:punct:]]* [![:lower:]]* [[:alnum:].]* [^[:graph:]x]* \\[[:alpha:]] [:ab:]".split(),
            "[x[:print:]].log",
            "a\u2028b",
            "\ufeff*.log",
        ]
    ),
    max_size=6,
)
NAMES = st.sampled_from("a b c d top deep keep keep.log x.log x.py a.py b.py foo food z.txt x.pyc".split())
PATHS = st.lists(st.lists(NAMES, min_size=1, max_size=4).map("/".join), min_size=1, max_size=12, unique=True)


def known_to_git(root: Path) -> set[str]:
    command = ["git", "-c", "core.excludesFile=", "ls-files", "-z", "--others", "--exclude-standard"]
    listing = subprocess.run(command, cwd=root, capture_output=True, check=True).stdout.decode()
    return set(listing.split("\0")) - {""}


@pytest.mark.requirement("L-PRJ-08")
@settings(max_examples=examples(12, 120), deadline=None)
@given(top=IGNORES, below=IGNORES, paths=PATHS)
def test_what_git_would_ignore_is_left_out(
    tmp_path_factory: pytest.TempPathFactory, top: list[str], below: list[str], paths: list[str]
) -> None:
    root = tmp_path_factory.mktemp("repository")
    subprocess.run(["git", "init", "-q", root], check=True)
    for path in paths:
        place = root / path
        if not any(parent.is_file() for parent in place.parents) and not place.is_dir():
            write(root, {path: "text\n"})
    write(root, {".gitignore": "\n".join(top) + "\n"})
    if (root / "b").is_dir():
        write(root, {"b/.gitignore": "\n".join(below) + "\n"})
    assert {file.path for file in walk(root, max_bytes=MIB).files} == known_to_git(root)


def committed(root: Path, *paths: str, **config: str) -> None:
    """Makes a repository whose index has some paths, ignored or not."""
    subprocess.run(["git", "init", "-q", root], check=True)
    settings = [part for name, value in config.items() for part in ("-c", f"{name.replace('_', '.')}={value}")]
    subprocess.run(["git", *settings, "add", "-f", *paths], cwd=root, check=True)


@pytest.mark.requirement("PRJ-GIT-01")
@pytest.mark.parametrize("version", ["2", "4"])
def test_what_git_tracks_is_read_though_a_rule_names_it(tmp_path: Path, version: str) -> None:
    files = ["a.py", "build/deep/kept.py", "build/left.py", "build/é.py", "generated.log", "own/x.py", "other.log"]
    write(tmp_path, {**dict.fromkeys(files, ""), ".gitignore": "build/\n*.log\nown/\n"})
    tracked = ["build/deep/kept.py", "build/é.py", "generated.log", "own/x.py"]
    committed(tmp_path, *tracked, index_version=version)
    if version == "2":  # a flag of one entry makes its index one of version 3
        subprocess.run(["git", "update-index", "--skip-worktree", "generated.log"], cwd=tmp_path, check=True)
    found = walk(tmp_path, max_bytes=MIB, exclude=["/own/"])
    assert [file.path for file in found.files] == [".gitignore", "a.py", *tracked[:3]]
    listed = subprocess.run(["git", "ls-files"], cwd=tmp_path, capture_output=True, check=True).stdout
    assert listed.count(b"\n") == len(tracked)


@pytest.mark.requirement("PRJ-GIT-01")
def test_a_repository_inside_has_rules_and_tracked_files_of_its_own(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": "", "inner/.gitignore": "*.py\n", "inner/b.py": "", "inner/c.py": "", "inner/d.txt": ""})
    committed(tmp_path / "inner", "b.py")
    (tmp_path / "inner" / ".git").rename(tmp_path / ".git-inner")
    (tmp_path / ".git-inner" / "info").mkdir(exist_ok=True)
    (tmp_path / ".git-inner" / "info" / "exclude").write_text("d.txt\n")
    (tmp_path / "inner" / ".git").write_text("gitdir: ../.git-inner\n")
    found = walk(tmp_path, max_bytes=MIB, exclude=[".git-inner/", "inner/.git"])
    assert [file.path for file in found.files] == ["a.py", "inner/.gitignore", "inner/b.py"]


@pytest.mark.requirement("PRJ-GIT-02")
@given(data=st.binary(max_size=200), place=st.integers(0, 400), cut=st.integers(0, 400))
@settings(max_examples=examples(18, 200), deadline=None)
def test_a_damaged_index_of_git_ends_nothing(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, place: int, cut: int
) -> None:
    root = write(tmp_path_factory.mktemp("repository"), {"a.py": "", "b.log": "", ".gitignore": "*.log\n"})
    committed(root, "b.log", "a.py")
    whole = (root / ".git" / "index").read_bytes()
    (root / ".git" / "index").write_bytes((whole[:place] + data + whole[place + len(data) :])[: max(12, cut)])
    assert {".gitignore", "a.py"} <= {file.path for file in walk(root, max_bytes=MIB).files}


@pytest.mark.requirement("L-PRJ-08")
def test_a_mark_of_utf8_is_no_part_of_the_first_rule(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": "", "b.log": "", "c.tmp": "", ".gitignore": b"\xef\xbb\xbf*.log\r\n*.tmp\r\n"})
    assert [file.path for file in walk(tmp_path, max_bytes=MIB).files] == [".gitignore", "a.py"]


@pytest.mark.requirement("L-PRJ-08")
def test_a_folder_in_a_repository_has_its_rules_and_tracked_files(tmp_path: Path) -> None:
    own = ["a.py", "dist/x.js", "dist/kept.js", "gen/y.py", "top/z.py", "c.log", "excluded.py"]
    write(tmp_path, {f"packages/app/{name}": "" for name in own})
    write(tmp_path, {".gitignore": "dist/\n/packages/app/gen/\n/top/\n", "packages/.gitignore": "*.log\n"})
    committed(tmp_path, "packages/app/dist/kept.js")
    write(tmp_path, {".git/info/exclude": "excluded.py\n"})
    found = walk(tmp_path / "packages" / "app", max_bytes=MIB)
    assert [file.path for file in found.files] == ["a.py", "dist/kept.js", "top/z.py"]


@pytest.mark.requirement("L-PRJ-08")
def test_a_folder_that_a_repository_leaves_out_is_read_for_its_own_sake(tmp_path: Path) -> None:
    write(tmp_path, {".gitignore": "env/\n*.md\n", "env/lib/package/a.py": "", "env/lib/package/README.md": ""})
    committed(tmp_path, ".gitignore")
    found = walk(tmp_path / "env" / "lib" / "package", max_bytes=MIB)
    assert [file.path for file in found.files] == ["README.md", "a.py"]


@pytest.mark.requirement("L-PRJ-06")
@on_posix
@pytest.mark.parametrize("name", [".gitignore", ".git", "in/.git/index", "in/.git/info/exclude", "in/.git/commondir"])
def test_a_pipe_in_the_place_of_a_file_of_git_keeps_nobody_waiting(tmp_path: Path, name: str) -> None:
    write(tmp_path, {"in/a.py": "", "in/.git/HEAD": ""})
    place = tmp_path / name
    place.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(place)
    assert [file.path for file in walk(tmp_path, max_bytes=MIB).files] == ["in/a.py"]


@pytest.mark.requirement("PRJ-GIT-02")
@on_posix
@pytest.mark.parametrize("link", [b"gitdir: a\0b\n", b"gitdir: ../nowhere\n", b"\xff\0"])
def test_a_damaged_link_to_the_folder_of_git_is_no_file_of_the_project(tmp_path: Path, link: bytes) -> None:
    write(tmp_path, {"a.py": "", ".git": link, "inner/b.py": "", "inner/.git": link})
    assert [file.path for file in walk(tmp_path, max_bytes=MIB).files] == ["a.py", "inner/b.py"]


@pytest.mark.requirement("L-PRJ-08")
def test_a_folder_without_git_is_read_and_generated_folders_are_not(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "a.py": "",
            "node_modules/x.js": "",
            "__pycache__/x.py": "",
            "env/pyvenv.cfg": "",
            "env/lib/x.py": "",
            "store/CACHEDIR.TAG": "",
            ".clew/x.py": "",
            ".git/config": "",
            "vendor/x.py": "",
        },
    )
    found = walk(tmp_path, max_bytes=MIB, exclude=["/vendor/"])
    assert [file.path for file in found.files] == ["a.py"]
    assert found.ignored == 5


@pytest.mark.requirement("L-PRJ-06")
def test_large_and_binary_files_are_named_and_skipped(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": "x = 1\n", "image.png": b"\x89PNG\0\0", "new.bin": b"text\0"})
    with (tmp_path / "dump.sql").open("wb") as large:
        large.truncate(50 * MIB)
    report = made(tmp_path, {})
    assert [(each.path, str(each.reason)) for each in report.skipped] == [
        ("dump.sql", "too large"),
        ("image.png", "binary"),
        ("new.bin", "binary"),
    ]
    assert report.files == 1


@on_posix
@pytest.mark.requirement("L-PRJ-06")
def test_links_and_pipes_are_named_and_not_followed(tmp_path: Path) -> None:
    write(tmp_path, {"src/a.py": ""})
    (tmp_path / "src" / "loop").symlink_to(tmp_path)
    (tmp_path / "gone").symlink_to("nowhere")
    (tmp_path / "same.py").symlink_to("src/a.py")
    os.mkfifo(tmp_path / "pipe")
    found = walk(tmp_path, max_bytes=MIB)
    assert [file.path for file in found.files] == ["src/a.py"]
    assert {skipped.path: skipped.reason for skipped in found.skipped} == {
        "gone": SkipReason.SYMBOLIC_LINK,
        "pipe": SkipReason.NOT_REGULAR,
        "same.py": SkipReason.SYMBOLIC_LINK,
        "src/loop": SkipReason.SYMBOLIC_LINK,
    }


@contextmanager
def not_as_root() -> Iterator[None]:
    """Root may read everything; so the block runs as another user."""
    is_root = os.geteuid() == 0
    if is_root:
        os.seteuid(65_534)
    try:
        yield
    finally:
        if is_root:
            os.seteuid(0)


@on_posix
@pytest.mark.requirement("L-PRJ-06")
def test_what_may_not_be_read_is_named_and_skipped(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": "", "closed/b.py": "", "closed.py": "x = 1\n"})
    made(tmp_path.parent / "before", {"a.py": ""})  # loads what the other user may not read
    for parent in tmp_path.parents:
        if not parent.stat().st_mode & 0o001:
            parent.chmod(0o755)
    (tmp_path / "closed").chmod(0)
    (tmp_path / "closed.py").chmod(0)
    tmp_path.chmod(0o777)
    try:
        with not_as_root():
            report = made(tmp_path, {})
            assert status(Layout.of(tmp_path)).behind == (), "an update would not read them either"
    finally:
        (tmp_path / "closed").chmod(0o755)
    assert [(each.path, each.reason) for each in report.skipped] == [
        ("closed", SkipReason.UNREADABLE),
        ("closed.py", SkipReason.UNREADABLE),
    ]
    assert report.added == ("a.py",)


@on_posix
@pytest.mark.requirement("L-CODE-27")
def test_a_project_of_somebody_else_is_read_and_not_written(tmp_path: Path) -> None:
    made(tmp_path, {"a.py": '"""Checks tickets."""\n'})
    with Project.open(tmp_path) as project:
        lens_of(project)  # loads what the other user may not read
    folders = [tmp_path, *(path for path in (tmp_path / ".clew").rglob("*") if path.is_dir()), tmp_path / ".clew"]
    for folder in (*tmp_path.parents, *folders):
        if folder in folders or not folder.stat().st_mode & 0o001:
            folder.chmod(0o555 if folder in folders else 0o755)
    try:
        with not_as_root():
            with Project.open(tmp_path) as project:
                assert [node.path for node, _ in project.search("tickets")] == ["a.py"]
                assert lens_of(project).elements
            assert status(Layout.of(tmp_path)).ok
            with pytest.raises(StoreReadOnly, match=r"\.clew/project' may not be written") as caught:
                made(tmp_path, {})
    finally:
        for folder in folders:
            folder.chmod(0o755)
    assert "home" not in str(caught.value)


@on_posix
@pytest.mark.requirement("L-PRJ-06", "L-PRJ-09")
def test_every_name_is_taken_and_none_collides(tmp_path: Path) -> None:
    names = ["a/b.py", "a_b.py", "a-b.py", "a b.py", "A_b.py", "a#b.py", "new\nline.py", "\u65e5\u672c\u8a9e.py"]
    names += ["caf\u00e9.py", "cafe\u0301.py", "\\xe9.py", "%E9.py", "\u0627\u0644\u0639\u0631\u0628\u064a\u0629.md"]
    write(tmp_path, {name: f"# {number}\n" for number, name in enumerate(names)})
    (tmp_path / os.fsdecode(b"\xe9.py")).write_text("# raw\n", encoding="utf-8")
    report = made(tmp_path, {})
    assert report.files == len(names) + 1
    assert {frozenset(same) for same in report.collisions} == {
        frozenset({"a_b.py", "A_b.py"}),
        frozenset({"caf\u00e9.py", "cafe\u0301.py"}),
    }
    assert {r"\xe9.py", r"\x5cxe9.py"} < set(report.added)
    with Project.open(tmp_path) as project:
        ids = [node.id for node in project.nodes()]
        assert all(project.file(path) for path in report.added)
    assert len(set(ids)) == len(ids)
    assert all(each.encode() for each in ids)


@pytest.mark.requirement("L-PRJ-09")
@given(one=st.binary(min_size=1, max_size=6), other=st.binary(min_size=1, max_size=6))
def test_different_names_are_shown_differently(one: bytes, other: bytes) -> None:
    shown = [shown_path(name.decode("utf-8", "surrogateescape")) for name in (one, other)]
    assert (shown[0] == shown[1]) == (one == other)
    assert all(each.encode() for each in shown)


@pytest.mark.requirement("L-PRJ-06")
def test_what_is_no_folder_or_pattern_is_refused(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": ""})
    with pytest.raises(NotFoundError, match="is not a folder"):
        walk(tmp_path / "none", max_bytes=MIB)
    with pytest.raises(InputError, match="is not a folder"):
        walk(tmp_path / "a.py", max_bytes=MIB)
    with pytest.raises(InputError, match="not a pattern"):
        walk(tmp_path, max_bytes=MIB, exclude=["!"])


@pytest.mark.requirement("L-PRJ-14")
@pytest.mark.skipif(sys.platform != "linux", reason="names that are not UTF-8")
def test_a_file_with_an_odd_name_is_found_by_it(tmp_path: Path) -> None:
    raw = os.fsdecode(b"na\xff.py")
    write(tmp_path, {raw: "def raw(): pass\n", "back\\slash.py": "def slashed(): pass\n", "sub/x.py": ""})
    made(tmp_path, {})
    with Project.open(tmp_path) as project:
        for mention in (raw, r"na\xff.py"):
            assert query(project, f"file:{mention}")[0].node.path == r"na\xff.py"
            assert find_node(project, mention).path == r"na\xff.py"
        assert project.paths_like("back\\slash.py") == ("back\\slash.py",)
        assert project.paths_like(".\\sub\\x.py") == ("sub/x.py",)
        with pytest.raises(NotFoundError):
            find_node(project, os.fsdecode(b"none\xff"))


@pytest.mark.requirement("L-PRJ-06")
@pytest.mark.skipif(sys.platform != "linux", reason="names that are not UTF-8")
def test_a_project_in_a_folder_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    root = tmp_path / os.fsdecode(b"d\xff")
    root.mkdir()
    with pytest.raises(InputError, match="not UTF-8"):
        Layout.of(root)


@pytest.mark.requirement("L-PRJ-06")
def test_files_that_vanish_or_grow_between_the_walk_and_reading_are_skipped(tmp_path: Path) -> None:
    write(tmp_path, {"gone.py": "x = 1\n", "grown.py": "y = 1\n"})
    gone, grown = walk(tmp_path, max_bytes=100).files
    (tmp_path / "gone.py").unlink()
    write(tmp_path, {"grown.py": "y = 1\n" * 100})
    assert read_bytes(gone, 100) is SkipReason.UNREADABLE
    assert read_bytes(grown, 100) is SkipReason.TOO_LARGE


@pytest.mark.requirement("PRJ-TEXT-02")
def test_a_long_path_is_shortened_where_several_are_named(tmp_path: Path) -> None:
    write(tmp_path, {f"{'long-' * 16}{'/deep' * 30}/x.bin": b"\0"})
    said = "".join(done("project", "genesis", "--root", tmp_path).split())
    assert f"1fileskipped:{'long-' * 12}…" in said
    assert said.count("/deep") < 30
    assert "/x.bin" in said
