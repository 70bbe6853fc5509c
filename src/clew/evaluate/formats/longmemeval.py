"""LongMemEval (Wu et al., 2024): one JSON list of questions, each with a haystack of sessions with an assistant.

Also reads the form with several questions for one haystack (`questions`, `answer_session_ids` as a list of lists).
Evidence is every turn marked `has_answer` in the sessions that the question names. Questions whose id ends in `_abs`
cannot be answered and are skipped, as are those without a marked turn.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from clew.evaluate.corpus import DatasetConversation, DatasetQuestion, DatasetTurn, answer_in, moment, role_of, take

_WEEKDAY: Final = re.compile(r"\s*\(\w+\)")
_DATES: Final = ("%Y/%m/%d %H:%M", "%Y/%m/%d")


def is_longmemeval(item: Mapping[str, Any]) -> bool:
    """Whether the first item of a file is one of LongMemEval's."""
    return "haystack_sessions" in item


def read_longmemeval(items: Sequence[object], file: str) -> list[DatasetConversation]:
    """One conversation for each haystack of a parsed file, in order.

    Raises:
        FormatError: a record lacks something; the message names it.
    """
    return [
        _conversation(item, f"{file}: item {index}")
        for index, item in enumerate(items)
        if not str(take(item, "question_id", object, f"{file}: item {index}")).endswith("_abs")
    ]


def _conversation(item: Any, where: str) -> DatasetConversation:
    name = str(item["question_id"])
    marked: list[DatasetTurn] = []
    turns = tuple(_turns(item, where, marked))
    asked_at = moment(_WEEKDAY.sub("", str(item.get("question_date", ""))), *_DATES)
    asked = list(_asked(item, where))
    questions: list[DatasetQuestion] = []
    skipped: Counter[str] = Counter()
    for number, (text, sessions, answer) in enumerate(asked):
        evidence = tuple(turn.id for turn in marked if not sessions or turn.session in sessions)
        if not evidence:
            skipped["no turn is marked as evidence"] += 1
            continue
        questions.append(
            DatasetQuestion(
                id=name if len(asked) == 1 else f"{name}/{number}",
                text=text,
                category=take(item, "question_type", str, where),
                evidence=evidence,
                asked_at=asked_at,
                answer=answer,
            )
        )
    return DatasetConversation(name=name, turns=turns, questions=tuple(questions), skipped=dict(skipped))


def _turns(item: Mapping[str, Any], where: str, marked: list[DatasetTurn]) -> Iterator[DatasetTurn]:
    """The haystack's turns by time; turns marked as evidence are also appended to `marked`."""
    sessions = take(item, "haystack_sessions", list, where)
    names = item.get("haystack_session_ids") or [f"s{index}" for index in range(len(sessions))]
    dates = item.get("haystack_dates") or [""] * len(sessions)
    moments = [moment(_WEEKDAY.sub("", date), *_DATES) for date in dates]
    order = sorted(range(len(sessions)), key=lambda index: (str(moments[index] or ""), index))
    seen: Counter[str] = Counter()
    for index in order:
        seen[names[index]] += 1  # one session may occur twice in a haystack
        session = names[index] if seen[names[index]] == 1 else f"{names[index]}~{seen[names[index]]}"
        for number, turn in enumerate(sessions[index]):
            role = role_of(take(turn, "role", str, f"{where}, {session}"), f"{where}, {session}")
            said = DatasetTurn(
                id=f"{session}:{number}",
                session=session,
                role=role,
                speaker=role,
                text=take(turn, "content", str, f"{where}, {session}"),
                at=moments[index],
                date_text=dates[index],
            )
            if turn.get("has_answer"):
                marked.append(said)
            yield said


def _asked(item: Mapping[str, Any], where: str) -> Iterator[tuple[str, list[str], str]]:
    """Each question with the sessions that hold its answer, an empty list for any session, and the answer."""
    if "questions" not in item:
        yield take(item, "question", str, where), _names(item.get("answer_session_ids") or []), answer_in(item)
        return
    pairs = zip(take(item, "questions", list, where), take(item, "answer_session_ids", list, where), strict=False)
    answers = iter(item.get("answers") or [])
    for text, sessions in pairs:
        yield str(text), _names(sessions), answer_in({"answer": next(answers, None)})


def _names(sessions: object) -> list[str]:
    return [sessions] if isinstance(sessions, str) else list(sessions) if isinstance(sessions, list) else []
