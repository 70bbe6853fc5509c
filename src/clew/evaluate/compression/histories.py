"""What compactions are measured on: conversations, and the sessions of one project one after another."""

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from clew.errors import FormatError
from clew.evaluate.corpus import DatasetConversation, json_lines, read_text
from clew.evaluate.datasets import load
from clew.evaluate.formats.own import TURNS, is_own
from clew.memory import Memory
from clew.rows.recap_source import recap_source
from clew.types.turn import Turn


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """The turns of one session, oldest first, and the questions about them, if there are any."""

    name: str
    turns: tuple[Turn, ...]
    conversation: DatasetConversation | None = None


def load_histories(path: Path) -> list[History]:
    """The conversations of a data set; else what `clew import` reads there, joined: a file's sessions, or a project's.

    Sessions are joined in the order in which they began, those without a time as they are stored.

    Raises:
        InputError: nothing is at that path.
        FormatError: it is not a data set, and nothing can be imported from it.
    """
    try:
        conversations = load(path)
    except FormatError:
        histories = _imported(path)
        if not histories:
            raise
        return histories
    if is_own(path):
        lines = json_lines(read_text(path / TURNS))
        whole = conversations[0]
        return [
            History(
                name=whole.name,
                turns=_joined(whole.name, (Turn.from_dict(json.loads(line)) for _, line in lines)),
                conversation=whole,
            )
        ]
    return [
        History(
            name=conversation.name,
            turns=_joined(conversation.name, (turn.to_turn() for turn in conversation.turns)),
            conversation=conversation,
        )
        for conversation in conversations
    ]


def _imported(path: Path) -> list[History]:
    sessions: dict[str, list[list[Turn]]] = defaultdict(list)
    with TemporaryDirectory(prefix="clew-bench-") as home, Memory.open(home, embedder="none") as memory:
        memory.import_path(path)
        memory.drain()
        with memory.reads.store.snapshot() as reader:
            for session in memory.sessions():
                _, turns = recap_source(reader, memory.space, session.name)
                whole = [memory.restore(turn.id or "") for turn in turns]  # long results, which are stored apart
                sessions[path.stem if path.is_file() else session.project or path.stem].append(whole)
    found = []
    for project, those in sorted(sessions.items()):
        name = Path(project).name or project
        ordered = sorted((turns for turns in those if turns), key=_beginning)
        found.append(History(name=name, turns=_joined(name, (turn for turns in ordered for turn in turns))))
    return [history for history in found if history.turns]


def _beginning(turns: Sequence[Turn]) -> tuple[float, int]:
    first = turns[0]
    return (0.0 if first.at is None else first.at.timestamp(), first.ordinal or 0)


def _joined(session: str, turns: Iterable[Turn]) -> tuple[Turn, ...]:
    """The turns as new ones of one session."""
    return tuple(
        replace(
            turn,
            session=session,
            external_id=str(number),
            parent=None,
            branch="",
            seq=None,
            ordinal=None,
            ingested_at=None,
            text="",
        )
        for number, turn in enumerate(turns)
    )
