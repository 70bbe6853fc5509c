"""Which edits are made in a chat: blocks of earlier questions, a new block, and renderings of old messages.

The choice is that of `economy`; what does not fit the window even so is cut.
"""

import hashlib
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from clew.serve.proxy.chats import Chat, PreparedChat, RememberedChat
from clew.serve.proxy.economy.request_economy import EditsInQuestion
from clew.serve.proxy.exchange import ChatRequest, Edit, edited
from clew.serve.proxy.window import Replacement, cut, together
from clew.serve.proxy.wires.reading import output_limits
from clew.types.record import copier

TOOLS: Final = 1_500
"""Tokens of a window that are kept free for Clew's tools where they are on.

Their definitions take about 600 by the estimate; providers add instructions of their own, and count otherwise.
"""

_KEYS: Final = ("authorization", "x-api-key", "x-goog-api-key", "api-key")
_SALT: Final = secrets.token_bytes(16)
_MOST_OUTPUT: Final = 0.25
"""Most of a window that is kept free for the answer."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A chat before the choice.

    Attributes:
        put_back: the edits that put back the blocks of earlier questions.
        block: the edit that would add the new block; None when there is none.
        has_tools: whether Clew's tools are offered as well.
        record: keeps the new block; False when the request has gone on without it.
    """

    chat: Chat
    request: ChatRequest
    remembered: RememberedChat
    put_back: Sequence[Edit] = ()
    block: Edit | None = None
    has_tools: bool = False
    record: Callable[[], bool] = lambda: False


_decided: Final = copier(PreparedChat, "body", "receipt", "decision")


def assembled(draft: Draft, plain: PreparedChat, receipt: str | None) -> PreparedChat:
    """What goes upstream.

    Args:
        plain: the chat as it came.
        receipt: of the new block.
    """
    request, remembered = draft.request, draft.remembered
    space, session = remembered.space, remembered.conversation.session
    current = proposed = None
    question = EditsInQuestion(kept=draft.put_back, block=[draft.block] if draft.block else [])
    limit = 0
    if space.window is not None:
        limit = room(request, space.window.tokens, has_tools=draft.has_tools)
        current = space.window.current(session, request)
        kept = together(current, draft.put_back, request)
        tokens = space.economy.tokens(request, kept)
        proposed = space.window.proposed(session, request, remembered.conversation.turn_ids, tokens)
        question = _with_window(question, current, proposed, request)
    decision = space.economy.choose(request, question, account=_account(request), session=session, limit=limit)
    edits = question.chosen(decision)
    if draft.block is not None and decision.inject and not draft.record():
        edits = [edit for edit in edits if edit is not draft.block]
        decision = replace(decision, inject=False)
    if decision.rewrite and proposed is not None and space.window is not None:
        space.window.accept(session, proposed)
    if decision.retire and draft.put_back:
        space.injections.retire_all(remembered.conversation)
    shown = receipt if decision.inject else None
    body = edited(request.body, edits) if edits else plain.body
    made = _decided(plain, body, shown, decision)
    if space.window is None:
        return made
    return fitted_to(draft.chat, request, made, space.window.tokens, has_tools=draft.has_tools)


def fitted_to(
    chat: Chat, request: ChatRequest, made: PreparedChat, window: int, *, has_tools: bool = False
) -> PreparedChat:
    """What goes upstream, with its oldest messages cut if it does not fit into the window. Works without a memory."""
    sent = request if made.body is None else chat.wire.read(chat.path, chat.headers, made.body)
    edits = cut(sent, room(sent, window, has_tools=has_tools))
    return replace(made, body=edited(sent.body, edits), cut=True) if edits else made


def room(request: ChatRequest, window: int, *, has_tools: bool = False) -> int:
    """Tokens of a window that remain for a request, after the answer that it asks for and Clew's tools."""
    asked = next(iter(output_limits(request.value)), 0)
    return window - min(asked, int(_MOST_OUTPUT * window)) - (TOOLS if has_tools else 0)


def _with_window(
    question: EditsInQuestion, current: Replacement | None, proposed: Replacement | None, request: ChatRequest
) -> EditsInQuestion:
    """The edits in question where old messages have, or may get, renderings in their place."""
    base = [] if current is None else [current.edit(request)]
    kept = question.kept if current is None else current.outside(request, question.kept)
    rewritten = None if proposed is None else together(proposed, question.kept, request)
    return EditsInQuestion(base, kept, question.block, rewritten)


def _account(request: ChatRequest) -> str:
    """What keeps the caches of the provider's customers apart: a hash of the key, under a salt of this process."""
    key = next((request.headers[name] for name in _KEYS if name in request.headers), "")
    return hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=8, key=_SALT).hexdigest()
