"""The spaces on which confidence is measured, and the questions asked of them: answerable, and never told.

Questions over a desk with tools and over chats with an assistant, and near misses over every set, are our own and stand
in `benchmarks/data`; they name turns by the data's own ids. A chat in eight languages stands there too, and talks of
weeks and months with their questions. Each space belongs to the half that is used for choosing (`tune`) or to the one
that is looked at once (`kept`).
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from clew.evaluate.corpus import DatasetConversation, read_json, take
from clew.evaluate.datasets import load
from clew.evaluate.formats import own
from clew.ingest.importers import ImportedTurn, read_path
from clew.types import Turn

DATA: Final = Path(__file__).parent / "data"

KEPT: Final = frozenset({"conv-30", "conv-42", "chat-2", "chat-4", "100K_4", "100K_5", "100K_6", "viewer"}) | {
    "desk-2",
    "desk-4",
    "chats-2",
    "chats-4",
}
"""Spaces that take no part in choosing features."""

DESK: Final[Mapping[str, Sequence[int]]] = {
    "desk-1": (0, 2, 6, 11, 22, 24),
    "desk-2": (3, 5, 7, 9, 15, 16, 17),
    "desk-3": (8, 10, 13, 19, 23, 25, 29),
    "desk-4": (1, 4, 12, 14, 18, 20, 21, 26, 27, 28),
}
"""Runs of the airline desk, so that each customer is in one space."""

GROUPS: Final = {"desk": "desk, chats", "chats": "desk, chats"}
"""Sources that are one set."""

LANGUAGES: Final = "other languages"
"""The source of the chat that is told in several languages."""

TONGUES: Final = "our talks in other languages"
"""The source of talks in ten languages, and of two in which people use two."""

TALKS: Final[Mapping[str, Sequence[str]]] = {
    "our assistant chats": ("shop", "thesis", "webapp", "move"),
    "our coding sessions": ("pycli", "webfront", "infra"),
    "our people": ("family", "team", "couple"),
    "our desk": ("support",),
    "our later work": ("game", "lab"),
}
"""Folders of our own talks, by their source: a person or project each, people among themselves, a desk with tools.

The later work with tools was written when what suits the earlier had been chosen, and nothing was chosen by it.
"""

CHATS: Final = 4
"""Spaces into which the trees of an assistant's chats are divided, in order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedQuestion:
    """A question that the space answers.

    Attributes:
        evidence: ids of the fewest turns that answer; empty where the data names none.
        needles: a piece of each evidence turn that a block has to show; empty where the data has none.
    """

    text: str
    kind: str = ""
    evidence: tuple[str, ...] = ()
    needles: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NearMiss:
    """A plausible question whose answer was never told.

    Attributes:
        source: "ours", or the part of the data set that it is from.
        never: groups of regular expressions; no turn matches all of a group. Empty where the data says so itself.
    """

    text: str
    source: str
    never: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedSpace:
    """One conversation, or the sessions of one memory.

    Attributes:
        source: the data that it is from; questions about other conversations are those of another space of it.
        texts: of every turn, by the data's own id.
        sessions: the turns to store, one sequence for each session.
        elsewhere: questions about other conversations, where those of another space of the source are not such.
    """

    name: str
    source: str
    texts: Mapping[str, str]
    sessions: Sequence[Sequence[Turn]]
    questions: tuple[AskedQuestion, ...] = ()
    near: tuple[NearMiss, ...] = ()
    elsewhere: tuple[str, ...] = ()

    @property
    def group(self) -> str:
        """The set that it belongs to; every set counts the same."""
        return GROUPS.get(self.source, self.source)

    @property
    def is_kept(self) -> bool:
        """Whether the space takes no part in choosing features."""
        return self.name in KEPT

    def last(self) -> datetime:
        """The time of the newest turn that has one."""
        times = [turn.at for session in self.sessions for turn in session if turn.at is not None]
        return max(times, default=datetime(2024, 6, 1, tzinfo=UTC))


def read_sets(data: Path, say: Callable[[str], None], data_of_ours: Path = DATA) -> list[JudgedSpace]:
    """All spaces that are there; `say` is told what is not.

    Raises:
        FormatError: a file cannot be read, or a question of ours names a space or a turn that is not there.
    """
    readers: dict[str, tuple[str, Callable[[Path], Iterator[JudgedSpace]]]] = {
        "LoCoMo": ("locomo-dev/locomo.json", _locomo),
        "REALTALK": ("realtalk-dev", _realtalk),
        "BEAM": ("beam-dev", _beam),
        "coding agents": ("agent-qa", _agents),
        "desk": ("agent_tau_bench/gpt-4o-airline_longest30.json", _desk),
        "chats": ("oasst/en_100_tree.jsonl", _chats),
    }
    spaces: list[JudgedSpace] = []
    for name, (place, read) in readers.items():
        if (data / place).exists():
            spaces += read(data / place)
        else:
            say(f"{name} is left out: nothing is at {data / place}")
    return [_with_ours(space, data_of_ours) for space in spaces]


def _with_ours(space: JudgedSpace, folder: Path) -> JudgedSpace:
    """A space with the questions and near misses that were written for it."""
    asked = tuple(
        AskedQuestion(
            text=take(item, "question", str, space.name),
            kind=take(item, "kind", str, space.name),
            evidence=tuple(take(item, "evidence", list, space.name)),
            needles=tuple(take(item, "needles", list, space.name)),
        )
        for item in read_json(folder / "desk_and_chat_questions.json").get(space.name, ())
    )
    near = tuple(
        NearMiss(
            text=take(item, "question", str, space.name),
            source="ours",
            never=tuple(map(tuple, take(item, "never", list, space.name))),
        )
        for item in read_json(folder / "near_misses.json").get(space.name, ())
    )
    return replace(space, questions=space.questions + asked, near=space.near + near)


def faults(space: JudgedSpace) -> Iterator[str]:
    """What is wrong with the questions of ours: a needle that its turn lacks, or a near miss that a turn tells."""
    texts = {name: " ".join(text.split()) for name, text in space.texts.items()}
    for question in space.questions:
        for name, needle in zip(question.evidence, question.needles, strict=bool(question.needles)):
            if " ".join(needle.split()) not in texts.get(name, ""):
                yield f"{space.name}: {needle!r} of {question.text!r} is not in the turn {name}"
    for miss in space.near:
        for group in miss.never:
            patterns = [re.compile(pattern, re.IGNORECASE) for pattern in group]
            told = [name for name, text in texts.items() if all(pattern.search(text) for pattern in patterns)]
            for name in told[:3]:
                yield f"{space.name}: the turn {name} has all of {group} of {miss.text!r}: {texts[name][:300]!r}"


def _of(conversation: DatasetConversation, source: str, name: str, near: Sequence[NearMiss]) -> JudgedSpace:
    return JudgedSpace(
        name=name,
        source=source,
        texts={turn.id: turn.text for turn in conversation.turns},
        sessions=[[turn.to_turn() for turn in session] for session in conversation.sessions()],
        questions=tuple(
            AskedQuestion(text=asked.text, kind=asked.category, evidence=asked.evidence)
            for asked in conversation.questions
        ),
        near=tuple(near),
    )


def _locomo(path: Path) -> Iterator[JudgedSpace]:
    raw = read_json(path)
    for item, conversation in zip(raw, load(path), strict=True):
        never = [
            NearMiss(text=asked["question"], source="category 5") for asked in item["qa"] if asked["category"] == 5
        ]
        yield _of(conversation, "LoCoMo", conversation.name, never)


def _realtalk(path: Path) -> Iterator[JudgedSpace]:
    for number, conversation in enumerate(load(path), start=1):
        yield _of(conversation, "REALTALK", f"chat-{number}", ())


def _beam(path: Path) -> Iterator[JudgedSpace]:
    for conversation in load(path):
        probes = read_json(path / conversation.name / "probing_questions.json")
        never = [NearMiss(text=asked["question"], source="abstention") for asked in probes["abstention"]]
        yield _of(conversation, "BEAM", conversation.name, never)


def _agents(path: Path) -> Iterator[JudgedSpace]:
    for folder in sorted(each for each in path.iterdir() if own.is_own(each)):
        yield _own(folder, "coding agents", "unanswerable")


def read_talks() -> Iterator[JudgedSpace]:
    """The talks of our own."""
    for source, names in TALKS.items():
        for name in names:
            yield _own(DATA / "talks" / name, source, "ours")


def read_tongues() -> Iterator[JudgedSpace]:
    """Talks of our own in other languages than English; the kind of a question is its language."""
    for folder in sorted((DATA / "tongues").iterdir()):
        yield _own(folder, TONGUES, "ours")


def _own(folder: Path, source: str, near: str) -> JudgedSpace:
    """A folder in Clew's own format; questions without evidence are near misses of the source `near`."""
    lines = (folder / own.TURNS).read_text(encoding="utf-8").split("\n")
    turns = [Turn.from_dict(json.loads(line)) for line in lines if line.strip()]
    items: list[dict[str, Any]] = read_json(folder / own.QUESTIONS)
    return JudgedSpace(
        name=folder.name,
        source=source,
        texts={str(turn.external_id): turn.text for turn in turns},
        sessions=[turns],
        questions=tuple(
            AskedQuestion(
                text=item["question"],
                kind=item["kind"],
                evidence=tuple(item["evidence"]),
                needles=tuple(item["needles"]),
            )
            for item in items
            if item["evidence"]
        ),
        near=tuple(
            NearMiss(text=item["question"], source=near, never=tuple(map(tuple, item.get("never", ()))))
            for item in items
            if not item["evidence"]
        ),
    )


def _desk(path: Path) -> Iterator[JudgedSpace]:
    runs: dict[int, list[Turn]] = {}
    for record in read_path(path):
        if isinstance(record, ImportedTurn):
            runs.setdefault(int(record.turn.session.rpartition(":")[2]), []).append(record.turn)
    for name, numbers in DESK.items():
        yield JudgedSpace(
            name=name,
            source="desk",
            texts={f"{run}/{place}": turn.text for run in numbers for place, turn in enumerate(runs[run])},
            sessions=[runs[run] for run in numbers],
        )


def _chats(path: Path) -> Iterator[JudgedSpace]:
    trees = [json.loads(line)["prompt"] for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    threads = [_longest(tree) for tree in trees]
    size = -(-len(threads) // CHATS)
    for number in range(CHATS):
        part = threads[number * size : (number + 1) * size]
        yield JudgedSpace(
            name=f"chats-{number + 1}",
            source="chats",
            texts={message["message_id"]: message["text"] for thread in part for message in thread},
            sessions=[
                [
                    Turn(
                        role="user" if message["role"] == "prompter" else "assistant",
                        content=message["text"],
                        session=thread[0]["message_id"],
                    )
                    for message in thread
                ]
                for thread in part
            ],
        )


def read_languages() -> Iterator[JudgedSpace]:
    """One chat of two people in several languages."""
    for language, chat in read_json(DATA / "other_languages.json").items():
        turns = [
            Turn(role="user", content=text, session=language, speaker=chat["speakers"][place % 2])
            for place, text in enumerate(chat["turns"])
        ]
        yield JudgedSpace(
            name=language,
            source=LANGUAGES,
            texts={str(place): text for place, text in enumerate(chat["turns"])},
            sessions=[turns],
            questions=tuple(AskedQuestion(text=text) for text in chat["answerable"]),
            near=tuple(NearMiss(text=text, source="ours") for text in chat["near"]),
            elsewhere=tuple(chat["other"]),
        )


def _longest(message: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The longest way down a tree; the first of several."""
    ways = [_longest(reply) for reply in message["replies"]]
    return [message, *max(ways, key=len, default=[])]
