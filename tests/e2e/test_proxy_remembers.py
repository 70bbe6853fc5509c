"""What was said long ago is answered after the client has dropped it; the model knows nothing but its request."""

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Final

import anthropic
import openai
import pytest
from google import genai
from google.genai import types as gemini_types

from clew.serve.scripted.echo_model import UNKNOWN, answer_from_request
from tests.support.sdk_ways import Way, way

pytestmark = pytest.mark.slow  # programs and servers are started

TURNS: Final = 200
FACT: Final = "My sister's cat is called Mirabelle Quux."
QUESTION: Final = "What is the name of my sister's cat?"
KEPT: Final = 6
"""Messages that the client still sends, as one with a small window would."""

Ask = Callable[[list[dict[str, str]]], str]
Client = Callable[[Way], AbstractContextManager[Ask]]


@contextmanager
def through_anthropic(path: Way) -> Iterator[Ask]:
    client = anthropic.Anthropic(base_url=path.anthropic, api_key="k", max_retries=0)

    def ask(messages: list[dict[str, str]]) -> str:
        given: Any = messages
        with client.messages.stream(model="claude-1", max_tokens=100, messages=given) as stream:
            return stream.get_final_text()

    with client:
        yield ask


@contextmanager
def through_openai(path: Way) -> Iterator[Ask]:
    client = openai.OpenAI(base_url=path.openai, api_key="k", max_retries=0)

    def ask(messages: list[dict[str, str]]) -> str:
        given: Any = messages
        answer = client.chat.completions.create(model="gpt-5", messages=given)
        return str(answer.choices[0].message.content)

    with client:
        yield ask


@contextmanager
def through_responses(path: Way) -> Iterator[Ask]:
    client = openai.OpenAI(base_url=path.openai, api_key="k", max_retries=0)

    def ask(messages: list[dict[str, str]]) -> str:
        given: Any = messages
        return client.responses.create(model="gpt-5", input=given, store=False).output_text

    with client:
        yield ask


@contextmanager
def through_gemini(path: Way) -> Iterator[Ask]:
    client = genai.Client(api_key="k", http_options=gemini_types.HttpOptions(base_url=path.gemini))

    def ask(messages: list[dict[str, str]]) -> str:
        contents = [
            gemini_types.Content(
                role="model" if message["role"] == "assistant" else "user",
                parts=[gemini_types.Part(text=message["content"])],
            )
            for message in messages
        ]
        return str(client.models.generate_content(model="gemini-2.5-pro", contents=contents).text)

    with client:
        yield ask


CLIENTS: Final = (through_anthropic, through_openai, through_responses, through_gemini)


def told(number: int) -> str:
    return FACT if number == 4 else f"Bed number {number} of the garden got {number * 7} bulbs today."


@pytest.mark.requirement("P-UPS-07")
@pytest.mark.parametrize("client", CLIENTS)
def test_a_fact_from_turn_five_is_answered_at_turn_two_hundred(client: Client) -> None:
    with way("proxied", answer_from_request, patience=30.0) as path, client(path) as ask:
        said: list[dict[str, str]] = []
        for number in range(0, TURNS - 2, 2):
            said.append({"role": "user", "content": told(number)})
            said.append({"role": "assistant", "content": ask(said[-KEPT - 1 :])})
        said.append({"role": "user", "content": QUESTION})
        kept = said[-KEPT - 1 :]
        assert FACT not in json.dumps(kept)
        assert "Mirabelle Quux" in ask(kept)
        assert path.proxy is not None
        assert not [event for event in path.proxy.events if event["event"] == "failed-open"]


@pytest.mark.requirement("P-UPS-07")
def test_without_the_proxy_the_model_does_not_know() -> None:
    with way("direct", answer_from_request) as path, through_anthropic(path) as ask:
        assert ask([{"role": "user", "content": QUESTION}]) == UNKNOWN


@pytest.mark.requirement("P-UPS-07")
def test_a_new_conversation_knows_what_the_last_one_said() -> None:
    with way("proxied", answer_from_request, patience=30.0) as path:
        with through_anthropic(path) as ask:
            ask([{"role": "user", "content": FACT}])
        with through_openai(path) as ask:
            assert "Mirabelle Quux" in ask([{"role": "user", "content": QUESTION}])
