"""A question that was sent whole over a kept connection, which then closed: it may have been answered already.

The proxy never sends it again. Its error is one after which the vendors' SDKs try again, as after a broken connection
of their own.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import anthropic
import openai
import pytest
from google import genai
from google.genai import types as gemini_types

from clew.serve.scripted.script import Fault, FaultKind, Reply, in_turn
from tests.support.proxies import START
from tests.support.sdk_ways import PASSAGES, Passage, Way, way

pytestmark = [pytest.mark.requirement("DOOR-RETRY-01"), pytest.mark.slow]

LOST = Reply("lost", fault=Fault(FaultKind.RESET_BEFORE))


@contextmanager
def by_anthropic(path: Way) -> Iterator[Callable[[str], str]]:
    client = anthropic.Anthropic(base_url=path.anthropic, api_key="k")

    def ask(text: str) -> str:
        messages: Any = [{"role": "user", "content": text}]
        return str(
            client.messages.create(model="claude-1", max_tokens=9, messages=messages).content[0].to_dict()["text"]
        )

    with client:
        yield ask


@contextmanager
def by_openai(path: Way) -> Iterator[Callable[[str], str]]:
    client = openai.OpenAI(base_url=path.openai, api_key="k")

    def ask(text: str) -> str:
        messages: Any = [{"role": "user", "content": text}]
        return str(client.chat.completions.create(model="gpt-1", messages=messages).choices[0].message.content)

    with client:
        yield ask


@contextmanager
def by_responses(path: Way) -> Iterator[Callable[[str], str]]:
    with openai.OpenAI(base_url=path.openai, api_key="k") as client:
        yield lambda text: str(client.responses.create(model="gpt-1", input=text, store=False).output_text)


@contextmanager
def by_gemini(path: Way) -> Iterator[Callable[[str], str]]:
    again = gemini_types.HttpRetryOptions(attempts=3, initial_delay=0.05)
    options = gemini_types.HttpOptions(base_url=path.gemini, retry_options=again)
    with genai.Client(api_key="k", http_options=options) as client:
        yield lambda text: str(client.models.generate_content(model="gemini-1", contents=text).text)


SDKS = {"anthropic": by_anthropic, "openai": by_openai, "responses": by_responses, "gemini": by_gemini}


@pytest.mark.parametrize("name", SDKS)
@pytest.mark.parametrize("passage", PASSAGES)
def test_the_sdks_try_again_and_the_proxy_does_not(name: str, passage: Passage) -> None:
    with way(passage, in_turn(["First.", LOST, "Second."])) as path, SDKS[name](path) as ask:
        assert ask("One?") == "First."
        if name == "gemini" and passage == "direct":  # it takes a broken connection of its own for the end
            return
        assert ask("Two?") == "Second."
        assert len(path.upstream.requests) == 3  # the proxy sent nothing a second time
        if path.proxy is not None:
            memory = path.proxy.services.spaces.get("default")
            until = time.monotonic() + START
            while (told := [turn.text for turn in memory.turns()])[-1] != "Second." and time.monotonic() < until:
                time.sleep(0.01)  # answers are stored when they have been relayed
            assert told[-2:] == ["Two?", "Second."]
            assert told.count("Two?") == 1
