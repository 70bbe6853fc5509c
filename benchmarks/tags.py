"""Whether tags agree inside a subject and differ between subjects, how the vocabulary grows, and what it costs.

    CLEW_DATA=FOLDER python -m benchmarks.tags [--embedder none] [--dialogues 100] [--names]

FOLDER holds `dialseg711/en_dataset_reference_2.txt` and `tiage/anno_train.json`, whose subjects were marked by people.
Everything goes through a memory, as a program would use it; what is not kept for testing is measured.
"""

import argparse
import json
import os
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.segmentation import Dialogue, read_dialseg, read_tiage
from clew.analyze.keyphrases import tag_key
from clew.analyze.tags import GATE, overlap, own_tags
from clew.memory import Memory
from clew.store.open import open_store
from clew.types import Turn

NEAR = 3
"""How far apart two turns are that are compared."""


def pairs(dialogue: Dialogue) -> Iterator[tuple[int, int, bool]]:
    """Turns that stand near each other, and whether they are of one subject."""
    part = [sum(border <= place for border in dialogue.borders) for place in range(len(dialogue.texts))]
    for first in range(len(dialogue.texts)):
        for second in range(first + 1, min(first + NEAR + 1, len(dialogue.texts))):
            yield first, second, part[first] == part[second]


def shared(dialogue: Dialogue, tags: Sequence[Sequence[str]]) -> Counter[tuple[bool, bool]]:
    """How many pairs of turns there are, by whether they are of one subject and whether they share a tag."""
    keys = [{tag_key(name) for name in each} for each in tags]
    return Counter((same, not keys[one].isdisjoint(keys[two])) for one, two, same in pairs(dialogue))


def gate(dialogues: Sequence[Dialogue]) -> dict[bool, list[float]]:
    """The overlaps of turns with the four before, by whether a new subject begins with the turn."""
    found: dict[bool, list[float]] = {False: [], True: []}
    for dialogue in dialogues:
        tags = [own_tags(text) for text in dialogue.texts]
        for place in range(1, len(tags)):
            value = overlap(tags[place], tags[max(0, place - 4) : place])
            if value is not None:
                found[place in dialogue.borders].append(value)
    return found


def share(values: Sequence[bool]) -> float:
    """How many of them hold."""
    return sum(values) / max(len(values), 1)


def tagged(memory: Memory, dialogue: Dialogue) -> tuple[list[list[str]], list[list[str]]]:
    """The tags of the turns of a dialogue as stored; all, and those with what was carried over left out."""
    said = [memory.annotations(f"{dialogue.name}:turn:{place}") for place in range(len(dialogue.texts))]
    all_tags = [list(each["tags"].value) if "tags" in each else [] for each in said]
    return all_tags, [list(own_tags(text)) for text in dialogue.texts]


def measure(name: str, dialogues: Sequence[Dialogue], embedder: str, *, names: bool) -> dict[str, float]:
    """Everything, for one collection in a home of its own."""
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(folder)
        began = time.perf_counter()
        with Memory.open(store, embedder=embedder) as memory:
            for dialogue in dialogues:
                memory.add_many([Turn(role="user", content=text, session=dialogue.name) for text in dialogue.texts])
            memory.drain(None)
            seconds = time.perf_counter() - began
            pool: Counter[tuple[bool, bool]] = Counter()
            alone: Counter[tuple[bool, bool]] = Counter()
            for dialogue in dialogues:
                every, own = tagged(memory, dialogue)
                pool += shared(dialogue, every)
                alone += shared(dialogue, own)
            space = (memory.space,)
            with store.snapshot() as reader:
                labels = [str(row[3]) for row in reader.scan("label", space, space) if row[2] == "tag"]
                aliases = {str(row[2]): str(row[3]) for row in reader.scan("label_alias", space, space)}
                beats = sum(row[3] == 1 for row in reader.scan("node", space, space))
                kept = [row for row in reader.scan("annotation", space, space) if str(row[1]).startswith("tag:")]
                values = [
                    json.loads(str(row[3])) for row in reader.scan("annotation", space, space) if row[2] == "analysis"
                ]
        store.close()
        size = sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())
    turns = sum(len(dialogue.texts) for dialogue in dialogues)
    said = sum(len(text.encode()) for dialogue in dialogues for text in dialogue.texts)
    if names:
        print(name, "aliases", sorted(aliases.items())[:400])
        print(name, "labels", Counter(labels).most_common(40))
    overlaps = gate(dialogues)
    within = share([value >= GATE for value in overlaps[False]])
    across = share([value < GATE for value in overlaps[True]])
    return {
        "turns": turns,
        "beats": beats,
        "labels a beat": len(labels) / max(beats, 1),
        "names per 1,000 turns": 1000 * len(set(labels)) / turns,
        "of them aliases": 1000 * len(aliases) / turns,
        "tags a turn": sum(len(value.get("tags", ())) for value in values) / turns,
        "share a tag, one subject": pool[True, True] / (pool[True, True] + pool[True, False]),
        "share a tag, two subjects": pool[False, True] / max(pool[False, True] + pool[False, False], 1),
        "own phrases alone, one subject": alone[True, True] / (alone[True, True] + alone[True, False]),
        "own phrases alone, two subjects": alone[False, True] / max(alone[False, True] + alone[False, False], 1),
        "gate keeps, one subject": within,
        "gate drops, new subject": across,
        "disk beyond the text, bytes a turn": (size - said) / turns,
        "vocabulary, bytes of values a turn": sum(len(str(row[1])) + len(str(row[3])) for row in kept) / turns,
        "ms a turn, everything": 1000 * seconds / turns,
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Measures and prints one table."""
    parser = argparse.ArgumentParser(description="Measures tags on development data.")
    parser.add_argument("--embedder", default="none")
    parser.add_argument("--dialogues", type=int, default=100)
    parser.add_argument("--names", action="store_true", help="show the vocabulary")
    chosen = parser.parse_args(arguments)
    folder = Path(os.environ["CLEW_DATA"])
    read = {
        "DialSeg711": read_dialseg(folder / "dialseg711" / "en_dataset_reference_2.txt"),
        "TIAGE": read_tiage(folder / "tiage" / "anno_train.json"),
    }
    found = {
        name: measure(
            name, [each for each in every if not each.kept][: chosen.dialogues], chosen.embedder, names=chosen.names
        )
        for name, every in read.items()
    }
    for what in next(iter(found.values())):
        print(f"{what:40}", *(f"{values[what]:12.3f}" for values in found.values()))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
