"""Annotations -> hierarchy: beats, chapters, and what can be asked of their sequence. Pure; nothing is stored here."""
