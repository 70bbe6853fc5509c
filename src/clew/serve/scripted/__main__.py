"""`python -m clew.serve.scripted [PORT]`: a scripted upstream that answers from what is in each request."""

import threading
from contextlib import ExitStack

import click

from clew.serve.scripted.echo_model import answer_from_request
from clew.serve.scripted.server import ScriptedUpstream


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("port", type=click.IntRange(0, 65535), default=0)
def main(port: int) -> None:
    """Play a provider on this machine, at PORT or a free one, until it is interrupted.

    The first line of the output is the address. It answers with the sentence of each request that is nearest to its
    question.
    """
    with ExitStack() as running:
        try:
            address = running.enter_context(ScriptedUpstream(answer_from_request).serving(port))
        except OSError as error:
            raise click.UsageError(f"cannot listen on port {port}: {error.strerror}; give another, or none") from error
        click.echo(address)
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            return


if __name__ == "__main__":
    main(prog_name="python -m clew.serve.scripted")
