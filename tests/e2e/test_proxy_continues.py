"""Answers of Responses that are continued by their ids, without the history."""

from typing import Any, cast

import openai
import pytest

from clew.serve.scripted.echo_model import answer_from_request
from tests.sdk_ways import way


@pytest.mark.requirement("P-FMT-12")
@pytest.mark.parametrize("stream", [False, True])
def test_an_answer_that_is_continued_is_one_conversation(stream: bool) -> None:
    with way("proxied", answer_from_request, patience=30.0) as path:
        client = openai.OpenAI(base_url=path.openai, api_key="k", max_retries=0)

        def ask(text: str, before: str | None = None) -> tuple[str, str]:
            """The id of the answer, and the conversation that the proxy tells."""
            create = client.responses.with_streaming_response.create
            with create(model="gpt-5", input=text, previous_response_id=before, stream=stream) as answer:
                session, given = answer.headers["x-clew-session"], cast("Any", answer.parse())
                if not stream:
                    return given.id, session
                (done,) = (event for event in given if event.type == "response.completed")
                return done.response.id, session

        first, session = ask("My cat is called Mirabelle.")
        second, again = ask("She is four.", first)
        _, third = ask("Who is four?", second)
        assert {session, again, third} == {session}
        assert ask("Who is four?")[1] != session
