"""Tell sentences that decide or forbid something from those that are only worded like it. Start at `is_binding`.

`statements` finds sentences by their wording, and a recap may hold a few too many. A brief has five of them, and its
reader has not seen the session: advice, reports of what was done, questions, stories and consent to something unnamed
mislead there. Borders: judges one sentence; who said it to whom is told by the caller.
"""

from typing import Final

from clew.condense.recap_lines import agrees, states
from clew.condense.recap_told import is_chatter, is_story
from clew.condense.statements import is_settled
from clew.text.late_pattern import late_pattern

_OWN_CHOICE: Final = late_pattern(
    "|".join(
        (
            (
                r"\b(?:i|we)(?:'ve|'re|'m|'d| have| had| are| am)?"
                r"(?: now| also| just| all| both| then| already| finally){0,2} "
                r"(?:decided|opted|chose|agreed|settled|picked(?! up\b| (?:my|our) ?sel)|went with|concluded"
                r"|declined|rejected|turned down|ruled out|sticking with|switch(?:ed|ing)? (?:\w+ )?to"
                r"|going (?:with|to use))\b"
            ),
            r"(?:^|[.;:,] )\W*(?:\w+ly )?(?:decided|agreed|settled)\b",
            r"\b(?:it|this|that|which) (?:was|is|has been|'s) (?:decided|agreed|settled)\b",
            r"^\W*(?:\w+ ){0,2}decision\b[^:.?!]{0,50}: \w",
            r"\b(?:the|our|my) (?:\w+ )?decision (?:is|was) (?:to|that|for|against)\b",
            r"^\W*(?:(?:ok(?:ay)?|so|then|fine|alright),? )?going with\b",
            (
                r"\b(?:i|we)(?:'ll| will)(?: probably| just| also| then)? "
                r"(?:stick (?:to|with)|go (?:with|for)|choose|pick)\b"
            ),
            r"\bthe plan is\b",
            r"\b(?:out of scope|scope creep|not worth (?:it|the))\b",
            (
                r"\b(?:then|so|ok(?:ay)?|alright|fine|well),? (?:let's|we)\b"
                r"(?! (?:need|should|can|could|might|may)\b)"
            ),
            r"\bit is\b(?= then\b|\W*[;.]|\W*$)",
        )
    )
)
"""How those who talk say that they decided, by themselves or together."""

_ORDERS: Final = late_pattern(
    "|".join(
        (
            (
                r"(?:^|[,.;:] |\b(?:please|let's|(?:i|we)(?:'d| would) like to|(?:i|we)(?:'ll| will)) )"
                r"\W*(?:just |also |now |then )*(?:go ahead|proceed)\b"
            ),
            r"\bi'd like to (?:use|keep|go with|pay)\b",
            r"^\W*(?:[a-z]+ ){1,2}should (?:be|add|use|have|return|show)\b",
            r"\b(?:move|postpone|shift|reschedule)\b",
        )
    )
)
"""How a person decides for those who work for them; an assistant's words of this form ask, advise or report."""

_NONE_IN_IT: Final = late_pattern(
    "|".join(
        (
            r"\bmov(?:e|ing) on\b",
            r"\bthis decision\b",
            r"\bgoing with (?:my|our|some|a group|friends|family)\b",
            r"\b(?:trying to decide|not sure|wonder(?:ing)?) (?:if|whether)\b",
            (
                r"\bwith (?:that|it|this|these|those|them|(?:the |my )?(?:first|second|third|last|other) "
                r"(?:one|option|choice)|option \w+|(?:this|that|these|those) \w+)(?:,? please)?\W*$"
            ),
        )
    )
)
"""What has a word for a decision and holds none, or one that cannot be understood without what it answers."""

_PASTIME: Final = late_pattern(
    r"!\W*$|\bi (?:chose|picked)\b|\b(?:today|this (?:time|year|morning))\b.*\bi (?:have |'ve )?decided\b"
    r"|\bi decided to \w+ today\b"
)
"""How people tell each other of what they chose to do for themselves."""

_OTHERS: Final = late_pattern(
    r"^\W*(?:(?:and|so|but|since|now that|once|if) )*"
    r"(?:you(?:'ve|'d|'re)?|they(?:'ve|'re)?|he|she|somebody|nobody|people)\b(?! should\b)"
    r"|\byou (?:can|could|should|may|might)\b|\bthat you(?:'re|'ve)\b"
)
"""What somebody else wants, may or did."""

_NO_RULE: Final = late_pattern(
    "|".join(
        (
            r"\b(?:i|we)(?:'ve)? (?:heard|read|noticed|reali[sz]ed|saw|understand|believe|guess)\b",
            (
                r"\bmust (?:say|admit|confess|have been|feel"
                r"|be (?:\w+ly )?(?:so|an?|the|nice|great|\w+ing|hard|tough))\b"
            ),
            r"\b(?:can|could) you\b|\bhelp me\b|\bnever mind\b|^\W*(?:to )?make sure (?:that )?i(?:'m| am)\b",
            r"\b(?:trying to (?:understand|prove)|not sure how|i must (?:go|buy))\b",
            (
                r"^\W*(?:don't|do not|never|always) (?:worry|mind|forget|be (?:afraid|scared|sorry|discouraged|alarmed)"
                r"|give up|quit|happy|here|up for|know if|feel|get me wrong)\b"
            ),
        )
    )
)
"""Hearsay, guesses, requests and encouragement: nothing that is to be kept."""

_PART: Final = late_pattern(
    r"^\W*(?:which|who|whose|where|that|as(?! for)|because|considering|than|plus|though|although)\b|->|^[\d$%,.]+\+?\s"
)
"""How a clause begins that is part of a sentence, and tells nothing without it."""


def is_binding(kind: str, sentence: str, *, by_person: bool, among_people: bool) -> bool:
    """Whether a decision or constraint, as `statements` finds it, holds for those who go on with the work.

    | kind | sentence | by | |
    |---|---|---|---|
    | decision | We decided to keep Redis for sessions. | anybody | binds |
    | decision | We could rename it, but that's scope creep. | anybody | binds |
    | decision | I'd like to pay with the card ending in 7334. | a person | binds |
    | decision | The rule has been modified to set the flag. | an assistant | is a report |
    | decision | You can use `curl` to check the headers. | an assistant | is advice |
    | decision | Yes, please proceed with this option. | a person | names nothing |
    | decision | How's everything going with the program? | a person | is a question |
    | decision | Last year we decided to go to Tulum. | a person | is a story |
    | constraint | Would that keep it under $1,000? | a person | is a question |

    Args:
        by_person: whether a person said it, rather than an assistant.
        among_people: whether only people with names talk: then advice and encouragement are left out, too.
    """
    plain = sentence.replace("’", "'")
    lower = plain.lower()
    whole = f"{plain}." if plain[-1:].isalnum() else plain  # who chats leaves out the full stop
    if not is_settled(plain) or not states(whole) or _PART.search(lower):
        return False
    if among_people and (is_chatter(kind, plain) or _PASTIME.search(lower)):
        return False
    if kind != "decision":
        return by_person and _NO_RULE.search(lower) is None
    if agrees(plain) or is_story(plain) or _NONE_IN_IT.search(lower) or _OTHERS.search(lower):
        return False
    return _OWN_CHOICE.search(lower) is not None or (by_person and _ORDERS.search(lower) is not None)
