"""Clew's own data set format: a folder with `conversation.jsonl` and `questions.json`, like the sample conversation.

`conversation.jsonl` has one turn on each line, as `clew import` reads them, each with an `external_id`.
`questions.json` is a list of `question`, `evidence` (external ids; a question without any is skipped), and optionally
`category`, `answer` and `needles` (what a text must hold literally for the answer to be read from it).
"""

import json
from pathlib import Path
from typing import Any, Final

from clew.errors import FormatError, InputError
from clew.evaluate.corpus import (
    DatasetConversation,
    DatasetQuestion,
    DatasetTurn,
    answer_in,
    json_lines,
    read_json,
    read_text,
    take,
)
from clew.types.turn import Turn

TURNS: Final = "conversation.jsonl"
QUESTIONS: Final = "questions.json"
CATEGORY: Final = "question"
"""The category of questions that have none."""


def is_own(folder: Path) -> bool:
    """Whether a folder is a data set in Clew's own format."""
    return (folder / TURNS).is_file()


def read_own(folder: Path) -> list[DatasetConversation]:
    """The one conversation of a folder.

    Raises:
        FormatError: a record lacks something, or a question names a turn that is not there.
    """
    path = folder / TURNS
    turns = tuple(_turn(line, f"{path}:{number}") for number, line in json_lines(read_text(path)))
    known = {turn.id for turn in turns}
    asked = [
        _question(item, number, known, f"{folder / QUESTIONS}: question {number}")
        for number, item in enumerate(read_json(folder / QUESTIONS))
    ]
    questions = tuple(question for question in asked if question.evidence)
    refused = len(asked) - len(questions)
    skipped = {"no evidence: it cannot be answered": refused} if refused else {}
    return [DatasetConversation(name=folder.resolve().name, turns=turns, questions=questions, skipped=skipped)]


def _turn(line: str, where: str) -> DatasetTurn:
    try:
        record = json.loads(line)
        name = take(record, "external_id", str, where)
        turn = Turn.from_dict(record)
    except FormatError:
        raise
    except (ValueError, RecursionError, InputError) as error:
        raise FormatError(f"{where}: {error}") from error
    return DatasetTurn(
        id=name,
        session=turn.session,
        role=turn.role,
        speaker=turn.speaker or turn.role,
        text=turn.text,
        at=turn.at,
        date_text="" if turn.at is None else f"{turn.at:%d %B %Y, %H:%M}",
    )


def _question(item: Any, number: int, known: set[str], where: str) -> DatasetQuestion:
    evidence = tuple(str(name) for name in take(item, "evidence", list, where))
    unknown = [name for name in evidence if name not in known]
    if unknown:
        raise FormatError(f"{where}: no turn has the external id {unknown[0]!r}; mend the id or the conversation")
    return DatasetQuestion(
        id=f"q{number}",
        text=take(item, "question", str, where),
        category=str(item.get("category", CATEGORY)),
        evidence=evidence,
        answer=answer_in(item),
        needles=tuple(map(str, item.get("needles") or ())),
    )
