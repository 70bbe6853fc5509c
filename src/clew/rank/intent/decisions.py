"""Whether a question asks what was decided at all, and about nothing in particular: "what did we decide?".

Borders: looks at the words of the question alone.
"""

from typing import Final

from clew.text.late_pattern import late_pattern

LONGEST: Final = 160
"""Characters of the longest question that is read; a longer one names a subject."""

_WHO: Final = (
    r"(?: (?:we|you|i|they|everybody|everyone|the (?:team|group|board)))?(?: (?:all|two|just|already|finally|then))?"
)
_WHEN: Final = (
    r"(?: (?:yesterday|today|then|so far|lately|recently|together|in the end|here)){0,2}"
    r"(?: (?:(?:last|this|since|until|before|after|during|in|for) [^?]{1,40}|on (?:the )?(?:\w+day|\d)[^?]{0,30}))?"
)
_ENGLISH: Final = (
    r"(?:(?:and|so|ok(?:ay)?|please)\W+){0,2}what(?: things| all| exactly| else)?"
    rf"(?:'s| did| have| had| has| was| were| is)?(?: been)?{_WHO}"
    rf" (?:decided?|agreed?|settled?|concluded?|resolved?)(?: on| about| upon)?{_WHEN}"
)
_LIST: Final = (
    r"(?:(?:please )?(?:list|show|give|name|tell|summari[sz]e)(?: me| us)? )?(?:what |which )?(?:are |were )?"
    r"(?:all |the |our |my |any |key |main |important ){0,3}decisions?"
    rf"(?: (?:did we|have we|had we|did they|were|are|we|have been|was))?(?: (?:make|made|take|taken|come to))?{_WHEN}"
)
_GERMAN: Final = (
    r"was (?:haben|hatten|wurde|ist) (?:(?:wir|ihr|sie|ich|man|alles|denn|bisher|zuletzt|gestern|heute|am \w+|im \w+"
    r"|(?:letzte|diese)[nrs]? (?:woche|monat|jahr)) ){0,3}(?:beschlossen|entschieden|vereinbart|festgelegt|ausgemacht)"
    r"|(?:welche|alle|unsere) (?:entscheidungen|beschlüsse)\b[^?]{0,40}"
)
_SPANISH: Final = r"qué (?:hemos |habéis |se ha )?(?:decidimos|decidido|decidisteis|acordamos|acordado)\b[^?]{0,30}"
_FRENCH: Final = r"qu(?:'|e )(?:est-ce que nous |avons-nous |a-t-on )(?:avons |a )?décidé\b[^?]{0,30}"
_CHINESE: Final = r"(?:我们|咱们|大家)?(?:一共)?(?:(?:决定|商定)了(?:什么|哪些)|做了(?:什么|哪些)决定)\w{0,4}"
_ASKS: Final = late_pattern(rf"\A\W*(?:{'|'.join((_ENGLISH, _LIST, _GERMAN, _SPANISH, _FRENCH, _CHINESE))})\W*\Z")


def asks_for_decisions(text: str) -> bool:
    """Whether a question asks for what was decided, without naming a subject; a time or a group may be named."""
    return len(text) <= LONGEST and _ASKS.search(text.replace("’", "'").lower()) is not None
