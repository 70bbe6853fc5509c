"""What a question asks for, read once and without a model. Start at `reading.read_intent`.

`Intent` is the only reading of a question: signals, strategies, labels, position look-ups and receipts use its fields.
`time_window` reads the stretch of time that `remember_when` is asked about.
"""

from clew.rank.intent.reading import Intent, Kind, read_intent
from clew.rank.intent.wants import Wants, wants_of

__all__ = ["Intent", "Kind", "Wants", "read_intent", "wants_of"]
