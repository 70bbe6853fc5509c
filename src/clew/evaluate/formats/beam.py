"""BEAM (Tavakoli et al., 2025): a chat's folder (`chat.json`, `probing_questions.json`), or a folder of such folders.

One person talks to an assistant; a batch is a session, dated by the last time anchor seen. Plan markers at the end of a
turn ("->-> 1,2") are not part of the text and are stripped. Questions without source ids, all of `abstention` among
them, are skipped; ids that no turn has are dropped.
"""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from clew.evaluate.corpus import (
    DatasetConversation,
    DatasetQuestion,
    DatasetTurn,
    answer_in,
    moment,
    once,
    read_json,
    role_of,
    take,
)

_PLAN: Final = re.compile(r"\s*->->[\s\d,NA/]*$")


def chat_files(folder: Path) -> list[Path]:
    """The chats in a folder or right below it, by path."""
    return sorted([*folder.glob("chat.json"), *folder.glob("*/chat.json")])


def read_beam(folder: Path) -> list[DatasetConversation]:
    """The chats of a folder.

    Raises:
        FormatError: a record lacks something; the message names it.
    """
    return [_conversation(path) for path in chat_files(folder)]


def _conversation(path: Path) -> DatasetConversation:
    turns = tuple(_turns(path))
    known = {turn.id for turn in turns}
    probes = path.with_name("probing_questions.json")
    name = path.resolve().parent.name
    questions: list[DatasetQuestion] = []
    skipped: Counter[str] = Counter()
    for ability, entries in _abilities(read_json(probes), str(probes)):
        for number, asked in enumerate(entries):
            where = f"{probes}, {ability} {number}"
            text = take(asked, "question", str, where)
            named = once(f"m{each}" for each in _flat(asked.get("source_chat_ids") or []))
            evidence = tuple(message for message in named if message in known)
            if not evidence:
                skipped["no source that resolves"] += 1
                continue
            questions.append(
                DatasetQuestion(
                    id=f"{name}/{ability}{number}",
                    text=text,
                    category=ability,
                    evidence=evidence,
                    answer=answer_in(asked),
                )
            )
    return DatasetConversation(name=name, turns=turns, questions=tuple(questions), skipped=dict(skipped))


def _abilities(probes: object, where: str) -> Iterator[tuple[str, list[Any]]]:
    """Each ability with its questions, sorted by name."""
    for ability in sorted(probes) if isinstance(probes, dict) else [""]:
        yield ability, take(probes, ability, list, where)


def _turns(path: Path) -> Iterator[DatasetTurn]:
    anchor = ""
    for number, batch in enumerate(read_json(path), start=1):
        where = f"{path}, batch {number}"
        for message in (message for group in take(batch, "turns", list, where) for message in group):
            role = role_of(take(message, "role", str, where), where)
            anchor = str(message.get("time_anchor") or anchor)
            yield DatasetTurn(
                id=f"m{take(message, 'id', int, where)}",
                session=f"batch_{number}",
                role=role,
                speaker=role,
                text=_PLAN.sub("", take(message, "content", str, where)).strip(),
                at=moment(anchor, "%B-%d-%Y"),
                date_text=anchor,
            )


def _flat(ids: object) -> list[object]:
    """Message ids out of a list, a list of lists, or an object of lists."""
    if isinstance(ids, dict):
        ids = list(ids.values())
    return [number for part in ids for number in _flat(part)] if isinstance(ids, list) else [ids]
