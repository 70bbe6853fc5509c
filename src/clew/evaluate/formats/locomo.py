"""LoCoMo (Maharana et al., 2024): one JSON list of dialogues between two named people, over months.

Category 5 asks for what the dialogue does not contain, so it is skipped. Some evidence entries have several ids, a
leading zero or a stray colon; readable ids are taken, and ids that no turn has are dropped. A question without evidence
is skipped. A photo's caption is part of the turn.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from clew.evaluate.corpus import DatasetConversation, DatasetQuestion, DatasetTurn, answer_in, moment, once, take

CATEGORIES: Final = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop"}

_SESSION: Final = re.compile(r"session_(\d+)")
_ID: Final = re.compile(r"D:?(\d+):(\d+)")


def is_locomo(item: Mapping[str, Any]) -> bool:
    """Whether the first item of a file is one of LoCoMo's."""
    return "conversation" in item and "qa" in item


def read_locomo(items: Sequence[object], file: str) -> list[DatasetConversation]:
    """The dialogues of a parsed file, in order.

    Raises:
        FormatError: a record lacks something; the message names it.
    """
    return [_conversation(item, index, f"{file}: dialogue {index}") for index, item in enumerate(items)]


def _conversation(item: object, index: int, where: str) -> DatasetConversation:
    name = str(item.get("sample_id", index)) if isinstance(item, Mapping) else str(index)
    turns = tuple(_turns(take(item, "conversation", dict, where), where))
    known = {turn.id for turn in turns}
    questions: list[DatasetQuestion] = []
    skipped: Counter[str] = Counter()
    for number, asked in enumerate(take(item, "qa", list, where)):
        category = CATEGORIES.get(take(asked, "category", int, f"{where}, question {number}"))
        evidence = _evidence(asked.get("evidence") or [], known)
        if category is None:
            skipped["category 5: the dialogue does not hold it"] += 1
        elif not evidence:
            skipped["no evidence that resolves"] += 1
        else:
            text = take(asked, "question", str, f"{where}, question {number}")
            question = DatasetQuestion(
                id=f"{name}/q{number}", text=text, category=category, evidence=evidence, answer=answer_in(asked)
            )
            questions.append(question)
    return DatasetConversation(name=name, turns=turns, questions=tuple(questions), skipped=dict(skipped))


def _turns(raw: Mapping[str, Any], where: str) -> Iterator[DatasetTurn]:
    first = take(raw, "speaker_a", str, where)
    for number in sorted(int(match[1]) for key in raw if (match := _SESSION.fullmatch(key))):
        session = f"session_{number}"
        date_text = str(raw.get(f"{session}_date_time", ""))
        at = moment(date_text, "%I:%M %p on %d %B, %Y")
        for turn in raw[session] or []:
            speaker = take(turn, "speaker", str, f"{where}, {session}")
            yield DatasetTurn(
                id=take(turn, "dia_id", str, f"{where}, {session}"),
                session=session,
                role="user" if speaker == first else "assistant",
                speaker=speaker,
                text=_with_caption(str(turn.get("text") or ""), turn.get("blip_caption")),
                at=at,
                date_text=date_text,
            )


def _with_caption(text: str, caption: object) -> str:
    return f"{text.strip()} [shares a photo: {str(caption).strip()}]".strip() if caption else text.strip()


def _evidence(entries: list[object], known: set[str]) -> tuple[str, ...]:
    named = (f"D{int(day)}:{int(turn)}" for entry in entries for day, turn in _ID.findall(str(entry)))
    return tuple(name for name in once(named) if name in known)
