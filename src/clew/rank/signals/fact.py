"""Facts: turns that state what a question asks about."""

from clew.rank.frame import Frame, Scores


def fact(frame: Frame) -> Scores | None:
    """The share of the question that the best fact of a turn answers, see `clew.recall.query_facts`; None for none."""
    return frame.facts
