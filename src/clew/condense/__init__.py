"""Shorter renderings of a turn: the most informative sentences, or a title. Start at `renderings.salient`."""
