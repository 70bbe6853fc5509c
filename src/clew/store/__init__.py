"""Durable rows, found by key, on SQLite, on PostgreSQL or in memory. Start at `protocol.Store`."""
