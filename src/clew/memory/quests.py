"""The methods of a memory that are about quests. Each checks its arguments and delegates."""

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from clew.errors import ConflictError, FormatError, InputError, NotFoundError, shown
from clew.ingest.secrets.masking import mask
from clew.memory.arguments import given_name, given_session, given_text
from clew.memory.pauses import MemoryPauses
from clew.project.quests import quest_id, quest_title
from clew.project.seals import (
    SealedFile,
    are_unchanged,
    check_seal,
    files_of,
    pattern_name,
    pattern_of,
    seal_before,
    seal_quest,
)
from clew.recall.session_names import session_meant
from clew.rows.pause import refuse_while_paused
from clew.rows.quest_reading import get_quest, hashes_now, list_quests, turn_hashes
from clew.rows.quests import put_pattern, put_seal, put_set, read_patterns, read_seals
from clew.store.home import usable_path
from clew.store.new_file import new_file
from clew.store.protocol import Reader, Transaction
from clew.store.tables import SESSION
from clew.store.translate import translating
from clew.types.quests import Quest, QuestPattern, QuestSeal, QuestStage, QuestVerification

_ATTEMPTS: Final = 5
"""How often sealing a quest is tried whose turns or files change while the files are read."""


class MemoryQuests(MemoryPauses):
    """The quests of one space. Threads may share it."""

    def quests(self, session: str | None = None) -> list[Quest]:
        """Lists the quests of a session, or of all: tasks that led to work on files, each with its stage.

        They are recognised in the background from the tool calls of the turns; `drain` waits for it. What `set_quest`
        set takes precedence.
        """
        self._check_open()
        name = None if session is None else given_session(session)
        with self.reads.store.snapshot() as reader:
            return list_quests(reader, self.space, name)

    def set_quest(
        self,
        quest: str | None = None,
        *,
        session: str | None = None,
        title: str | None = None,
        stage: QuestStage | str | None = None,
    ) -> Quest:
        """Sets title or stage of a quest, or begins a quest with the next turn of a session.

        Args:
            quest: id of the quest; give either this or `session`.
            session: the session in which a quest begins, by its name or by the short name that blocks show.
            title: its title; secrets in it are masked, as in turns.
            stage: genesis, transform, verify or complete.

        Raises:
            InputError: neither or both of `quest` and `session` are given, neither title nor stage is given, or the
                space is paused.
            NotFoundError: there is no such quest, or no such session.
        """
        self._check_open()
        if (quest is None) == (session is None):
            raise InputError("give the id of a quest, or the session in which one begins")
        if title is None and stage is None:
            raise InputError("nothing is set; give a title, a stage or both")
        chosen = None if stage is None else _stage(stage)
        words = None if title is None else quest_title(self._masked(given_text(title, "title")))
        name = quest if quest is None else given_name(quest, "quest")
        begun = "" if session is None else session_meant(self.reads, given_session(session))

        def write(tx: Transaction) -> Quest:
            refuse_while_paused(tx, self.space)
            made = get_quest(tx, self.space, name) if name is not None else _begun(tx, self.space, begun)
            made = replace(made, title=words or made.title, stage=chosen or made.stage, provenance="user")
            put_set(tx, self.space, made, self.reads.clock())
            return made

        return self.reads.store.transaction(write)

    def seal_quest(self, quest: str, *, root: str | Path | None = None) -> QuestSeal:
        """Seals a completed quest: stores a hash chain over its turns, its files as they are now, and its checks.

        Args:
            root: folder of the project, from which the files are read; without it only their names are sealed.

        Raises:
            InputError: `quest` is not the id of a quest, the quest is not complete, or the space is paused.
            NotFoundError: there is no such quest.
            ConflictError: the quest or its files kept changing while they were read.
        """
        self._check_open()
        name, folder = given_name(quest, "quest"), _folder(root)
        for _ in range(_ATTEMPTS):  # the files are read outside of the transaction, so that other writers do not wait
            with self.reads.store.snapshot() as reader:
                complete = self._complete(reader, name)
            files = files_of(complete, folder)
            seal = self.reads.store.transaction(partial(self._sealed, complete, files, folder))
            if seal is not None:
                return seal
        raise ConflictError(f"{name!r} or its files were changed {_ATTEMPTS} times meanwhile; try again")

    def _complete(self, reader: Reader, name: str) -> Quest:
        """The quest as it is sealed; raises InputError if it is not complete."""
        quest = get_quest(reader, self.space, name)
        if quest.stage != QuestStage.COMPLETE:
            raise InputError(
                f"{name!r} is in the stage {quest.stage.value!r}; only a complete quest is sealed. If it is done, "
                "set its stage to complete first"
            )
        return replace(quest, sealed="")

    def _sealed(
        self, quest: Quest, files: Sequence[SealedFile], root: Path | None, tx: Transaction
    ) -> QuestSeal | None:
        """Stores the seal of a quest whose files were read; None if the quest or one of them has changed since."""
        refuse_while_paused(tx, self.space)
        if self._complete(tx, quest.id) != quest or not are_unchanged(files, root):
            return None
        turns = turn_hashes(tx, self.space, quest.session, quest.first, quest.last)
        seals = [other for name, other in read_seals(tx, self.space).items() if name != quest.id]
        previous = seals[-1].head if seals else ""
        seal = seal_quest(quest, turns, files, self.reads.clock(), previous=previous, root=root)
        put_seal(tx, self.space, seal)
        return seal

    def verify_quest(self, quest: str, *, root: str | Path | None = None) -> QuestVerification:
        """Checks a sealed quest: its hash chain, its turns, and which of its files have changed since.

        Args:
            root: folder of the project; None takes the folder in which it was sealed.

        Raises:
            NotFoundError: the quest is not sealed.
        """
        self._check_open()
        name, folder = given_name(quest, "quest"), _folder(root)
        with self.reads.store.snapshot() as reader:
            seals = read_seals(reader, self.space)
            if name not in seals:
                raise NotFoundError(f"{name!r} is not sealed in space {self.space!r}; `clew quest` lists what is")
            seal = seals[name]
            check = check_seal(seal, hashes_now(reader, self.space, seal), root=folder)
        return replace(check, before=seal_before(seal, seals.values()))

    def quest_patterns(self) -> list[QuestPattern]:
        """Lists the stored patterns, made from own quests or imported, oldest first."""
        self._check_open()
        with self.reads.store.snapshot() as reader:
            return read_patterns(reader, self.space)

    def export_pattern(self, quest: str, path: str | Path) -> QuestPattern:
        """Writes the pattern of a completed quest (its steps, checks and origin) to a new JSON file, and stores it.

        Raises:
            InputError: the file exists, `quest` is not the id of a quest, or the quest is not complete.
            NotFoundError: there is no such quest.
            StoreError: the file cannot be written; the pattern is not stored either.
        """
        self._check_open()
        name, file = given_name(quest, "quest"), usable_path(path, "the file")

        def write(tx: Transaction) -> QuestPattern:
            refuse_while_paused(tx, self.space)
            found = get_quest(tx, self.space, name)
            if found.stage != QuestStage.COMPLETE:
                raise InputError(f"{name!r} is in the stage {found.stage.value!r}; only a complete quest is a pattern")
            seal = read_seals(tx, self.space).get(name)
            pattern = pattern_of(found, seal=seal, now=self.reads.clock())
            put_pattern(tx, self.space, pattern, found, self.reads.clock())
            return pattern

        with translating():
            if file.exists():
                raise InputError(f"{file} exists; name a file that does not")
        with new_file(file) as unfinished:
            pattern = self.reads.store.transaction(write)
            unfinished.write_text(json.dumps(pattern.to_dict(), ensure_ascii=False, indent=1), encoding="utf-8")
        return pattern

    def import_pattern(self, path: str | Path) -> QuestPattern:
        """Stores the pattern in a file that `export_pattern` wrote, with its origin; one stored already is kept.

        Raises:
            FormatError: the file holds no pattern, or the pattern was changed.
        """
        self._check_open()
        file = usable_path(path, "the file")
        pattern = replace(_pattern_in(file), imported_from=file.name)

        def write(tx: Transaction) -> QuestPattern:
            refuse_while_paused(tx, self.space)
            kept = {each.name: each for each in read_patterns(tx, self.space)}
            if pattern.name not in kept:  # one of an own quest is forgotten with its turns, so it is not replaced
                put_pattern(tx, self.space, pattern, None, self.reads.clock())
            return kept.get(pattern.name, pattern)

        return self.reads.store.transaction(write)

    def _masked(self, text: str) -> str:
        return mask(text)[0] if self.reads.config.ingest.secrets == "mask" else text


def _begun(tx: Transaction, space: str, session: str) -> Quest:
    """A new quest, which begins with the next turn of a session."""
    row = SESSION.get(tx, (space, session))
    first = 0 if row is None else row.next_seq
    return Quest(
        id=quest_id(session, first), session=session, title="", stage=QuestStage.GENESIS, first=first, last=first
    )


def _stage(stage: QuestStage | str) -> QuestStage:
    try:
        return QuestStage(stage)
    except ValueError as error:
        raise InputError(f"the stage is {shown(stage)}; expected one of {', '.join(QuestStage)}") from error


def _folder(root: str | Path | None) -> Path | None:
    if root is None:
        return None
    folder = usable_path(root, "the folder of the project")
    with translating():
        if not folder.is_dir():
            raise NotFoundError(f"{folder} is not a folder; name the project's, or leave it out")
    return folder.resolve()


def _pattern_in(file: Path) -> QuestPattern:
    try:
        data: Any = json.loads(file.read_text(encoding="utf-8"))
        pattern = QuestPattern.from_dict(data)
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}; name a file of `clew quest export`") from error
    except (ValueError, InputError, RecursionError) as error:
        raise FormatError(
            f"{file} holds no pattern of a quest ({error}); expected a file of `clew quest export`"
        ) from error
    name = pattern_name(pattern.title, pattern.steps, pattern.checks, pattern.endings, pattern.provenance)
    if name != pattern.name:
        raise FormatError(f"the pattern in {file} was changed: its name is {pattern.name!r}, its content says {name!r}")
    return pattern
