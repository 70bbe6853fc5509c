"""Seals completed quests: a hash chain over their turns, files and checks, and what of it still holds.

Each link is the SHA-256 of the link before and of an entry; the first one starts from the head of the seal before it in
the space and from title, session and range of the quest. So nothing can be changed, left out or put in anywhere without
another head, and a later seal fixes the heads of all earlier ones.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Final

from clew.project.links import normal_path
from clew.types.quests import Quest, QuestPattern, QuestSeal, QuestStage, QuestVerification, SealEntry

ABSENT: Final = "absent"
"""Digest of a file that is not there."""

_LARGEST: Final = 64 << 20
"""Bytes of the largest file that is read for a seal; a larger one counts as not there."""

_OUTCOME: Final = {True: "passed", False: "failed", None: "unknown"}


@dataclass(frozen=True, slots=True)
class SealedFile:
    """A file of a quest, with its state when it was read.

    Attributes:
        path: relative to the project's folder; as the turns write it if it is outside.
        digest: SHA-256 of the content, or `absent`.
        state: size in bytes and time of the last change in nanoseconds; None if the file was not read.
    """

    path: str
    digest: str
    state: tuple[int, int] | None = None


def files_of(quest: Quest, root: Path | None) -> list[SealedFile]:
    """The files of a quest, each once; reads all of them, which may take long."""
    paths = dict.fromkeys(_below(path, root) for path in quest.files)
    return [SealedFile(path, ABSENT) if root is None else _read(root, path) for path in paths]


def are_unchanged(files: Iterable[SealedFile], root: Path | None) -> bool:
    """Whether files have the size and time of change that they had when they were read; their content is not read."""
    return root is None or all(_state(root, file.path) == file.state for file in files)


def seal_quest(
    quest: Quest,
    turns: Sequence[tuple[str, str]],
    files: Sequence[SealedFile],
    now: datetime,
    *,
    previous: str = "",
    root: Path | None = None,
) -> QuestSeal:
    """The record of a quest.

    Args:
        turns: id and content hash of each of its turns, in order.
        files: what `files_of` read.
        previous: head of the last seal of the space.
        root: folder of the project that the files were read from; without one their entries say `absent`.
    """
    entries: list[SealEntry] = []
    link = _start(quest, previous)
    for kind, name, digest in _covered(quest, turns, files):
        link = _link(link, kind, name, digest)
        entries.append(SealEntry(kind, name, digest, link))
    return QuestSeal(
        quest=quest,
        sealed_at=now,
        previous=previous,
        entries=tuple(entries),
        head=link,
        root="" if root is None else root.as_posix(),
    )


def check_seal(seal: QuestSeal, turns: Mapping[str, str], *, root: Path | None = None) -> QuestVerification:
    """What still holds of a seal.

    Args:
        turns: content hash by id of the turns that are stored now.
        root: folder of the project; None looks where the files were when it was sealed.
    """
    problems: list[str] = []
    changed: list[str] = []
    link = _start(seal.quest, seal.previous)
    folder = Path(seal.root) if root is None and seal.root else root
    for place, entry in enumerate(seal.entries):
        link = _link(link, entry.kind, entry.name, entry.digest)
        if link != entry.link:
            problems.append(f"entry {place} ({entry.kind} {entry.name}) is not what was sealed: the chain breaks there")
            break
        if entry.kind == "turn":
            stored = turns.get(entry.name)
            if stored is None:
                problems.append(f"turn {entry.name} is not stored any more")
            elif stored != entry.digest:
                problems.append(f"turn {entry.name} has other words than were sealed")
        elif entry.kind == "file" and folder is not None and _read(folder, entry.name).digest != entry.digest:
            changed.append(entry.name)
    if not problems and link != seal.head:
        problems.append("the head is not that of the chain")
    return QuestVerification(
        quest=seal.quest.id,
        head=seal.head,
        entries=len(seal.entries),
        problems=tuple(problems),
        changed=tuple(changed),
    )


def seal_before(seal: QuestSeal, stored: Iterable[QuestSeal]) -> str:
    """Whether the seal that one follows is still stored: `first`, `stored` or `gone` (forgotten, or made again)."""
    if not seal.previous:
        return "first"
    return "stored" if seal.previous in {other_seal.head for other_seal in stored} else "gone"


def _covered(
    quest: Quest, turns: Sequence[tuple[str, str]], files: Sequence[SealedFile]
) -> Iterator[tuple[str, str, str]]:
    yield from (("turn", name, digest) for name, digest in turns)
    yield from (("file", file.path, file.digest) for file in files)
    yield from (("check", check.command, _OUTCOME[check.passed]) for check in quest.checks)


def _below(path: str, root: Path | None) -> str:
    """A path as it is from the root, if it is below it."""
    plain, folder = normal_path(path), "" if root is None else f"{root.as_posix().rstrip('/')}/"
    return plain[len(folder) :] if folder and plain.startswith(folder) else plain


def _start(quest: Quest, previous: str) -> str:
    return _sha([previous, quest.id, quest.session, quest.title, quest.first, quest.last])


def _link(before: str, *entry: str) -> str:
    return _sha([before, *entry])


def _sha(values: Sequence[str | int]) -> str:
    text = json.dumps(values, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _read(root: Path, path: str) -> SealedFile:
    """A file below the root; `absent` where it cannot be read, and never the bytes of a file elsewhere."""
    state = _state(root, path)
    try:
        if state is not None:
            with (root / path).open("rb") as file:
                return SealedFile(path, hashlib.file_digest(file, "sha256").hexdigest(), state)
    except OSError:  # unreadable, or gone meanwhile
        return SealedFile(path, ABSENT, state)
    return SealedFile(path, ABSENT)


def _state(root: Path, path: str) -> tuple[int, int] | None:
    """Size and time of a file below the root that can be sealed; None for anything else."""
    if PurePosixPath(path).is_absolute() or ".." in PurePosixPath(path).parts:
        return None
    try:
        place = (root / path).resolve()
        if not place.is_file() or root.resolve() not in place.parents:
            return None
        stat = place.stat()
    except (OSError, ValueError):  # unreadable, or no name that a file can have
        return None
    return (stat.st_size, stat.st_mtime_ns) if stat.st_size <= _LARGEST else None


def pattern_of(quest: Quest, *, seal: QuestSeal | None, now: datetime) -> QuestPattern:
    """How a quest was done: its stages in their order, its checks, the kinds of files that it changed."""
    order = sorted(quest.began.items(), key=lambda item: (item[1], list(QuestStage).index(QuestStage(item[0]))))
    endings: dict[str, int] = {}
    for path in quest.files:
        ending = PurePosixPath(path).suffix.lower() or PurePosixPath(path).name
        endings[ending] = endings.get(ending, 0) + 1
    said = {"quest": quest.id, "session": quest.session, "exported_at": now.isoformat()}
    if seal is not None:
        said |= {"seal": seal.head, "sealed_at": seal.sealed_at.isoformat()}
    steps = tuple(stage for stage, _ in order)
    checks = tuple(dict.fromkeys(check.command for check in quest.checks))
    return QuestPattern(
        name=pattern_name(quest.title, steps, checks, endings, said),
        title=quest.title,
        steps=steps,
        checks=checks,
        endings=endings,
        provenance=said,
    )


def pattern_name(
    title: str,
    steps: Sequence[str],
    checks: Sequence[str],
    endings: Mapping[str, int],
    provenance: Mapping[str, str],
) -> str:
    """The name of a pattern, by which a changed one is told."""
    values = [title, *steps, "checks", *checks, "endings", *(f"{key}={endings[key]}" for key in sorted(endings))]
    return _sha([*values, "from", *(f"{key}={provenance[key]}" for key in sorted(provenance))])[:16]
