"""Source files and documents taken apart: symbols, sections, decisions, imports and calls. Start at `parse.parse`."""
