"""Secrets that are told by their place, or that newer issuers mark; and words about places that stay."""

import hashlib

import pytest

from clew.ingest.secrets.masking import mask
from tests.support.effort import examples
from tests.unit.test_ingest_secrets import HEX, token


@pytest.mark.requirement("F-INGEST-27")
@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("The wifi password at the cabin is Sunshine-2291", "Sunshine-2291"),
        ("password to the router: admin4711x", "admin4711x"),
        (f"https://x.example/c?sv=2022&se=2024&sig={token(43)}%3D", token(43)),
        (f"https://b.example/k?X-Amz-Expires=60&X-Amz-Signature={HEX[:64]}", HEX[:64]),
        (f"ENCRYPTION_KEY={token(43)}=", token(43)),
        ("my seed phrase: legal winner thank year wave sausage worth useful legal winner thank yellow", "legal winner"),
    ],
)
def test_secrets_are_masked_where_their_place_is_told(text: str, secret: str) -> None:
    masked, counts = mask(text)
    assert secret not in masked
    assert sum(counts.values()) == 1
    assert mask(masked) == (masked, {})


@pytest.mark.requirement("F-INGEST-28")
@pytest.mark.parametrize(
    ("kind", "secret"),
    [
        ("stripe", "sk_live_" + "kEAvstqVVPqzPptEJQzhkPke"),
        ("supabase", f"sbp_{HEX[:40]}"),
        ("supabase", f"sb_secret_{token(31)}"),
        ("tavily", f"tvly-dev-{token(32)}"),
        ("langsmith", f"lsv2_pt_{HEX[:32]}_{HEX[:10]}"),
        ("figma", f"figd_{token(40)}"),
        ("tailscale", f"tskey-auth-{token(12)}CNTRL-{token(32)}"),
        ("mailgun", f"key-{HEX[:32]}"),
    ],
)
@pytest.mark.parametrize("around", ["it is {}, keep it for Mailgun", '{{"mailgun": "{}"}}'])
def test_keys_of_further_issuers_are_masked(kind: str, secret: str, around: str) -> None:
    digits = hashlib.sha256(secret.encode()).hexdigest()[:8]
    assert mask(around.format(secret)) == (around.format(f"[masked:{kind}:{digits}]"), {kind: 1})


@pytest.mark.requirement("F-INGEST-17")
@pytest.mark.parametrize(
    "text",
    [
        "The password in the database is sha256-hashed.",
        "passwords at rest; the password at rest is AES256-encrypted",
        "Password for prod: see ticket-123",
        "password for admin: https://vault.example/x1",
        "the password in step 3 is checked by bcrypt",
        "seed phrase: write these twelve words down and keep the paper safe from everyone",
        "recovery words please keep them with your papers under some stone behind this house always",
        "signing_key: str",
        f"mailgun sent it; cache key {HEX[:32]}",
        "?sig=abc&se=2&sv=1",
        "headers={'Authorization': 'Bearer invalid_token'}",
    ],
)
def test_words_about_places_seeds_and_tokens_stay(text: str) -> None:
    assert mask(text) == (text, {})


@pytest.mark.thorough
@pytest.mark.timeout(120)
@pytest.mark.requirement("F-EDGE-08")
@pytest.mark.parametrize(
    "text",
    [
        "AKIA and akia-0123456789abc " + f"{token(40)} " * examples(4_000, 24_000),
        "kind: Secret\\n---\\ndata:\\n" * examples(8_000, 40_000),
        '{"kty' * examples(40_000, 200_000),
    ],
)
def test_a_long_text_of_one_kind_is_masked_in_time_that_grows_with_its_length(text: str) -> None:
    assert mask(text)[0]
