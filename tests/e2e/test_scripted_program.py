"""`python -m clew.serve.scripted`: a usage line for what it cannot take."""

import socket

import pytest
from click.testing import CliRunner

from clew.serve.scripted.__main__ import main

pytestmark = pytest.mark.requirement("P-UPS-01")


def test_it_says_how_it_is_used() -> None:
    shown = CliRunner().invoke(main, ["--help"])
    assert shown.exit_code == 0
    assert "[PORT]" in shown.output


@pytest.mark.parametrize("port", ["abc", "99999", "1.5"])
def test_a_port_that_is_none_is_an_error_of_usage(port: str) -> None:
    shown = CliRunner().invoke(main, [port])
    assert shown.exit_code == 2
    assert shown.stderr.startswith("Usage:")
    assert port in shown.stderr


def test_a_port_that_is_taken_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        shown = CliRunner().invoke(main, [port])
    assert shown.exit_code == 2
    assert f"cannot listen on port {port}" in shown.stderr
