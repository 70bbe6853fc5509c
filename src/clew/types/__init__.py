"""What the public calls take and return, as frozen dataclasses. Start at `turn.Turn`."""

from clew.types.context import Context, ContextItem, Hit, Omission, Receipt
from clew.types.ids import parse_turn_id, turn_id
from clew.types.record import Record
from clew.types.reports import ForgetProof, ForgetReport, IngestReport, Problem, Rejection, Stats, VerifyReport
from clew.types.turn import MAX_TURN_CHARS, Content, Origin, Part, PartType, Role, Turn

__all__ = [
    "MAX_TURN_CHARS",
    "Content",
    "Context",
    "ContextItem",
    "ForgetProof",
    "ForgetReport",
    "Hit",
    "IngestReport",
    "Omission",
    "Origin",
    "Part",
    "PartType",
    "Problem",
    "Receipt",
    "Record",
    "Rejection",
    "Role",
    "Stats",
    "Turn",
    "VerifyReport",
    "parse_turn_id",
    "turn_id",
]
