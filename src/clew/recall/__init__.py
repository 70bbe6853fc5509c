"""The read path, from a call of `Memory` to a context. Start at `recall.recall`."""
