"""`clew serve`: the server that stands between clients and their providers."""

from contextlib import suppress
from typing import Any

import click

from clew.cli.options import Scope, common
from clew.cli.terminal import OutputClosed, emit, say
from clew.config import load_config
from clew.errors import ConfigError
from clew.memory import Memory
from clew.memory.opening import utc_now
from clew.serve.event_log import EventLog
from clew.serve.processes.run_server import run_server, services_of
from clew.serve.processes.worker_processes import run_workers
from clew.store.open import home_of


@click.command()
@click.option("--host", metavar="ADDRESS", help="Address to listen on; others than loopback need a token.")
@click.option("--port", type=click.IntRange(0, 65_535), metavar="N", help="Port; 0 takes a free one.  [default: 8377]")
@click.option(
    "--token",
    metavar="TOKEN",
    help="What clients must send as X-Clew-Token: the token itself, env:NAME for a variable, or sha256:HEX for a hash.",
)
@click.option("--upstream-anthropic", metavar="URL", help="Provider to which requests to /anthropic go.")
@click.option("--upstream-openai", metavar="URL", help="Provider to which requests to /openai go.")
@click.option("--upstream-gemini", metavar="URL", help="Provider to which requests to /gemini go.")
@click.option("--no-inject", is_flag=True, help="Record only: add nothing to questions.")
@click.option("--tools", is_flag=True, help="Offer Clew's tools to the model.")
@click.option(
    "--allow-forget", is_flag=True, help="On a server without a token, also offer the MCP tool that deletes turns."
)
@click.option(
    "--window",
    type=click.IntRange(0),
    metavar="TOKENS",
    help="The model's real context window, if clients assume a larger one.",
)
@common
def serve(scope: Scope, *, no_inject: bool, tools: bool, allow_forget: bool, **options: Any) -> None:
    """Serve the memory to any client of OpenAI, Anthropic or Gemini, as a proxy.

    Point a client's base URL at /anthropic, /openai/v1 or /gemini of the address that is printed: what is said is
    remembered, and what is remembered is added to questions. docs/proxy.md has a line for each client. Stop it with
    Ctrl-C. Needs the extra clew[server].
    """
    given = {name: value for name, value in options.items() if value is not None}
    given |= {"inject": False} if no_inject else {}
    given |= {"tools": True} if tools else {}
    given |= {"allow_forget": True} if allow_forget else {}
    arguments = {"serve": given}
    config = load_config(home_of(scope.home), arguments)
    events = EventLog(utc_now)

    def opening(space: str) -> Memory:
        return Memory.open(scope.home, space=space, config=arguments)

    def announce(address: str) -> None:
        with suppress(OutputClosed):  # a server may be started without standard output: it serves
            if scope.as_json:
                emit({"address": address, "space": scope.space})
            else:
                say(f"Clew serves on {address}")

    services = services_of(config, scope.space, opening, events)
    if config.serve.workers == 1:
        run_server(services, announce)
        return
    if home_of(scope.home) is not None:
        raise ConfigError(
            f"serve.workers is {config.serve.workers}, but the memory is a directory; several processes need --store "
            "postgresql://... (docs/postgresql.md)"
        )
    run_workers(scope.home, scope.space, config.serve, given, announce)
