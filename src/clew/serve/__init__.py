"""Serves a memory to programs: as a proxy before their provider, over REST and MCP, to hooks, and to a browser.

Start at `app.make_app`, which answers every request; `mcp.serve` serves MCP without a network.
"""
