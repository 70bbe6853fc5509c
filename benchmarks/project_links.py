"""How conversations meet a project: links from the messages of commits, the meet's cost, drift and decisions.

    python -m benchmarks.project_links FOLDER [--commits N] [--sessions FILE...]

FOLDER is a git repository; its files are copied into a temporary folder and read there. A path or name in the message
of a commit should lead to a file that the commit changed; messages also rightly name other files, so that the share is
a lower bound. Then the messages are the turns of a conversation that is attached to the project. With --sessions, what
links find in the words of transcripts that `clew import` reads is compared with the files that their tools touched.
Times are of the processor, in milliseconds; "first" includes what is made once after a change of the project.
"""

import argparse
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.project import copied
from clew.ingest.importers import ImportedTurn, read_path
from clew.memory import Memory
from clew.project.genesis import genesis
from clew.project.lens import ProjectLens, lens_of
from clew.project.links import TurnLinks, links_of
from clew.project.meet import ACTIVE
from clew.project.project import Project
from clew.testing import HashEmbedder
from clew.text.terms import terms
from clew.types.turn import Turn

AT = datetime(2026, 1, 1, tzinfo=UTC)
MOST_FILES = 20_000
ASKED = 40
"""Files about which decisions are asked for."""


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit: what its message says, and the paths that it changed."""

    message: str
    changed: frozenset[str]


@dataclass(slots=True)
class Counts:
    """Files that links lead to, and how many of them are right; files that are right, and how many are linked."""

    found: int = 0
    right: int = 0
    wanted: int = 0
    linked: int = 0

    def add(self, found: set[str], wanted: Iterable[str]) -> None:
        """Counts the files of one commit or session."""
        held = set(wanted)
        self.found, self.right = self.found + len(found), self.right + len(found & held)
        self.wanted, self.linked = self.wanted + len(held), self.linked + len(found & held)

    def __str__(self) -> str:
        return f"{self.right} of {self.found} right, {self.linked} of {self.wanted} found"


def commits_of(folder: Path, most: int) -> list[Commit]:
    """The newest commits of a repository without merges, with the paths that they changed."""
    command = ["git", "log", f"-n{most}", "--no-merges", "--name-only", "-z", "--format=%x01%B%x02"]
    listing = subprocess.run(command, cwd=folder, capture_output=True, check=True).stdout.decode("utf-8", "replace")
    parts = (part.partition("\x02") for part in listing.split("\x01")[1:])
    return [Commit(said.strip(), frozenset(filter(None, paths.strip("\n\0").split("\0")))) for said, _, paths in parts]


def by_names(lens: ProjectLens, links: TurnLinks) -> set[str]:
    """The files that names in the words of a turn lead to."""
    return {path for name in links.names if (path := lens.names.resolve(name)) is not None}


def by_paths(lens: ProjectLens, written: Iterable[str]) -> set[str]:
    """The files of a project that written paths mean."""
    return {match.path for path in written if (match := lens.resolver.resolve(path)) is not None}


def link_commits(lens: ProjectLens, commits: Sequence[Commit]) -> None:
    """Prints how often what messages name is what the commit changed."""
    names, paths = Counts(), Counts()
    for commit in commits:
        links = links_of(Turn(role="user", content=commit.message))
        names.add(by_names(lens, links), commit.changed)
        paths.add(by_paths(lens, links.said), commit.changed)
    print(f"names in {len(commits):,} messages: {names.right} of {names.found} lead to a changed file")
    print(f"paths in {len(commits):,} messages: {paths.right} of {paths.found} lead to a changed file")


def texts_of(files: Sequence[Path]) -> list[str]:
    """The texts of the turns of transcripts, as far as there are any."""
    records = (record for file in files for record in read_path(file))
    return [record.turn.text for record in records if isinstance(record, ImportedTurn) and record.turn.text]


def link_sessions(lens: ProjectLens, files: Sequence[Path]) -> None:
    """Prints how many of the files that tools touched are found from the words alone, and how many others."""
    by_path, by_all = Counts(), Counts()
    for file in files:
        turns = [links_of(record.turn) for record in read_path(file) if isinstance(record, ImportedTurn)]
        touched = by_paths(lens, (path for links in turns for path in (*links.edited, *links.read)))
        said = by_paths(lens, (path for links in turns for path in links.said))
        by_path.add(said, touched)
        by_all.add(said | {path for links in turns for path in by_names(lens, links)}, touched)
    print(f"{len(files)} sessions, by paths: {by_path}; by paths and names: {by_all}")


def costs(what: str, asked: Iterable[Callable[[], object]]) -> None:
    """Prints the cost of the first call, and of the others at the median and the 95th percentile."""
    taken = []
    for call in asked:
        started = time.process_time()
        call()
        taken.append(1_000 * (time.process_time() - started))
    first, others = taken[0], taken[1:] or taken
    p50, p95 = np.percentile(others, [50, 95])
    print(f"{what:<24}first {first:>8.1f}  p50 {p50:>8.2f}  p95 {p95:>8.2f}  ({len(taken):,} calls)")


def measure_meet(root: Path, texts: Sequence[str], turns: Sequence[str]) -> ProjectLens:
    """Prints what the meet costs by words and by vectors, and how many texts meet the project.

    Args:
        turns: of the sessions; they are longer than the messages of commits.
    """
    with Project.open(root) as project:
        costs("elements and overlays", (lambda: lens_of(project) for _ in range(3)))
        lens = lens_of(project)
        said = [terms(text) for text in texts]
        costs("meet by words", (partial(lens.nodes.scores, one) for one in said))
        if turns:
            costs("meet of turns by words", [partial(lens.nodes.scores, terms(text)) for text in turns])
        met = sum(max(lens.nodes.scores(one).values(), default=0.0) >= ACTIVE for one in said)
        print(
            f"{len(lens.elements):,} elements, {len(lens.nodes.elements):,} active; {met} of {len(said)} texts meet one"
        )
        embedder = HashEmbedder(384)
        project.embed(embedder, (node for each in lens.nodes.elements if (node := project.node(each.id)) is not None))
        nodes, name = lens_of(project, model=embedder.name).nodes, embedder.name
        vectors = embedder.embed([text or " " for text in texts])
        pairs = list(zip(said, vectors, strict=True))
        costs("meet by vectors", (partial(nodes.scores, one, vector, name) for one, vector in pairs))
    return lens


def measure_memory(root: Path, texts: Sequence[str], lens: ProjectLens) -> None:
    """Prints what drift and decisions cost in a space whose turns are the texts."""
    with Memory.open(":memory:", embedder="none") as memory:
        memory.attach_project(root)
        said = {"cwd": root.as_posix()}
        memory.add_many(
            Turn(
                role="user",
                content=text,
                session=f"day-{number // 50}",
                at=AT + timedelta(minutes=number),
                metadata=said,
            )
            for number, text in enumerate(texts)
            if text
        )
        memory.drain(600)
        central = sorted(lens.central, key=lambda path: -lens.central[path])[:ASKED]
        costs("drift", (memory.drift for _ in range(5)))
        costs("decisions", (partial(memory.decisions, path, project=root) for path in central))
        (drift,) = memory.drift()
        print(f"{drift.explained:,} of {drift.files:,} files come up; {len(drift.unreflected)} decisions without code")


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--commits", type=int, default=1_500)
    parser.add_argument("--sessions", type=Path, nargs="*", default=[])
    return parser.parse_args()


def main() -> None:
    options = read_options()
    commits = commits_of(options.folder, options.commits)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        copied(options.folder, root, MOST_FILES)
        genesis(root, AT)
        lens = measure_meet(root, [commit.message for commit in commits], texts_of(options.sessions))
        link_commits(lens, commits)
        if options.sessions:
            link_sessions(lens, options.sessions)
        measure_memory(root, [commit.message for commit in commits], lens)


if __name__ == "__main__":
    main()
