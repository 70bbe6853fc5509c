"""Clew for other programs: the tools that an agent may call, and the protocols that carry them. Start at `tools.Tools`."""
