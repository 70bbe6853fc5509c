"""How long it takes to read a project, and to read it again after a change.

    python -m benchmarks.project [FOLDER] [--files N]

Without FOLDER, the project is made of the sources of the packages that are installed beside Clew: the same figure for
everybody with the same lock. The files are copied into a temporary folder and are not touched themselves. Times are of
the processor, in seconds; the bars are 60 for 5,000 files, and 0.5 after a change.
"""

import argparse
import shutil
import statistics
import sysconfig
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from clew.project.building import BuildReport
from clew.project.genesis import genesis
from clew.project.layout import Layout
from clew.project.limits import MAX_BYTES
from clew.project.project import Project
from clew.project.status import status
from clew.project.update import update
from clew.project.walk import walk

AT = datetime(2026, 1, 1, tzinfo=UTC)
RACY = 2.1
"""Seconds after which an update trusts the times of files."""


def copied(folder: Path, target: Path, files: int) -> None:
    """The first files of a folder, in the order of paths."""
    for file in walk(folder, max_bytes=MAX_BYTES).files[:files]:
        place = target / file.path
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file.place, place)


@contextmanager
def timed(what: str) -> Iterator[None]:
    """Prints what a block costs."""
    processor, wall = time.process_time(), time.perf_counter()
    yield
    print(f"{what:<34}{time.process_time() - processor:>9.3f} CPU-s{time.perf_counter() - wall:>9.3f} s")


def updates(root: Path, change: Callable[[int], object], times: int) -> float:
    """The median cost of an update after a change."""
    costs = []
    for number in range(times):
        change(number)
        started = time.process_time()
        report = update(root, AT)
        costs.append(time.process_time() - started)
        assert len(report.transforms) == 1, report
    return statistics.median(costs)


def size(folder: Path) -> float:
    """Megabytes of the files in a folder."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 1e6


def show(report: BuildReport, root: Path) -> None:
    """What was read, and how large it is."""
    store = root / ".clew"
    print(f"{report.files:,} files, {sum(report.nodes.values()):,} nodes, {report.dependencies:,} imports")
    print(f"{len(report.skipped):,} skipped, {len(report.syntax_errors):,} with syntax errors, {report.languages}")
    print(f"{size(root) - size(store):.1f} MB of files, {size(store):.1f} MB of store")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=Path(sysconfig.get_path("purelib")))
    parser.add_argument("--files", type=int, default=5_000)
    parser.add_argument("--times", type=int, default=9, help="updates of each kind")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        copied(options.folder, root, options.files)
        time.sleep(RACY)
        with timed("genesis"):
            report = genesis(root, AT)
        show(report, root)
        with timed("genesis again"):
            genesis(root, AT)
        with timed("update, nothing changed"):
            update(root, AT)
        python = [file.path for file in walk(root, max_bytes=MAX_BYTES).files if file.path.endswith(".py")]
        middle = root / python[len(python) // 2]
        text = middle.read_text(encoding="utf-8", errors="replace")
        changed = updates(
            root, lambda n: middle.write_text(f"{text}\n\ndef added_{n}():\n    pass\n", "utf-8"), options.times
        )
        print(f"{'update, one file changed':<34}{changed:>9.3f} CPU-s, median of {options.times}")
        new = updates(root, lambda n: (root / f"new_{n}.py").write_text("import os\n", "utf-8"), options.times)
        print(f"{'update, one file more':<34}{new:>9.3f} CPU-s, median of {options.times}")
        with timed("status"):
            assert status(Layout.of(root)).ok
        with Project.open(root) as project:
            with timed("all edges"):
                print(f"{sum(1 for _ in project.edges()):,} edges")
            with timed("search by words"):
                project.search("parse a file and return the tree")


if __name__ == "__main__":
    main()
