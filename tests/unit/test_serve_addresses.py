"""Where requests go: those that carry a login instead of a key, and those of each client that the document names."""

import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from clew.config import ServeConfig
from clew.serve.proxy.upstreams import Provider, Target, address_for, by_marks, split_prefix, upstreams
from clew.serve.proxy.wires import wire_of

LOGIN = {b"authorization": b"Bearer token-of-a-login", b"chatgpt-account-id": b"a-1"}
RESPONSES = Target(Provider.OPENAI, b"/v1/responses")


@pytest.mark.requirement("P-UPS-14")
def test_codex_with_a_login_of_chatgpt_reaches_where_the_login_is_valid() -> None:
    openai = upstreams(ServeConfig())[Provider.OPENAI]
    assert address_for(openai, RESPONSES, LOGIN) == ("https://chatgpt.com", b"/backend-api/codex/responses")
    models = Target(Provider.OPENAI, b"/v1/models?client_version=1")
    assert address_for(openai, models, LOGIN)[1] == b"/backend-api/codex/models?client_version=1"


@pytest.mark.requirement("P-UPS-14")
def test_keys_and_gateways_keep_their_address() -> None:
    openai = upstreams(ServeConfig())[Provider.OPENAI]
    assert address_for(openai, RESPONSES, {b"authorization": b"Bearer sk-1"}) == (
        "https://api.openai.com",
        b"/v1/responses",
    )
    gateway = upstreams(ServeConfig(upstream_openai="https://gate.example/openai"))[Provider.OPENAI]
    assert address_for(gateway, RESPONSES, LOGIN) == ("https://gate.example", b"/openai/v1/responses")


BASES = {
    "http://127.0.0.1:8377/anthropic": ["/v1/messages"],
    "http://127.0.0.1:8377/anthropic/v1": ["/messages"],
    "http://127.0.0.1:8377/anthropic/v1/": ["messages"],
    "http://127.0.0.1:8377/anthropic/v1/messages": [""],
    "http://127.0.0.1:8377/openai/v1": ["/chat/completions", "/responses"],
    "http://host.docker.internal:8377/openai/v1": ["/chat/completions"],
    "http://127.0.0.1:8377/gemini": ["/v1beta/models/m:generateContent"],
    "http://127.0.0.1:8377/gemini/v1beta": ["/models/m:streamGenerateContent"],
    "http://127.0.0.1:8377": [
        "/v1/messages",
        "/v1/chat/completions",
        "/v1/responses",
        "/v1beta/models/m:generateContent",
    ],
    "http://127.0.0.1:8377/clew/": [],
    "http://127.0.0.1:8377/clew/mcp": [],
    "http://127.0.0.1:8377/clew/api/v1": [],
}
"""Addresses that docs/proxy.md gives, and what clients put behind them for a chat."""


@pytest.mark.requirement("SRV-LINE-01")
def test_every_address_of_the_document_leads_to_a_chat() -> None:
    page = (Path(__file__).parents[2] / "docs/proxy.md").read_text(encoding="utf-8")
    assert set(re.findall(r"""http://[\w.]+:8377[^\s`"'|);\\]*""", page)) == set(BASES)
    for base, ends in BASES.items():
        for end in ends:
            given = split_prefix(urlsplit(base + end).path.encode())
            assert given is not None, base
            provider = given[0] or by_marks(given[1], {}, b"")
            name = f"{urlsplit(base).path}/".split("/")[1]
            assert name in ("", provider), base
            assert wire_of("POST", given[1].decode()) is not None, base + end
