"""Decides whether a client's summary of a conversation is all there is to find of it.

A client whose window is full drops the conversation and goes on with a summary, which it writes into the user's
messages. What the summary says is nobody's words and is found where it was said. Where that is not known, the summary
is all there is, and is taken for the assistant's words, who wrote it.
"""

from dataclasses import dataclass
from typing import Final

from clew.ingest.client_marks import is_summary
from clew.types import Turn

SUMMARISED_CHARS: Final = 1.0
"""Characters of messages for each token that a client summarised, below which most of it is missing.

A token has about four characters, and up to half of a full window are instructions and tools.
"""
OVERHEAD_TOKENS: Final = 13_000
"""Tokens of instructions and tools in every request of Claude Code 2.1 (51 KB in 2.1.330), which nothing holds."""


@dataclass(slots=True)
class KnownHistory:
    """What is known of a session before its next summary.

    Attributes:
        has_messages: whether the assistant said anything, also before an earlier summary.
        chars: characters of the messages since the last summary.
        compacted_tokens: tokens of the conversation that the next summary replaces; 0 where nothing says so.
    """

    has_messages: bool = False
    chars: int = 0
    compacted_tokens: int = 0

    @property
    def lacks_summarised(self) -> bool:
        """Whether most of what a summary replaces is not known."""
        return not self.has_messages or self.chars < SUMMARISED_CHARS * (self.compacted_tokens - OVERHEAD_TOKENS)

    def take(self, turn: Turn) -> None:
        """Notes the next turn of the session."""
        if stands_for_history(turn):
            self.chars = 0
            return
        self.has_messages = self.has_messages or turn.role == "assistant"
        self.chars += sum(len(part.text) for part in turn.parts)
        compacted = turn.metadata.get("compacted")
        if isinstance(compacted, dict):
            self.compacted_tokens = compacted_tokens(compacted)


def compacted_tokens(compaction: dict[str, object]) -> int:
    """Tokens of the conversation that a compaction replaced, as Claude Code notes it; 0 where it does not."""
    tokens = compaction.get("preTokens")
    return tokens if isinstance(tokens, int) else 0


def stands_for_history(turn: Turn) -> bool:
    """Whether a turn is a client's summary of what it dropped, by the importer's note or its opening words."""
    return turn.metadata.get("summary") is True or is_summary(turn.text)
