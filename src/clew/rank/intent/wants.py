"""Which kinds of answer a question asks for, by its English wording: a summary, an order of events, a date ...

Borders: looks at the words of the question alone. A question may ask for several kinds at once, or for none of them.
"""

import re
from dataclasses import dataclass
from typing import Final

from clew.rank.intent.decisions import asks_for_decisions
from clew.rank.intent.overviews import asks_for_all
from clew.text.late_pattern import late_pattern
from clew.text.stopwords import STOPWORDS

_ASSISTANT = late_pattern(
    r"\b(?:you|your|assistant|assistant's)\b[^.?!]{0,40}?\b(?:suggest\w*|recommend\w*|advi[cs]e\w*|propos\w*|explain\w*|"
    r"told|tell|said|sa(?:y|id)|gave|give|list\w*|provid\w*|mention\w*|answer\w*|repl(?:y|ied)|wrote|write|show\w*)\b"
    r"|\b(?:your|the assistant's) (?:advice|answer|suggestion|recommendation|explanation|reply|list|plan|code)\w*\b",
    re.IGNORECASE,
)
_ASKING = late_pattern(r"\b(?:can|could|would|will) you\b", re.IGNORECASE)
_SUMMARY = late_pattern(r"\b(?:summar\w+|overview|recap\w*)\b", re.IGNORECASE)
_ORDER = late_pattern(
    r"\b(?:order in which|in (?:what|which|the right|chronological) order|in order(?! to\b)|chronolog\w+|in sequence"
    r"|the sequence of|timeline)\b",
    re.IGNORECASE,
)
_HELP = late_pattern(
    r"\b(?:(?:can|could|would|will) you|please|help me|how (?:do|should|can|could|would) (?:I|we)"
    r"|what (?:should|would|can|do) (?:I|you|we)|I(?:['’]m| am) (?:planning|trying|looking|thinking|preparing|working)"
    r"|I (?:want|need|plan)|recommend|suggest|advice|tips|explain|walk me)\b",
    re.IGNORECASE,
)
_LOOKS_BACK = late_pattern(
    r"\b(?:did|was|were|have I|had I|mention(?:ed)?|brought up|discussed|our (?:conversations?|chats?|sessions?)|so far"
    r"|throughout|across)\b",
    re.IGNORECASE,
)
_HOP = late_pattern(
    r"\b(?:the|an?|my|our|his|her|their|your|[^\W_]+['’]s) (?:[^\W_]+ ){1,3}(?:who|whom|whose|where|that|which) "
    r"|\b(?:both|in common|shared?|same|together|other than|besides|except|differen(?:t|ces?) (?:between|from)"
    r"|compared? (?:to|with)|rather than|instead of)\b",
    re.IGNORECASE,
)
_TIME = late_pattern(
    r"\b(?:when|what (?:date|day|month|year|time)|how long ago|which (?:month|year|day))\b", re.IGNORECASE
)
_SEVERAL = late_pattern(
    r"\b(?:summar\w+|overview|recap|list|every(?:thing)?|all (?:the|of|my|our)|how many|in (?:what|which) order|"
    r"the order in which|walk me through|throughout|across|over time|what (?:kinds?|types?|sorts?) of|activities|"
    r"things)\b",
    re.IGNORECASE,
)
_USERS_WORDS = late_pattern(
    r"\b(?:want(?:ed|s)?|asked|told|requested|required|requirements?|supposed|wish(?:ed)?|complaint|reported|reporter)\b"
    r"|\b(?:I|we|user)\b(?: \w+){0,2} (?:want|ask|say|said|tell|request|wish|complain(?:ed)?)\b",
    re.IGNORECASE,
)
_FAILURE = late_pattern(
    r"\b(?:why|errors?|fail\w*|refus\w*|reject\w*|stuck|brok\w*|wrong|impossible|kept|prevent\w*|crash\w*|denied|unable"
    r"|cannot|trouble|(?:could|did|would|is|was|were|does) ?n['’]t)\b",
    re.IGNORECASE,
)
_CAUSE = late_pattern(
    r"\b(?:why|how come|what (?:caused|broke|went wrong|was wrong|is wrong)|reasons?)\b", re.IGNORECASE
)
_OUTCOME = late_pattern(
    r"\b(?:end(?:s|ed|ing)? up|ended (?:with|in)|(?:in|at|by) the (?:very )?end|how (?:did|do|does) (?:[^\s?]+ ){1,8}"
    r"end|finally|eventually|at last|conclu(?:de[ds]?|sions?)|outcome|(?:left|leave) off|turn(?:s|ed)? out"
    r"|ever (?:\w+ )?(?:\w+ed|done|work|run|go|pass|succeed|get|solve|fix|finish|found|built)"
    r"|did (?:(?:it|that|this|they|we) |the (?:[^\s?]+ ){1,4})(?:work|succeed|finish|pass|help)"
    r"|(?:still|anything|what(?:['’]s| is| was)|is|was|remains?) "
    r"(?:open|left|missing|to do|unfinished|unsolved|unresolved|pending|broken|failing)"
    r"|where did (?:we|you|it|I) (?:stop|get)|last (?:thing|step|state|status))\b",
    re.IGNORECASE,
)
_OPEN_TASKS = late_pattern(
    r"\b(?:open|remaining|outstanding|pending|unfinished|next) (?:tasks?|to-?dos?|work items?|steps?|items)\b"
    r"|\bto-?do list\b|\bwhat comes next\b"
    r"|\bwhat(?: else)?(?:['’]s| is| was| are| were)?(?: still| there| else)*"
    r" (?:(?:open|left|remain\w*|missing|to do|unfinished|pending|outstanding)"
    r"(?= (?:to|now|here|for|in|on|by|open)\b|\W*$)"
    r"|next(?= (?:for|on|up)\b|\W*$))"
    r"|\b(?:any|some)thing (?:else )?(?:is )?(?:still )?(?:left|open|to do)\b"
    r"|\bwhat (?:do|should) (?:I|we) (?:still )?(?:(?:have|need) to )?do (?:now|next)\b"
    r"|\bwhat (?:do|should) (?:I|we) still (?:have|need) to do\b",
    re.IGNORECASE,
)
_SEQUEL = late_pattern(r"\band (?:what|how|why|did|where|who|which|when)\b", re.IGNORECASE)
_WORD = late_pattern(r"[^\W_]+(?:['’-][^\W_]+)*")
_FACT = late_pattern(r"^\s*(?:who|whom|whose|which|where|what (?:is|was|are|were|did|does|do))\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Wants:
    """The kinds of answer that a question asks for.

    Attributes:
        assistant: the assistant's own words.
        summary: what was said about something as a whole.
        overview: what was said and done at all; nothing in particular is named.
        users_words: what the person asked for, wanted or reported.
        failure: why something failed, was refused or did not happen.
        decisions: what was decided at all; no subject is named.
        cause: why something is as it is.
        outcome: how something ended, or what is left to do.
        open_tasks: what is open, left or to be done next.
        sequel: two things, of which the second may have come after the first ("what broke, and how was it fixed?").
        order: the order in which things happened or were mentioned.
        help: something to be done or explained now, and not what was said before.
        time: when something happened, or on which day.
        hop: something that is described by another thing that was said, or a comparison; one look-up may not find it.
        several: many things at once, such as a list or a count.
        fact: a single fact.
        exact: turns with exactly these words: a search of words alone, without a stop word.
    """

    assistant: bool = False
    summary: bool = False
    overview: bool = False
    users_words: bool = False
    failure: bool = False
    decisions: bool = False
    cause: bool = False
    outcome: bool = False
    open_tasks: bool = False
    sequel: bool = False
    order: bool = False
    help: bool = False
    time: bool = False
    hop: bool = False
    several: bool = False
    fact: bool = False
    exact: bool = False


NOTHING_SPECIAL: Final = Wants()


def wants_of(text: str, about: str | None = None, *, with_assistant: bool = False) -> Wants:
    """The kinds of answer that a question asks for.

    Args:
        about: the question without its framing (see `clew.rank.intent.framing`); None for the question itself.
        with_assistant: an assistant takes part in the conversation, so that "you" is the assistant and not a person.
    """
    overview = asks_for_all(text)
    return Wants(
        assistant=with_assistant and _ASSISTANT.search(_ASKING.sub("", text)) is not None,
        summary=overview or _SUMMARY.search(text) is not None,
        overview=overview,
        users_words=with_assistant and _USERS_WORDS.search(text) is not None,
        failure=with_assistant and _FAILURE.search(text) is not None,
        decisions=asks_for_decisions(text),
        cause=with_assistant and _CAUSE.search(text) is not None,
        outcome=with_assistant and _OUTCOME.search(text) is not None,
        open_tasks=with_assistant and _OPEN_TASKS.search(text) is not None,
        sequel=with_assistant and _SEQUEL.search(text) is not None,
        order=_ORDER.search(text) is not None,
        help=_HELP.search(text) is not None and _LOOKS_BACK.search(text) is None,
        time=_TIME.search(text) is not None,
        hop=_HOP.search(text if about is None else about) is not None,
        several=overview or _SEVERAL.search(text) is not None,
        fact=_FACT.search(text) is not None,
        exact=not any(word.casefold() in STOPWORDS for word in _WORD.findall(text)),
    )
