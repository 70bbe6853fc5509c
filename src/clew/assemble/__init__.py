"""Assembles ranked turns into one block of text within an exact token budget. Start at `context.build_context`."""
