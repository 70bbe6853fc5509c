"""Questions to a language model about stored turns: queued, paid for, recorded. Start at `worker.ModelWork`."""
