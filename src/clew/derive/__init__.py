"""Derived data of stored turns, made in the background: vectors, analysis, beats, entities.

Start at `analysis.Analysis`; each stage has a `step`, which `clew.background.tasks` calls.

    turns           embedding, turn_vectors, weighing, analysis, branch_state, analysis_dropped, tagging
    beats           hierarchy, rendering
    entities        entity_counts, entity_recognition
    facts           facts, fact_context, corrections
    projects        mentions, project_meeting
    compaction      compaction, compaction_trigger, compaction_receipt, recap_gathering, stand_in_making
    extraction      extraction, extraction_reading, extraction_rules, extraction_decisions, extraction_facts
    models          llm (questions to a language model, queued and paid for)
    failures        rule_failures, retrying
"""
