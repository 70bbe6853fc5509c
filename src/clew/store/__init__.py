"""Rows, durable and found by key. Ranking and policy live elsewhere."""
