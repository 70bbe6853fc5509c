"""How many of the names in messages and dialogues are found, and of which type they are said to be.

    CLEW_DATA=FOLDER python -m benchmarks.entities [--kept] [--ner SETTING] [--misses N]

FOLDER holds `wnut17/emerging.dev.conll` and `dialogre/dev.json`. Every second message and dialogue is kept for testing;
`--kept` measures those. A name counts as found when one of the same key is (case, spaces and plural do not matter).
`--ner spacy:<pipeline or folder>` measures that model beside the rules: both, and it alone.
"""

import argparse
import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from clew.analyze.entities import Mention, entity_key
from clew.analyze.recognised import mentions_seen, named_in
from clew.models.choose import choose_recogniser
from clew.models.protocol import Recogniser
from clew.structure.graph import EntityGraph
from clew.types.entity import NameSpan, NodeType

Finder = Callable[[list[str]], Iterable[Sequence[Mention]]]
"""Gives what each of some texts names."""

TYPES = {
    "person": {NodeType.PERSON},
    "location": {NodeType.PLACE},
    "group": {NodeType.ORGANIZATION},
    "corporation": {NodeType.ORGANIZATION},
    "product": {NodeType.PRODUCT},
    "creative-work": {NodeType.WORK},
    "PER": {NodeType.PERSON},
    "GPE": {NodeType.PLACE},
    "ORG": {NodeType.ORGANIZATION},
}
"""What the collections call what we call otherwise."""


@dataclass
class EntityTally:
    """Counts, and what was missed or made up."""

    gold: int = 0
    said: int = 0
    both: int = 0
    typed: int = 0
    untold: int = 0
    missed: list[str] = field(default_factory=list)
    invented: list[str] = field(default_factory=list)

    def take(self, gold: dict[str, str], said: dict[str, NodeType]) -> None:
        """One message or dialogue: keys with their types."""
        found = gold.keys() & said.keys()
        self.gold += len(gold)
        self.said += len(said)
        self.both += len(found)
        self.typed += sum(said[key] in TYPES[gold[key]] for key in found)
        self.untold += sum(said[key] is NodeType.NAME for key in found)
        self.missed += sorted(gold.keys() - found)
        self.invented += sorted(said.keys() - found)

    def line(self, name: str, *, precise: bool) -> str:
        """One line of the table."""
        recall, precision = self.both / max(1, self.gold), self.both / max(1, self.said)
        known = max(1, self.both - self.untold)
        parts = [f"{name}: {self.gold} names, found {100 * recall:.1f} %"]
        if precise:
            f1 = 2 * recall * precision / max(1e-9, recall + precision)
            parts.append(f"of {self.said} said {100 * precision:.1f} % right, F1 {100 * f1:.1f}")
        parts.append(
            f"type told of {100 * known / max(1, self.both):.0f} %, right in {100 * self.typed / known:.0f} % of these"
        )
        return "; ".join(parts)


def read_wnut(path: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """Messages with the keys of their names and what each is."""
    for block in path.read_text(encoding="utf-8").split("\n\n"):
        rows = [line.split("\t") for line in block.splitlines() if "\t" in line]
        if not rows:
            continue
        names: list[tuple[list[str], str]] = []
        for word, tag in rows:
            if tag.startswith("B-"):
                names.append(([word], tag[2:]))
            elif tag.startswith("I-") and names:
                names[-1][0].append(word)
        gold = {entity_key(" ".join(words)): kind for words, kind in names}
        yield " ".join(word for word, _ in rows), {key: kind for key, kind in gold.items() if key}


def read_dialogre(path: Path) -> Iterator[tuple[list[str], dict[str, str]]]:
    """Dialogues with the names that relations are told of; what is no name (numbers, titles) is left out."""
    for turns, relations in json.loads(path.read_text(encoding="utf-8")):
        gold = {}
        for each in relations:
            for end in "xy":
                if each[f"{end}_type"] in TYPES and not each[end].startswith("Speaker "):
                    gold[entity_key(each[end])] = each[f"{end}_type"]
        yield [turn.partition(": ")[2] for turn in turns], gold


def finders(recogniser: Recogniser | None) -> dict[str, Finder]:
    """Ways to find names, by what they are called in the table."""

    def joined(texts: list[str], *, rules: bool) -> Iterator[Sequence[Mention]]:
        seen: list[tuple[NameSpan, ...]] = recogniser.recognise(texts) if recogniser else [()] * len(texts)
        for text, spans in zip(texts, seen, strict=True):
            yield named_in(text, spans).mentions if rules else mentions_seen(text, spans)

    alone: dict[str, Finder] = {"rules": lambda texts: (named_in(text).mentions for text in texts)}
    if recogniser is None:
        return alone
    return alone | {
        "model": lambda texts: joined(texts, rules=False),
        "both": lambda texts: joined(texts, rules=True),
    }


def said_in(texts: list[str], find: Finder) -> dict[str, NodeType]:
    """The names in texts, each with the type that its mentions settle on."""
    graph, keys = EntityGraph(), set[str]()
    for mentions in find(texts):
        for mention in mentions:
            if mention.type is not NodeType.CONCEPT:
                keys.add(graph.add_entity(mention.name, mention.type))
    return {key: graph.entity_by_key(key)[0].type for key in sorted(keys)}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--kept", action="store_true", help="measure what is kept for testing")
    parser.add_argument("--ner", default="none", help="a model to measure beside the rules, as entities.ner names it")
    parser.add_argument("--misses", type=int, default=0, help="show so many that were missed or made up")
    asked = parser.parse_args()
    recogniser = None if asked.ner == "none" else choose_recogniser(asked.ner)[0]
    for way, find in finders(recogniser).items():
        for name, tally in measured(find, kept=asked.kept).items():
            print(f"{way}, {tally.line(name, precise=name == 'WNUT-17')}")
            if asked.misses:
                print("  missed:", ", ".join(tally.missed[: asked.misses]))
                print("  made up:", ", ".join(tally.invented[: asked.misses]))


def measured(find: Finder, *, kept: bool) -> dict[str, EntityTally]:
    """The counts on both collections, on one half of each."""
    folder = Path(os.environ.get("CLEW_DATA", ""))
    tallies = {"WNUT-17": EntityTally(), "DialogRE": EntityTally()}
    for place, (text, gold) in enumerate(read_wnut(folder / "wnut17" / "emerging.dev.conll")):
        if place % 2 == kept:
            tallies["WNUT-17"].take(gold, said_in([text], find))
    for place, (texts, gold) in enumerate(read_dialogre(folder / "dialogre" / "dev.json")):
        if place % 2 == kept:
            tallies["DialogRE"].take(gold, said_in(texts, find))
    return tallies


if __name__ == "__main__":
    main()
