"""The vendors' own SDKs, driven against a server on this machine that plays their http_client formats."""

import logging
import ssl
import time
from collections.abc import Iterator
from typing import Any

import pytest

from clew.config import LLMConfig, load_config
from clew.errors import ConfigError, InputError, MissingExtra, ModelError, ModelUnavailable, RequestRefused
from clew.models.checked_calls import complete_checked
from clew.models.choose import choose_llm
from clew.models.prompt import ChatMessage, Completion, Prompt
from clew.models.server_llm import BACKOFF
from clew.models.vendors import ServerOptions, anthropic_llm, gemini_llm, openai_llm, require_vendor_package
from clew.testing import ScriptedLLM
from tests.support.llm_servers import KEY, VENDORS, Server, Vendor, answer, llm_server, refusal

pytest.importorskip("openai")
pytest.importorskip("anthropic")
pytest.importorskip("google.genai")

HELLO = Prompt.of("Be brief.", "hello")
TRUTH = {"type": "object", "properties": {"true": {"type": "boolean"}}}


@pytest.fixture
def server() -> Iterator[Server]:
    with llm_server() as told:
        yield told


@pytest.mark.requirement("W-LLM-01")
@pytest.mark.parametrize("vendor", VENDORS)
def test_a_prompt_is_answered(server: Server, vendor: Vendor) -> None:
    server.say = lambda _body: (200, answer(vendor))
    model = server.model(vendor)
    assert server.asked == []
    talk = Prompt(
        "Be brief.", (ChatMessage("user", "a"), ChatMessage("assistant", "b"), ChatMessage("user", "c \ud800"))
    )
    assert model.complete(talk, max_tokens=50) == Completion("hi", 12, 3, "some-model-1")
    ((_, headers, body),) = server.asked
    if vendor == "gemini":
        assert [each["role"] for each in body["contents"]] == ["user", "model", "user"]
        assert body["contents"][2]["parts"] == [{"text": "c ?"}]
        assert body["systemInstruction"]["parts"] == [{"text": "Be brief."}]
        assert body["generationConfig"] == {"maxOutputTokens": 50}
    else:
        said = [(each["role"], each["content"]) for each in body["messages"] if each["role"] != "system"]
        assert said == [("user", "a"), ("assistant", "b"), ("user", "c ?")]
        assert body["max_tokens"] == 50
        assert body.get("system", body["messages"][0]["content"]) == "Be brief."
    assert KEY in headers.get("authorization", "") + headers.get("x-goog-api-key", "") + headers.get("x-api-key", "")
    assert [name for name in headers if name.startswith("x-stainless")] == []


@pytest.mark.requirement("W-LLM-01")
@pytest.mark.parametrize("vendor", VENDORS)
def test_a_schema_is_sent_along_until_the_server_does_not_understand_it(server: Server, vendor: Vendor) -> None:
    server.script(
        (200, answer(vendor, '{"true": true}')), refusal(400, "what is a schema?"), (200, answer(vendor, "[]"))
    )
    model = server.model(vendor)
    assert model.complete_json(HELLO, TRUTH, max_tokens=50) == {"true": True}
    schema = '"additionalProperties": false'
    assert schema in str(server.asked[0][2]).replace("'", '"').replace("False", "false")
    with pytest.raises(ModelError, match="asked 3 times"):
        model.complete_json(HELLO, TRUTH, max_tokens=50)
    plain = [set(body) & {"response_format", "output_config"} for _, _, body in server.asked]
    configs = [set(body.get("generationConfig", ())) & {"responseJsonSchema"} for _, _, body in server.asked]
    assert [bool(a or b) for a, b in zip(plain, configs, strict=True)] == [True, True, False, False, False]


@pytest.mark.requirement("F-SUITE-01")
@pytest.mark.parametrize("vendor", VENDORS)
def test_certificates_are_read_once(server: Server, vendor: Vendor, monkeypatch: pytest.MonkeyPatch) -> None:
    server.say = lambda _body: (200, answer(vendor))
    model = server.model(vendor)
    model.complete(HELLO, max_tokens=50)
    read: list[object] = []
    monkeypatch.setattr(ssl.SSLContext, "load_default_certs", lambda *_: read.append("default"))
    monkeypatch.setattr(ssl.SSLContext, "load_verify_locations", lambda *_, **__: read.append("file"))
    model.complete(HELLO, max_tokens=50)
    assert read == []


@pytest.mark.requirement("W-LLM-02")
@pytest.mark.parametrize("vendor", VENDORS)
@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_busy_server_is_asked_again(server: Server, vendor: Vendor, status: int) -> None:
    server.script(refusal(status, "slow down"), (200, answer(vendor)))
    assert server.model(vendor).complete(HELLO, max_tokens=50).text == "hi"
    assert len(server.asked) == 2


@pytest.mark.requirement("W-LLM-02")
@pytest.mark.parametrize("vendor", VENDORS)
def test_a_server_that_stays_busy_is_given_up(server: Server, vendor: Vendor) -> None:
    server.script(refusal(500, "broken"))
    with pytest.raises(ModelUnavailable, match="answered 500"):
        server.model(vendor).complete(HELLO, max_tokens=50)
    assert len(server.asked) == len(BACKOFF) + 1


@pytest.mark.requirement("W-LLM-02")
def test_a_server_that_says_when_is_waited_for_but_not_beyond_the_deadline(server: Server) -> None:
    server.script(refusal(429, "later"))
    server.headers = {"Retry-After": "25"}
    model = server.model("openai", deadline=30.0)
    waited: list[float] = []
    model._sleep = waited.append
    with pytest.raises(ModelUnavailable):
        model.complete(HELLO, max_tokens=50)
    assert waited == [25.0] * len(BACKOFF)  # the clock did not move meanwhile
    server.headers = {"Retry-After": "31"}
    with pytest.raises(ModelUnavailable):
        model.complete(HELLO, max_tokens=50)
    assert len(waited) == len(BACKOFF)


@pytest.mark.requirement("W-LLM-02")
@pytest.mark.parametrize("vendor", VENDORS)
@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, RequestRefused),
        (413, RequestRefused),
        (401, ModelUnavailable),
        (403, ModelUnavailable),
        (404, ModelUnavailable),
    ],
)
def test_a_refusal_is_not_asked_again_and_never_shows_the_key(
    server: Server, vendor: Vendor, status: int, kind: type[ModelError], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server.script(refusal(status, f"no, not with {KEY}"))
    model = server.model(vendor)
    with pytest.raises(kind, match=f"answered {status}.*no, not with .key.") as caught:
        model.complete(HELLO, max_tokens=50)
    assert type(caught.value) is kind
    assert len(server.asked) == 1
    assert KEY not in f"{caught.value} {caplog.text} {vars(model)}"


@pytest.mark.requirement("W-LLM-02")
@pytest.mark.parametrize("vendor", VENDORS)
def test_a_server_that_hangs_or_drips_is_left(server: Server, vendor: Vendor) -> None:
    server.say = lambda _body: (200, answer(vendor))
    model = server.model(vendor)
    model.complete(HELLO, max_tokens=50)  # the SDK is loaded now
    model._timeout = 0.5
    server.drip = 0.05
    with pytest.raises(ModelError, match="did not answer in time") as caught:
        model.complete(HELLO, max_tokens=50)
    assert type(caught.value) is ModelError  # it may be billed
    server.hang()
    with pytest.raises(ModelError, match="did not answer in time"):
        model.complete(HELLO, max_tokens=50)
    while len(server.asked) < 3:  # its threads may read what was asked when nobody waits any more
        time.sleep(0.01)


@pytest.mark.requirement("W-LLM-02")
@pytest.mark.parametrize("vendor", VENDORS)
def test_a_server_that_is_not_there_is_unavailable(server: Server, vendor: Vendor) -> None:
    make = {"openai": openai_llm, "anthropic": anthropic_llm, "gemini": gemini_llm}[vendor]
    model = make("m", "http://127.0.0.1:9", ServerOptions(environment={}))
    with pytest.raises(ModelUnavailable, match="is the server running"):
        model.complete(HELLO, max_tokens=50)


@pytest.mark.requirement("W-LLM-02")
@pytest.mark.parametrize("vendor", VENDORS)
@pytest.mark.parametrize(
    "said",
    [
        b"<html>",
        b"\xff\xfe",
        b"null",
        b"[1, 2]",
        b"[" * 100_000,
        b"{}",
        b'{"choices": 7, "content": 7, "candidates": 7}',
    ],
    ids=lambda said: repr(said)[:30],
)
def test_an_answer_of_another_form_is_a_model_error_or_empty(server: Server, vendor: Vendor, said: bytes) -> None:
    server.say = lambda _body: (200, said)
    try:
        answered = server.model(vendor).complete(HELLO, max_tokens=50)
    except ModelError as error:
        assert "some-model" in str(error)  # noqa: PT017  # both endings are allowed, and each is looked at
    else:
        assert answered.text == ""


@pytest.mark.requirement("W-LLM-02")
@pytest.mark.parametrize("vendor", VENDORS)
def test_how_an_answer_ends_is_told(server: Server, vendor: Vendor) -> None:
    server.script(
        (200, answer(vendor, "half an ans", "length")),
        (200, answer(vendor, "I can't", "refusal")),
        (200, answer(vendor, None)),
    )
    model = server.model(vendor)
    found = [model.complete(HELLO, max_tokens=50) for _ in range(3)]
    assert [(each.text, each.stop) for each in found] == [
        ("half an ans", "length"),
        ("I can't", "refusal"),
        ("", "end"),
    ]


@pytest.mark.requirement("W-LLM-02")
def test_what_is_blocked_before_it_is_answered_is_a_refusal(server: Server) -> None:
    told = answer("openai", None)
    told["choices"][0]["message"]["refusal"] = "I will not"
    server.say = lambda body: (200, told if "messages" in body else {"promptFeedback": {"blockReason": "SAFETY"}})
    assert server.model("openai").complete(HELLO, max_tokens=50).stop == "refusal"
    assert server.model("gemini").complete(HELLO, max_tokens=50).stop == "refusal"


@pytest.mark.requirement("W-LLM-02")
@pytest.mark.parametrize("vendor", VENDORS)
def test_an_answer_without_end_is_cut_off(server: Server, vendor: Vendor) -> None:
    server.say = lambda _body: (200, answer(vendor, "x" * (1 << 20)))
    with pytest.raises(ModelError, match="more than 0 MB"):
        server.model(vendor, largest=1 << 16).complete(HELLO, max_tokens=50)


@pytest.mark.requirement("W-LLM-03")
@pytest.mark.parametrize("vendor", VENDORS)
def test_a_redirect_does_not_carry_the_key_away(server: Server, vendor: Vendor) -> None:
    server.say = lambda _body: (302, b"elsewhere")
    server.headers = {"Location": server.url + "/other"}
    with pytest.raises(ModelError):
        server.model(vendor).complete(HELLO, max_tokens=50)
    assert len(server.asked) == 1


@pytest.mark.requirement("W-LLM-03")
@pytest.mark.parametrize("vendor", VENDORS)
def test_the_key_is_read_when_it_is_needed(server: Server, vendor: Vendor) -> None:
    server.say = lambda _body: (200, answer(vendor))
    environment: dict[str, str] = {}
    model = server.model(vendor, environment=environment, key_variable="MY_KEY")
    vendors_own = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY", "gemini": "GEMINI_API_KEY"}[vendor]
    for variable, key in ((None, "none"), (vendors_own, "key-one"), ("MY_KEY", "key-two")):
        if variable:
            environment[variable] = key
        model.complete(HELLO, max_tokens=50)
        assert key in str(server.asked[-1][1])
    environment["MY_KEY"] = "a\nb"
    with pytest.raises(ConfigError, match="MY_KEY"):
        model.complete(HELLO, max_tokens=50)
    with pytest.raises(ModelUnavailable, match="MY_KEY"):  # costs nothing, and what is to be asked waits
        complete_checked(model, HELLO, max_tokens=50)


@pytest.mark.requirement("W-LLM-03")
def test_a_key_in_the_place_of_its_variable_s_name_is_not_shown() -> None:
    with pytest.raises(ConfigError, match=r"llm\.key_variable has an invalid value") as caught:
        load_config(arguments={"llm": {"key_variable": KEY}})
    assert KEY not in str(caught.value)


@pytest.mark.requirement("W-LLM-01")
def test_a_model_is_chosen_by_its_name() -> None:
    config = LLMConfig()
    assert choose_llm(None, config) is None
    assert choose_llm("none", config) is None
    named = {
        "openai:gpt-x": "openai:gpt-x",
        "openai:org/m@http://localhost:8000/v1": "openai:org/m@localhost:8000",
        "anthropic:claude-x": "anthropic:claude-x",
        "gemini:gemini-x": "gemini:gemini-x",
    }
    for setting, name in named.items():
        chosen = choose_llm(setting, config)
        assert chosen is not None
        assert chosen.name == name
    own = ScriptedLLM(["x"])
    assert choose_llm(own, config) is own
    configured = choose_llm(None, LLMConfig(model="openai:gpt-x"))
    assert configured is not None
    assert configured.name == "openai:gpt-x"


@pytest.mark.requirement("W-LLM-01")
@pytest.mark.parametrize("setting", ["", "gpt-x", "openai", "openai:", "openai: ", "other:x", "none:x"])
def test_a_name_that_is_none_is_a_config_error(setting: str) -> None:
    with pytest.raises(ConfigError, match="expected one of none, openai:<model>"):
        choose_llm(setting, LLMConfig())


@pytest.mark.requirement("W-LLM-01")
def test_what_is_no_model_or_not_installed_is_told() -> None:
    nothing: Any = object()
    with pytest.raises(InputError, match="not a language model"):
        choose_llm(nothing, LLMConfig())
    with pytest.raises(MissingExtra, match=r"clew\[gemini\]"):
        require_vendor_package("gemini", lambda _package: None)
    with pytest.raises(ConfigError, match="address"):
        choose_llm("openai:m@http://u:p@host", LLMConfig())
