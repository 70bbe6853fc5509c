"""Who may ask the server: hosts, origins, tokens with scopes, rates."""

import hashlib
import hmac
from typing import Any

import pytest

from clew.config import load_config
from clew.errors import ConfigError
from clew.serve.access import EVERYTHING, Access, AccessDenied, AccessScope, Principal, grants_of

GIVEN = "correct-horse-battery"
ALICE = "alice-secret-token"
HEX = hashlib.sha256(b"another-long-token").hexdigest()


class Clock:
    """Seconds that pass when the test says so."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def access(clock: Clock | None = None, **settings: Any) -> Access:
    config = load_config(None, {"serve": settings}, {}).serve
    return Access(config, "home", grants_of(config, "home", {"ALICE": "alice-secret-token"}), clock or Clock())


def admitted(found: Access, *, own_page: bool = False, **headers: str) -> Principal | AccessDenied:
    given = {name.replace("_", "-").encode(): value.encode("latin-1") for name, value in headers.items()}
    return found.admit(given, own_page=own_page)


def status(found: Access, *, own_page: bool = False, **headers: str) -> int:
    answer = admitted(found, own_page=own_page, **headers)
    return answer.status if isinstance(answer, AccessDenied) else 200


@pytest.mark.requirement("P-RLY-10")
@pytest.mark.parametrize("host", ["::", "10.0.0.5", "192.168.1.5", "example.org"])
def test_nobody_else_reaches_a_server_without_a_token(host: str) -> None:
    with pytest.raises(ConfigError, match=r"serve\.token"):
        access(host=host)
    access(host=host, token=GIVEN)
    access(host=host, tokens=[f"alice={GIVEN}"])


@pytest.mark.requirement("P-RLY-10")
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "127.0.0.9"])
def test_this_machine_needs_no_token(host: str) -> None:
    assert admitted(access(host=host), host="localhost:8377") == Principal("home")


@pytest.mark.requirement("P-RLY-10")
@pytest.mark.parametrize(
    ("token", "shown"),
    [
        (GIVEN, GIVEN),
        ("env:ALICE", "alice-secret-token"),
        (f"sha256:{HEX}", "another-long-token"),
        (f"sha256:{HEX.upper()}", "another-long-token"),
    ],
)
def test_a_token_is_given_in_three_forms(token: str, shown: str) -> None:
    found = access(token=token)
    assert status(found) == 401
    assert status(found, x_clew_token="") == 401
    assert status(found, x_clew_token=shown[:-1]) == 401
    assert status(found, x_clew_token=shown + "é") == 401
    assert status(found, x_clew_token=shown) == 200


@pytest.mark.requirement("P-RLY-10")
def test_the_bearer_counts_on_own_pages_only() -> None:
    found = access(token=GIVEN)
    assert status(found, authorization=f"Bearer {GIVEN}") == 401
    assert status(found, own_page=True, authorization=f"bearer {GIVEN}") == 200
    assert status(found, own_page=True, authorization=f"Basic {GIVEN}") == 401
    assert status(found, own_page=True, authorization=f"Bearer {GIVEN}", x_clew_token=GIVEN[1:]) == 401
    assert status(found, own_page=True, authorization=f"Bearer {GIVEN}", x_clew_token="") == 200


@pytest.mark.requirement("P-RLY-10")
def test_the_space_and_the_scopes_come_from_the_token() -> None:
    found = access(token=GIVEN, tokens=["alice=env:ALICE", f"bob:read+proxy=sha256:{HEX}"])
    spaces = {}
    for shown in (GIVEN, "alice-secret-token", "another-long-token"):
        principal = admitted(found, x_clew_token=shown, x_clew_space="carol")
        assert isinstance(principal, Principal)
        spaces[principal.space] = principal.scopes
    assert spaces == {"home": EVERYTHING, "alice": EVERYTHING, "bob": {AccessScope.READ, AccessScope.PROXY}}


@pytest.mark.requirement("P-RLY-10")
@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"token": "env:NOBODY"}, "NOBODY"),
        ({"tokens": ["alice"]}, "entry 1"),
        ({"tokens": [f"a={GIVEN}", "=secret-word"]}, "entry 2"),
        ({"tokens": ["alice:fly=secret-word"]}, "'fly'"),
        ({"tokens": ["alice=secr\u00e4t-word"]}, "printable ASCII"),
        ({"tokens": ["alice=sha256:12"]}, "64 hexadecimal"),
    ],
)
def test_a_token_that_cannot_be_used_is_named_and_not_shown(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message) as caught:
        access(**settings)
    assert "secret-word" not in str(caught.value)


@pytest.mark.requirement("P-RLY-10")
def test_every_token_is_compared_in_constant_time(monkeypatch: pytest.MonkeyPatch) -> None:
    compared = []
    original = hmac.compare_digest

    def compare(a: bytes, b: bytes) -> bool:
        compared.append(len(a))
        return original(a, b)

    monkeypatch.setattr(hmac, "compare_digest", compare)
    found = access(token=GIVEN, tokens=["alice=env:ALICE", f"bob=sha256:{HEX}"])
    assert status(found, x_clew_token=GIVEN) == 200
    assert status(found, x_clew_token=GIVEN[1:]) == 401
    assert compared == [32] * 6


@pytest.mark.requirement("P-RLY-11")
@pytest.mark.parametrize(
    ("host", "wanted"),
    [
        ("localhost:8377", 200),
        ("127.0.0.1", 200),
        ("[::1]:8377", 200),
        ("LOCALHOST", 200),
        ("evil.example", 403),
        ("localhost.evil.example", 403),
        ("127.0.0.1.evil.example:8377", 403),
        ("192.168.1.5", 403),
        ("", 403),
        ("[::1", 200),
        ("a:b:c", 403),
    ],
)
def test_other_names_are_refused(host: str, wanted: int) -> None:
    assert status(access(), host=host) == wanted


@pytest.mark.requirement("P-RLY-11")
def test_names_of_the_settings_are_its_own() -> None:
    found = access(host="::", token=GIVEN, hosts=["clew.example.org"])
    answers = {
        host: status(found, host=host, x_clew_token=GIVEN)
        for host in ("clew.example.org", "Clew.Example.org:443", "10.1.2.3:8377", "[fe80::1]", "example.org")
    }
    assert answers == {
        "clew.example.org": 200,
        "Clew.Example.org:443": 200,
        "10.1.2.3:8377": 200,
        "[fe80::1]": 200,
        "example.org": 403,
    }


@pytest.mark.requirement("P-RLY-11")
@pytest.mark.parametrize(
    ("origin", "wanted"),
    [
        ("http://localhost:3000", 200),
        ("http://127.0.0.1", 200),
        ("https://chat.example.org", 200),
        ("vscode-webview://abc", 200),
        ("https://evil.example", 403),
        ("https://chat.example.org.evil.example", 403),
        ("null", 403),
        ("file://localhost", 403),
        ("http://[bad", 403),
        ("", 403),
    ],
)
def test_pages_of_other_sites_are_refused(origin: str, wanted: int) -> None:
    found = access(origins=["https://chat.example.org", "vscode-webview://*"])
    assert status(found, host="localhost", origin=origin) == wanted


@pytest.mark.requirement("P-RLY-12")
def test_each_token_has_its_own_rate() -> None:
    clock = Clock()
    found = access(clock, rate=3, tokens=["alice=env:ALICE", f"bob=sha256:{HEX}"])

    def ask(token: str) -> int:
        return status(found, x_clew_token=token)

    assert [ask("alice-secret-token") for _ in range(4)] == [200, 200, 200, 429]
    assert ask("another-long-token") == 200
    denied = admitted(found, x_clew_token=ALICE)
    assert isinstance(denied, AccessDenied)
    assert denied.retry_after is not None
    clock.now += denied.retry_after
    assert [ask("alice-secret-token") for _ in range(2)] == [200, 429]
    clock.now += 3_600
    assert [ask("alice-secret-token") for _ in range(4)] == [200, 200, 200, 429]


@pytest.mark.requirement("P-RLY-12")
def test_without_a_rate_there_is_no_limit() -> None:
    found = access()
    assert {status(found) for _ in range(1_000)} == {200}


@pytest.mark.requirement("P-RLY-10")
def test_a_short_token_is_taken_and_warned_of(caplog: pytest.LogCaptureFixture) -> None:
    found = access(host="0.0.0.0", token="tok")  # noqa: S104, S106  # as somebody may start it to try it
    assert isinstance(admitted(found, x_clew_token="tok"), Principal)  # noqa: S106  # the same
    assert "serve.token has fewer than 8 characters" in caplog.text
    assert "tok " not in caplog.text.replace("serve.token ", "")
