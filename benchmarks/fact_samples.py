"""Draws statements, and concepts among entities, to be judged by a reader.

    python -m benchmarks.fact_samples FOLDER [--kept] [--each 25] [--seed 1] [--concepts] [--count]

FOLDER holds the development data (`locomo-dev`, `realtalk-dev`, `beam-dev`, `qmsum-dev`, `oasst`, `agent-qa`,
`agent_tau_bench`). Every second conversation of each is kept: `--kept` draws from those. A line has the source, the
statement, and the turn that it is of. `--concepts` prints the concepts that most turns name instead, 40 of each of two
conversations a source, and `--count` only how many statements each source has.
"""

import argparse
import json
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from clew.evaluate.datasets import load
from clew.knowledge.rules.extract import statements
from clew.memory import Memory
from clew.types.entity import NodeType
from clew.types.turn import Role, Turn

SETS: Final = ("locomo-dev", "realtalk-dev", "beam-dev", "qmsum-dev")
"""What `clew.evaluate` reads."""
TOP: Final = 40
"""Concepts of one conversation that are read."""
_SHOWN: Final = 400
_START: Final = datetime(2024, 1, 1, tzinfo=UTC)


def talks(folder: Path) -> Iterator[tuple[str, list[list[Turn]]]]:
    """The conversations of each source that is there."""
    for name in SETS:
        if (folder / name).exists():
            yield name, [[each.to_turn() for each in talk.turns] for talk in load(_file_in(folder / name))]
    trees = folder / "oasst" / "en_100_tree.jsonl"
    if trees.exists():
        lines = trees.read_text(encoding="utf-8").splitlines()
        yield "oasst", [_first_path(json.loads(line)["prompt"]) for line in lines]
    histories = sorted((folder / "agent-qa").glob("*/conversation.jsonl"))
    if histories:
        yield "agent-qa", [_history(path) for path in histories]
    desk = folder / "agent_tau_bench" / "gpt-4o-airline_longest30.json"
    if desk.exists():
        yield "desk", [list(_desk(item)) for item in json.loads(desk.read_text(encoding="utf-8"))]


def _file_in(folder: Path) -> Path:
    found = sorted([*folder.glob("locomo.json"), *folder.glob("meetings.jsonl")])
    return found[0] if found else folder


def _first_path(message: dict[str, Any]) -> list[Turn]:
    """The first branch of a tree of messages."""
    role: Role = "user" if message["role"] == "prompter" else "assistant"
    replies = message.get("replies") or []
    return [Turn(role=role, content=message["text"]), *(_first_path(replies[0]) if replies else [])]


def _history(path: Path) -> list[Turn]:
    made = []
    for line in path.read_text(encoding="utf-8").splitlines():
        item = json.loads(line)
        at = datetime.fromisoformat(item["at"]) if item.get("at") else None
        made.append(Turn(role=item["role"], content=item["content"], speaker=item.get("speaker"), at=at))
    return made


def _desk(item: Any) -> Iterator[Turn]:
    for message in item["traj"] if isinstance(item, dict) else item:
        if message["role"] in ("user", "assistant") and message.get("content"):
            yield Turn(role=message["role"], content=message["content"])


def stored(turns: Sequence[Turn]) -> list[Turn]:
    """The turns as a memory has them."""
    return [turn.stored(seq=at, ordinal=at, ingested_at=turn.at or _START) for at, turn in enumerate(turns)]


def shown_statements(turns: Sequence[Turn]) -> Iterator[str]:
    """The statements of a conversation, each with its turn, as lines to be judged."""
    said = stored(turns)
    texts = {turn.id: f"{turn.speaker or turn.role}: {' '.join(turn.text.split())}" for turn in said}
    for each in statements(said):
        extra = {"for": each.scope, "not": each.instead_of, "at": each.where, "when": each.when}
        more = " ".join(f"[{name} {value}]" for name, value in extra.items() if value)
        text = texts[each.turn]
        at = max(0, text.find(each.object) - _SHOWN // 2) if each.object and len(text) > _SHOWN else 0
        fact = f"{each.subject} | {each.verb} | {each.object} | {each.status} {each.mood} {each.effect} {more}"
        yield f"{fact}\n        {text[at : at + _SHOWN]}"


def shown_concepts(turns: Sequence[Turn]) -> Iterator[str]:
    """The concepts that most turns of a conversation name, with their counts."""
    with Memory.open(":memory:", embedder="none") as memory:
        memory.add_many(turns)
        memory.drain(None)
        concepts = [each for each in memory.entities() if each.type is NodeType.CONCEPT]
    yield from (f"{each.name} {each.turns}" for each in concepts[:TOP])


def main() -> None:
    """Prints the sample."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--kept", action="store_true")
    parser.add_argument("--each", type=int, default=25)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--concepts", action="store_true")
    parser.add_argument("--count", action="store_true")
    asked = parser.parse_args()
    counts: Counter[str] = Counter()
    for source, every in talks(asked.folder):
        chance = random.Random(f"{asked.seed} {source}")  # noqa: S311  # a sample, no secret
        half = every[1::2] if asked.kept else every[::2]
        if asked.concepts:
            long = [talk for talk in half if len(talk) > TOP]
            for number, turns in enumerate(chance.sample(long, min(2, len(long)))):
                print(f"== {source} {number}: {', '.join(shown_concepts(turns))}")
            continue
        found = [line for turns in half for line in shown_statements(turns)]
        counts[source] = len(found)
        if not asked.count:
            for number, line in enumerate(sorted(chance.sample(found, min(asked.each, len(found))))):
                print(f"{source} {number:3} {line}")
    print(", ".join(f"{source} {count}" for source, count in counts.items()))


if __name__ == "__main__":
    main()
