"""What recaps of other lengths would have told of the turns that were needed again after a compaction.

A turn that a compaction covers was needed again when it was restored, or when a later recall used it.
"""

from collections.abc import Sequence
from typing import Final

from clew.condense.recap import compose_recap
from clew.condense.recap_size import recap_budget
from clew.config import CondenseConfig
from clew.rank.tuning.renderings import SCALES, ToldByScale
from clew.rows.compactions import Compaction, compaction_at
from clew.rows.recap_source import recap_source
from clew.store.protocol import Reader
from clew.store.turn_selections import TURN_TEXT
from clew.text.counters import Counter
from clew.text.terms import terms
from clew.types.context import Receipt
from clew.types.ids import parse_turn_id

MOST: Final = 24
"""Compactions that are composed again: each takes as long as a recap of its session that reads all turns."""


class RecapUses:
    """Looks at recalls and restores of one space; composes the recaps of each compaction once."""

    def __init__(self, reader: Reader, space: str, config: CondenseConfig, count: Counter) -> None:
        self._reader, self._space, self._config, self._count = reader, space, config, count
        self._terms: dict[tuple[str, int], tuple[frozenset[str], ...]] = {}

    def told(self, receipt: Receipt, used: Sequence[str], group: str) -> ToldByScale | None:
        """How much of the used turns the recap of that time would have told; None if it was about none of them."""
        shares = []
        for name in used:
            session, seq = parse_turn_id(name)
            made = compaction_at(self._reader, self._space, session, receipt.created_at)
            if made is None or made.last < seq:
                continue
            said = set(terms(TURN_TEXT.get(self._reader, (self._space, session, seq)) or ""))
            recaps = self._recaps(made)
            if said and recaps:
                shares.append([len(said & words) / len(said) for words in recaps])
        if not shares:
            return None
        return ToldByScale(tuple(sum(column) / len(shares) for column in zip(*shares, strict=True)), group)

    def _recaps(self, made: Compaction) -> tuple[frozenset[str], ...]:
        """The terms of the recap at every length of `SCALES`; nothing where enough others were composed."""
        key = made.recap.session, made.number
        if key not in self._terms:
            if len(self._terms) == MOST:
                return ()
            source, _ = recap_source(self._reader, self._space, made.recap.session, last=made.last)
            rest = made.tokens_after - made.recap.tokens
            budgets = [recap_budget(self._config, made.tokens_before, rest, scale) for scale in SCALES]
            words = {
                budget: frozenset(terms(compose_recap(source, self._count, budget=budget).text))
                for budget in set(budgets)
            }
            self._terms[key] = tuple(words[budget] for budget in budgets)
        return self._terms[key]
