"""From ranked turns to one block of text within an exact budget. Start at `context.build_context`."""
