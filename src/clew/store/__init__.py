"""Durable rows, found by key, on SQLite, on PostgreSQL or in memory. Start at `protocol.Store`.

The modules by what they are about:

    the contract    protocol, values, check, guard, translate
    tables          tables, row_types, knowledge_row_types, project_row_types, rows, selections, turn_selections,
                    table_columns, typed_reads, statements, migrate
    opening         open, home, keys, read_only
    SQLite          sqlite, writer, readers, access, log_sync, ticket, cipher, raw_file
    PostgreSQL      postgres, postgres_address, postgres_driver, postgres_pool, postgres_access, postgres_writer,
                    postgres_watch, postgres_schema, postgres_care
    in memory       memory
    leases, jobs    claims
    whole files     file_copy, new_file, replace_file, restore_backup, rekey, copying
"""
