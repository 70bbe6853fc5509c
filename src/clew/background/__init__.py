"""The worker thread and its tasks. Start at `worker.background_worker`.

`tasks` lists what one thread does for a space, each task with `pending` and `step`; `llm` is the same for questions to
a language model, in a thread of its own. `loop` repeats either, and `lease` lets one process at a time do it.
"""
