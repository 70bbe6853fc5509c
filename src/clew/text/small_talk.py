"""Greetings, thanks and farewells, by which people are polite and say nothing else; and words that only let go on."""

import re
from collections.abc import Collection
from typing import Final
from unicodedata import category

from clew.text.ascii_runs import LETTERS, runs
from clew.text.late_pattern import late_pattern
from clew.text.sentences import sentence_spans
from clew.text.text_cache import cached_by_text

LONGEST: Final = 40
"""Characters up to which a message may be small talk."""

COURTESIES: Final = frozenset(
    "hi hello hey hiya howdy hallo hola bonjour bonsoir salut ciao moin servus greetings thanks thank thankyou thx ty "
    "cheers danke merci gracias grazie obrigado obrigada bye byebye goodbye farewell cya tschüss adios welcome".split()
)
"""Words that greet, thank or part. One of them makes a message small talk, and so does a good morning."""

BESIDE_COURTESIES: Final = frozenset(
    "you so much very many a lot ok okay good great perfect cool nice hm hmm alright right morning afternoon evening "
    "night".split()
)
"""Words that stand beside them and tell no more."""

_ADDRESS: Final = frozenset(
    "your youre re too and again there all everyone everybody guys folks dear oh haha well lovely awesome wow".split()
)
_EMPTY: Final = COURTESIES | BESIDE_COURTESIES | _ADDRESS
_CARRY_ON: Final = _EMPTY | frozenset(
    "yes yeah yep yup sure please pls do did done go on ahead it that this them then now next more once one time run "
    "rerun try tried retry repeat continue proceed keep going carry works worked work working success succeeded "
    "finished ready same still just with s".split()
)
"""Words by which somebody lets another go on, or asks whether it went well, and does not say with what."""
_WORDS: Final = re.compile(r"\w+")
_GOOD_DAY: Final = late_pattern(r"\bgood (?:morning|afternoon|evening|night|day)\b", re.IGNORECASE)
_GREETING: Final = 2 * LONGEST
"""Characters up to which a message that asks how somebody is may be a greeting."""
_ASSISTANTS: Final = frozenset("ai assistant bot chatgpt claude copilot gemini gpt".split())
"""By which words people greet a model."""
_HOW_ARE_YOU: Final = late_pattern(
    r"\bhow (?:are|r) (?:you|u|things)(?: (?:doing|going))?(?: today)?\b|\bhow(?:['’]?s| is) it going\b"
    r"|\bwhat(?:['’]?s| is) up\b|\bare (?:you|u) (?:there|here)\b|\bcan (?:you|u) (?:hear|read) me\b"
    r"|\bnice to (?:meet|see) (?:you|u)\b",
    re.IGNORECASE,
)
_GREETINGS: Final = COURTESIES | frozenset(
    "yo sup heya hullo wassup olá oi salve coucou hoi hei hej ahoj cześć siema hejka szia merhaba selam takk tack tak "
    "dziękuję teşekkürler привет здравствуйте здравствуй приветствую салют привіт вітаю спасибо مرحبا أهلا "
    "اهلا سلام شكرا שלום こんにちは こんばんは おはよう おはようございます もしもし はじめまして ありがとう "
    "ありがとうございます 你好 您好 大家好 你好吗 嗨 哈喽 早上好 下午好 晚上好 谢谢 안녕 안녕하세요 감사합니다".split()
)
"""Words by which a message to an assistant may be a greeting: also those of languages in which recall knows none."""
_GREETED: Final = late_pattern(
    r"\bguten? (?:morgen|tag|abend|nacht)\b|\b(?:hallo|hi|servus|moin) (?:zusammen|alle)\b"
    r"|\bwie geht(?:['’]?s| es (?:dir|ihnen|euch))\b|\b(?:comment )?[çc]a va(?: bien)?\b"
    r"|\bcomment (?:allez[- ]vous|vas[- ]tu)\b|\bbuen(?:os d[ií]as|as (?:tardes|noches))\b|\bqu[eé] tal\b"
    r"|\bc[oó]mo est[aá]s?\b|\bbuon(?:giorno|asera)\b|\bcome (?:stai|va)\b|\bbom dia\b|\bboa (?:tarde|noite)\b"
    r"|\btudo bem\b|\bgoede(?:morgen|middag|navond)\b|\bhoe gaat het\b|\bgod (?:morgon|dag|morgen|kväll)\b"
    r"|\bdzień dobry\b|\bdobry wieczór\b|\bdobrý den\b|\bgünaydın\b|\biyi (?:günler|akşamlar)\b"
    r"|\bnasılsın(?:ız)?\b|\bxin chào\b|\bдобр(?:ый (?:день|вечер)|ое утро|ого дня)\b|\bкак дела\b|السلام عليكم"
    r"|صباح الخير|مساء الخير|नमस्ते|नमस्कार",
    re.IGNORECASE,
)
_TIMES: Final = (
    r"(?:days?|weeks?|weekends?|mornings?|evenings?|nights?|afternoons?|holidays?|vacations?|summers?|break|trip|"
    r"christmas|easter)"
)
_WISHED_WELL: Final = (
    r"(?:(?:you|u|everyone|everybody|y['’]all|all of you|(?:every)?things?|this (?:e?-?mail|message|note)|this|"
    rf"your family|all|your (?:\w+ )?{_TIMES})(?:['’]re|['’]ve)?)"
    r"(?: (?:are|is|were|was|had|have|has|been|doing|having|going|keeping|feeling|slept|finds? you|all|an?|both))+"
    rf" (?:very )?(?:well|great|fine|ok|okay|all right|alright|lovely|good|(?:good|nice|lovely|great|restful|relaxing) "
    rf"(?:\w+ )?{_TIMES})"
)
_ANSWERED: Final = r"(?:,? (?:thanks|thank you|and you|how about you|you|too|for asking))"
_SHARES: Final = "let me (?:just |quickly )?share my screen"
_COURTESIES: Final = (
    rf"(?:(?:i |we )?(?:really )?hope (?:that )?{_WISHED_WELL}(?: (?:today|there|so far|too|everyone|everybody))?"
    rf"|how (?:was|is|has|have|were|are) (?:your|the) (?:\w+ )?{_TIMES}(?: (?:been|so far|off|going|today))*"
    r"|how (?:was|were) (?:the|your) \w+ (?:last night|yesterday|this morning|on the weekend|last weekend)"
    r"|(?:(?:i|we|it|that)(?:['’]m|['’]re|['’]s| am| are| was| is) )?(?:doing |feeling )?(?:very |quite |pretty |all )?"
    rf"(?:good|fine|well|great|ok|okay|not (?:too )?bad)(?: here)?{_ANSWERED}+"
    r"|same(?: here)?|and (?:you|yourself)|how about you(?:rself)?"
    r"|thank(?:s| you)(?: \w+){0,2} for (?:joining|coming|having (?:me|us)|being here|(?:your|taking the) "
    r"(?:time|patience)|(?:the|your) (?:\w+ )?(?:reply|response))(?:,? (?:everyone|everybody|all|today))*"
    rf"(?:\W+(?:and )?{_SHARES})?|{_SHARES}"
    r"|can (?:you|everyone|everybody)(?: all)? (?:hear me|see my screen)(?: now| okay| ok)?"
    r"|good (?:morning|afternoon|evening|night|day)|morning|evening|afternoon"
    r"|(?:you(?:['’]re| are) )?(?:very |most )?welcome(?: back)?|take care|(?:you )?too|same to you|see (?:you|ya)"
    rf"|have (?:a|yourself a) (?:\w+ )?(?:good|nice|great|lovely|wonderful|pleasant|safe) (?:one|{_TIMES})"
    r"|(?:talk|speak|see|write|chat) (?:to |with )?(?:you|ya) (?:\w+ )?(?:soon|later|tomorrow|then|around|there|\w+day)"
    r"|(?:i['’]m |i am )?(?:glad|happy|here) to (?:help|hear (?:it|that))|any ?time|my pleasure"
    r"|(?:how|what) (?:can|may) i (?:help|do for|assist)(?: you)?(?: with)?(?: today| now)?|(?:is there )?anything else"
    r"|shall we (?:continue|start|begin|go on)|what are we (?:doing|working on) today)"
)
_COURTESY: Final = late_pattern(
    r"\W*(?:(?:hey|hi|hello|hiya|so|well|oh|and|ok|okay|perfect|great|cool|lovely|thanks|thank you|thx|you|bye|goodbye|"
    rf"good (?:morning|afternoon|evening))\b\W*)*{_COURTESIES}(?:\W+(?:and )?{_COURTESIES})*"
    r"(?:\W+(?:thanks|thank you|bye|goodbye|everyone|all|again))*\W*",
    re.IGNORECASE,
)
"""A wish that all is well, a question after somebody's weekend, an answer to one, the opening of a call, a farewell."""
_POLITE: Final = late_pattern(
    r"\b(?:h(?:i|ello|ey|iya|ope)|thank(?:s|x| you)|thx|bye|goodbye|welcome|cheers|take care|weekend|good (?:morning|"
    r"afternoon|evening|night|day)|morning|have a|you too|see you|talk to you|glad to|happy to|how (?:can|was|are)|"
    r"shall we|anything else|do for you)\b",
    re.IGNORECASE,
)
"""What nearly every courtesy has a part of; a text without it is not looked at sentence by sentence."""
_POLITE_WORDS: Final = frozenset(
    "hi hello hey hiya hope thank thanks thankx thx bye goodbye welcome cheers care weekend good morning talk glad "
    "happy shall anything".split()
)
_POLITE_PHRASES: Final = ("have a", "you too", "see you", "how can", "how was", "how are", "do for you")
"""What is searched for in an ASCII text has one of these words or, where they are frequent, phrases."""
_REPLY: Final = 400
"""Characters up to which courtesies are taken out of a text: in a longer one they weigh little."""
_ASKED_FOR: Final = late_pattern(
    r"\b(?:greet\w*|thank\w*|grateful|gratitude|polite\w*|courte\w*|farewell\w*|good\s?bye|goodnight|small\s?talk"
    r"|(?:first|last) (?:thing|message|words?|turn|line)|(?:conversation|chat)s? (?:start|beg[iau]n|open|end)\w*"
    r"|(?:start|beg[iau]n|open|end)\w* (?:the|our|this|that|every|each) (?:conversation|chat))\b",
    re.IGNORECASE,
)


def is_small_talk(text: str, names: Collection[str]) -> bool:
    """Whether a message greets, thanks or parts, and says nothing else.

    Args:
        names: words of the speakers' names, case folded, by which they address each other.
    """
    if len(text) > LONGEST or "?" in text:
        return False
    words, is_polite = _words_of(text)
    return is_polite and all(word in _EMPTY or word in names for word in words)


def is_bare(text: str) -> bool:
    """Whether a message has no word, or only lets somebody go on ("run it", "success...?"): alone it tells nothing.

    A sign such as an emoji tells something: it answers.
    """
    if not text or len(text) > LONGEST:
        return False
    words, _ = _words_of(text)
    if words:
        return all(word in _CARRY_ON for word in words)
    return not any(category(sign) == "So" for sign in text)


def is_greeting(text: str) -> bool:
    """Whether a message to an assistant greets, wishes well, asks how it is or thanks, and says nothing else."""
    if len(text) > _GREETING:
        return False
    if _WORDS.search(text) and _COURTESY.fullmatch(text):
        return True
    rest = _GREETED.sub(" ", _HOW_ARE_YOU.sub(" ", text))
    words = _WORDS.findall(rest.casefold())
    greets = rest != text or not _GREETINGS.isdisjoint(words) or _GOOD_DAY.search(rest) is not None
    return greets and all(word in _EMPTY or word in _GREETINGS or word in _ASSISTANTS for word in words)


@cached_by_text(most=512, longest=_REPLY)
def without_courtesies(text: str) -> str:
    """A short text without the sentences that only greet, thank, wish well or part; another text as it is."""
    marks = [match.start() for match in _POLITE.finditer(text)] if len(text) <= _REPLY and _may_be_polite(text) else []
    if not marks:
        return text
    spans = sentence_spans(text)
    kept = [
        text[start:end]
        for start, end in spans
        if not any(start <= mark < end for mark in marks) or not is_greeting(text[start:end])
    ]
    return text if len(kept) == len(spans) else "\n".join(kept)


def _may_be_polite(text: str) -> bool:
    """Whether a courtesy may be found in a text, by a look that takes a third of the time."""
    if not text.isascii():
        return True
    low = text.lower()
    return any(map(low.__contains__, _POLITE_PHRASES)) or not _POLITE_WORDS.isdisjoint(runs(low, LETTERS))


def asks_for_small_talk(question: str) -> bool:
    """Whether a question has a word of a greeting, or asks who greeted or thanked whom, or what came first or last."""
    words = _WORDS.findall(question.casefold())
    return not COURTESIES.isdisjoint(words) or any(pattern.search(question) for pattern in (_GOOD_DAY, _ASKED_FOR))


@cached_by_text(most=2048, longest=LONGEST)
def _words_of(text: str) -> tuple[tuple[str, ...], bool]:
    """The words of a short message, and whether one of them greets, thanks or parts."""
    words = tuple(_WORDS.findall(text.casefold()))
    return words, not COURTESIES.isdisjoint(words) or _GOOD_DAY.search(text) is not None
