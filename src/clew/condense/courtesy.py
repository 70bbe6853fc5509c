"""Tell thanks and goodbyes from words that an answer is due to. Start at `without_courtesy`.

Borders: English only, and whole sentences: "Thanks, and rename it" asks for something, "Thanks for it!" does not.
"""

import re
from typing import Final

from clew.text.late_pattern import late_pattern
from clew.text.sentences import sentence_spans

_READ: Final = 1_000
"""Characters that are read of a text: whoever writes more is not only polite."""
_BEFORE: Final = (
    r"(?:(?:ok(?:ay)?|great|perfect|cool|nice|awesome|good|wonderful|excellent|fantastic|amazing|alright|all right|yes"
    r"|yeah|no|oh|wow|well|and|but|so)\b[,.! ]*)*"
)
_CLOSING: Final = (
    r"(?:that(?:['’]s| is| was| will be|['’]ll be) (?:it|all|everything)"
    r"(?: (?:for (?:now|today|tonight|me)|i (?:need(?:ed)?|wanted)|then|thanks?(?: you)?))*"
    r"|(?:good ?)?bye|good night|take care|cheers"
    r"|(?:see|talk to|speak to) you (?:all )?(?:soon|later|tomorrow|then|next \w+|on \w+)"
    r"|have a (?:nice|great|good|lovely|wonderful|fantastic|safe)(?: \w+){1,3}|enjoy (?:the rest of )?your \w+)"
)
_POLITE: Final = (
    r"(?:(?:many |a lot of )?thanks|thank you|thx|ty|i (?:really )?appreciate (?:it|that|your \w+))"
    r"(?: (?:so (?:very )?much|very much|a lot|a bunch|again|in advance|everyone|all"
    r"|for (?:all )?(?:your|the|that|this|it|helping|everything)(?: \w+){0,4}))*"
    r"|you(?:['’]re| are) (?:very |most |so )?welcome|my pleasure|no problem|no worries|any ?time"
    r"|(?:i['’]m )?(?:glad|happy|pleased) (?:i could|i was able to|to(?: be able to)?|that i could)"
    r" (?:help|assist|be of)(?: \w+){0,4}|happy coding"
    r"|(?:please )?(?:feel free|do ?n['’]t hesitate) to (?:ask|reach out|contact|let me know)(?: [\w,'’]+){0,10}"
    r"|(?:please )?(?:just )?let me know if (?:you need|you have|there['’]s|there is|i can) (?:any|help)[\w,'’ ]{0,60}"
    r"|if (?:you (?:need|have)|there['’]s|there is) any[^?]{0,60}"
    r"\b(?:let me know|ask|reach out|contact|here to help)(?: [\w,'’]+){0,4}"
)
_CLOSES: Final = late_pattern(rf"{_BEFORE}{_CLOSING}(?:,? \w+)?[ .!]*", re.IGNORECASE)
_COURTESY: Final = late_pattern(rf"{_BEFORE}(?:{_POLITE})(?:,? \w+)?[ .!]*", re.IGNORECASE)


def without_courtesy(prose: str) -> str:
    """A text without sentences of thanks, and without what follows a goodbye; empty where it says nothing else.

    | text | stays |
    |---|---|
    | Thanks! Please update the page. | Please update the page. |
    | thanks! that's it for today | |
    | Thank you for your help! That's all for now. You were great. | |
    | ok, thanks, and rename it | the whole |

    Only the beginning of a long text is read; one without such a sentence is returned as it is.
    """
    if len(prose) > _READ:
        return prose
    kept, closed = [], False
    for start, end in sentence_spans(prose):
        sentence = " ".join(prose[start:end].split())
        if _CLOSES.fullmatch(sentence):
            closed = True
        elif not closed or sentence.endswith("?"):
            kept.append("" if _COURTESY.fullmatch(sentence) else sentence)
    said = " ".join(filter(None, kept))
    return said if closed or "" in kept else prose
