"""Evaluates the tree of an expression for each of some turns: true, false or unknown.

Unknown is not false: no comparison with a score that was never computed holds, and neither does its
negation. The rules are Kleene's: NOT exchanges true and false, AND is the least of its parts and OR the greatest, with
unknown between false and true.
"""

import operator
from collections.abc import Callable
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from clew.index.view import IndexView
from clew.rank.algebra.syntax import (
    About,
    And,
    FieldEquals,
    FlagSet,
    LabelWeight,
    Leaf,
    Node,
    Not,
    Or,
    Phrase,
    ProjectLink,
    ProjectMeet,
    ScoreComparison,
    TimeRange,
)
from clew.store.rows import to_us
from clew.text.spoken_names import people_called
from clew.types.turn import ROLES

TRUE: Final = 1
UNKNOWN: Final = 0
FALSE: Final = -1

Truth = NDArray[np.int8]
"""TRUE, UNKNOWN or FALSE for each of some turns."""

Positions = NDArray[np.int64]
Values = NDArray[np.float64]

_COMPARE: Final[dict[str, Callable[[Values, float], Any]]] = {
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
    "=": operator.eq,
    "!=": operator.ne,
}
_DIGITS: Final = 6
"""Scores are compared after rounding to 1e-6, so that noise in the last digits decides nothing."""


class FieldSource(Protocol):
    """Values of stored rows, for turns given by their positions in a view; NaN for unknown values."""

    def scores(self, field: str, places: Positions) -> Values:
        """A score of `clew.rank.algebra.fields.SCORES`."""
        ...

    def flags(self, name: str, places: Positions) -> Values:
        """A flag of `clew.rank.algebra.fields.FLAGS`: 1 or 0."""
        ...

    def weights(self, namespace: str, name: str, places: Positions) -> Values:
        """The weight of a label; 0 for a turn that does not have it."""
        ...

    def says(self, phrase: str, places: Positions) -> NDArray[np.bool_]:
        """Whether the text of a turn contains a phrase."""
        ...

    def concerns(self, wanted: About, places: Positions) -> Values:
        """Whether a turn concerns a file, or names a symbol or commit: 1 or 0."""
        ...

    def meets(self, overlay: str, places: Positions) -> Values:
        """The meet of a turn with an overlay of the project, 0 to 10."""
        ...

    def linked(self, wanted: About | Phrase, places: Positions) -> Values:
        """Whether a turn is linked to an element of the project that is meant: 1 or 0."""
        ...

    @property
    def active(self) -> float:
        """Overlay score from which an overlay is active."""
        ...


def truth(node: Node, view: IndexView, source: FieldSource, places: Positions) -> Truth:
    """Whether the tree holds for each of some turns.

    Conditions on the index are evaluated first, then those on text, then those on rows, and each only for turns whose
    result still depends on it. The order affects the cost and never the result.
    """
    match node:
        case Not(part):
            return -truth(part, view, source, places)
        case And(parts):
            return _least(parts, view, source, places)
        case Or(parts):
            return -_least(tuple(Not(part) for part in parts), view, source, places)
        case _:
            return _leaf(node, view, source, places)


def needs_analysis(node: Node) -> bool:
    """Whether a condition of the tree is unknown for turns that are not analysed yet."""
    return _cost(node) > 1


def _least(parts: tuple[Node, ...], view: IndexView, source: FieldSource, places: Positions) -> Truth:
    result = np.full(len(places), TRUE, dtype=np.int8)
    undecided = np.arange(len(places))
    for part in sorted(parts, key=_cost):  # stable: equals stay in their order
        if not len(undecided):
            break
        result[undecided] = np.minimum(result[undecided], truth(part, view, source, places[undecided]))
        undecided = undecided[result[undecided] > FALSE]
    return result


def _cost(node: Node) -> int:
    """0 for conditions on the index, 1 on text, 2 on rows; the highest cost of the parts of a junction."""
    match node:
        case FieldEquals() | TimeRange():
            return 0
        case Phrase() | About():
            return 1
        case Not(part):
            return _cost(part)
        case And(parts) | Or(parts):
            return max(map(_cost, parts))
        case _:
            return 2


def _leaf(node: Leaf, view: IndexView, source: FieldSource, places: Positions) -> Truth:
    match node:
        case Phrase(phrase):
            return _from_mask(source.says(phrase, places))
        case TimeRange():
            return _in_range(node, view, places)
        case FieldEquals():
            return _field_equals(node, view, places)
        case _:
            return _compared(*_values(node, source, places))


def _values(
    node: ScoreComparison | LabelWeight | FlagSet | About | ProjectMeet | ProjectLink,
    source: FieldSource,
    places: Positions,
) -> tuple[Values, str, float]:
    """The values that a condition compares, the sign, and the number that they are compared with."""
    match node:
        case ScoreComparison(field, sign, number):
            comparison = source.scores(field, places), sign, number
        case LabelWeight(namespace, name, sign, number):
            comparison = source.weights(namespace, name, places), sign, number
        case FlagSet(name):
            comparison = source.flags(name, places), "=", 1.0
        case About():
            comparison = source.concerns(node, places), "=", 1.0
        case ProjectMeet(overlay, sign, least):
            comparison = source.meets(overlay, places), sign, source.active if least is None else least
        case ProjectLink(wanted):
            comparison = source.linked(wanted, places), "=", 1.0
    return comparison


def _compared(values: Values, sign: str, number: float) -> Truth:
    unknown = np.isnan(values)
    holds = _COMPARE[sign](np.round(values, _DIGITS), round(number, _DIGITS))
    return np.where(unknown, UNKNOWN, np.where(holds, TRUE, FALSE)).astype(np.int8)


def _from_mask(holds: NDArray[np.bool_]) -> Truth:
    return np.where(holds, TRUE, FALSE).astype(np.int8)


def _in_range(node: TimeRange, view: IndexView, places: Positions) -> Truth:
    at = view.turns.at[places]
    since, until = to_us(node.since), to_us(node.until)
    holds = np.ones(len(places), dtype=np.bool_)
    if since is not None:
        holds &= at >= since
    if until is not None:
        holds &= at < until
    return np.where(at == view.NO_TIME, UNKNOWN, _from_mask(holds)).astype(np.int8)


def _field_equals(node: FieldEquals, view: IndexView, places: Positions) -> Truth:
    if node.field == "role":
        result = _from_mask(view.turns.role[places] == ROLES.index(node.value))
    elif node.field == "session":
        codes = [code for code, name in enumerate(view.sessions) if name == node.value]
        result = _from_mask(np.isin(view.turns.session[places], codes))
    else:
        called = people_called(node.value, view.speakers)
        same = [name for name in called if name.casefold() == node.value.casefold()]
        wanted = same or (called if len(called) == 1 else [])
        codes = [code for code, name in enumerate(view.speakers) if name in wanted]
        speaker = view.turns.speaker[places]
        result = np.where(speaker < 0, UNKNOWN, _from_mask(np.isin(speaker, codes))).astype(np.int8)
    return result if node.operator == "=" else -result
