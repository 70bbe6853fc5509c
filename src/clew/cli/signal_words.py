"""What each signal of the ranking looks for, in the few words that `clew explain` has room for.

`docs/recall.md` has the whole table.
"""

from collections.abc import Iterable
from typing import Final

SIGNAL_WORDS: Final = {
    "lexical": "words of the question",
    "dense": "meaning",
    "dense_rewritten": "meaning of the rewritten question",
    "window": "meaning of the turns around it",
    "unembedded": "words, as it has no vector yet",
    "burst": "short messages sent in a row",
    "stretch": "what a meeting says around it",
    "answer": "it follows a matching question",
    "speaker": "the speaker who is asked about",
    "speaker_first_person": "that speaker says I or we",
    "first_person": "it says I or we",
    "question": "it is a question itself",
    "statement": "it tells much",
    "time": "near the time in the question",
    "dated": "it names a time",
    "position": "near the place in the conversation that is meant",
    "label": "its topics",
    "fact": "facts that it states",
    "graph": "what it names is linked to what is asked about",
    "beat": "its part of the conversation matches",
    "tree": "its part of the session matches",
    "hop": "words of what was found first",
    "quote": "the quoted phrase",
    "coverage": "how many of the question's words it has",
    "exact": "all words of the search",
    "rare": "rare words of the question",
    "call": "the call whose result it is matches",
    "session": "its session matches",
    "failure": "it tells of a failure",
    "decision": "it tells of a decision",
    "cause": "it explains something",
    "closing": "near the end of a session",
    "sequel": "it comes after the best turn",
    "importance": "its importance",
    "user": "the person says it",
    "terse": "a short order of the person",
    "agent": "the agent or one of its tools says it",
    "users_words": "the person's words are asked for",
    "brief": "it is very short",
    "standing": "a wish that goes on",
    "assistant": "the assistant's words are asked for",
    "opening": "near the beginning of a session",
    "cost": "its length",
    "lengthy": "a long report, of which a passage is shown",
    "announcement": "it only announces a result",
    "gravity": "far from the topic of the question",
    "hub": "it names what everything names",
}
"""Of each signal, and each step after the sum, what raises or lowers a turn."""


def legend(names: Iterable[str]) -> str:
    """What these signals look for, each once, in the order in which they come; empty for none that is known."""
    known = [f"{name}: {SIGNAL_WORDS[name]}" for name in dict.fromkeys(names) if name in SIGNAL_WORDS]
    return "; ".join(known)
