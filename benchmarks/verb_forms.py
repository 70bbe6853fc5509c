"""Makes `clew/knowledge/data/verbs.tsv` from the inflection tables of LemmInflect.

Run `python -m benchmarks.verb_forms FOLDER`, where FOLDER is the unpacked wheel of `lemminflect`. Its tables come from
the SPECIALIST Lexicon of the U.S. National Library of Medicine. A row is a verb and those of its forms that the rules
of `clew.knowledge.morphology` do not give: past, past participle, -ing form, third person; alternatives are joined by
`/`. NOTICE beside the file names its hash.
"""

import csv
import gzip
import hashlib
import sys
from pathlib import Path
from typing import Final

from clew.knowledge.morphology import regular_forms

TARGET: Final = Path(__file__).parents[1] / "src/clew/knowledge/data/verbs.tsv"
# Verbs with more than four forms, whose rows in the tables are incomplete, and one whose row mixes in a noun.
COMPLETE: Final = {
    "be": ("was/were", "been", "being", "is/am/are"),
    "have": ("had", "had", "having", "has"),
    "do": ("did", "done", "doing", "does"),
    "stay": ("stayed", "stayed", "staying", "stays"),
}


def rows(folder: Path) -> list[str]:
    """One line for each verb in lower-case letters, sorted."""
    found: dict[str, tuple[str, ...]] = {}
    with gzip.open(folder / "lemminflect/resources/infl_lu.csv.gz", "rt", encoding="utf-8") as table:
        for verb, kind, *forms in csv.reader(table):
            if kind != "verb" or not (verb.isascii() and verb.isalpha() and verb.islower()) or len(forms) != 4:
                continue
            past, participle, gerund, third = forms
            regular = regular_forms(verb)[0]
            participles = dict.fromkeys((participle or past).split("/"))
            if regular in past.split("/"):  # "focused/focussed" with "focussed" as its only participle
                participles.setdefault(regular)
            found[verb] = (past, "/".join(participles), gerund, third)
    found |= COMPLETE
    return [_row(verb, forms) for verb, forms in sorted(found.items())]


def _row(verb: str, forms: tuple[str, ...]) -> str:
    cells = ["" if form == regular else form for form, regular in zip(forms, regular_forms(verb), strict=True)]
    return "\t".join((verb, *cells)).rstrip("\t")


def main() -> None:
    text = "\n".join(rows(Path(sys.argv[1]))) + "\n"
    TARGET.write_text(text, encoding="utf-8")
    print(len(text), hashlib.sha256(text.encode()).hexdigest())


if __name__ == "__main__":
    main()
