"""Prompts in the three parts of seed 001, and a wrapper that gives them to a chat function; memory never blocks it."""

import functools
import inspect
import logging
from collections.abc import Callable
from typing import Any, Final

log = logging.getLogger("clew.prompt")

CONTEXT: Final = "[Context Block]"
FOCUS: Final = "[Focus Buffer]"
QUERY: Final = "[User Query]"

NAMES: Final = {"user": "User", "assistant": "Assistant"}


def spoken(role: str, content: str) -> str:
    """One message of the focus buffer as text."""
    return f"{NAMES.get(role, role)}: {content}"


def remembered(block: str, focus: str) -> str:
    """Context block and focus buffer, each under its heading; an empty part is left out."""
    parts = ((CONTEXT, block), (FOCUS, focus))
    return "\n\n".join(f"{name}\n{text}" for name, text in parts if text)


def sections(block: str, focus: str, query: str) -> str:
    """Context block, focus buffer and query, each under its heading."""
    return "\n\n".join(filter(None, (remembered(block, focus), f"{QUERY}\n{query}")))


def wrapped(
    chat: Callable[..., Any], build: Callable[[str], str], update: Callable[[str, str], object]
) -> Callable[..., Any]:
    """Wraps a chat function: it receives the built prompt, and its answer is stored.

    The function is called exactly once, with the plain query where no prompt could be built. Its answer is returned
    even when it cannot be stored; its exceptions propagate, and nothing is stored. Further arguments are passed on. An
    answer that is not text is returned and not stored. A coroutine function gives a coroutine function, which builds
    the prompt before its await and stores the answer after it.
    """

    def prompt_for(query: str) -> str:
        try:
            return build(query)
        except Exception:
            log.exception("building the prompt failed; the chat function gets the plain query")
            return query

    def keep(query: str, answer: Any) -> Any:
        try:
            if isinstance(answer, str):
                update(query, answer)
            else:
                log.warning("the answer of type %s is not text and was not stored", type(answer).__name__)
        except Exception:
            log.exception("storing the answer failed; it is returned to the caller")
        return answer

    if inspect.iscoroutinefunction(chat):

        @functools.wraps(chat)
        async def asked_later(query: str, *args: Any, **kwargs: Any) -> Any:
            return keep(query, await chat(prompt_for(query), *args, **kwargs))

        return asked_later

    @functools.wraps(chat)
    def asked(query: str, *args: Any, **kwargs: Any) -> Any:
        return keep(query, chat(prompt_for(query), *args, **kwargs))

    return asked
