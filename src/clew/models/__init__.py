"""Embedders, language models and named-entity models, each behind a small protocol. Start at `protocol.Embedder`."""
