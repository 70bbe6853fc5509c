"""QMSum (Zhong et al., 2021): transcripts of meetings, one a line, with questions and the spans of turns that answer.

Questions on a whole meeting name no span, so they are skipped. Every turn of a span is evidence: most of a span fits
into no small budget, so that recall says how well a budget is spent. Marks of the transcriber (`{disfmarker}`) stay.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from clew.errors import FormatError
from clew.evaluate.corpus import DatasetConversation, DatasetQuestion, DatasetTurn, answer_in, json_lines, take


def is_qmsum(item: Mapping[str, Any]) -> bool:
    """Whether a line of a file is one of QMSum's meetings."""
    return "meeting_transcripts" in item and "specific_query_list" in item


def read_qmsum(text: str, file: str) -> list[DatasetConversation]:
    """The meetings of a file's lines, in order.

    Raises:
        FormatError: a line is not JSON or lacks something; the message names it.
    """
    return [
        _meeting(_parsed(line, f"{file}, line {number}"), f"meeting {number}", f"{file}, line {number}")
        for number, line in json_lines(text)
    ]


def _parsed(line: str, where: str) -> object:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{where} is not JSON: {error}; fetch the data set again") from error


def _meeting(item: object, unnamed: str, where: str) -> DatasetConversation:
    turns = tuple(_turns(take(item, "meeting_transcripts", list, where), where))
    fields: Mapping[str, Any] = item if isinstance(item, Mapping) else {}
    name, kind = str(fields.get("meeting", unnamed)), str(fields.get("kind", "span"))
    questions, skipped = [], {}
    for number, asked in enumerate(take(item, "specific_query_list", list, where)):
        at = f"{where}, question {number}"
        evidence = _evidence(take(asked, "relevant_text_span", list, at), turns, at)
        text = take(asked, "query", str, at)
        question = DatasetQuestion(
            id=f"{name}/q{number}", text=text, category=kind, evidence=evidence, answer=answer_in(asked)
        )
        questions.append(question)
    if whole := fields.get("general_query_list"):
        skipped["on the whole meeting"] = len(whole)
    return DatasetConversation(name=name, turns=turns, questions=tuple(questions), skipped=skipped)


def _turns(said: list[Any], where: str) -> Iterator[DatasetTurn]:
    """The turns with words; the number of a turn among all is its id."""
    for number, turn in enumerate(said):
        speaker, text = (take(turn, name, str, f"{where}, turn {number}") for name in ("speaker", "content"))
        if text.strip():
            yield DatasetTurn(
                id=str(number), session="meeting", role="user", speaker=speaker, text=text, at=None, date_text=""
            )


def _evidence(spans: list[Any], turns: tuple[DatasetTurn, ...], where: str) -> tuple[str, ...]:
    """The ids of the turns in some spans, each given by its first and last turn, in order."""
    try:
        ends = [(int(first), int(last)) for first, last in spans]
    except (TypeError, ValueError) as error:
        raise FormatError(f"{where}: spans {spans!r}; expected pairs of numbers of turns") from error
    return tuple(turn.id for turn in turns if any(first <= int(turn.id) <= last for first, last in ends))
