"""One space as the proxy uses it: the memory, its conversations, the blocks that were added to them, and their cost."""

import threading
import time
from dataclasses import dataclass

from clew.config import ServeConfig
from clew.memory import Memory
from clew.serve.proxy.economy.prices import price_list
from clew.serve.proxy.economy.request_economy import RequestEconomy
from clew.serve.proxy.history.conversations import Conversations
from clew.serve.proxy.history.memorize import ConversationLog
from clew.serve.proxy.injections import Injections
from clew.serve.proxy.lost_history import LostHistory
from clew.serve.proxy.window import VirtualWindow
from clew.serve.spaces import Spaces
from clew.text.counters import counter


@dataclass(frozen=True, slots=True)
class SpaceMemory:
    """What is kept of an open memory between requests."""

    memory: Memory
    conversations: Conversations
    log: ConversationLog
    injections: Injections
    economy: RequestEconomy
    window: VirtualWindow | None
    lost: LostHistory


class SpaceMemories:
    """The spaces of a server. Threads share it."""

    def __init__(self, spaces: Spaces, config: ServeConfig) -> None:
        self._spaces, self._config = spaces, config
        self._lock = threading.Lock()
        self._known: dict[str, SpaceMemory] = {}
        self._stopping = threading.Event()

    def stop(self) -> None:
        """Begins to store no further portion of a long history."""
        self._stopping.set()

    def close(self) -> None:
        """Waits for the compactions at hand, which need the memories, and begins no others. It may take a while."""
        with self._lock:
            windows = [known.window for known in self._known.values()]
        for window in windows:
            if window is not None:
                window.close()

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
                log = ConversationLog(memory.parts, conversations, self._stopping)
                injections = Injections(memory.parts)
                prices, count = price_list(self._config.prices), counter(memory.config.counter)
                economy = RequestEconomy(prices, count, time.monotonic)
                window = VirtualWindow(memory, self._config.window) if self._config.window else None
                known = SpaceMemory(memory, conversations, log, injections, economy, window, LostHistory(memory))
                self._known[space] = known
                memory.parts.worker.keep_ready(memory.reads.refresh)
            return known
