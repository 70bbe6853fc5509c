"""The methods of a memory that pause it. Each checks its arguments and delegates."""

from clew.memory.arguments import given_session
from clew.memory.reads import MemoryReads
from clew.rows.pause import pause, resume


class MemoryPauses(MemoryReads):
    """Pausing one space or its sessions. Threads may share it."""

    def pause(self, session: str | None = None) -> None:
        """Stops storing turns and receipts, in every process, until `resume`.

        Args:
            session: pause only this session, which need not exist yet: `build_prompt` and `wrap_chat` store no receipts
                for it, and the proxy treats its requests as incognito. None pauses the whole space.
        """
        self._check_open()
        name = None if session is None else given_session(session)
        pause(self.reads.store, self.space, self.reads.clock(), name)

    def resume(self, session: str | None = None) -> None:
        """Ends a pause; what was said during it is not stored later.

        Args:
            session: resume only this session; None resumes the space, except for sessions that were paused separately.
        """
        self._check_open()
        resume(self.reads.store, self.space, None if session is None else given_session(session))
