"""Secrets in files of their own: private keys in other forms than PEM, and files of variables."""

import json
from collections.abc import Callable

import pytest

from clew.ingest.secrets.masking import mask, mask_json
from tests.unit.test_ingest_secrets import token

PUTTY = (
    "PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nComment: ann@work\nPublic-Lines: 2\n{}\n{}\n"
    "Private-Lines: 2\n{}\n{}\nPrivate-MAC: 0123456789abcdef0123456789abcdef\n"
)
PUBLIC, PRIVATE, END = token(64), token(64)[::-1], "AbCd+/9="


@pytest.mark.requirement("F-INGEST-16")
@pytest.mark.parametrize(
    "wrapped", [str, lambda text: json.dumps({"file": text}), lambda text: text.replace("\n", "\n> ")]
)
def test_the_private_lines_of_a_key_of_putty_are_masked(wrapped: Callable[[str], str]) -> None:
    text = wrapped(PUTTY.format(PUBLIC, END, PRIVATE, END))
    masked, counts = mask(text)
    assert counts == {"private-key": 1}
    assert PRIVATE not in masked
    assert PUBLIC in masked
    assert "Private-MAC: 0123" in masked
    assert mask(masked) == (masked, {})


@pytest.mark.requirement("F-INGEST-17")
@pytest.mark.parametrize(
    "text",
    [
        "PuTTY-User-Key-File-3 has Private-Lines: 14 below Public-Lines: 6",
        f"private-lines: 1\n{PRIVATE}",
        '{"kty": "RSA", "n": "' + token(40) + '", "e": "AQAB"}',
        '{"kty": "EC", "crv": "P-256", "x": "' + token(43) + '", "y": "' + token(43) + '", "kid": "d"}',
        '{"kty": "RSA", "d": "<private exponent>"}',
        '{"d": "' + token(43) + '"}, {"kty": "RSA"}',
        'the member "kty" and the member "d"',
    ],
)
def test_public_keys_and_words_about_keys_stay(text: str) -> None:
    assert mask(text) == (text, {})


@pytest.mark.requirement("F-INGEST-16")
@pytest.mark.parametrize("dump", [json.dumps, repr, lambda key: json.dumps(json.dumps({"keys": [key]}))])
def test_the_private_members_of_a_json_web_key_are_masked(dump: Callable[[object], str]) -> None:
    secrets = {name: name + token(60) for name in ("d", "p", "q", "dp", "dq", "qi")}
    key = {"kty": "RSA", "n": token(90), "e": "AQAB", **secrets}
    masked, counts = mask(dump(key))
    assert counts == {"private-key": len(secrets)}
    assert token(90) in masked
    assert not any(secret in masked for secret in secrets.values())
    assert mask(masked) == (masked, {})


@pytest.mark.requirement("F-INGEST-16")
def test_a_json_web_key_in_metadata_is_masked_member_by_member() -> None:
    masked, counts = mask_json({"jwk": {"kty": "oct", "alg": "HS256", "k": token(43)}, "d": token(43), "k": "v"})
    assert counts == {"private-key": 1}
    assert masked["jwk"]["k"].startswith("[masked:private-key:")
    assert (masked["d"], masked["k"]) == (token(43), "v")


@pytest.mark.requirement("F-INGEST-16")
@pytest.mark.parametrize(
    "line",
    [
        "DB_PASSWORD={}p&ss(w0rd",
        "DB_PASSWORD={}abcdef1;secretrest",
        "API_SECRET={}x)y(z1234567",
        "export SMTP_PASS={}q{{w}}e<r>9tt",
        "SECRET_KEY={}django-insecure-&x(1)#z@!$9^kq",
        "REDIS_PASSWORD_PROD={}a|b'c,1234  # of the cluster",
    ],
)
@pytest.mark.parametrize(
    "around",
    ["# mail\nHOST=a\n\n# who\n{}\nPORT=25", "{}\r\nPORT=25\r\n", '{"env": "HOST=a\\n{}\\n"}', '["{}\\nPORT=25"]'],
)
def test_a_value_of_odd_signs_in_a_file_of_variables_is_masked_to_its_end(line: str, around: str) -> None:
    name, value = line.format("").split("=", 1)
    masked, counts = mask(around.replace("{}", line.format("")))
    assert counts == {"credential": 1}
    assert masked == around.replace("{}", f"{name}=[masked:credential]{value[value.find('  #') :] * ('  #' in value)}")


@pytest.mark.requirement("F-INGEST-17")
@pytest.mark.parametrize(
    "line",
    [
        "DB_PASSWORD=$(cat /run/secrets/db_1)",
        "DB_PASSWORD=${DB_PASSWORD:-x1}",
        "DB_PASSWORD=get_password(user,1)",
        "TOKEN=config['TOKEN_1']",
        "TOKEN=<your token (32)>",
        "PASSWORD=https://vault.example/x(1)",
    ],
)
def test_a_value_that_is_computed_in_a_file_of_variables_stays(line: str) -> None:
    text = f"HOST=a\n{line}\nPORT=25\n"
    assert mask(text) == (text, {})


@pytest.mark.requirement("F-INGEST-17")
@pytest.mark.parametrize("text", ["PASSWORD=x(1),y(2) is read", "if a:\n    PASSWORD=f(1),g(2)\n    return\n"])
def test_a_variable_beside_no_other_is_no_file_of_variables(text: str) -> None:
    assert mask(text) == (text, {})


@pytest.mark.requirement("F-INGEST-16")
def test_a_name_with_an_environment_behind_it_tells_a_secret_in_metadata_too() -> None:
    masked, counts = mask_json({"DB_PASSWORD_PROD": "hunter2x", "password2": "hunter3x", "password_file": "a/b/c1.txt"})
    assert counts == {"credential": 2}
    assert "a/b/c1.txt" in masked.values()


@pytest.mark.requirement("F-INGEST-16")
def test_members_whose_names_get_the_same_mask_are_all_kept() -> None:
    cards = {"4111 1111 1111 1111": 1, "5555 5555 5555 4444": 2, "3782 822463 10005": 3, "x": 4}
    masked, counts = mask_json(cards)
    assert masked == {"[masked:card]": 1, "[masked:card]#2": 2, "[masked:card]#3": 3, "x": 4}
    assert counts == {"card": 3}
    assert mask_json(masked) == (masked, {})
