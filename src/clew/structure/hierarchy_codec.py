"""Encode the hierarchy as the text of rows and decode it: columns of integers and letters instead of records.

    beat        [reason, seqs, layer1, coherence, domains, nuance, short, links, states]
    chapter     [turns, macro weight, domains]
    right edge  [chapters closed, profiles of level 2, profiles of level 3, ...]
    profile     [chapter, low, high, turns, time of the first, time of the last, vector, counts, terms]

`seqs` is the first seq where the turns are consecutive, else all of them. Domains and nuance are one text each, with a
comma between pieces; `short` lists pieces by index; links are triples of two such indexes and a weight; `states` is
empty in beats that were frozen before it was kept. Vectors and
hashed terms are bytes in base 64. Empty values at the end are left out. Sums over the pieces are computed again
(`BeatMap.made`). Clew wrote mappings up to schema 3; these are read as well.
"""

import json
from base64 import b64decode, b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final

import numpy as np

from clew.store.rows import dumps, from_us, to_us
from clew.structure.chapters import OpenTree, Profile, chapter_id
from clew.structure.snapshot import BeatMap, Link, Piece, sums_of
from clew.types.compact import DOMAINS, NUANCES, LetterCodes, parts, score_of, trimmed


@dataclass(frozen=True, slots=True)
class NodeSummary:
    """Sums over any node: how many turns it covers, its macro weight, and its domains as shares that sum to 1.

    `states` is `BeatMap.states`, empty for a chapter.
    """

    turns: int
    macro_weight: float
    domains: dict[str, float]
    states: str = ""


def beat_text(beat: BeatMap) -> str:
    """The row text of a beat."""
    pieces = beat.pieces
    seqs = [piece.seq for piece in pieces]
    number = {seq: place for place, seq in enumerate(seqs)}
    whole = seqs == list(range(seqs[0], seqs[0] + len(seqs)))
    values: list[Any] = [
        beat.reason,
        seqs[0] if whole else seqs,
        [parts(piece.layer1) for piece in pieces],
        [parts(piece.coherence) for piece in pieces],
        _column(DOMAINS, [piece.tags for piece in pieces]),
        _column(NUANCES, [piece.nuance for piece in pieces]),
        [place for place, piece in enumerate(pieces) if piece.short],
        [each for link in beat.links for each in (number[link.first], number[link.second], parts(link.weight))],
        beat.states,
    ]
    return dumps(trimmed(values))


def beat_of(text: str) -> BeatMap:
    """The beat from the text that `beat_text` made."""
    columns = json.loads(text)
    if isinstance(columns, dict):
        return BeatMap.from_dict(columns)
    reason, places, layer1, coherence, domains, nuance, short, links, states = columns + _BLANK[len(columns) :]
    seqs = _seqs(places, len(layer1))
    rows = zip(seqs, layer1, coherence, _names(DOMAINS, domains), _names(NUANCES, nuance), strict=True)
    pieces = tuple(
        Piece(
            seq=seq,
            layer1=score_of(weight),
            coherence=score_of(near),
            tags=tuple(tags),
            nuance=tuple(flags),
            short=place in short,
        )
        for place, (seq, weight, near, tags, flags) in enumerate(rows)
    )
    triples = zip(links[::3], links[1::3], links[2::3], strict=True)
    tied = tuple(Link(seqs[first], seqs[second], score_of(weight)) for first, second, weight in triples)
    return BeatMap.made(pieces, tied, reason, states)


def seqs_of(text: str) -> tuple[int, ...] | None:
    """The seqs of a beat's turns; None for a chapter."""
    columns = json.loads(text)
    if isinstance(columns, dict):
        return tuple(piece["seq"] for piece in columns["pieces"]) if "pieces" in columns else None
    return tuple(_seqs(columns[1], len(columns[2]))) if isinstance(columns[0], str) else None


def chapter_text(outline: NodeSummary) -> str:
    """The row text of a chapter."""
    domains = {DOMAINS.letter(name): parts(share) for name, share in outline.domains.items()}
    return dumps([outline.turns, parts(outline.macro_weight), domains])


def summary_of(text: str) -> NodeSummary:
    """The summary of a beat or a chapter, from its row text."""
    columns = json.loads(text)
    if isinstance(columns, dict):
        return NodeSummary(
            columns.get("turns", len(columns.get("pieces", ()))), columns["macro_weight"], columns["domains"]
        )
    if isinstance(columns[0], str):
        domains = columns[4] if len(columns) > 4 else ""
        weights = [score_of(stored_weight) for stored_weight in columns[2]]
        weight, _, shares = sums_of(list(zip(_names(DOMAINS, domains), weights, strict=True)))
        return NodeSummary(len(weights), weight, shares, columns[8] if len(columns) > 8 else "")
    turns, weight, domains = columns
    return NodeSummary(
        turns, score_of(weight), {DOMAINS.name(letter): score_of(share) for letter, share in domains.items()}
    )


def tree_text(tree: OpenTree) -> str:
    """The row text of the right edge of a session's tree, without its beats, which are made again from their turns."""
    return dumps([tree.closed, *([_profile_values(profile) for profile in level] for level in tree.levels[1:])])


def tree_of(text: str, prefix: str) -> OpenTree:
    """The right edge from the text that `tree_text` made, without beats.

    Args:
        prefix: prefix of the ids of the session's nodes.
    """
    columns = json.loads(text)
    if isinstance(columns, dict):
        return OpenTree.from_dict(columns)
    closed, *levels = columns
    above = (tuple(_profile_of(profile, prefix) for profile in level) for level in levels)
    return OpenTree(levels=((), *above), closed=closed)


def _profile_values(profile: Profile) -> list[Any]:
    number = int(profile.node.rpartition(":")[2])  # of the chapter: beats are not kept here
    terms = np.array([term for term, _ in profile.terms], "<u4").tobytes()
    return trimmed(
        [
            number,
            profile.low,
            profile.high,
            profile.turns,
            to_us(profile.at_low),
            to_us(profile.at_high),
            _as_text(profile.vector or b""),
            _runs([count for _, count in profile.terms]),
            _as_text(terms),
        ]
    )


def _profile_of(values: list[Any], prefix: str) -> Profile:
    number, low, high, turns, at_low, at_high, vector, runs, terms = values + _NO_PROFILE[len(values) :]
    counts = [count for count, times in zip(runs[::2], runs[1::2], strict=True) for _ in range(times)]
    return Profile(
        node=chapter_id(prefix, number),
        low=low,
        high=high,
        turns=turns,
        terms=tuple(zip(np.frombuffer(b64decode(terms), "<u4").tolist(), counts, strict=True)),
        vector=b64decode(vector) or None,
        at_low=from_us(at_low),
        at_high=from_us(at_high),
    )


def _as_text(data: bytes) -> str:
    return b64encode(data).decode("ascii")


def _runs(counts: Sequence[int]) -> list[int]:
    """Run-length encoding: each number, then how often it repeats."""
    return [value for count, same in groupby(counts) for value in (count, len(list(same)))]


def _seqs(places: int | list[int], count: int) -> Sequence[int]:
    return range(places, places + count) if isinstance(places, int) else places


def _column(known: LetterCodes, lists: Sequence[Sequence[str]]) -> str | list[str | list[str]]:
    written = [known.written(name_list) for name_list in lists]
    plain = [column for column in written if isinstance(column, str)]
    return ",".join(plain) if len(plain) == len(written) else written


def _names(known: LetterCodes, column: str | list[str | list[str]]) -> list[list[str]]:
    return [known.read(code) for code in (column.split(",") if isinstance(column, str) else column)]


_BLANK: Final[list[Any]] = ["", 0, [], [], "", "", [], [], ""]
_NO_PROFILE: Final[list[Any]] = [0, 0, 0, 0, None, None, "", [], ""]
