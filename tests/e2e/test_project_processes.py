"""Processes that read one project: killed at any time, and several at once."""

import random
import subprocess
import sys
from pathlib import Path

import pytest

from clew.project.genesis import genesis
from clew.project.layout import Layout
from clew.project.project import Project
from clew.project.status import status
from tests.support.effort import examples
from tests.support.killing import Program
from tests.support.projects import NOW, write

pytestmark = pytest.mark.slow  # processes are started

FILES = {f"package/part_{n % 7}/file_{n}.py": f"def f_{n}():\n    return f_{n - 1}()\n" for n in range(700)}
PROGRAM = """
import sys
from clew.project.genesis import genesis
from clew.project.update import update
from tests.support.projects import NOW
print("begun", flush=True)
genesis(sys.argv[1], NOW, on_progress=lambda done, _: done % 20 or print(done, flush=True))
"""


def digest(root: Path) -> str:
    with Project.open(root) as project:
        return project.digest


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The digest of the project, read without a disturbance."""
    root = write(tmp_path_factory.mktemp("whole"), FILES)
    genesis(root, NOW)
    return digest(root)


@pytest.mark.slow
@pytest.mark.thorough
@pytest.mark.requirement("L-PRJ-11")
def test_a_killed_genesis_is_completed_by_the_next(tmp_path: Path, expected: str) -> None:
    for number in range(examples(4, 20)):
        root = write(tmp_path / str(number), FILES)
        victim = Program(PROGRAM + "print('over', flush=True)\nimport time\ntime.sleep(60)\n", root)
        victim.wait_for(random.Random(number).randrange(1, 38))  # noqa: S311  # a place to stop at
        victim.kill()
        layout = Layout.of(root)
        genesis(root, NOW)
        found = status(layout)
        assert found.ok, found.problems
        assert digest(root) == expected
        assert list(layout.folder.rglob("*.new")) == []


@pytest.mark.requirement("L-PRJ-11")
def test_what_was_read_before_a_stop_is_not_read_again(tmp_path: Path, expected: str) -> None:
    root = write(tmp_path, FILES)

    class Stop(Exception):
        pass

    def stop(done: int, _every: int) -> None:
        if done == 600:
            raise Stop

    with pytest.raises(Stop):
        genesis(root, NOW, on_progress=stop)
    assert status(Layout.of(root)).ok
    report = genesis(root, NOW)
    assert (len(report.added), report.unchanged) == (200, 500)
    assert digest(root) == expected
    with Project.open(root) as project:
        assert len(project.files()) == 700


@pytest.mark.requirement("L-PRJ-12")
def test_processes_that_read_a_project_at_once_leave_what_one_would(tmp_path: Path, expected: str) -> None:
    root = write(tmp_path, FILES)
    command = [sys.executable, "-c", PROGRAM, str(root)]
    at_work = [subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for _ in range(3)]
    for process in at_work:
        _, errors = process.communicate(timeout=100)
        assert (process.returncode, errors) == (0, b"")
    found = status(Layout.of(root))
    assert found.ok, found.problems
    assert (found.generation, found.checked["transforms"]) == (1, 2)
    assert digest(root) == expected
