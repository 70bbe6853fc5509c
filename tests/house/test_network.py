"""The guard in tests/conftest.py: what leaves this machine is refused, what stays on it is not."""

import socket

import pytest

from tests.conftest import NetworkRefused

OUTSIDE = ("192.0.2.1", 80)  # an address that RFC 5737 keeps for documentation


@pytest.mark.requirement("F-HOUSE-12")
def test_connecting_to_the_outside_is_refused() -> None:
    with socket.socket() as plug, pytest.raises(NetworkRefused):
        plug.connect(OUTSIDE)
    with socket.socket(type=socket.SOCK_DGRAM) as plug, pytest.raises(NetworkRefused):
        plug.sendto(b"hello", OUTSIDE)


@pytest.mark.requirement("F-HOUSE-12")
def test_asking_for_a_name_outside_is_refused() -> None:
    with pytest.raises(NetworkRefused):
        socket.getaddrinfo("example.com", 443)


@pytest.mark.requirement("F-HOUSE-12")
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_this_machine_answers(host: str) -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.create_connection((host, server.getsockname()[1])) as plug,
    ):
        assert plug.getpeername() == server.getsockname()
