"""Looking for cues first changes nothing: the same secrets are masked as when each rule is tried at every place."""

import re
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.ingest.secrets.checks import SecretMatch
from clew.ingest.secrets.masking import is_in_mask, mask
from clew.ingest.secrets.rule import SecretRule
from clew.ingest.secrets.rules import secret_rules

KEY = "aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0zAbCdEfGhIjKlMnOpQrStUv"
CUES = sorted({cue for rule in secret_rules() for cue in rule.cues[:80]})
WORDS = ("password", "is", "was", "token", "secret", "Bearer", "--password", "machine", "login", "value", "AKIA", "eyJ")
SIGNS = (" ", "\n", ":", "=", "://", "@", '"', "'", "</", ">", "-", "_", ".", "; ", "[masked:", "]", "é", "İ", "ſ")
pieces = st.one_of(
    st.sampled_from(CUES),
    st.sampled_from(CUES).map(str.upper),
    st.sampled_from(WORDS),
    st.builds(lambda cue, length: cue + (KEY * 3)[:length], st.sampled_from(CUES), st.integers(8, 70)),
    st.builds(lambda word, length: f'{word}="{KEY[:length]}" ', st.sampled_from(WORDS), st.integers(4, 30)),
    st.sampled_from(SIGNS),
    st.integers(4, 60).map(lambda length: (KEY * 3)[:length]),
    st.integers(4, 60).map(lambda length: KEY.upper()[:length]),
    st.text(string.hexdigits + "/+", min_size=4, max_size=64),
    st.sampled_from(["4111 1111 1111 1111", "5555555555554444", "ABCDEFGH12345678"]),
)


def found(rule: SecretRule, text: str, lower: str) -> list[SecretMatch]:
    """What a rule matches, tried at every place where its kind of match may begin."""
    places = [at for at in range(len(text)) if any(lower.startswith(cue, at) for cue in rule.cues)]
    return list(rule.matches(text, places)) if places or not rule.cues else []


def one_rule_after_the_other(text: str) -> dict[str, int]:
    """How many secrets of each kind are masked when no rule is left out for want of a cue."""
    counts: dict[str, int] = {}
    has_digits = re.search("[0-9]", text) is not None
    for rule in secret_rules():
        lower = "".join(low if len(low := sign.lower()) == 1 else sign for sign in text)
        applies = has_digits or rule.scope == "text"
        if len(text) < 8 or not applies or (rule.needs and not any(needed in lower for needed in rule.needs)):
            continue
        masked, end = "", 0
        for match in found(rule, text, lower):
            is_mask = match["secret"].startswith("[masked:") or is_in_mask(text, match.start("secret"))
            if match.start() >= end and not is_mask and rule.accept(match):
                counts[rule.kind] = counts.get(rule.kind, 0) + 1
                masked += text[end : match.start("secret")] + f"[masked:{rule.kind}:12ab34cd]"
                end = match.end("secret")
        text = masked + text[end:]
    return counts


@pytest.mark.requirement("F-SPEED-31")
@given(st.lists(pieces, max_size=14).map("".join))
def test_the_search_for_cues_leaves_out_no_rule_that_would_mask(text: str) -> None:
    assert mask(text)[1] == one_rule_after_the_other(text)


@pytest.mark.requirement("F-INGEST-16")
@given(st.lists(pieces, max_size=14).map("".join))
def test_masking_again_changes_nothing(text: str) -> None:
    masked, _ = mask(text)
    assert mask(masked) == (masked, {})
