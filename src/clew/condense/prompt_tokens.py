"""What a turn costs in a client's prompt."""

from clew.ingest.media import moved_characters
from clew.text.counters import CHARS_PER_TOKEN, Counter
from clew.types.turn import Turn


def prompt_tokens(turn: Turn, count: Counter) -> int:
    """Tokens of a turn as its client holds it: with long results in full, which are stored apart."""
    return count(turn.text) + moved_characters(turn) // CHARS_PER_TOKEN
