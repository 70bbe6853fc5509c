"""Passwords, PINs and codes are masked as sentences tell them; sentences about passwords stay."""

import pytest

from clew.ingest.secrets.masking import mask

SIGN = "[masked:credential]"


@pytest.mark.requirement("F-SECRET-06")
@pytest.mark.parametrize(
    "around",
    [
        "I changed the password from {} to {}.",
        "Please change the password for the router from '{}' to '{}'",
        "We rotated the database password from {} to {}, tell no one",
    ],
)
@pytest.mark.parametrize("old", ["hunter2xyz", "tr0ub4dor&3"])
def test_a_changed_password_is_masked_before_and_after(around: str, old: str) -> None:
    assert mask(around.format(old, "Sesam-4711")) == (around.format(SIGN, SIGN), {"credential": 2})


@pytest.mark.requirement("F-SECRET-06")
@pytest.mark.parametrize(
    "around",
    [
        "the password used to be {}",
        "The old password had been {} for years",
        "the password for the NAS should be {}.",
        "the password was previously {}, I think",
        "the admin password was reset to {}.",
        "the password will be '{}' from Monday",
        "temporary password: {}",
        "Your temporary password is: {}",
        "use {} as the password",
        "Use '{}' as your new password please",
        "We set {} as the admin password.",
        "log in as ann with password {}",
        "log in with ann / {}",
        "user ann, password {}.",
        "The credentials are ann / {}",
        "creds for staging: ann:{}",
    ],
)
@pytest.mark.parametrize("secret", ["hunter2xyz", "tr0ub4dor&3"])
def test_passwords_are_masked_as_sentences_tell_them(around: str, secret: str) -> None:
    assert mask(around.format(secret)) == (around.format(SIGN), {"credential": 1})


@pytest.mark.requirement("F-SECRET-06")
@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("my password used to be swordfish.", "swordfish"),
        ("My temporary password: swordfish", "swordfish"),
        ("just use swordfish as the password.", "swordfish"),
        ("use 'correct horse battery' as the passphrase", "correct horse battery"),
        ("the pin is 4711", "4711"),
        ("My PIN: 471112", "471112"),
        ("the PIN for the card was 4711, now it is not", "4711"),
        ("Your verification code is 482 913.", "482 913"),
        ("Your verification code is: G-482913", "G-482913"),
        ("482913 is your Example verification code", "482913"),
        ("OTP: 482913", "482913"),
        ("the CVV is 123", "123"),
    ],
)
def test_words_and_codes_are_masked_where_all_around_says_so(text: str, secret: str) -> None:
    assert mask(text) == (text.replace(secret, SIGN), {"credential": 1})


@pytest.mark.requirement("F-SECRET-06")
@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("the root password is now `Zx9kkq2`.", "Zx9kkq2"),
        ("the password is now: Zx9kkq2!", "Zx9kkq2"),
        ("My password is now swordfish.", "swordfish"),
    ],
)
def test_a_password_is_masked_that_is_so_now(text: str, secret: str) -> None:
    masked, counts = mask(text)
    assert (secret in masked, "now" in masked, counts) == (False, True, {"credential": 1})


@pytest.mark.requirement("F-SECRET-06")
def test_a_changed_pin_is_masked_before_and_after() -> None:
    assert mask("changed the PIN from 4711 to 0815") == (f"changed the PIN from {SIGN} to {SIGN}", {"credential": 2})


@pytest.mark.requirement("F-INGEST-17")
@pytest.mark.parametrize(
    "text",
    [
        "the password must be at least 12 characters",
        "the password should be 12 characters long, passwords should be 8-64 characters",
        "the password should be stored in 1Password",
        "use a password manager, or use KeePassXC as the password manager",
        "we changed the login from email to SSO and the password from email to SSO",
        "changed the password hash from bcrypt to argon2id",
        "moved the password from config to vault",
        "changed the password from plaintext to hashed",
        "the password used to be stored in plain text",
        "my password used to be longer than this",
        "the password will be sent to ann@example.com",
        "the password was reset to defaults; the password was changed to something",
        "use your email as the password and use bcrypt as the password hash",
        "used username as password; use stdin as the password source",
        "log in with ann and tell Bob; log in with Google and GitHub",
        "log in as root with sudo",
        "credentials are read from the environment; credentials: none",
        "login: see https://example.com/login1",
        "connect with password authentication and with password hashing",
        "the pin is 13 and GPIO pin: 21, pin 4711",
        "pin: 2000 Hz, the security code is 1500 lines",
        "the error code is 4041, exit code: 1234, the zip code is 80331, area code: 0891",
        "the door code is 4711 and the gate code: 0815",
        "GG3DCUFD is your confirmation code",
        "Passwords: the password should be latin-1 encodable, the password must be level-2",
        "the passcode is required",
        "Spinning is fun: 1234; opinion: 12345",
        "this is your verification code: enter it",
        "PASSWORD is your code",
        "Temporary password: required",
        "my password: forgotten",
        "a combination of 12 or 24",
        "what is your password from 2019 to today",
        "the password from 1990 to 2000",
        "the OTP is sent by SMS within 30 seconds",
        "sign in with Google and continue",
        "the password is now required; the password is now: required",
        "our password is now 12 characters long",
        "my password is now longer.",
        "our password was set.",
        "our password is stronger, and long enough.",
        "our password is enough.",
    ],
)
def test_sentences_about_passwords_stay(text: str) -> None:
    assert mask(text) == (text, {})
