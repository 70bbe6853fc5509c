"""How many expected and forbidden titles, topics and entities the sessions of agents get.

    CLEW_DATA=FOLDER python -m benchmarks.agent_names LIST [--embedder none] [--misses]

LIST is JSON: `{"expected": [...], "forbidden": [...]}`, each entry `{"file", "session", "where", "name"}`. `file` is
imported from FOLDER into a home of its own. `where` is `title` (of a session), `topic` (titles and labels of beats and
chapters) or `entity`. A name is met where its words follow one another in a phrase, `a|b` where one of the two is met,
`=a` only by the whole phrase. An empty `session` stands for all sessions of the file.
"""

import argparse
import json
import os
import re
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from clew.analyze.keyphrases import tag_key
from clew.memory import Memory
from clew.store.open import open_store
from clew.store.selections import NODE_TITLES
from clew.types.ids import BEAT

CHAPTER = BEAT + 1

_WORD = re.compile(r"\w+(?:\.\w+)*")


class Entry(NamedTuple):
    """One entry of the list."""

    file: str
    session: str
    where: str
    name: str


class Names(NamedTuple):
    """What the sessions of a file are called, and what they name: the session and the phrase."""

    title: list[tuple[str, str]]
    topic: list[tuple[str, str]]
    entity: list[tuple[str, str]]


def names_of(path: Path, embedder: str) -> Names:
    """The names that a home with one file gives."""
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(folder)
        with Memory.open(store, embedder=embedder) as memory:
            memory.import_path(path)
            memory.drain(None)
            sessions = memory.sessions()
            titles = [(session.name, session.title or "") for session in sessions]
            topics = [("", label.name) for label in memory.labels()]
            with store.snapshot() as reader:
                for session in sessions:
                    low, high = (memory.space, session.name, BEAT), (memory.space, session.name, CHAPTER)
                    for node in NODE_TITLES.scan(reader, low, high, index="level"):
                        topics += [(session.name, phrase) for phrase in (node.title or "").split(", ") if phrase]
            entities = [("", entity.name) for entity in memory.entities()]
        store.close()
    return Names(titles, topics, entities)


def is_met(entry: Entry, phrases: Iterable[tuple[str, str]]) -> bool:
    """Whether one of the phrases has the entry's name."""
    keys = [_key(phrase) for session, phrase in phrases if not session or session.startswith(entry.session)]
    return any(_has(name.strip(), keys) for name in entry.name.split("|"))


def _has(name: str, keys: Sequence[str]) -> bool:
    wanted = _key(name)
    return wanted in keys if name.startswith("=") else any(f"-{wanted}-" in f"-{key}-" for key in keys)


def _key(phrase: str) -> str:
    """The words of a phrase without punctuation and inflection, joined by hyphens."""
    return tag_key(" ".join(_WORD.findall(phrase)))


def main(arguments: Sequence[str] | None = None) -> int:
    """Measures and prints one line for each kind."""
    parser = argparse.ArgumentParser(description="Counts expected and forbidden names of agents' sessions.")
    parser.add_argument("list", type=Path)
    parser.add_argument("--embedder", default="none")
    parser.add_argument("--misses", action="store_true", help="print the expected that are missing and the forbidden")
    chosen = parser.parse_args(arguments)
    lists = json.loads(chosen.list.read_text(encoding="utf-8"))
    entries = {kind: [Entry(**entry) for entry in lists[kind]] for kind in ("expected", "forbidden")}
    files = sorted({entry.file for kind in entries.values() for entry in kind})
    names = {file: names_of(Path(os.environ["CLEW_DATA"]) / file, chosen.embedder) for file in files}
    for kind, listed in entries.items():
        met = {entry: is_met(entry, getattr(names[entry.file], entry.where)) for entry in listed}
        counts = Counter(entry.where for entry in met)
        found = Counter(entry.where for entry, is_there in met.items() if is_there)
        parts = ", ".join(f"{where} {found[where]} of {count}" for where, count in counts.items())
        print(f"{kind:10}{sum(met.values())} of {len(met)} found: {parts}")
        if chosen.misses:
            wrong = [entry for entry, is_there in met.items() if is_there == (kind == "forbidden")]
            print(*(f"    {entry.where} {entry.name!r} in {entry.file} {entry.session}" for entry in wrong), sep="\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
