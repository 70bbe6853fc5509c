"""Ranks the turns of a space for a question, with the share of every signal in each score. Start at `ranker.Ranker`.

Pure: reads the index and what its sources hand in, and writes nothing.

    the question    intent (what it asks for), algebra (expressions), filter, strategies, information, second_lookup
    one ranking     ranker, frame, signals, fusion, dampening, search, confidence
    one view        participants, adjacent_turns, covered_days
    large spaces    contenders, sparse_columns
    places          anchors, end_turns, session_order, name_order, timeline
    evidence        graph_context, labels, announcements, keywords, quotes
    other           sigma (the SIGMA document's formula), tuning (parameters that are learned)
"""
