"""`clew mcp`: serves the memory to agents over standard input and output."""

import sys

import click

from clew.cli.opening import open_memory
from clew.cli.options import Scope, common
from clew.cli.show import err
from clew.serve.agent_tools.tools import NOTES, Tools
from clew.serve.mcp import serve


@click.command()
@click.option("--session", metavar="NAME", default=NOTES, show_default=True, help="Conversation for the agent's notes.")
@click.option("--allow-forget", is_flag=True, help="Also offer a tool that deletes turns.")
@common
def mcp(scope: Scope, session: str, *, allow_forget: bool) -> None:
    """Serve the memory to an agent over the Model Context Protocol (MCP).

    The agent starts this command and talks to it over standard input and output; `clew install claude-code` sets this
    up for Claude Code. The agent can recall, find quotes, recall by time, open a turn in full, list sessions, and
    store notes, in this space only. Needs the extra clew[mcp].
    """
    if sys.stdin.isatty():
        err().print("An agent starts this command; `clew install claude-code` sets that up. Press Ctrl-D to stop.")
    with open_memory(scope, makes_home=True) as memory:
        serve(Tools(memory, session=session, may_forget=allow_forget))
