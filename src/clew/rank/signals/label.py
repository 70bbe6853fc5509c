"""Labels: turns that are about what the question is about, by their tags (Virtual Context, signal 1)."""

from clew.rank.frame import Frame, Scores


def label(frame: Frame) -> Scores | None:
    """The share of the question's labels that a turn has, rare ones counting more; see `clew.rank.labels.overlap`.

    None when the question has no label that a turn has; NaN for a turn that is not analysed yet.
    """
    return frame.labels.values
