"""The git branch or project folder that a question names: "what did I do on branch fix/login?"."""

from typing import Final, NamedTuple

from clew.rank.intent.overviews import GENERIC
from clew.text.late_pattern import late_pattern
from clew.text.stopwords import STOPWORDS
from clew.text.terms import query_terms, terms

_LONGEST: Final = 200
"""Characters of a name; a longer run, such as pasted base64, would be tried from each of its characters to its end."""
_NAME: Final = rf"[`\"'“]?([~/]?\w[\w./#@+-]{{0,{_LONGEST}}}(?<=[\w/]))[`\"'”]?"
_KINDS: Final = (
    "branch|repo|repository|project|codebase|folder|directory|worktree|zweig|projekt|ordner|projet|proyecto|rama"
)
_NAMED: Final = (
    late_pattern(rf"(?i)\b(?:{_KINDS})\s+(?:called\s+|named\s+)?{_NAME}"),
    late_pattern(rf"(?i){_NAME}\s+(?:{_KINDS})\b"),
    late_pattern(r"(?<!\S)(~?/[\w.@+-]+(?:/[\w.@+-]+)*)"),
)
_MAY_NAME: Final = late_pattern(rf"(?i)\b(?:{_KINDS})\b|(?<!\S)~?/\w")
_ALONE: Final = late_pattern(r"[~/]?\w[\w.#@+]*[/_-][\w./#@+-]*\w")
"""A search for nothing but a name that looks like that of a branch, a folder or a path."""

_KIND_WORDS: Final = frozenset(query_terms(_KINDS.replace("|", " ")))
_OF_ANY_WORK: Final = frozenset(
    query_terms("last latest recent recently yesterday week month day ago before since left off change changed fix")
)


class Workplace(NamedTuple):
    """Where the work was done that a question asks for.

    Attributes:
        names: what may be the name of a branch or a folder, in lower case.
        is_all: whether the question asks for nothing else.
    """

    names: frozenset[str]
    is_all: bool


def workplace(text: str, *, exact: bool) -> Workplace | None:
    """The place of work that a question names; None where it names none.

    Args:
        exact: the question is a search of words alone.
    """
    plain = text.strip()
    if exact and len(plain) <= _LONGEST and _ALONE.fullmatch(plain):
        return Workplace(frozenset((plain.casefold(),)), is_all=True)
    if _MAY_NAME.search(plain) is None:
        return None
    every = frozenset(match[1].casefold() for pattern in _NAMED for match in pattern.finditer(plain))
    names = every - STOPWORDS
    if not names:
        return None
    said = frozenset(query_terms(text)) - GENERIC - _KIND_WORDS - _OF_ANY_WORK
    return Workplace(names, is_all=said.issubset(term for name in names for term in terms(name)))
