"""Which kinds of answer a question asks for, by its English wording: a summary, an order of events, a date ...

Borders: looks at the words of the question alone. A question may ask for several kinds at once, or for none of them.
"""

import re
from dataclasses import dataclass
from typing import Final

from clew.rank.intent.decisions import asks_for_decisions
from clew.rank.intent.overviews import asks_for_all
from clew.rank.intent.wording import beginnings, wording
from clew.text.late_pattern import late_pattern
from clew.text.stopwords import STOPWORDS

_ASSISTANT = wording(
    "you your assi",
    r"\b(?:you|your|assistant|assistant's)\b[^.?!]{0,40}?\b(?:suggest\w*|recommend\w*|advi[cs]e\w*|propos\w*|explain\w*|"
    r"told|tell|said|sa(?:y|id)|gave|give|list\w*|provid\w*|mention\w*|answer\w*|repl(?:y|ied)|wrote|write|show\w*)\b"
    r"|\b(?:your|the assistant's) (?:advice|answer|suggestion|recommendation|explanation|reply|list|plan|code)\w*\b",
)
_ASKING = late_pattern(r"\b(?:can|could|would|will) you\b", re.IGNORECASE)
_SUMMARY = wording(
    "summ over reca",
    r"\b(?:summar\w+|overview|recap\w*)\b",
)
_ORDER = wording(
    "orde chro sequ time",
    r"\b(?:order in which|in (?:what|which|the right|chronological) order|in order(?! to\b)|chronolog\w+|in sequence"
    r"|the sequence of|timeline)\b",
)
_HELP = wording(
    "you plea help do shou can coul woul plan tryi look thin prep work want need reco sugg advi tips expl walk",
    r"\b(?:(?:can|could|would|will) you|please|help me|how (?:do|should|can|could|would) (?:I|we)"
    r"|what (?:should|would|can|do) (?:I|you|we)|I(?:['’]m| am) (?:planning|trying|looking|thinking|preparing|working)"
    r"|I (?:want|need|plan)|recommend|suggest|advice|tips|explain|walk me)\b",
)
_LOOKS_BACK = late_pattern(
    r"\b(?:did|was|were|have I|had I|mention(?:ed)?|brought up|discussed|our (?:conversations?|chats?|sessions?)|so far"
    r"|throughout|across)\b",
    re.IGNORECASE,
)
_HOP = wording(
    "who whom whos wher that whic both comm shar same toge othe besi exce diff comp rath inst",
    r"\b(?:the|an?|my|our|his|her|their|your|[^\W_]+['’]s) (?:[^\W_]+ ){1,3}(?:who|whom|whose|where|that|which) "
    r"|\b(?:both|in common|shared?|same|together|other than|besides|except|differen(?:t|ces?) (?:between|from)"
    r"|compared? (?:to|with)|rather than|instead of)\b",
)
_TIME = wording(
    "when date day mont year time ago",
    r"\b(?:when|what (?:date|day|month|year|time)|how long ago|which (?:month|year|day))\b",
)
_SEVERAL = wording(
    "summ over reca list ever all many orde walk thro acro time kind type sort acti thin",
    r"\b(?:summar\w+|overview|recap|list|every(?:thing)?|all (?:the|of|my|our)|how many|in (?:what|which) order|"
    r"the order in which|walk me through|throughout|across|over time|what (?:kinds?|types?|sorts?) of|activities|"
    r"things)\b",
)
_USERS_WORDS = wording(
    "want ask aske told tell requ supp wish comp repo say said did had have was were ment gave insi spec sugg desc "
    "expl poin warn remi pref like disl hate appr reje pick chos agre allo forb obje dema deci",
    r"\b(?:want(?:ed|s)?|asked|told|requested|required|requirements?|supposed|wish(?:ed)?|complaint|reported|reporter)\b"
    r"|\b(?:I|we|user)\b(?: \w+){0,2} (?:want|ask|say|said|tell|request|wish|complain(?:ed)?)\b"
    r"|\b(?:did|had|have) (?:I|the user)(?: \w+)? (?:mention|give|insist|specify|suggest|describe|explain|point out"
    r"|warn|remind|prefer|like|dislike|hate|approve|reject|pick|choose|agree|allow|forbid|object|demand|decide)(?:e?[dn])?\b"
    r"|\b(?:I|the user)(?: \w+)? (?:mentioned|gave|insisted|specified|suggested|described|explained|pointed out|warned"
    r"|reminded|preferred|liked|disliked|hated|approved|rejected|picked|chose|agreed|allowed|forbade|objected|demanded"
    r"|decided)\b"
    r"|\b(?:was|were) (?:I|the user)(?: \w+)? (?:(?:un)?happy|annoyed|angry|worried|(?:dis)?satisfied)\b",
)
_FAILURE = wording(
    "why erro fail refu reje stuc brok wron impo kept prev cras deni unab cann trou t",
    r"\b(?:why|errors?|fail\w*|refus\w*|reject\w*|stuck|brok\w*|wrong|impossible|kept|prevent\w*|crash\w*|denied|unable"
    r"|cannot|trouble|(?:could|did|would|is|was|were|does) ?n['’]t)\b",
)
_CAUSE = wording(
    "why come caus brok wron reas",
    r"\b(?:why|how come|what (?:caused|broke|went wrong|was wrong|is wrong)|reasons?)\b",
)
_OUTCOME = wording(
    "end ends ende endi fina even last conc outc left leav turn ever work succ fini pass help open miss do unfi unso "
    "unre pend brok fail stop get",
    r"\b(?:end(?:s|ed|ing)? up|ended (?:with|in)|(?:in|at|by) the (?:very )?end|how (?:did|do|does) (?:[^\s?]+ ){1,8}"
    r"end|finally|eventually|at last|conclu(?:de[ds]?|sions?)|outcome|(?:left|leave) off|turn(?:s|ed)? out"
    r"|ever (?:\w+ )?(?:\w+ed|done|work|run|go|pass|succeed|get|solve|fix|finish|found|built)"
    r"|did (?:(?:it|that|this|they|we) |the (?:[^\s?]+ ){1,4})(?:work|succeed|finish|pass|help)"
    r"|(?:still|anything|what(?:['’]s| is| was)|is|was|remains?) "
    r"(?:open|left|missing|to do|unfinished|unsolved|unresolved|pending|broken|failing)"
    r"|where did (?:we|you|it|I) (?:stop|get)|last (?:thing|step|state|status))\b",
)
_OPEN_TASKS = wording(
    "open rema outs pend unfi next list left miss do",
    r"\b(?:open|remaining|outstanding|pending|unfinished|next) (?:tasks?|to-?dos?|work items?|steps?|items)\b"
    r"|\bto-?do list\b|\bwhat comes next\b"
    r"|\bwhat(?: else)?(?:['’]s| is| was| are| were)?(?: still| there| else)*"
    r" (?:(?:open|left|remain\w*|missing|to do|unfinished|pending|outstanding)"
    r"(?= (?:to|now|here|for|in|on|by|open)\b|\W*$)"
    r"|next(?= (?:for|on|up)\b|\W*$))"
    r"|\b(?:any|some)thing (?:else )?(?:is )?(?:still )?(?:left|open|to do)\b"
    r"|\bwhat (?:do|should) (?:I|we) (?:still )?(?:(?:have|need) to )?do (?:now|next)\b"
    r"|\bwhat (?:do|should) (?:I|we) still (?:have|need) to do\b",
)
_SEQUEL = wording(
    "and",
    r"\band (?:what|how|why|did|where|who|which|when)\b",
)
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
    overview, begun = asks_for_all(text), beginnings(text)
    return Wants(
        assistant=with_assistant and _ASSISTANT.is_in(_ASKING.sub("", text), begun),
        summary=overview or _SUMMARY.is_in(text, begun),
        overview=overview,
        users_words=with_assistant and _USERS_WORDS.is_in(text, begun),
        failure=with_assistant and _FAILURE.is_in(text, begun),
        decisions=asks_for_decisions(text),
        cause=with_assistant and _CAUSE.is_in(text, begun),
        outcome=with_assistant and _OUTCOME.is_in(text, begun),
        open_tasks=with_assistant and _OPEN_TASKS.is_in(text, begun),
        sequel=with_assistant and _SEQUEL.is_in(text, begun),
        order=_ORDER.is_in(text, begun),
        help=_HELP.is_in(text, begun) and _LOOKS_BACK.search(text) is None,
        time=_TIME.is_in(text, begun),
        hop=_HOP.is_in(text, begun) if about is None or about == text else _HOP.is_in(about, beginnings(about)),
        several=overview or _SEVERAL.is_in(text, begun),
        fact=_FACT.search(text) is not None,
        exact=not any(word.casefold() in STOPWORDS for word in _WORD.findall(text)),
    )
