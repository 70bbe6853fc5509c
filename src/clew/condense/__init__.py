"""Shorter ways to show what was said. They choose what to show; what was said stays as it is."""
