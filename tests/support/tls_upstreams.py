"""Upstreams that speak TLS, each connection by a function, with a certificate of their own."""

import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import cache
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

HOST = "127.0.0.1"
PATIENCE = 60.0

Connection = Callable[[ssl.SSLSocket], None]
"""Serves one connection, and returns to close it."""


@cache
def _certificate() -> bytes:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, HOST)])
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(datetime(2020, 1, 1, tzinfo=UTC))
        .not_valid_after(datetime(2120, 1, 1, tzinfo=UTC))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address(HOST))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, SHA256())
    )
    secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return made.public_bytes(Encoding.PEM) + secret


def put_certificate(folder: Path) -> Path:
    """Writes the certificate, with its key, for `SSL_CERT_FILE` and for `tls_upstream`."""
    file = folder / "upstream.pem"
    file.write_bytes(_certificate())
    return file


@contextmanager
def tls_upstream(certificate: Path, serve: Connection, version: ssl.TLSVersion | None = None) -> Iterator[str]:
    """A running upstream; gives its address. A connection ends as TLS ends it, unless `serve` has broken it."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    if version is not None:
        context.maximum_version = version
    threads: list[threading.Thread] = []

    def one(plain: socket.socket) -> None:
        with plain, suppress(OSError):  # the client went away
            plain.settimeout(PATIENCE)
            with context.wrap_socket(plain, server_side=True) as plug:
                serve(plug)
                with suppress(ValueError):  # it was broken
                    plug.unwrap()

    def accept() -> None:
        while True:
            try:
                plain, _ = listening.accept()
            except OSError:  # closed: the test is over
                return
            threads.append(threading.Thread(target=one, args=(plain,), daemon=True))
            threads[-1].start()

    with socket.create_server((HOST, 0)) as listening:
        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        try:
            yield f"https://{HOST}:{listening.getsockname()[1]}"
        finally:
            listening.shutdown(socket.SHUT_RDWR)
    thread.join(PATIENCE)
    for each in threads:
        each.join(PATIENCE)
