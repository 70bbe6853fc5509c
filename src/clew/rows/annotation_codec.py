"""Encodes the annotations that one stage makes of a turn as the text of a row, and decodes them.

A mapping from kind to value would repeat every name for every turn. So the values stand in a fixed order, in the forms
of `clew.types.compact`; what is empty at the end is left out, and a kind that has no place goes into a mapping behind
them. A mapping alone is how Clew wrote it up to schema 3, and is read as well.

    weighing    [layer1, coherence, domains, nuance, sentences]; a short chunk has no sentences
    analysis    [novelty, importance, flags, tags, overlays, domains, others]; 1 is a paradigm shift, 2 is routine
"""

import json
from collections.abc import Mapping
from typing import Any, Final

from clew.store.rows import dumps
from clew.types.compact import COARSE, DOMAINS, NUANCES, OVERLAYS, parts, score_of, trimmed

SHIFT: Final = 1
ROUTINE: Final = 2

_WEIGHED: Final = frozenset(("layer1", "coherence", "domains", "nuance"))
_SENTENCES: Final = "layer1:sentences"
_NEVER_EMPTY: Final = ("paradigm_shift", "routine", "tags", "overlays", "domains")
_ANALYSED: Final = frozenset(("novelty", "importance", *_NEVER_EMPTY))


def weighing_text(said: Mapping[str, Any]) -> str:
    """The text of a row of WEIGHING, from what rules compute of a turn alone, by annotation kind."""
    short = "short_chunk" in said
    if len(said) != 5 or not said.keys() >= _WEIGHED or short == (_SENTENCES in said):
        return dumps(said)
    values: list[Any] = [
        parts(said["layer1"]),
        parts(said["coherence"]),
        DOMAINS.written(said["domains"]),
        NUANCES.written(said["nuance"]),
    ]
    return dumps(values if short else [*values, [parts(score) for score in said[_SENTENCES]]])


def weighing_of(text: str) -> dict[str, Any]:
    """The values by annotation kind."""
    values = json.loads(text)
    if isinstance(values, dict):
        return values
    layer1, coherence, domains, nuance = values[:4]
    said: dict[str, Any] = {
        "layer1": score_of(layer1),
        "coherence": score_of(coherence),
        "domains": DOMAINS.read(domains),
        "nuance": NUANCES.read(nuance),
    }
    if len(values) == 4:
        said["short_chunk"] = True
    else:
        said[_SENTENCES] = [score_of(score) for score in values[4]]
    return said


def analysis_text(said: Mapping[str, Any]) -> str:
    """The text of a row of ANALYSIS, from what is computed of a turn among the turns before it, by kind."""
    fits = "novelty" in said and "importance" in said
    if not fits or not all(said.get(kind, True) for kind in _NEVER_EMPTY):
        return dumps(said)
    values = [
        parts(said["novelty"]),
        parts(said["importance"]),
        SHIFT * said.get("paradigm_shift", False) + ROUTINE * said.get("routine", False),
        {name: parts(weight, COARSE) for name, weight in said.get("tags", {}).items()},
        {OVERLAYS.letter(name): parts(score) for name, score in said.get("overlays", {}).items()},
        DOMAINS.written(said.get("domains", ())),
        {kind: value for kind, value in said.items() if kind not in _ANALYSED},
    ]
    return dumps(trimmed(values))


def analysis_of(text: str) -> dict[str, Any]:
    """The values by annotation kind."""
    values = json.loads(text)
    if isinstance(values, dict):
        return values
    novelty, importance, flags, tags, overlays, domains, others = values + _BLANK[len(values) :]
    said: dict[str, Any] = {"importance": score_of(importance), "novelty": score_of(novelty)}
    if overlays:
        said["overlays"] = {OVERLAYS.name(digit): score_of(score) for digit, score in overlays.items()}
    if flags & SHIFT:
        said["paradigm_shift"] = True
    if flags & ROUTINE:
        said["routine"] = True
    if tags:
        said["tags"] = {name: score_of(weight, COARSE) for name, weight in tags.items()}
    if domains:
        said["domains"] = DOMAINS.read(domains)
    said.update(others)
    return said


_BLANK: Final[list[Any]] = [0, 0, 0, {}, {}, "", {}]
