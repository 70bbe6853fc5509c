"""How many names in German, French, Spanish, Dutch and Swedish texts are found, and what is taken for one.

    python -m benchmarks.foreign_names [--misses]

`data/foreign_names.txt` has a text a case, with its names, and words that are none. A name is found when an entity has
it, and forbidden words are wrong as an entity of their own or with others. Concepts, which are no names, do not count.
"""

import argparse
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from clew.analyze.entities import entities_in, entity_key
from clew.types.entity import NodeType

TEXTS = Path(__file__).parent / "data" / "foreign_names.txt"


@dataclass(frozen=True, slots=True)
class NamedText:
    """A text with what it names, and what it does not."""

    language: str
    text: str
    names: tuple[str, ...]
    forbidden: tuple[str, ...]

    def missed(self) -> list[str]:
        """The names that are not found."""
        found = self._found()
        return [name for name in self.names if entity_key(name) not in found]

    def invented(self) -> list[str]:
        """The forbidden words that are found as a name."""
        found = self._found()
        return [name for name in self.forbidden if entity_key(name) in found]

    def _found(self) -> set[str]:
        return {each.key for each in entities_in(self.text).mentions if each.type is not NodeType.CONCEPT}


def read_texts(path: Path = TEXTS) -> list[NamedText]:
    """The texts of the file."""
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    texts: list[NamedText] = []
    for said, names, forbidden in zip(lines[::3], lines[1::3], lines[2::3], strict=True):
        language, _, text = said.partition(": ")
        lists = [
            tuple(filter(None, (each.strip() for each in line.partition(":")[2].split(";"))))
            for line in (names, forbidden)
        ]
        texts.append(NamedText(language, text, lists[0], lists[1]))
    return texts


def main() -> int:
    """Print for each language how many names are found, and how many words are wrongly taken for one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--misses", action="store_true", help="name them")
    options = parser.parse_args()
    tally: dict[str, Counter[str]] = {}
    for text in read_texts():
        missed, invented = text.missed(), text.invented()
        counts = tally.setdefault(text.language, Counter())
        counts.update(names=len(text.names), missed=len(missed), forbidden=len(text.forbidden), invented=len(invented))
        if options.misses and (missed or invented):
            print(f"{text.text}\n    missed: {'; '.join(missed)}    invented: {'; '.join(invented)}")
    for language, n in tally.items():
        print(f"{language}: found {n['names'] - n['missed']} of {n['names']}, ", end="")
        print(f"invented {n['invented']} of {n['forbidden']}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
