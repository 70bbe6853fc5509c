"""A turn's annotations, by rules alone: HSCA layers 1 to 3, novelty, overlays, importance, tags and entities.

Start at `weigh.weigh`, which runs the rules for one text over one reading of it; each rule is also a function of its
own. Everything here is pure, total and deterministic, and stores nothing.
"""
