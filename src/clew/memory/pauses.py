"""The methods of a memory that pause it. Each checks its arguments and delegates."""

from clew.memory.arguments import given_session
from clew.memory.reads import MemoryReads
from clew.rows.pause import pause, resume


class MemoryPauses(MemoryReads):
    """Pauses of one space and of its sessions. Threads may share it."""

    def pause(self, session: str | None = None) -> None:
        """Stores nothing more, in no process, until `resume`: no turn, and no receipt of a recall.

        Args:
            session: the only one to pause; it need not exist yet. Receipts are left out for what is asked in it, by
                `build_prompt` and `wrap_chat`, and the proxy treats its requests as incognito. None pauses the space.
        """
        self._check_open()
        name = None if session is None else given_session(session)
        pause(self.reads.store, self.space, self.reads.clock(), name)

    def resume(self, session: str | None = None) -> None:
        """Stores again what comes; what came meanwhile was not kept.

        Args:
            session: the only one to go on; None has the space go on, but for sessions that were paused by themselves.
        """
        self._check_open()
        resume(self.reads.store, self.space, None if session is None else given_session(session))
