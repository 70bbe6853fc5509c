"""Whether a question asks what a conversation was about as a whole, and names nothing in it: "what did we do?".

Rules for English. Borders: looks at the words of the question alone.
"""

import re
from typing import Final

from clew.text.late_pattern import late_pattern
from clew.text.terms import query_terms

_WHOLE = (
    r"(?:session|conversation|chat|meeting|discussion|call|thread|talk|project|task|work|all|it|this|that|these|those)"
)
_ASKS: Final = late_pattern(
    r"\b(?:summar\w+|overview|recap\w*|gist|highlights?|takeaways?|sum up|wrap[- ]?up|catch (?:me|us) up|up to speed)\b"
    rf"|\bwhat (?:(?:is|was|are|were) )?(?:\w+ ){{0,2}}{_WHOLE}s? (?:\w+ ){{0,2}}about\b"
    rf"|\bwhat(?:['’]s| is| was) (?:\w+ ){{0,2}}{_WHOLE} about\b"
    r"|\bwhat (?:did |have |has )?(?:we|you|I|they)(?:['’]ve)? (?:\w+ )?(?:d[oi]\w*|work\w*|talk\w*|discuss\w*|cover\w*"
    r"|accomplish\w*|achiev\w*|built?|build|get done|got done|chat\w*|sa(?:y|id))\b"
    r"|\bwhat (?:(?:has|have|had) )?(?:happened|been (?:going on|happening|done|discussed)|went on)\b"
    r"|\bwhat (?:was|were|am) (?:I|we|the user) (?:\w+ )?(?:asking|looking|after)\b"
    r"|\bwhat (?:was|were|is|has been) (?:discussed|talked about|done|covered|said|decided|achieved)\b",
    re.IGNORECASE,
)
GENERIC: Final = frozenset(
    term
    for word in "talk talked talking speak spoke discuss discussed discussion conversation chat chatted chatting "
    "say said tell told mention mentioned happen happened happening go going went cover covered do did "
    "does doing done make made work worked working topic subject thing anything everything something "
    "summary summarize summarise summarizing summarising summarized summarised recap overview highlight "
    "takeaway gist review sum wrap catch speed time session meeting call thread project task whole "
    "entire entirely complete full all main point key brief briefly short shortly bring quick quickly concise "
    "sentence word few give get got show write please want need let know far today general generally "
    "overall ask asking look looking user accomplish accomplished achieve achieved build built what about".split()
    for term in query_terms(word)
)
"""What is said of any conversation."""


def asks_for_all(text: str) -> bool:
    """Whether a question asks for an overview and names no subject, no time and nobody."""
    if _ASKS.search(text) is None:
        return False
    return all(term in GENERIC for term in query_terms(text))
