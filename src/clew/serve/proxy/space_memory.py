"""One space as the proxy uses it: the memory, its conversations, and the blocks that were added to them."""

import threading
from dataclasses import dataclass

from clew.memory import Memory
from clew.serve.proxy.conversations import Conversations
from clew.serve.proxy.injections import Injections
from clew.serve.proxy.memorize import ConversationLog
from clew.serve.spaces import Spaces


@dataclass(frozen=True, slots=True)
class SpaceMemory:
    """What is kept of an open memory between requests."""

    memory: Memory
    conversations: Conversations
    log: ConversationLog
    injections: Injections


class SpaceMemories:
    """The spaces of a server. Threads share it."""

    def __init__(self, spaces: Spaces) -> None:
        self._spaces = spaces
        self._lock = threading.Lock()
        self._known: dict[str, SpaceMemory] = {}

    def get(self, space: str) -> SpaceMemory:
        """A space whose memory is open.

        Raises:
            ClewError: it cannot be opened.
        """
        memory = self._spaces.get(space)
        with self._lock:
            known = self._known.get(space)
            if known is None or known.memory is not memory:
                conversations = Conversations(memory.parts)
                log, injections = ConversationLog(memory.parts, conversations), Injections(memory.parts)
                known = SpaceMemory(memory, conversations, log, injections)
                self._known[space] = known
            return known
