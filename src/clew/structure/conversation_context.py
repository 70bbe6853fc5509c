"""What each beat is about, read in the light of the whole conversation.

The domains of a beat come from a few turns, and some of them are stray: a lesson in physics also sounds like a manual.
Whoever knows the conversation weighs them. A domain that other beats are about is more likely a subject here, too, than
one that turns up nowhere else; a beat of a turn or two most likely goes on with what stands beside it; and a manner
that the whole conversation has, such as a novel's, says how it is told and not what a beat is about.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Final

from clew.analyze.domain_states import MANNERS
from clew.analyze.domains import is_crossing
from clew.structure.density import normalised
from clew.types.chunk import DomainTag
from clew.types.record import Record

UNNAMED: Final = frozenset({DomainTag.UNCLASSIFIED.value, DomainTag.CROSS_DOMAIN.value})
"""Tags that name no domain."""

_LEAST_SHARE: Final = 0.1
# A manner that so much of the rest of the conversation has, by turns, is how it is told and not what a beat is about,
# if the beat has a subject of this share besides.
_THROUGHOUT: Final = 0.75
_SUBJECT: Final = 0.2
# How much a beat takes from each of its neighbours, in turns.
_BESIDE: Final = 0.25
# A beat of so many turns that names nothing goes on with what stands beside it; a longer one is about nothing.
_PASSING: Final = 2
# Turns that every domain is given besides those that the other beats have of it, as in Jeffreys' prior: a
# short conversation says little of what it is not about.
_UNSEEN: Final = 0.5
# A beat crosses domains if two that are not companions have this share each.
_BOTH: Final = 0.3
# A beat that has nothing to be compared with: if this much of what its strongest domain weighs is tagged
# `cross_domain`, or if two of its domains have this share each.
_MOST_OF: Final = 0.5
_EVENLY: Final = 0.45
_DIGITS: Final = 6


@dataclass(frozen=True, slots=True)
class BeatSubject(Record):
    """What one beat is about.

    Attributes:
        domain: its domain; None where it names none and is long, or its neighbours name none either.
        crossing: whether two domains meet in it that are not companions.
    """

    domain: str | None
    crossing: bool


def subjects_in_context(beats: Sequence[tuple[Mapping[str, float], int]]) -> list[BeatSubject]:
    """What each beat of a conversation is about.

    Args:
        beats: the share of each domain tag, and the number of turns, of the beats in order.
    """
    told = _without_manner(beats)
    shares = [normalised(named_shares(domains)) for domains in told]
    total: Counter[str] = Counter()
    for share, (_, turns) in zip(shares, beats, strict=True):
        total.update({domain: value * turns for domain, value in share.items()})
    subjects: list[BeatSubject] = []
    for place, (share, (_, turns)) in enumerate(zip(shares, beats, strict=True)):
        elsewhere = {domain: round(value - share.get(domain, 0.0) * turns, _DIGITS) for domain, value in total.items()}
        if any(elsewhere.values()):
            near = (*shares[max(0, place - 1) : place], *shares[place + 1 : place + 2])
            beside = near if share or turns <= _PASSING else ()
            subjects.append(_among(_with_neighbours(share, turns, beside), elsewhere))
        else:
            subjects.append(_alone(told[place], share))
    return subjects


def _with_neighbours(share: Mapping[str, float], turns: int, beside: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The shares of a beat in turns, with a part of a turn from each neighbour."""
    found = {domain: value * turns for domain, value in share.items()}
    for near in beside:
        for domain, value in near.items():
            found[domain] = found.get(domain, 0.0) + _BESIDE * value
    return found


def _among(weights: Mapping[str, float], elsewhere: Mapping[str, float]) -> BeatSubject:
    """The subject of a beat by its own domains and by those of the rest of the conversation, both in turns.

    Bayes' rule with the root of what the rest says, since neighbouring beats repeat each other.
    """
    shares = normalised(
        {domain: value * sqrt(elsewhere.get(domain, 0.0) + _UNSEEN) for domain, value in weights.items()}
    )
    met = [domain for domain, share in shares.items() if share >= _BOTH]
    return BeatSubject(_strongest(shares), is_crossing(met))


def _alone(told: Mapping[str, float], share: Mapping[str, float]) -> BeatSubject:
    """The subject of a beat in a conversation that says nothing else."""
    named = named_shares(told)
    tagged = bool(named) and told.get(DomainTag.CROSS_DOMAIN, 0.0) >= _MOST_OF * max(named.values())
    evenly = is_crossing([domain for domain, value in share.items() if value >= _EVENLY])
    return BeatSubject(_strongest(share), tagged or evenly)


def _strongest(shares: Mapping[str, float]) -> str | None:
    return min(shares, key=lambda domain: (-round(shares[domain], _DIGITS), domain)) if shares else None


def named_shares(domains: Mapping[str, float]) -> dict[str, float]:
    """The shares of the tags that name a domain."""
    return {tag: share for tag, share in domains.items() if tag not in UNNAMED and share > 0.0}


def present(domains: Mapping[str, float]) -> set[str]:
    """The named domains with a tenth of the weight or more."""
    return {tag for tag, share in domains.items() if share >= _LEAST_SHARE and tag not in UNNAMED}


def _without_manner(beats: Sequence[tuple[Mapping[str, float], int]]) -> list[Mapping[str, float]]:
    """The domains of each beat but for the manners that the rest of the conversation has throughout."""
    whole = sum(turns for _, turns in beats)
    having = {manner: sum(turns for domains, turns in beats if manner in present(domains)) for manner in MANNERS}
    found: list[Mapping[str, float]] = []
    for domains, turns in beats:
        others, here = whole - turns, present(domains)
        subjects = [tag for tag, share in named_shares(domains).items() if share >= _SUBJECT and tag not in MANNERS]
        dropped = {
            manner
            for manner in MANNERS & domains.keys()
            if others and having[manner] - (turns if manner in here else 0) >= _THROUGHOUT * others
        }
        kept = {tag: share for tag, share in domains.items() if tag not in dropped}
        found.append(kept if subjects else domains)
    return found
