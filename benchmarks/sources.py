"""Further texts like those of `clew.evaluate.hsca.bank`, by genre: what domains are learned from, and measured on.

Each source has another genre and other voices than the first texts (`data/bank`, one file each). The texts of a source
were written before any of them was run, and none was changed because of a result. `LEARNED` are what
`benchmarks.domain_words` learns from, with the first texts, and where constants are chosen, by leaving sources out:
one at a time, or a family of genres at a time (`FAMILIES`), which is stricter. `NEVER_LEARNED` are neither learned from
nor is anything chosen by them.
"""

from functools import cache
from pathlib import Path
from typing import Final, cast, get_args

from clew.evaluate.hsca.bank import BankSplit, Material, bank, read_texts

FIRST: Final = "first"
"""The name of the texts in `clew.evaluate.hsca.bank`, whose two parts are one source."""

FAMILIES: Final[dict[str, tuple[str, ...]]] = {
    "spoken": ("lectures", "podcast", "interviews", "speeches", "debate", "videos", "quizshow", "tutoring", "comedy"),
    "chats": ("messages", "forum", "assistant", "postcards", "blogs", "coworkers", "emails"),
    "office": ("notes", "workplace", "handbook", "minutes", "fieldnotes", "faq"),
    "reference": ("news", "encyclopedia", "catalog", "textbooks", "schoolwork", "abstracts", "museum"),
    "tales": ("chronicle", "stage", "novels", "folklore", "memoir", "fantasy", "children"),
    "essays": ("letters", "sermons", "reviews", "obituaries", "agony", FIRST),
}
"""The sources that words and vectors are learned from, by genre: those of a family have most in common."""

LEARNED: Final = tuple(source for family in FAMILIES.values() for source in family if source != FIRST)
NEVER_LEARNED: Final = ("diary", "radio", "travel", "helpdesk")

_FOLDER: Final = Path(__file__).parent / "data" / "bank"


@cache
def texts_of(source: str) -> tuple[Material, ...]:
    """All material of a source, or of the part `seen` or `unseen` of the first texts."""
    if source in get_args(BankSplit):
        return bank(cast("BankSplit", source))
    return read_texts((_FOLDER / f"{source}.txt").read_text(encoding="utf-8"))


def parts_of(source: str) -> tuple[str, ...]:
    """The names that `texts_of` has a source's material under."""
    return ("seen", "unseen") if source == FIRST else (source,)


def family_of(source: str) -> str:
    """The family of a source that is learned from."""
    return next(name for name, some in FAMILIES.items() if source in some)
