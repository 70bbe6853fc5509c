"""Questions to a language model about stored turns: queued, paid for, recorded. Start at `task_queue.TaskQueue`."""
