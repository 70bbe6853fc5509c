"""Numbers with their nouns and verbs: "1 turn is", "2,000 turns are"."""

from typing import Final

_SINGULAR: Final = {"are": "is", "have": "has", "were": "was", "lack": "lacks"}
"""Verbs, from the form of several to that of one."""


def counted(count: int, noun: str, shown: str = "") -> str:
    """A number with its noun, given as of one: "1 turn", "2,000 turns", "3 entries".

    Args:
        shown: what is told of them, as of several and with the verb first: `are missing`.
    """
    verb, blank, rest = shown.partition(" ")
    said = f" {_SINGULAR[verb] if count == 1 else verb}{blank}{rest}" if shown else ""
    return f"{count:,} {noun if count == 1 else _plural(noun)}{said}"


def named_count(count: int, nouns: str) -> str:
    """A number with a noun that is given as of several, as the names of counters are: "1 turn", "2 turns"."""
    return f"{count:,} {_one(nouns) if count == 1 else nouns}"


def _plural(noun: str) -> str:
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return f"{noun[:-1]}ies"
    return f"{noun}s"


def _one(nouns: str) -> str:
    if nouns.endswith("ies"):
        return f"{nouns[:-3]}y"
    return nouns[:-1] if nouns.endswith("s") and not nouns.endswith(("ss", "is", "us")) else nouns
