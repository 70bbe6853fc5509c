"""Whether a verb with its object states something.

"I mean", "I give the floor to Ms. Diaz" and "a meeting I have at noon" do not.
"""

from typing import Final

from clew.knowledge.morphology import Form
from clew.knowledge.rules.lexicon import language, words
from clew.knowledge.rules.meanings import WANTS, ClauseReading
from clew.knowledge.rules.nouns import is_given_name, kin_sort
from clew.knowledge.rules.objects import Object
from clew.knowledge.rules.others import is_behind_noun
from clew.knowledge.rules.phrases import head_of, is_vague

_PASSING: Final = frozenset(("over", "for", "in", "on", "with", "on to", "at", "of"))


def states_something(reading: ClauseReading, verb: str, known: str | None, obj: Object) -> bool:
    """Whether the verb with its object can state something."""
    if (
        obj.clausal
        or _is_activity(reading)
        or _is_procedure(reading, verb, obj)
        or (known is None and _lacks_object(reading, verb, obj))
    ):
        return False
    if verb == "agree" and obj.infinitive:
        return True
    if (known == "works as" and not reading.is_person) or (known == "decides on" and _is_no_choice(reading, verb, obj)):
        return False
    if reading.clause.group.modal == "let" and known not in ("decides on", "uses") and verb != "use":
        return False
    told = known is not None or verb not in words("talk", "verbs") or _tells(reading, verb, obj)
    return told or _calls(reading, obj) or (verb == "speak" and _is_language(reading, obj))


def _is_procedure(reading: ClauseReading, verb: str, obj: Object) -> bool:
    """Whether it is told how a meeting goes on: "I give the floor to Ms. Diaz", "I'll go back to Mr. Kim"."""
    s, group = reading.s, reading.clause.group
    at = obj.low + obj.infinitive
    if at >= obj.high:
        return False
    procedures: dict[str, str] = language()["procedure"]
    act = s.low[at] if obj.infinitive else verb
    first = s.low[reading.clause.subject[0]] in ("i", "we") and group.tense != "past"
    if obj.infinitive and first and verb in ("want", "like"):
        clear = s.low[at : at + 2] == ["be", "clear"]
        if clear or act in words("talk", "performing"):
            return True  # "I want to remind everyone"
    if not procedures.get(act, "") or (act != verb and verb not in WANTS and verb != "want"):
        return _calls_on(reading, verb, obj, at)
    nouns = procedures[act].split()
    done = any(s.low[place] in nouns for place in range(at, min(obj.high, at + _NEAR_ACT)))
    return done or _calls_on(reading, verb, obj, at)


def _calls_on(reading: ClauseReading, verb: str, obj: Object, at: int) -> bool:
    """As in "I'll go back to Mr. Kim", "we now move on to the next item"."""
    s, group = reading.s, reading.clause.group
    called = s.low[at].partition(".")[0] in words("name", "titles") or is_given_name(s.low[at])
    called = called or head_of(s, at, obj.high) in words("talk", "called_on")
    next_one = group.tense == "future" or ("now" in group.adverbs and s.low[reading.clause.subject[0]] == "we")
    return next_one and called and verb in words("talk", "calling_on") and obj.preposition.endswith(("to", "with"))


_NEAR_ACT: Final = 4
"""Words from the verb of a procedure to what it is done to: "second this last motion"."""


def _calls(reading: ClauseReading, obj: Object) -> bool:
    """As in "`load()` calls `parse()`", which is not talk."""
    return reading.owner.sort == "thing" and obj.low < obj.high and reading.s.low[obj.low][0] == "`"


def _is_language(reading: ClauseReading, obj: Object) -> bool:
    """As in "speaks Spanish and a little French", which is not talk."""
    spoken = () if obj.preposition else reading.s.low[obj.low : obj.high]
    return not words("order", "languages").isdisjoint(spoken)


def _lacks_object(reading: ClauseReading, verb: str, obj: Object) -> bool:
    """Whether what is had, used or made stands elsewhere: "a meeting I have at noon", "the help I got from Tom"."""
    if reading.clause.gap is not None or obj.low >= obj.high:
        return False
    used = verb in words("vague", "lacking") and obj.preposition in _BESIDE_OBJECT
    produced = verb in words("vague", "producing") and obj.preposition in _AT_PRODUCING
    produced = produced and is_behind_noun(reading.s, reading.clause.subject[0])
    return used or produced or (verb == "get" and obj.preposition == "from")


_BESIDE_OBJECT: Final = frozenset(("from", "with", "for", "in", "at", "by"))
_AT_PRODUCING: Final = frozenset(("at", "to", "for", "with"))  # "bring in" and "develop into" say something


def _is_no_choice(reading: ClauseReading, verb: str, obj: Object) -> bool:
    """Whether it was company that somebody went with, or a view that is agreed on, rather than a choice."""
    s, group = reading.s, reading.clause.group
    if verb == "agree":
        return group.tense == "present" and not group.perfect
    person = obj.low < obj.high and is_given_name(s.low[obj.low])
    return verb == "go" and (person or any(kin_sort(s.low[at]) for at in range(obj.low, obj.high)))


def _is_activity(reading: ClauseReading) -> bool:
    """Whether "is" with a word in -ing says what something is: "my real job is teaching violin"."""
    return reading.clause.group.progressive and reading.s.low[reading.clause.subject[1] - 1] in words(
        "attribute", "nouns"
    )


def _tells(reading: ClauseReading, verb: str, obj: Object) -> bool:
    """Whether a verb of talk says something here after all: "took a class", "thought about becoming a nurse"."""
    concrete = obj.high > obj.low and not is_vague(reading.s, obj.low, obj.high) and not reading.clause.group.modal
    if verb == "think":
        return concrete and obj.preposition in ("about", "of") and bool(reading.s.form[obj.low] & Form.GERUND)
    if verb in ("go", "come") and not obj.preposition and not reading.s.form[obj.low] & Form.GERUND:
        return False
    if verb in ("do", "go") and obj.preposition in _PASSING:
        return False
    return concrete and verb in words("talk", "light")
