"""A prompt in the three parts of seed 001, and a chat function that is given it: memory never stands in its way."""

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
    """One message of the focus buffer in writing."""
    return f"{NAMES.get(role, role)}: {content}"


def remembered(block: str, focus: str) -> str:
    """Context block and focus buffer, each under its heading; what is empty is left out."""
    parts = ((CONTEXT, block), (FOCUS, focus))
    return "\n\n".join(f"{name}\n{text}" for name, text in parts if text)


def sections(block: str, focus: str, query: str) -> str:
    """The same, and below them the query under its own heading."""
    return "\n\n".join(filter(None, (remembered(block, focus), f"{QUERY}\n{query}")))


def wrapped(
    chat: Callable[..., Any], build: Callable[[str], str], update: Callable[[str, str], object]
) -> Callable[..., Any]:
    """A chat function around which memory works: it gets the built prompt, and its answer is stored.

    The function is called exactly once, with the plain query where no prompt could be built; what it answers is given
    back even when it cannot be stored, and what it raises is raised, with nothing stored. Its further arguments are
    passed on. An answer that is no text is given back and not stored. A coroutine function gives a coroutine function,
    whose memory work is done in between its awaits.
    """

    def prompt_for(query: str) -> str:
        try:
            return build(query)
        except Exception:
            log.exception("memory failed before the answer: the query is asked as it is")
            return query

    def keep(query: str, answer: Any) -> Any:
        try:
            if isinstance(answer, str):
                update(query, answer)
            else:
                log.warning("an answer of type %s is no text, and was not stored", type(answer).__name__)
        except Exception:
            log.exception("memory failed after the answer: it is given back, and was not stored")
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
