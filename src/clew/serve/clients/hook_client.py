"""What Claude Code runs at its hooks: passes the event on to the running server, and prints what it answers.

Runs by itself with the standard library alone (`python -I -S hook_client.py ADDRESS`), and never holds up its host:
after 300 ms, and on every failure, it ends without a word and with status 0.
"""

import json
import os
import socket
import sys
import threading

PATIENCE = 0.3
"""Seconds from start to end."""
PAGE = "/clew/hooks/claude-code"


def main() -> None:
    """Asks the server, and ends the process."""
    watchdog = threading.Timer(PATIENCE, os._exit, (0,))
    watchdog.daemon = True
    watchdog.start()
    try:
        if "CLEW_SERVER" not in os.environ:  # under `clew run` the requests themselves pass through the proxy
            answer = ask(sys.argv[1], sys.stdin.buffer.read())
            sys.stdout.buffer.write(answer)
            sys.stdout.buffer.flush()
    except BaseException:  # noqa: BLE001, S110  # whatever it is, the host goes on; there is nobody to tell
        pass
    os._exit(0)


def ask(address: str, event: bytes) -> bytes:
    """The server's answer to an event; nothing when it refuses, has nothing to say, or is another program.

    Raises:
        OSError: the server is not there.
        ValueError: the address is malformed, or the answer is not JSON: it was cut off when the server died, or another
            program has the port. Neither may be printed, since what is printed reaches the model.
    """
    host, _, port = address.removeprefix("http://").rstrip("/").rpartition(":")
    token = os.environ.get("CLEW_SERVE_TOKEN", "")
    lines = [
        f"POST {PAGE} HTTP/1.0",
        f"Host: {host}:{port}",
        "Content-Type: application/json",
        f"Content-Length: {len(event)}",
        *([f"X-Clew-Token: {token}"] if token.isascii() and token.isprintable() and token else []),
    ]
    with socket.create_connection((host.strip("[]"), int(port)), timeout=PATIENCE) as connection:
        connection.sendall("\r\n".join([*lines, "", ""]).encode() + event)
        pieces = []
        while piece := connection.recv(65536):
            pieces.append(piece)
    head, _, body = b"".join(pieces).partition(b"\r\n\r\n")
    told = json.loads(body) if head.split(b" ", 2)[1] == b"200" else {}
    return body if isinstance(told, dict) and "hookSpecificOutput" in told else b""


if __name__ == "__main__":
    main()
