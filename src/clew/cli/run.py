"""`clew run`: runs a program with a memory."""

import os
from typing import Any

import click

from clew.cli.options import Scope, common
from clew.cli.terminal import say
from clew.serve.clients.client_addresses import upstreams_of
from clew.serve.processes.proxy_process import ProxyProcess
from clew.serve.processes.run_command import check_command, run_command


@click.command(context_settings={"allow_interspersed_args": False})
@click.option("--no-inject", is_flag=True, help="Record only: add nothing to questions.")
@click.option("--tools", is_flag=True, help="Offer Clew's tools to the model.")
@click.option(
    "--window",
    type=click.IntRange(0),
    metavar="TOKENS",
    help="The model's real context window, if the program assumes a larger one.",
)
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
@common
def run(scope: Scope, command: tuple[str, ...], *, no_inject: bool, tools: bool, window: int | None) -> None:
    """Run a program, such as claude, codex, gemini or aider, with a memory.

    The program's requests go through a proxy of its own, which is started on a free port and ends with the program. If
    the proxy dies it is started again. Nothing is written but the memory. Where the environment names another address
    than the provider's, requests go on to it. Options of Clew stand before the command: clew run --tools -- claude
    --continue.
    """
    check_command(command, os.environ)
    settings: dict[str, Any] = upstreams_of(os.environ)
    settings |= {"inject": False} if no_inject else {}
    settings |= {"tools": True} if tools else {}
    settings |= {"window": window} if window is not None else {}
    with ProxyProcess(scope.home, scope.space, settings) as proxy:
        status = run_command(proxy, command, os.environ)
    if proxy.deaths:
        say(
            f"clew: the proxy died and was started again (times: {proxy.deaths}); `clew doctor` checks the memory",
            err=True,
        )
        for line in proxy.last_words[-3:]:
            say(f"clew: {line}", err=True)
    raise click.exceptions.Exit(status)
