"""From ranked evidence to one block of text within an exact budget."""
