"""What kind of thing somebody prefers, so that a later preference of the same kind replaces it.

Who prefers tea and then coffee prefers coffee now; who prefers tea and dark mode prefers both. So a preference whose
purpose nobody said is for the kind of its value: what a list knows (`data/kinds.json`), or the noun that ends it ("dark
mode" and "light mode"). Other values, such as "comparing several methods", are of no kind, and hold side by side.
"""

import json
import re
from functools import cache, lru_cache
from importlib import resources
from typing import Final

_BEGINNING: Final = re.compile(r"^(?:(?:the|an?|my|our|their|his|her)\s+)+(?=\S)", re.IGNORECASE)
_REST: Final = re.compile(
    r"[,;(]|\s(?:in|on|at|for|with|over|to|of|from|by|when|as|than|about|during|that|which)\s", re.IGNORECASE
)
"""Where what is preferred ends and its circumstances begin."""
_SEVERAL: Final = re.compile(r"\b(?:and|or|both|either|plus)\b|[&/]", re.IGNORECASE)
_PLAIN: Final = re.compile(r"[a-z]{3,}")
_MOST_WORDS: Final = 3
_NO_KINDS: Final = frozenset(
    "thing things stuff one ones way ways it that this them something everything anything kind sort type".split()
)
"""Words of values that say nothing of the kind of thing: "things simple"."""


@lru_cache(maxsize=1 << 10)
def kind_of(value: str) -> str | None:
    """The kind of thing that a value is, such as "drink" or "mode"; None where its words do not show it."""
    text = _REST.split(_BEGINNING.sub("", value.strip()), maxsplit=1)[0].strip()
    words = text.split()
    if not words or len(words) > _MOST_WORDS or _SEVERAL.search(text):
        return None
    last = words[-1].casefold()
    listed = _listed().get(text.casefold()) or _listed().get(last)
    if listed is not None or len(words) == 1:
        return listed
    is_named = any(word[:1].isupper() for word in words[1:])
    is_action = words[0].casefold().endswith("ing") or words[0].casefold() == "to"
    if is_named or is_action or not _NO_KINDS.isdisjoint(words) or last.endswith("ly") or not _PLAIN.fullmatch(last):
        return None
    return last.removesuffix("s")


@lru_cache(maxsize=1 << 10)
def versioned_product(value: str) -> str | None:
    """The product of which a value is one version: "python" for "Python 3.11", "react in the shop"; None for others."""
    text = _BEGINNING.sub("", value.strip())
    name = _REST.split(text, maxsplit=1)[0].rstrip()
    match = _VERSIONED.fullmatch(name)
    if match is None or _SEVERAL.search(name):
        return None
    return f"{match['name']}{text[len(name) :]}".casefold()  # at home and at work, two versions hold side by side


_VERSIONED: Final = re.compile(
    r"(?P<name>[A-Z][\w.+#-]*(?: [A-Z][\w.+#-]*){0,2}) (?:version )?v?\d+(?:\.(?:\d+|x))*[a-z]?\d?"
)


@cache
def _listed() -> dict[str, str]:
    lists = json.loads((resources.files(__package__) / "data" / "kinds.json").read_text("utf-8"))
    kinds = {}
    for kind, names in lists.items():
        words, *phrases = names.split("|")
        kinds.update(dict.fromkeys([*words.split(), *phrases], kind))
    return kinds
