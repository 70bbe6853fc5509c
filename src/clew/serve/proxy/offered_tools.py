"""Clew's tools in chats: offered where they are on, with the calls put back that a client saw only in part."""

import threading
from collections.abc import Iterable
from dataclasses import dataclass, replace

from clew.memory import Memory
from clew.serve.agent_tools.other_tools import OtherTools
from clew.serve.agent_tools.toolbox import Toolbox, prefix_of
from clew.serve.agent_tools.tools import Tools
from clew.serve.proxy.chats import Chat, PreparedChat
from clew.serve.proxy.exchange import ChatRequest, edited
from clew.serve.proxy.held_calls import HeldCalls, HeldExchange, put_back
from clew.serve.proxy.tool_loop import tools_edit
from clew.store.row_types import InjectionRow


@dataclass(frozen=True, slots=True)
class _Kept:
    memory: Memory
    held: HeldCalls
    box: Toolbox


class OfferedTools:
    """The tools of all spaces of a server. Threads share it."""

    def __init__(self, *, aliases: bool = False) -> None:
        """Takes whether the tools have Virtual Context's names."""
        self._aliases = aliases
        self._lock = threading.Lock()
        self._spaces: dict[str, _Kept] = {}

    def offered_in(
        self,
        chat: Chat,
        prepared: PreparedChat,
        request: ChatRequest,
        *,
        wanted: bool = True,
        rows: Iterable[InjectionRow] | None = None,
    ) -> PreparedChat:
        """The chat with the tools; as it is where its format, or what the client asks for, leaves no room for them.

        What was held is put back also where the tools are off by now.

        Args:
            wanted: whether the tools are on.
            rows: all rows of blocks and held exchanges of the session, where they were read already.

        Raises:
            FormatError: what was made of the request cannot be read again, which is a bug.
        """
        if prepared.remembered is None:
            return prepared
        memory, conversation = prepared.remembered.space.memory, prepared.remembered.conversation
        kept = self._of(memory)
        held = {} if conversation.is_new else kept.held.of(conversation.session, rows)
        if not held and not wanted:
            return prepared
        sent = request if prepared.body is None else chat.wire.read(chat.path, chat.headers, prepared.body)
        edits = put_back(chat.wire, sent, held)
        offered = tools_edit(chat.wire, sent, kept.box) if wanted else None
        box = None if offered is None else kept.box
        edits += [] if offered is None else [offered]
        return replace(prepared, body=edited(sent.body, edits), box=box) if edits else prepared

    def hold(self, prepared: PreparedChat, exchange: HeldExchange) -> None:
        """Keeps calls of ours that were answered beside calls of the client's own."""
        if prepared.remembered is not None:
            memory, session = prepared.remembered.space.memory, prepared.remembered.conversation.session
            self._of(memory).held.keep(session, exchange, memory.reads.clock())

    def _of(self, memory: Memory) -> _Kept:
        with self._lock:
            kept = self._spaces.get(memory.space)
            if kept is None or kept.memory is not memory:
                held = HeldCalls(memory.reads.store, memory.space)
                others = OtherTools.of_proxy(prefix_of(aliases=self._aliases))
                tools = Tools(memory, may_store=False, local=False, others=others)
                kept = _Kept(memory, held, Toolbox(tools, aliases=self._aliases))
                self._spaces[memory.space] = kept
            return kept
