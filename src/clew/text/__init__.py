"""Rules for text in any script: search terms, pieces, dates, names and token counts. Pure functions without a model.

Start at `terms.terms`.

    words           terms, stopwords, scripts, normalise, edits, style, small_talk, spoken
    parts           pieces, sentences, evidence, diff_sides, shell, json_texts
    dates           dates, date_phrases, periods, period_parts, seasons, iso_time, date_languages, foreign_dates
    of questions    query_dates, query_date_phrases, compound_dates, date_bounds
    names           names, spoken_names, shown_names
    tokens          counters, anthropic_tokens, o200k, image_tokens
    output          printable, calls, counted, invented
    tools           late_pattern, text_cache, ascii_runs
"""
