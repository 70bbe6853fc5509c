"""Labels: turns whose tags are those of the question (Virtual Context, signal 1)."""

from clew.rank.frame import Frame, Scores


def label(frame: Frame) -> Scores | None:
    """The share of the question's labels that a turn has, rare ones counting more; see `clew.rank.labels.overlap`.

    None when the question has no label that a turn has; NaN for a turn that is not analysed yet.
    """
    return frame.labels.values
