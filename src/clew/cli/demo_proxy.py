"""`clew demo --proxy`: a chat whose client forgets, without and with the proxy, against a scripted model."""

import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from rich.text import Text

from clew.cli.show import dim, page
from clew.cli.terminal import emit
from clew.errors import MissingExtra
from clew.serve.processes.proxy_process import ProxyProcess
from clew.serve.scripted.echo_model import UNKNOWN, answer_from_request
from clew.serve.scripted.server import ScriptedUpstream
from clew.text.counted import counted

SAID: Final = (
    "We open a bicycle shop with a repair corner. I will tell you things as they come up.",
    "The launch date of the shop is 14 March, and the landlord knows it.",
    "Our staging server is called heron and listens on port 8443.",
    "Today I compared the offers for shelves, and they all look alike.",
    "Pia decided on SQLite for the till, since only one program writes.",
    "The painter wants to come on Wednesday.",
    "The coffee machine makes a strange noise in the morning.",
    "Somebody should look at the lamp above the entrance.",
    "The parcel with the sample locks arrived, all of them fit.",
    "It rained, so we moved the table inside.",
    "The neighbours asked for a bell that is less loud.",
    "Let us go through the list of tools tomorrow.",
)
QUESTIONS: Final = (
    "What is the launch date of the shop?",
    "What is our staging server called?",
    "What did Pia decide on for the till?",
)
KEPT: Final = 4
"""Messages that the client still sends: one with a small window, or after its own compaction."""
MODEL: Final = "scripted-1"


@dataclass(frozen=True, slots=True)
class ChatAnswer:
    """What came back: the words, tokens of the prompt as the model counted them, milliseconds, and Clew's receipt."""

    text: str
    tokens: int
    took: float
    receipt: str | None


def run_proxy_demo(*, as_json: bool) -> None:
    """Starts a scripted model and a proxy before it, holds the conversation, and shows both answers to each question.

    Raises:
        MissingExtra: the packages of the extra `server` are not installed.
    """
    try:
        import httpx2  # noqa: F401  # of the extra server
        import uvicorn  # noqa: F401  # likewise
    except ImportError as error:
        raise MissingExtra("the demo of the proxy needs uvicorn and httpx2; install clew[server]") from error
    upstream = ScriptedUpstream(answer_from_request)
    with tempfile.TemporaryDirectory(prefix="clew-demo-") as home, upstream.serving() as direct:
        settings = {"upstream_openai": direct, "patience": 10.0}
        with ProxyProcess(home, "default", settings) as proxy:
            _hold(upstream, direct, f"{proxy.address}/openai", as_json=as_json)


def _hold(upstream: ScriptedUpstream, direct: str, proxied: str, *, as_json: bool) -> None:
    console = page()
    if not as_json:
        console.print(Text.assemble(("Clew", "bold"), "  between a program and its model"))
        console.print()
        console.print(f"  program  ->  Clew, {proxied}  ->  scripted model, {direct}", soft_wrap=True)
        count = counted(len(SAID), "message")
        console.print(f"  {count} are said; of the conversation the program sends its last {KEPT} messages only.")
        console.print()
    history: list[dict[str, str]] = []
    for text in SAID:
        history.append({"role": "user", "content": text})
        answer = _ask(proxied, history[-KEPT:])
        history.append({"role": "assistant", "content": answer.text})
    for number, question in enumerate(QUESTIONS, 1):
        asked = [*history[1 - KEPT :], {"role": "user", "content": question}]
        without, with_memory = _ask(direct, asked), _ask(proxied, asked)
        if as_json:
            answers = {"without": without.text, "with": with_memory.text, "receipt": with_memory.receipt}
            emit({"question": question, **answers, "tokens": [without.tokens, with_memory.tokens]})
            continue
        _show(number, question, without, with_memory)
    if not as_json:
        _end(upstream)


def _ask(base: str, messages: Sequence[dict[str, str]]) -> ChatAnswer:
    import httpx2  # of the extra server, as was checked

    body: dict[str, Any] = {"model": MODEL, "messages": list(messages)}
    began = time.perf_counter()
    got = httpx2.post(f"{base}/v1/chat/completions", json=body, headers={"authorization": "Bearer demo"}, timeout=60)
    took = 1000 * (time.perf_counter() - began)
    answer = got.raise_for_status().json()
    text, used = answer["choices"][0]["message"]["content"], answer["usage"]["prompt_tokens"]
    return ChatAnswer(text, used, took, got.headers.get("x-clew-receipt"))


def _show(number: int, question: str, without: ChatAnswer, with_memory: ChatAnswer) -> None:
    console = page()
    console.print(Text(f"{number}. {question}", style="bold"))
    for name, answer in (("without", without), ("with Clew", with_memory)):
        style = "yellow" if answer.text == UNKNOWN else "green"
        console.print(Text.assemble(f"   {name:10}", (answer.text, style)), soft_wrap=True)
        receipt = f", receipt {answer.receipt}" if answer.receipt else ""
        console.print(dim(f"             {answer.tokens:,} tokens of prompt, {answer.took:.0f} ms{receipt}"))
    console.print()


def _end(upstream: ScriptedUpstream) -> None:
    console = page()
    console.print(
        dim(f"The model saw {counted(len(upstream.requests), 'request')} and answers only from what is in each.")
    )
    console.print("Nothing was kept. Next, with your own programs:")
    console.print(Text.assemble("  clew run -- claude  ", dim("or codex, gemini, aider: a proxy for one program")))
    console.print(
        Text.assemble("  clew serve          ", dim("an address for the base URL of any client; docs/proxy.md"))
    )
