"""Statements in the text of turns, found by rules and without a model.

Start at `extract.statements`. The rules are general grammar; the words of a language are data (`knowledge/data`).

    text            extract, sentences, tokens, lexicon, speech, repairs, self_repairs
    clauses         clauses, clause_bounds, bare_verbs, phrase_subjects, shared_subjects, verb_groups, clause_moods
    who             subjects, nouns, others
    moods           moods, unreal, conclusions, reports
    what            meanings, objects, phrases, trailing, adjuncts, times, hollow
    with a verb     actions, telling_verbs, object_parts, idioms, switches, jobs, completions
    with "be"       copulas, thing_complements, given_values
    to somebody     orders
"""
