"""Text -> annotations by rule: HSCA layers 1 to 3, SIGMA's scores, tags, and the entities of a text.

Start at `weigh.weigh` (layer 1, coherence, domains, nuance of one text), `turns.analyze_turn` (novelty, overlays and
importance of a turn given those before it), `tags` (what a turn is about) and `entities.entities_in` (what it names).
Everything is pure and deterministic, accepts any text and stores nothing. Modules that end in `_model` and
`asked_domains` phrase the questions to a language model and check its answers.

    entrances       weigh, turns, tags, entities
    words           words, lexicon, grammar, word_rarity, other_languages, foreign_tokens, addresses
    layers 1, 2     layer1, coherence, domains, domain_words, domain_states, prototypes, verse, asked_domains
    layer 3         nuance, phrases, analogies, questions, tone, nuance_model
    one turn        novelty, overlays, importance, directives
    names, topics   naming, concepts, keyphrases, recognised, tags_model
    models          message_prompt
"""
