"""The read path, from a call of `Memory` to what it returns. Start at `recall.recall`.

Everything that a read needs is in one frozen object, `read_path.ReadPath`; the other modules are functions over it or
over one snapshot of the store.

    entrances       recall, search, time_lookup, chat_prompt, brief, recap, insurance, shown
    the read path   read_path, space_status, filters, field_values, annotation_columns
    for the ranker  query_facts, query_labels, positions, titled_sessions, work_turns
    first lines     required_pins, required_tasks, required_facts, session_ends, beats_in_short
    for the block   block_words, masked_receipt, timeline
    sessions        sessions, session_names, session_topics, made_titles, working_folders
    facts           facts, fact_query, fact_places, fact_links, fact_subjects, owned_subjects
    labels, topics  label_index, topics, macro_history, stretches
    projects        code_decisions, mentions, project_links, project_drift
"""
