"""Converts rows to dataclasses and back; `clew.store.row_types` names the columns. Start at `annotations`.

The modules by what they are about:

    turns           turn_log, turn_words, branch_paths, tombstones, imported_files, originals
    annotations     annotations, annotation_codec, analysis_progress, domain_prototypes, vocabulary
    entities        name_spans, entity_progress, mentions
    facts           facts, fact_writes, fact_codec, fact_progress
    shorter forms   renderings, quotes, recap_source, recap_states, compactions, stand_ins
    extractions     extraction, extraction_runs
    recalls         receipts, parameters, pins, pause
    models          active_model, llm_progress, spend_ledger
    projects        projects, lenses, quests, quest_reading, quest_carrying
    proxy           conversations, injections, provider_sessions, request_log
    work            failed_jobs, set_aside, lease_owner, scrub_requests, damaged_rows
"""
