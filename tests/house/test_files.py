"""What the project's files may hold: no trace of a machine, no foreign data without a notice, nothing huge."""

import hashlib
import re
import sys
import tomllib
from pathlib import Path

import pytest

from tests.house.tree import ROOT, label, project_files, text_files

MACHINE_PATH = re.compile(r"(?<![\w.~])/(?:root|work)/")
REGISTRY = re.compile(r"\b(?:pypi\.org|pythonhosted\.org|npmjs\.(?:org|com)|deb\.debian\.org)\b")
LARGEST = 1_000_000
NOTICED = 20_000  # smaller tables are our own writing
DATA = {".bin", ".csv", ".gz", ".json", ".jsonl", ".npy", ".npz", ".onnx", ".parquet", ".tsv", ".txt", ".zip"}


def traces(text: str) -> list[str]:
    """Paths of a machine and hosts of package registries in a text."""
    return [found.group() for rule in (MACHINE_PATH, REGISTRY) for found in rule.finditer(text)]


def needs_notice(path: Path) -> bool:
    return path.suffix in DATA and path.stat().st_size >= NOTICED and not path.is_relative_to(ROOT / "requirements")


def has_notice(path: Path) -> bool:
    """Whether a file NOTICE* in the data's folder, or above, gives its name and its SHA-256."""
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    folders = [folder for folder in path.parents if folder.is_relative_to(ROOT)]
    texts = [notice.read_text(encoding="utf-8") for folder in folders for notice in folder.glob("NOTICE*")]
    return any(path.name in text and digest in text for text in texts)


@pytest.mark.requirement("F-HOUSE-10")
def test_no_file_names_a_machine_or_a_registry() -> None:
    here = {str(ROOT), str(Path.home()), sys.prefix} - {"/", "/root"}
    named = {label(path): traces(text) + [place for place in here if place in text] for path, text in text_files()}
    assert {path: found for path, found in named.items() if found} == {}


@pytest.mark.requirement("F-HOUSE-10")
def test_traces_are_found() -> None:
    assert traces("open('/" + "root/x')") == ["/" + "root/"]
    assert traces("from https://" + "pypi." + "org/simple") == ["pypi." + "org"]
    assert traces("~/work/notes and src/work/x and /home/ann/x") == []


@pytest.mark.requirement("F-HOUSE-10")
def test_locks_pin_by_hash_and_name_no_address() -> None:
    locks = sorted((ROOT / "requirements").glob("*.txt"))
    assert locks
    for lock in locks:
        entries = re.sub(r"\\\n\s*", "", lock.read_text(encoding="utf-8")).splitlines()
        pins = [entry for entry in entries if not entry.startswith("#")]
        assert pins, lock
        assert [pin for pin in pins if not re.match(r"[\w.-]+==\S+.*--hash=sha256:", pin)] == []
        assert [pin for pin in pins if "://" in pin] == []


@pytest.mark.requirement("F-HOUSE-11")
def test_no_file_is_huge() -> None:
    assert {label(p): size for p in project_files() if (size := p.stat().st_size) > LARGEST} == {}


@pytest.mark.requirement("F-HOUSE-11")
def test_data_has_a_notice() -> None:
    assert [label(path) for path in project_files() if needs_notice(path) and not has_notice(path)] == []


@pytest.mark.requirement("F-HOUSE-11")
def test_binary_files_are_data() -> None:
    texts = {path for path, _text in text_files()}
    assert [label(path) for path in project_files() if path not in texts and not has_notice(path)] == []


@pytest.mark.requirement("F-HOUSE-11")
def test_what_is_packaged_is_declared() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"] == ["src/clew"]
