"""`clew mcp`: the memory for agents, over standard input and output."""

import sys

import click

from clew.cli.opening import open_memory
from clew.cli.options import Scope, common
from clew.cli.show import err
from clew.serve.mcp import serve
from clew.serve.tools import NOTES, Tools


@click.command()
@click.option(
    "--session", metavar="NAME", default=NOTES, show_default=True, help="The conversation that notes are stored in."
)
@common
def mcp(scope: Scope, session: str) -> None:
    """Serve the memory to an agent over the Model Context Protocol.

    An agent's program starts this command itself and speaks with it over standard input and output; `clew install
    claude-code` tells Claude Code to. The agent can recall, find quotes, ask for a time, and store notes, in this space
    only. It needs the extra clew[mcp].
    """
    if sys.stdin.isatty():
        err().print("This speaks JSON with a program; press Ctrl-D to end. `clew install claude-code` sets it up.")
    with open_memory(scope) as memory:
        serve(Tools(memory, session=session))
