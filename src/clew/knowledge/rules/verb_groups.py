"""The verb of a clause with what stands around it: tense, aspect, modals, negation, and verbs that lead to another one.

"have been working" is work, present, perfect and progressive; "am planning on moving" is move, planned; "used to smoke"
is smoke, past, ceased; "want to move" stays want, with "to move" as what is wanted.
"""

from functools import cache
from typing import Final, Literal, NamedTuple

from clew.knowledge.morphology import Form, lemma
from clew.knowledge.rules.lexicon import (
    ADVERB,
    BE,
    COORDINATOR,
    DETERMINER,
    DO,
    HAVE,
    MARK,
    MODAL,
    NAME,
    NEGATION,
    NUMBER,
    OBJECT,
    POSSESSIVE,
    PREPOSITION,
    SUBJECT,
    TO,
    words,
)
from clew.knowledge.rules.tokens import SentenceTokens, is_hedge

Tense = Literal["past", "present", "future"]
Agreement = Literal["third", "plain", "any"]
"""Which present forms a subject takes: "lives", "live", or either."""

_STARTS_NOUN: Final = DETERMINER | POSSESSIVE | NUMBER | OBJECT
_LINKS: Final = frozenset(("on", "in", "up", "about", "by", "of"))


class VerbGroup(NamedTuple):
    """A verb with its auxiliaries.

    Attributes:
        verb: dictionary form of the verb that says what is done.
        at: its place; `end` is the first place after the group.
        modal: the modal verb, if any; `will` and `going to` make the tense future instead.
        via: class of the verb that led to it: plan, begin, cease, done, go_on, used, must; else empty.
        adverbs: adverbs inside the group.
    """

    verb: str
    at: int
    end: int
    tense: Tense
    perfect: bool = False
    progressive: bool = False
    negated: bool = False
    modal: str = ""
    via: str = ""
    adverbs: tuple[str, ...] = ()


def verb_group(s: SentenceTokens, at: int, agreement: Agreement) -> VerbGroup | None:
    """The verb group that begins at a place, after adverbs; None if no finite verb stands there."""
    at, negated, adverbs = _skip(s, at)
    if at >= len(s):
        return None
    bits, low = s.bits[at], s.low[at]
    if low == "'s":
        bits = HAVE if _has_participle(s, at + 1) else BE
    if bits & BE:
        group: VerbGroup | None = _after_be(s, at, "past" if low in ("was", "were") else "present")
    elif (bits & MODAL and low != "'d") or _is_rather(s, at) or _is_advice(s, at):
        group = _after_modal(s, at + _is_rather(s, at))  # "I'd rather not go": the modal is "rather"
    elif low == "'d":
        group = _after_modal(s, at) if _plain(s, _skip(s, at + 1)[0]) else _after_have(s, at, "past")
    elif bits & HAVE and low != "having":
        group = _after_have(s, at, "past" if low == "had" else "present")
    elif bits & DO and low != "doing":
        group = _after_do(s, at)
    elif low == "got" and _is_passive(s, at):
        group = VerbGroup("be", at, at + 1, "past")
    else:
        group = _finite(s, at, agreement)
    if group is None:
        return None
    group = group._replace(negated=group.negated != negated, adverbs=(*adverbs, *group.adverbs))
    return _led_to(s, group)


def group_after_been(s: SentenceTokens, at: int) -> VerbGroup:
    """The verb group of "been" at a place whose "I have" is left out: "been running"."""
    return _led_to(s, _after_be(s, at, "present")._replace(perfect=True))


_HAD: Final = frozenset(("'d", "had", "would"))
_RATHER: Final = frozenset(("rather", "better", "best", "sooner"))
_ADVISING: Final = frozenset(("better", "best", "dare"))


def _is_rather(s: SentenceTokens, at: int) -> bool:
    return s.low[at] in _HAD and at + 1 < len(s) and s.low[at + 1] in _RATHER


def _is_advice(s: SentenceTokens, at: int) -> bool:
    """Whether a word stands before a plain verb as a modal does: "I better call Tom", whose "had" is left out."""
    return s.low[at] in _ADVISING and _plain(s, _skip(s, at + 1)[0])


def _is_passive(s: SentenceTokens, at: int) -> bool:
    """Whether "got" says what "was" does: "the demo got moved to Friday", "the picnic got cancelled"."""
    verb = s.verb[at + 1] if s.form[at + 1] & Form.PARTICIPLE else ""
    if verb in words("complement", "befalling"):
        return True
    changed = verb in words("reschedule", "verbs") or verb in words("change", "verbs") or verb == "cancel"
    return changed and at > 0 and not s.bits[at - 1] & SUBJECT


def _skip(s: SentenceTokens, at: int) -> tuple[int, bool, tuple[str, ...]]:
    """The place after adverbs and negations, whether one negates, and the adverbs."""
    negated, adverbs = False, []
    while at < len(s) and (
        (s.bits[at] & (ADVERB | NEGATION) and not s.bits[at] & (DETERMINER | NAME))
        or (negated and s.low[at] == "yet")  # "have not yet applied"
    ):
        negated = negated != bool(s.bits[at] & NEGATION)
        adverbs.append(s.low[at])
        at += 1 + is_hedge(s, at)
    return at, negated, tuple(adverbs)


def _plain(s: SentenceTokens, at: int) -> bool:
    return at < len(s) and bool(s.form[at] & Form.BASE)


def _has_participle(s: SentenceTokens, at: int) -> bool:
    at, _, adverbs = _skip(s, at)
    if at >= len(s) or not s.form[at] & Form.PARTICIPLE:
        return False
    after = s.bits[at + 1] if at + 1 < len(s) else 0
    sure = s.low[at] in ("been", "got", "had", "gone", "become") or not _PERFECT.isdisjoint(adverbs)
    return sure or bool(after & _STARTS_NOUN)


_PERFECT: Final = frozenset(("ever", "never", "just", "already", "recently"))


def _after_be(s: SentenceTokens, at: int, tense: Tense) -> VerbGroup:
    after, negated, adverbs = _skip(s, at + 1)
    if after + 2 < len(s) and s.low[after] in ("going", "about") and s.bits[after + 1] & TO and _plain(s, after + 2):
        via = "plan" if tense == "past" else ""
        group = VerbGroup(lemma(s.low[after + 2]), after + 2, after + 3, "future", via=via)
    elif s.low[after] == "back" and s.low[after + 1] in ("living", "working"):
        group = VerbGroup(lemma(s.low[after + 1]), after + 1, after + 2, tense, progressive=True)
    elif after < len(s) and s.form[after] & Form.GERUND and not _is_quality(s, after):
        group = VerbGroup(lemma(s.low[after]), after, after + 1, tense, progressive=True)
    else:  # the adverbs may be part of the complement: "is not my sister", "was very tired"
        end = after if negated else at + 1
        group = VerbGroup("be", at, end, tense)
    return group._replace(negated=negated, adverbs=adverbs)


def _is_quality(s: SentenceTokens, at: int) -> bool:
    """Whether a word in -ing is an adjective: "is interesting", "was so much more interesting to me"."""
    ends = at + 1 >= len(s) or bool(s.bits[at + 1] & (MARK | COORDINATOR))
    return s.verb[at] in words("complement", "moving") or (ends and s.verb[at] in words("complement", "giving"))


def _after_have(s: SentenceTokens, at: int, tense: Tense) -> VerbGroup | None:
    after, negated, adverbs = _skip(s, at + 1)
    if after >= len(s):
        return None
    if s.low[after] == "since" and s.form[after + 1] & Form.PARTICIPLE:
        after += 1  # "have since found"
    if s.bits[after] & TO and _plain(s, after + 1):
        group = VerbGroup(lemma(s.low[after + 1]), after + 1, after + 2, tense, via="must")
    elif s.low[after] == "got" and tense == "present":
        if after + 2 < len(s) and s.bits[after + 1] & TO and _plain(s, after + 2):
            group = VerbGroup(lemma(s.low[after + 2]), after + 2, after + 3, tense, via="must")
        else:
            group = VerbGroup("have", after, after + 1, tense)
    elif s.low[after] == "been":
        group = _after_be(s, after, tense)._replace(perfect=True)
    elif s.form[after] & Form.PARTICIPLE and not s.bits[after] & (DETERMINER | NUMBER | POSSESSIVE):
        group = VerbGroup(lemma(s.low[after]), after, after + 1, tense, perfect=True)
    else:
        group = VerbGroup("have", at, at + 1 if not negated else after, tense)
    return group._replace(negated=group.negated != negated, adverbs=(*adverbs, *group.adverbs))


def _after_modal(s: SentenceTokens, at: int) -> VerbGroup | None:
    after, negated, adverbs = _skip(s, at + 1)
    if after >= len(s):
        return None
    group: VerbGroup | None = None
    if s.low[after] == "be":
        group = _after_be(s, after, "future")
    elif s.low[after] == "have":
        group = _after_have(s, after, "future")
    elif s.form[after] & Form.BASE:
        group = VerbGroup(lemma_of_base(s, after), after, after + 1, "future")
    if group is None:
        return None
    if s.low[at] in ("can", "could") and negated and group.verb in ("stand", "bear") and s.low[group.end] not in _UP:
        return group._replace(verb="dislike", tense="past" if s.low[at] == "could" else "present", adverbs=adverbs)
    modal = "" if s.low[at] in ("will", "shall") else s.low[at]
    return group._replace(modal=modal, negated=group.negated != negated, adverbs=(*adverbs, *group.adverbs))


_UP: Final = frozenset(("up", "to", "by", "for", "on", "in", "."))


def _after_do(s: SentenceTokens, at: int) -> VerbGroup | None:
    after, negated, adverbs = _skip(s, at + 1)
    tense: Tense = "past" if s.low[at] == "did" else "present"
    if (
        after < len(s)
        and s.form[after] & Form.BASE
        and (not s.bits[after] & PREPOSITION or s.low[after] in ("like", "past"))
    ):
        return VerbGroup(lemma_of_base(s, after), after, after + 1, tense, negated=negated, adverbs=adverbs)
    return VerbGroup("do", at, at + 1, tense) if not negated else None


def lemma_of_base(s: SentenceTokens, at: int) -> str:
    """The verb that the word is the plain form of: "saw" after "will" is saw, not see."""
    return s.low[at] if s.form[at] & Form.BASE else lemma(s.low[at])


def _finite(s: SentenceTokens, at: int, agreement: Agreement) -> VerbGroup | None:
    form, bits = s.form[at], s.bits[at]
    closed = bits & (PREPOSITION | SUBJECT | OBJECT | POSSESSIVE | DETERMINER | NUMBER) and s.low[at] != "like"
    if closed or not form:
        return None
    if form & Form.PAST:
        present = s.low[at] in _ALSO_PRESENT and agreement == "plain"
        return _present(s, at) if present else VerbGroup(s.verb[at], at, at + 1, "past")
    if form & Form.THIRD and agreement != "plain":
        return VerbGroup(s.verb[at], at, at + 1, "present")
    if form & Form.BASE and agreement != "third":
        return _present(s, at)
    return None


# Plain forms that are also past; of all others ("set", "put", "found") the past is meant more often.
_ALSO_PRESENT: Final = frozenset("read cost fit let lie lay beat".split())


def _present(s: SentenceTokens, at: int) -> VerbGroup:
    return VerbGroup(lemma_of_base(s, at), at, at + 1, "present")


# ----------------------------------------------------------------------------------------- one verb leads to another


@cache
def _classes() -> dict[str, str]:
    names = ("plan", "cease", "begin", "done", "go_on")
    return {verb: name for name in names for verb in words("catenative", name)}


def _led_to(s: SentenceTokens, group: VerbGroup) -> VerbGroup:
    """The verb to which plan, start, stop, manage and their like lead; the group itself if it leads to none."""
    for _ in range(2):
        if (
            group.verb == "use"
            and s.low[group.at] in ("used", "use")
            and group.end + 1 < len(s)
            and s.bits[group.end] & TO
        ):
            if _plain(s, group.end + 1):
                group = _inner(s, group, group.end + 1, "used")
            continue
        if group.verb == "decide" and s.low[group.end] == "not" and _inner_verb(s, group.end + 1) is not None:
            return _inner(s, group, group.end + 2, "plan")._replace(negated=True, tense="future")
        via = _classes().get(group.verb) or ("cease" if group.verb == "give" and s.low[group.end] == "up" else None)
        if via is None:
            break
        place = _inner_verb(s, group.end)
        if place is None:
            break
        group = _inner(s, group, place, via)
    return group


def _inner(s: SentenceTokens, group: VerbGroup, at: int, via: str) -> VerbGroup:
    return group._replace(verb=lemma_of_base(s, at), at=at, end=at + 1, via=group.via or via)


def _inner_verb(s: SentenceTokens, at: int) -> int | None:
    """Where the verb of an infinitive or -ing form stands that begins at a place."""
    at = _skip(s, at)[0]
    if at + 1 >= len(s):
        return None
    if s.bits[at] & TO:
        inner = _skip(s, at + 1)[0]
        return inner if _plain(s, inner) else None
    if s.low[at] in _LINKS and s.form[at + 1] & Form.GERUND:
        return at + 1
    return at if s.form[at] & Form.GERUND and s.low[at] != "being" else None
