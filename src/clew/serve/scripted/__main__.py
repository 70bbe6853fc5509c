"""`python -m clew.serve.scripted [PORT]`: a scripted upstream that answers from what is in each request."""

import sys
import threading

from clew.serve.scripted.echo_model import answer_from_request
from clew.serve.scripted.server import ScriptedUpstream


def main() -> None:
    """Serves until interrupted; the first line of the output is the address."""
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    with ScriptedUpstream(answer_from_request).serving(port) as address:
        sys.stdout.write(address + "\n")
        sys.stdout.flush()
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            return


if __name__ == "__main__":
    main()
