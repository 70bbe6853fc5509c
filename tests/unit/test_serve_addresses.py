"""Where requests go that carry a login instead of a key."""

import pytest

from clew.config import ServeConfig
from clew.serve.proxy.upstreams import Provider, Target, address_for, upstreams

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
