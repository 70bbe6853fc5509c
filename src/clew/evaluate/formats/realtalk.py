"""REALTALK (Lee et al., 2025): a folder of `Chat_<n>_<who>_<who>.json`, chats of real people over three weeks.

A question with any evidence id that no turn has is skipped, since the others may then be wrong as well. Turns without
words (photos alone) are not turns.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
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
    take,
)

CATEGORIES: Final = {1: "multi-hop", 2: "temporal", 3: "commonsense"}

_SESSION: Final = re.compile(r"session_(\d+)")
_FILE: Final = re.compile(r"Chat_(\d+).*\.json")


def chat_files(folder: Path) -> list[Path]:
    """The chats of a folder, by their number."""
    numbered = [(int(match[1]), path.name, path) for path in folder.iterdir() if (match := _FILE.fullmatch(path.name))]
    return [path for _, _, path in sorted(numbered)]


def read_realtalk(folder: Path) -> list[DatasetConversation]:
    """The chats of a folder.

    Raises:
        FormatError: a record lacks something; the message names it.
    """
    return [_conversation(path) for path in chat_files(folder)]


def _conversation(path: Path) -> DatasetConversation:
    raw = read_json(path)
    turns = tuple(_turns(raw, str(path)))
    known = {turn.id for turn in turns}
    questions: list[DatasetQuestion] = []
    skipped: Counter[str] = Counter()
    for number, asked in enumerate(take(raw, "qa", list, str(path))):
        where = f"{path}, question {number}"
        category = CATEGORIES.get(take(asked, "category", int, where), "other")
        evidence = once(str(entry) for entry in asked.get("evidence") or [])
        if not evidence or not known.issuperset(evidence):
            skipped["evidence that does not resolve"] += 1
            continue
        text = take(asked, "question", str, where)
        name = f"{path.stem}/q{number}"
        question = DatasetQuestion(
            id=name, text=text, category=category, evidence=tuple(evidence), answer=answer_in(asked)
        )
        questions.append(question)
    return DatasetConversation(name=path.stem, turns=turns, questions=tuple(questions), skipped=dict(skipped))


def _turns(raw: object, where: str) -> Iterator[DatasetTurn]:
    first = take(take(raw, "name", dict, where), "speaker_1", str, f"{where}, name")
    chat: Mapping[str, Any] = raw if isinstance(raw, Mapping) else {}
    for number in sorted(int(match[1]) for key in chat if (match := _SESSION.fullmatch(key))):
        session = f"session_{number}"
        for turn in chat[session] or []:
            speaker = take(turn, "speaker", str, f"{where}, {session}")
            text = str(turn.get("clean_text") or "").strip()
            if not text:
                continue
            at = moment(str(turn.get("date_time", "")), "%d.%m.%Y, %H:%M:%S")
            yield DatasetTurn(
                id=take(turn, "dia_id", str, f"{where}, {session}"),
                session=session,
                role="user" if speaker == first else "assistant",
                speaker=speaker,
                text=text,
                at=at,
                date_text="" if at is None else f"{at:%d %B %Y, %H:%M}",
            )
