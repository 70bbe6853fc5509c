"""Finds the turns about a file, symbol or commit: the index gives candidates, which are then checked in rows."""

import re
from collections.abc import Callable, Sequence
from fnmatch import translate
from typing import Final

import numpy as np
from numpy.typing import NDArray

from clew.index.view import IndexView
from clew.project.links import HOW, TurnLinks, normal_path, touches
from clew.rank.algebra.evaluate import Positions, Values
from clew.rank.algebra.syntax import About
from clew.rank.quotes import holding
from clew.rows.mentions import links_read_now, read_links, read_until
from clew.store.protocol import Reader
from clew.store.tables import TURN
from clew.store.turn_selections import TURN_TEXT
from clew.text.terms import quote_terms

_AT_ONCE: Final = 256
"""Turns whose words are held at once."""

_HASHES: Final = (7, 8, 9, 10, 11, 12, 40)
"""Lengths in which hashes of commits are written."""

_WILD: Final = re.compile(r"[*?\[]")


def concerning(reader: Reader, space: str, view: IndexView, wanted: About, places: Positions) -> Values:
    """For each of these turns 1 if it is about the wanted file, symbol or commit, otherwise 0."""
    match wanted.kind:
        case "symbol":
            return _saying(reader, space, view, symbol_pattern(wanted.name), _terms_held(view, [wanted.name]), places)
        case "commit":
            name = wanted.name.casefold()
            pattern = re.compile(rf"(?<!\w){name[: _HASHES[0]]}[0-9a-f]{{0,33}}(?!\w)", re.IGNORECASE)
            spellings = [name[:length] for length in _HASHES if length <= len(name)]
            return _saying(reader, space, view, pattern, _terms_held(view, [*spellings, name]), places)
        case _:
            how = ("edited",) if wanted.kind == "edited" else HOW
            meant = _path_test(wanted.name, how)
            return linked_turns(reader, space, view, meant, places, holding(view, _path_terms(wanted.name)))


def linked_turns(
    reader: Reader,
    space: str,
    view: IndexView,
    test: Callable[[TurnLinks], bool],
    places: Positions,
    may: NDArray[np.bool_] | None = None,
) -> Values:
    """1 for turns for whose files a test holds, 0 for others; NaN for turns not read for files yet, without `may`.

    Args:
        may: the turns for which it can hold; None for all.
    """
    if may is None:
        read = view.turns.ordinal[places] < read_until(reader, space)[1]
    else:
        read = np.ones(len(places), dtype=np.bool_)
    linked = np.where(read, 0.0, np.nan)
    chosen = np.flatnonzero(read if may is None else may[places] & (view.turns.chars[places] > 0))
    for start in range(0, len(chosen), _AT_ONCE):
        some = chosen[start : start + _AT_ONCE]
        linked[some] = [float(test(links)) for links in links_at(reader, space, view, places[some])]
    return linked


def links_at(reader: Reader, space: str, view: IndexView, places: Positions) -> list[TurnLinks]:
    """The links of turns with files; links that the background work has not read yet are read now."""
    turns, read = view.turns, read_until(reader, space)[1]
    links = read_links(reader, space, turns.ordinal[places].tolist())
    for number in np.flatnonzero(turns.ordinal[places] >= read).tolist():
        place = places[number]
        row = TURN.get(reader, (space, view.sessions[int(turns.session[place])], int(turns.seq[place])))
        links[number] = links[number] if row is None else links_read_now(row)
    return links


def symbol_pattern(name: str) -> re.Pattern[str]:
    """Finds a symbol in a text: its own name as a word, and before it, if it is qualified, the name that it is in."""
    parts = [re.escape(part) for part in re.split(r"\.|::|#", name.removesuffix("()")) if part]
    own = rf"(?<!\w){parts[-1]}(?!\w)" if parts else r"(?!)"
    return re.compile(own if len(parts) < 2 else rf"\A(?=[\s\S]*(?<!\w){parts[-2]}(?!\w))[\s\S]*{own}")


def _saying(
    reader: Reader,
    space: str,
    view: IndexView,
    pattern: re.Pattern[str],
    may: NDArray[np.bool_],
    places: Positions,
) -> Values:
    """For each of these turns 1 if a pattern matches its text, otherwise 0."""
    saying = np.zeros(len(places))
    chosen = np.flatnonzero((may & (view.turns.chars > 0))[places])
    for start in range(0, len(chosen), _AT_ONCE):
        some = chosen[start : start + _AT_ONCE]
        codes, seqs = view.turns.session[places[some]].tolist(), view.turns.seq[places[some]].tolist()
        keys = [(space, view.sessions[code], seq) for code, seq in zip(codes, seqs, strict=True)]
        texts = TURN_TEXT.get_many(reader, keys)
        saying[some] = [float(text is not None and pattern.search(text) is not None) for text in texts]
    return saying


def _terms_held(view: IndexView, spellings: Sequence[str]) -> NDArray[np.bool_]:
    """Which turns contain all terms of at least one of some spellings."""
    has_terms = np.zeros(len(view.turns.chars), dtype=np.bool_)
    for spelling in dict.fromkeys(spellings):
        has_terms |= holding(view, list(dict.fromkeys(quote_terms(spelling))))
    return has_terms


def _path_test(path: str, how: Sequence[str]) -> Callable[[TurnLinks], bool]:
    if not _WILD.search(path):
        return lambda links: touches(links, path, how=how) is not None
    pattern = glob_pattern(path)
    return lambda links: any(kind in how and pattern.search(written) for kind, written in links.paths)


def glob_pattern(path: str) -> re.Pattern[str]:
    """A pattern over whole segments at the end of a path, in any case; `*` may stand for several of them."""
    inner = translate(normal_path(path))[len("(?s:") : -len(r")\Z")]
    return re.compile(rf"(?:^|/){inner}\Z", re.IGNORECASE | re.DOTALL)


def _path_terms(path: str) -> list[str]:
    """Terms that every turn naming such a path must contain: those of the path's last part without wildcards."""
    parts = [part for part in normal_path(path).split("/") if part and not _WILD.search(part)]
    return list(dict.fromkeys(quote_terms(parts[-1]))) if parts else []
