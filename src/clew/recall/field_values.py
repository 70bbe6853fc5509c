"""Evaluates the fields of expressions from stored rows: annotations, labels, texts.

The labels of a turn are its own tags, the labels that it was given itself, and the tags of its closed beat; of equal
names the greatest weight counts (a label is a mark on a turn or node). The domains of a beat are not its
turns': they are the sum of what its turns say, and one turn on physics would make twenty of them. Domains, nuance and
overlays are read from annotations and have no rows of LABEL: those would cost hundreds of bytes a turn, and say nothing
that is not stored.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from clew.analyze.tone import GRIEVING, NEGATIVE, NEUTRAL, POSITIVE, URGENT_TONE
from clew.config import AnalyzeConfig
from clew.index.view import IndexView
from clew.rank.algebra.evaluate import FieldSource, Positions, Values
from clew.rank.algebra.fields import DOMAIN, LISTED, MODEL_FLAGS, OVERLAY, WEIGHED
from clew.rank.algebra.syntax import About, And, LabelWeight, Node, Not, Or, Phrase, ScoreComparison
from clew.rank.quotes import holding
from clew.recall.annotation_columns import AnnotationCache, ReadPending, Table, bit, owners
from clew.recall.label_index import forms_of, is_in_part, marked
from clew.rows.analysis_progress import read_progress
from clew.rows.annotations import ANALYSIS, TAG, annotation_values
from clew.rows.llm_progress import NUANCE, was_asked
from clew.store.protocol import Reader
from clew.store.selections import ANNOTATION_VALUE
from clew.store.turn_selections import TURN_TEXT
from clew.structure.vocabulary import Vocabulary
from clew.text.normalise import fold_contains
from clew.text.terms import quote_terms
from clew.types.ids import parse_turn_id

if TYPE_CHECKING:
    from clew.rows.lenses import Meet

_TONES: Final = (POSITIVE, NEGATIVE, URGENT_TONE, NEUTRAL, GRIEVING)
_AT_ONCE: Final = 256
"""Turns whose words are held at once."""
_TOP: Final = 10.0

Pick = Callable[[Table, Positions], Values]


def weighs(node: Node) -> bool:
    """Whether an expression uses what rules compute of a turn alone (layer 1, coherence, domains, nuance)."""
    match node:
        case Not(part):
            return weighs(part)
        case And(parts) | Or(parts):
            return any(map(weighs, parts))
        case ScoreComparison(field):
            return field in WEIGHED
        case LabelWeight(namespace):
            return namespace in LISTED
        case _:
            return False


@dataclass(slots=True, eq=False)
class RowFieldSource(FieldSource):
    """Looks up the fields of expressions in one snapshot of the store and one view of the index.

    It is used for one evaluation only, since it caches what it reads.

    Attributes:
        words: returns the vocabulary; called when a tag is asked for.
        weighed: whether the expression asks for what rules weigh of a turn alone (`weighs`).
        meet: returns the lenses of the attached projects; None if there are none.
    """

    reader: Reader
    space: str
    view: IndexView
    annotations: AnnotationCache
    limits: AnalyzeConfig
    words: Callable[[Reader], Vocabulary]
    weighed: bool = False
    meet: Callable[[], "Meet | None"] = lambda: None
    _table: Table | None = None
    _size: int = 0
    _read_pending: ReadPending | None = None

    def scores(self, field: str, places: Positions) -> Values:
        """See `FieldSource.scores`."""
        return self._gather(places, lambda table, rows: table.score(field, rows))

    def flags(self, name: str, places: Positions) -> Values:
        """See `FieldSource.flags`. A turn is preserved that was a shift, or is important enough by the setting."""
        if name != "preserved":
            return self._gather(places, lambda table, rows: table.flag(name, rows))
        importance, shift = self.scores("importance", places), self.flags("paradigm_shift", places)
        preserved = (importance >= self.limits.preserve_threshold) | (shift > 0)
        return np.where(np.isnan(importance), np.nan, preserved.astype(np.float64))

    def weights(self, namespace: str, name: str, places: Positions) -> Values:
        """See `FieldSource.weights`."""
        if namespace == OVERLAY:
            score = self.scores(name, places)
            return np.where(score < self.limits.overlay_threshold, 0.0, score / _TOP)
        if namespace == TAG:
            return self._tag(name, places)
        if name in MODEL_FLAGS:
            return self._asked(name, places)
        kind = "domains" if namespace == DOMAIN else "nuance"
        return self._gather(places, lambda table, rows: _listed(table, kind, name, rows))

    def says(self, phrase: str, places: Positions) -> NDArray[np.bool_]:
        """See `FieldSource.says`. Reads the words of the turns that hold all its terms, and of those that have none."""
        may = holding(self.view, list(dict.fromkeys(quote_terms(phrase)))) | (self.view.turns.chars == 0)
        holds = np.zeros(len(places), dtype=np.bool_)
        chosen = np.flatnonzero(may[places])
        for start in range(0, len(chosen), _AT_ONCE):
            chunk = chosen[start : start + _AT_ONCE]
            keys = [(self.space, *parse_turn_id(name)) for name in owners(self.view, places[chunk])]
            texts = TURN_TEXT.get_many(self.reader, keys)
            holds[chunk] = [text is not None and fold_contains(text, phrase) for text in texts]
        return holds

    @property
    def active(self) -> float:
        """See `FieldSource.active`."""
        return self.limits.overlay_threshold

    def concerns(self, wanted: About, places: Positions) -> Values:
        """See `FieldSource.concerns`."""
        # few questions are about files, and all others start sooner without this
        from clew.recall.mentions import concerning

        return concerning(self.reader, self.space, self.view, wanted, places)

    def meets(self, overlay: str, places: Positions) -> Values:
        """See `FieldSource.meets`. Unknown for a turn that was analysed without a project."""
        met = read_progress(self.reader, self.space)[1].met
        values = np.full(len(places), np.nan)
        for start in range(0, len(places) if met else 0, _AT_ONCE):
            chunk = slice(start, start + _AT_ONCE)
            ordinals = self.view.turns.ordinal[places[chunk]].tolist()
            analyses = annotation_values(self.reader, self.space, ANALYSIS, ordinals)
            values[chunk] = [
                np.nan if analysis is None else analysis.get("meet", {}).get(overlay, 0.0) for analysis in analyses
            ]
        return values

    def linked(self, wanted: About | Phrase, places: Positions) -> Values:
        """See `FieldSource.linked`. Unknown where no project is attached."""
        # as in `concerns`
        from clew.recall.project_links import linked_to

        meet = self.meet()
        if meet is None:
            return np.full(len(places), np.nan)
        return linked_to(self.reader, self.space, self.view, meet, wanted, places)

    def _gather(self, places: Positions, pick: Pick) -> Values:
        """A value for each of these turns: from the table if it has the turn, otherwise from rows that are read now."""
        if self._table is None or self._read_pending is None:
            self._table, self._size, self._read_pending = self.annotations.columns(
                self.reader, self.view, places, weighed=self.weighed
            )
        values = np.empty(len(places))
        in_table = places < self._size
        values[in_table] = pick(self._table, places[in_table])
        values[~in_table] = pick(*self._read_pending(self.reader, self.space, self.view, places[~in_table]))
        return values

    def _tag(self, name: str, places: Positions) -> Values:
        words = self.words(self.reader)
        forms, root, part = forms_of(words, name, TAG)

        def own(table: Table, rows: Positions) -> Values:
            weights = table.tag(forms, rows)
            if part is not None:
                outside = [at for at in np.flatnonzero(weights > 0).tolist() if not _inside(table, rows[at])]
                weights[outside] = 0.0
            return weights

        def _inside(table: Table, row: int) -> bool:
            return is_in_part(words, root, part or "", table.tags(row))

        from_labels = np.full(len(self.view.turns.ordinal), np.nan)
        for label in marked(self.reader, self.space, name, TAG, words):
            spots = [self.view.position(*parse_turn_id(turn)) for turn in label.turn_ids]
            positions = [spot for spot in spots if spot is not None]
            from_labels[positions] = np.fmax(from_labels[positions], label.weight)
        weights: Values = np.fmax(self._gather(places, own), from_labels[places])
        return weights

    def _asked(self, name: str, places: Positions) -> Values:
        """A flag that only a model sets; unknown for turns about which no model was asked."""
        values = np.full(len(places), np.nan)
        if not was_asked(self.reader, self.space, NUANCE):
            return values
        for start in range(0, len(places), _AT_ONCE):
            keys = [(self.space, owner, NUANCE) for owner in owners(self.view, places[start : start + _AT_ONCE])]
            for place, value in enumerate(ANNOTATION_VALUE.get_many(self.reader, keys), start):
                if value is not None:
                    values[place] = float(f'"{name}"' in value)
        return values


def _listed(table: Table, kind: str, name: str, rows: Positions) -> Values:
    """1 for a turn whose list has the name, 0 for one whose list has not. A text without any tone could not be read."""
    bits = table.bits(kind, rows)
    known = bits >= 0
    if name in _TONES:
        known &= (bits & sum(bit(kind, tone) for tone in _TONES)) > 0
    return np.where(known, (bits & bit(kind, name)) > 0, np.nan).astype(np.float64)
