"""Small spaces for the tests of recall: turns as the index has them, and one question over them."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from clew.config import IngestConfig, RecallConfig
from clew.index.entry import TurnEntry
from clew.index.view import IndexView
from clew.pipeline.prepare import prepare
from clew.recall.frame import Frame, Scores, assistant_takes_part, covered_days, make_frame
from clew.recall.query import understand
from clew.recall.search import opinions
from clew.types import Turn
from tests.memories import NOON

INGEST = IngestConfig()


def entries_of(turns: Sequence[Turn]) -> list[TurnEntry]:
    """What the index keeps of turns that arrive in this order."""
    places: Counter[str] = Counter()
    entries = []
    for ordinal, turn in enumerate(turns):
        entries.append(prepare(turn, INGEST).entry(seq=places[turn.session], ordinal=ordinal))
        places[turn.session] += 1
    return entries


def view_of(turns: Sequence[Turn]) -> IndexView:
    """An index of these turns."""
    return IndexView.of((), entries_of(turns))


def frame_of(
    seen: Sequence[Turn] | IndexView,
    question: str,
    *,
    similarity: Sequence[Sequence[float]] | None = None,
    config: RecallConfig | None = None,
) -> Frame:
    """A question at noon; `similarity` is given as two rows, of the question and of its rewritten form."""
    view = seen if isinstance(seen, IndexView) else view_of(seen)
    with_assistant = assistant_takes_part(view)
    query = understand(question, view.speakers, NOON, with_assistant=with_assistant, covered=covered_days(view))
    cosines = None if similarity is None else np.array(similarity, dtype=np.float64)
    return make_frame(query, view, config or RecallConfig(), cosines, with_assistant=with_assistant)


def values(frame: Frame, signal: str) -> Scores | None:
    """What a signal says of each turn, before weighting; None when it has no opinion."""
    standing, asked = opinions(frame)
    return next((opinion.values for opinion in (*standing, *asked) if opinion.name == signal), None)
