"""Serves a memory to agents: the tools that they may call, the MCP server, and its entry in their settings.

Start at `mcp.serve`.
"""
