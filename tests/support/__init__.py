"""What several tests share: fakes at the seams, data, and ways to run Clew. No module here is a test.

Most tests begin with `memories` (a memory without a model, under a clock that stands still).

    memories        memories, index_logs, index_stores, ranking_spaces, extraction, fact_talk
    stores          store_rows, disk_faults, interrupted, encrypted, postgres_servers, postgres_proxy
    programs        cli_runs, proxies, rest_pages, killing, kill_operations
    servers         loopback, llm_servers, raw_upstreams, tls_upstreams, tool_loops, sdk_ways
    model answers   llm_answers, sdk_answers
    requests        chat_requests, proxy_talks, wire_talks, wire_bodies, wire_rules, cache_sessions
    files           projects, ingest_reading, real_sessions
    texts           talks, small_talk, fact_readings, coherence_anchors
    observing       calls, effort
"""
