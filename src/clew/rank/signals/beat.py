"""Words of a whole beat: turns of a topic segment that matches the question."""

import numpy as np

from clew.index.bm25 import K1, B, idf
from clew.rank.frame import Frame, Scores
from clew.rank.graph_context import nodes_of


def beat(frame: Frame) -> Scores | None:
    """BM25 of the turn's beat as one text; NaN for a turn in no closed beat.

    None without a term or without beats.
    """
    if not frame.intent.terms or not frame.around.nodes:
        return None
    view = frame.view
    beats, _ = nodes_of(view, frame.around.nodes)
    of_piece, size = beats[view.pieces.turn] + 1, len(frame.around.nodes) + 1  # index 0 is for pieces in no beat
    lengths = np.bincount(of_piece, weights=view.pieces.length, minlength=size)
    has_pieces = np.bincount(of_piece, minlength=size) > 0
    has_pieces[0] = False
    count = int(np.count_nonzero(has_pieces))
    if not count:
        return None
    norms = K1 * (1 - B + B * lengths / (float(lengths[has_pieces].mean()) or 1.0))
    scores = np.zeros(size)
    for term in frame.intent.terms:
        postings = view.lookup(term)
        counts = np.bincount(
            of_piece[postings.pieces], weights=postings.body + postings.extra.astype(float), minlength=size
        )
        counts[0] = 0.0
        factor = idf(count, int(np.count_nonzero(counts))) * (K1 + 1)
        scores += factor * np.divide(counts, counts + norms, out=np.zeros(size), where=counts > 0)
    scores[0] = np.nan
    values: Scores = scores[beats + 1]
    return values
