"""The write path: a turn is prepared, aligned with what is stored, and appended. Start at `append.Appender`.

Start at `ingest`, the ways in: `add_one`, `add_many`, `add_history` and `import_path`. Single turns go on to
`single_adds`, many to `bulk_append`; both end in `append.Appender` and `session_writes`.

    ways in         ingest, bulk_append, import_tally, skipped_records, turn_ids, answered_turns
    one turn        prepare, lone_summaries
    appending       append, single_adds, session_writes, session_log, stream_alignment, live_windows,
                    bounded_cache
    files           file_turns, followed_imports, grown_messages
    one chat twice  same_words, unnamed_agents
    same names      namesakes, namesake_names, namesake_files, namesake_chats, namesake_channels
    message lists   message_shortener
"""
