"""Finds where the rules for secrets are to be tried in a text: one pass for the cues of all rules.

Rules with the same cues are a group; groups have numbers, since a tuple of many texts is slow to look up by.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache

import ahocorasick

from clew.ingest.secrets.rule import GATES, SecretRule
from clew.ingest.secrets.rules import secret_rules

Hits = Mapping[int, Collection[int]]
"""Places in a text by the number of the group whose cues stand there."""


@cache
def _group_numbers() -> Mapping[tuple[str, ...], int]:
    return {cues: number for number, cues in enumerate(dict.fromkeys(rule.cues for rule in secret_rules()))}


class CueSearch:
    """Finds the cues of rules in one pass over a text (the algorithm of Aho and Corasick)."""

    def __init__(self, rules: Iterable[SecretRule], *, plain: bool) -> None:
        """`plain` leaves out the cues that no ASCII text has: each letter that a cue begins with slows the search."""
        held: dict[str, list[int]] = {}
        for cues in dict.fromkeys(rule.cues for rule in rules):
            for cue in (cue for cue in cues if cue.isascii() or not plain):
                held.setdefault(cue, []).append(_group_numbers()[cues])
        self._cues = [(len(cue) - 1, groups) for cue, groups in held.items()]
        self._automaton = ahocorasick.Automaton()
        for number, cue in enumerate(held):
            self._automaton.add_word(cue, number)
        self._automaton.make_automaton()

    def hits(self, lower: str) -> Hits:
        """Where cues begin in a text in lower case."""
        ends: dict[int, list[int]] = {}
        for end, number in self._automaton.iter(lower):
            if number in ends:
                ends[number].append(end)
            else:
                ends[number] = [end]
        by_group: dict[int, set[int]] = {}
        for number, places in ends.items():
            before, groups = self._cues[number]
            begins = [end - before for end in places]
            for group in groups:
                if group in by_group:
                    by_group[group].update(begins)
                else:
                    by_group[group] = set(begins)
        return by_group


@cache
def cue_search(*, keys: bool, plain: bool) -> CueSearch:
    """The search for the cues of secrets that are recognised by the text before them, and of keys where asked for."""
    asked = ("text", "token") if keys else ("text",)
    return CueSearch((rule for rule in secret_rules() if rule.scope in asked), plain=plain)


class CuePlaces:
    """Where rules are to be tried in one text; what several rules ask is looked up once."""

    def __init__(self, text: str, lower: str, hits: Hits) -> None:
        self._text, self._lower, self._hits = text, lower, hits
        self._begins: dict[int, list[int]] = {}
        self._has: dict[str, bool] = {}

    def of(self, rule: SecretRule, group: int) -> Sequence[int] | None:
        """The places of a rule's cues, in order; None where the rule cannot match."""
        if not rule.cues:
            return ()
        begins = self._begins.get(group)
        if begins is None:
            begins = self._begins[group] = self._gated(group)
        return begins if begins and (not rule.needs or self._has_one(rule.needs)) else None

    def _gated(self, group: int) -> list[int]:
        begins = sorted(self._hits.get(group, ()))
        gate = _gates().get(group)
        return begins if gate is None else [at for at in begins if gate.match(self._text, at)]

    def _has_one(self, needs: tuple[str, ...]) -> bool:
        for needed in needs:
            there = self._has.get(needed)
            if there is None:
                there = self._has[needed] = needed in self._lower
            if there:
                return True
        return False


@cache
def _gates() -> Mapping[int, re.Pattern[str]]:
    return {_group_numbers()[cues]: re.compile(source, re.IGNORECASE) for cues, source in GATES.items()}


@cache
def _rules_by_group() -> Mapping[int, Sequence[tuple[int, int, SecretRule]]]:
    """The rules of each group, with their places in the order in which they are tried, and the group."""
    grouped: dict[int, list[tuple[int, int, SecretRule]]] = {}
    for place, rule in enumerate(secret_rules()):
        if rule.scope != "digits":
            group = _group_numbers()[rule.cues]
            grouped.setdefault(group, []).append((place, group, rule))
    return grouped


@cache
def digit_rules() -> tuple[tuple[int, int, SecretRule], ...]:
    """The rules for texts with many digits, in the form of `rules_for`."""
    return tuple((place, -1, rule) for place, rule in enumerate(secret_rules()) if rule.scope == "digits")


def rules_for(hits: Hits) -> list[tuple[int, int, SecretRule]]:
    """The rules with a cue in the text, each with its place in the order of rules and its group, in that order."""
    by_group = _rules_by_group()
    return sorted(each for group in hits for each in by_group[group])
