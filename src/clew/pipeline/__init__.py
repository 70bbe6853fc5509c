"""The write path: prepare (pure, heavy) -> append (one transaction, acknowledged) -> the worker behind it."""
