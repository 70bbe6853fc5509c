"""The one thread behind the acknowledgement. Start at `worker.Worker`."""
