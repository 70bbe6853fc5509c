"""A turn on its way to being acknowledged: prepared, aligned with what is stored, appended.

Start at `ingest`, the ways in: `add_one`, `add_many`, `add_history` and `import_path`. Single turns go on to
`single_adds`, many to `bulk_append`; both end in `append.Appender` and `session_writes`.
"""
