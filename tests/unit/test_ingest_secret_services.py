"""Passwords, keys and codes are masked as the tools of services, and short notes, have them."""

import hashlib

import pytest

from clew.ingest.secrets.masking import mask
from tests.unit.test_ingest_secrets import token

SIGN = "[masked:credential]"


@pytest.mark.requirement("F-SECRET-05")
@pytest.mark.parametrize(
    "around",
    [
        "openssl enc -aes-256-cbc -k {} -in a -out b",
        "aws configure set aws_secret_access_key {}",
        "aws configure set profile.x.aws_session_token '{}'",
        "gh secret set DEPLOY --body {}",
        'gh secret set DEPLOY -b "{}" --repo ann/x',
        "requirepass {}",
        "redis-server --requirepass {}\n",
        "CONFIG SET requirepass '{}'",
        "masterauth {}\n",
        r"net use X: \\nas\share {} /user:ann",
        r"net use \\nas\share /user:ann {}",
    ],
)
@pytest.mark.parametrize("secret", ["hunter2xyz", "Tr0ub4dor&3x"])
def test_passwords_for_services_are_masked(around: str, secret: str) -> None:
    assert mask(around.format(secret)) == (around.format(SIGN), {"credential": 1})


@pytest.mark.requirement("F-SECRET-05")
def test_every_value_that_one_command_sets_is_masked() -> None:
    command = "fly secrets set DSN={} \\\n  SALT='{}' && fly deploy --image=registry/app1"
    assert mask(command.format("hunter2xyz", "Tr0ub4dor&3x")) == (command.format(SIGN, SIGN), {"credential": 2})


@pytest.mark.requirement("F-SECRET-06")
@pytest.mark.parametrize(
    "around",
    [
        "my pw's {}",
        "pw for wifi: {}",
        "The pass for the VPN is {}.",
        "login ann / {} works",
        "creds ann/{}",
    ],
)
def test_passwords_in_short_notes_are_masked(around: str) -> None:
    assert mask(around.format("Tr0ub4dor&3x")) == (around.format(SIGN), {"credential": 1})


@pytest.mark.requirement("F-SECRET-06")
@pytest.mark.parametrize(
    ("around", "secret"),
    [
        ("Your code is {}, do not share it.", "482913"),
        ("Your code is: {}. Never give it to anybody.", "482 913"),
        ("Visa, CVV {}", "493"),
        ("exp 12/28, cvc {}", "4930"),
    ],
)
def test_codes_that_nobody_else_may_have_are_masked(around: str, secret: str) -> None:
    assert mask(around.format(secret)) == (around.format(SIGN), {"credential": 1})


@pytest.mark.requirement("F-INGEST-28")
@pytest.mark.parametrize(
    ("kind", "secret"),
    [
        ("new-relic", "NRAK-" + token(27).upper()),
        ("facebook", "EAAC" + token(150)),
        ("resend", f"re_{token(8)}_{token(24)}"),
        ("vercel", "vercel_blob_rw_" + token(48)),
    ],
)
def test_keys_with_the_mark_of_their_service_are_masked(kind: str, secret: str) -> None:
    digits = hashlib.sha256(secret.encode()).hexdigest()[:8]
    assert mask(f"it is {secret}, keep it") == (f"it is [masked:{kind}:{digits}], keep it", {kind: 1})


@pytest.mark.requirement("F-INGEST-17")
@pytest.mark.parametrize(
    "text",
    [
        "openssl enc -k $PASS -in a",
        "openssl dgst -sign key.pem a.txt",
        "aws configure set region eu-central-1",
        "aws configure set aws_secret_access_key $SECRET",
        'gh secret set DEPLOY --body "$TOKEN"',
        "gh secret set DEPLOY < file.txt",
        "fly secrets set DSN=$DSN",
        "fly secrets set takes NAME=VALUE pairs",
        "the requirepass directive protects Redis",
        r"net use X: \\nas\share",
        r"net use X: \\nas\share /user:ann *",
        "a pass for the mountains is sold at the counter",
        "pw for wifi: ask Ann",
        "the login page / step2 of the wizard",
        "login form / v2beta is live",
        "creds: see the vault",
        "your code is 1200 lines long",
        "Your code is 482913 characters long; don't share functions between modules",
        "The door code is 4829, don't tell anyone.",
        "cvv 3 digits",
        "the resend re_run_tests flag",
        "NRAK-47 is an issue",
    ],
)
def test_what_only_looks_like_a_password_for_a_service_stays(text: str) -> None:
    assert mask(text) == (text, {})
