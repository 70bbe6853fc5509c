"""Merge the names that a named-entity model found in a text with those found by rule: one mention for each name.

This module takes recorded spans and calls no model, so its result is reproducible. A span goes through the same key,
the same list of non-names and the same limit as a name found by rule.
"""

import re
from collections.abc import Sequence
from typing import Final

from clew.analyze.entities import MOST_NAMES, Mention, NamedEntities, entities_in, entity_key, is_no_name
from clew.types.entity import NameSpan, NodeType

_LONGEST: Final = 80
_MOST_WORDS: Final = 8
"""Characters and words of a name; a longer span is a sentence."""

_EDGE = re.compile(r"^(?:[\W_]+|(?:the|an?|my|our|his|her|their|your)\s+)+|(?:['’]s?|[\W_])+$", re.IGNORECASE)
"""What is stripped from around the name in a span: articles, quotation marks, a possessive ending."""


def named_in(text: str, spans: Sequence[NameSpan] = ()) -> NamedEntities:
    """The entities of a text, by rule and from a model's spans; `entities_in` where there are no spans.

    A name that both find becomes one mention, with the type from the rules if they are sure, else the model's. Of two
    overlapping names the longer one is kept. Spans outside the text are ignored.
    """
    named = entities_in(text)
    seen = mentions_seen(text, spans)
    if not seen:
        return named
    concepts = [each for each in named.mentions if each.type is NodeType.CONCEPT]
    rules = [each for each in named.mentions if each.type is not NodeType.CONCEPT]
    names = {mention.key: mention for mention in reversed(_joined(rules, seen)[:MOST_NAMES])}
    mentions = sorted(names.values(), key=lambda mention: (mention.start, mention.key))
    taken = {word for mention in mentions for word in mention.key.split("-")}
    free = [concept for concept in concepts if taken.isdisjoint(concept.key.split("-"))]
    return NamedEntities((*mentions, *free), named.addressed, named.self_named)


def mentions_seen(text: str, spans: Sequence[NameSpan]) -> list[Mention]:
    """The spans that contain a name, as mentions, in order."""
    return [mention for span in spans if (mention := _mention(text, span)) is not None]


def _mention(text: str, span: NameSpan) -> Mention | None:
    """A span as a mention; None where it contains no name."""
    if not 0 <= span.start < span.end <= len(text) or span.end - span.start > _LONGEST:
        return None
    written = text[span.start : span.end]
    name = _EDGE.sub("", written)
    key = entity_key(name)
    words = name.split()
    if len(key) <= 1 or len(words) > _MOST_WORDS or "\n" in name.strip() or is_no_name(name):
        return None
    return Mention(key, " ".join(words), span.type, span.start + written.find(name))


def _joined(rules: Sequence[Mention], seen: Sequence[Mention]) -> list[Mention]:
    """The mentions of both, in text order; where two overlap, the longer name is kept."""
    types = {each.key: each.type for each in reversed(seen)}
    kept = [Mention(rule.key, rule.name, _type(rule.type, types.get(rule.key)), rule.start) for rule in rules]
    known = {each.key for each in kept}
    new = [each for each in seen if each.key not in known]
    longer = [each for each in new if not any(_covers(other, each) for other in kept)]
    kept = [each for each in kept if not any(_covers(other, each) for other in longer)]
    return sorted((*kept, *longer), key=lambda mention: (mention.start, mention.key))


def _type(by_rule: NodeType, by_model: NodeType | None) -> NodeType:
    return by_model if by_rule is NodeType.NAME and by_model is not None else by_rule


def _covers(outer: Mention, inner: Mention) -> bool:
    """Whether two mentions overlap and the first is at least as long."""
    if outer.start < 0 or inner.start < 0:
        return False
    overlap = outer.start < inner.start + len(inner.name) and inner.start < outer.start + len(outer.name)
    return overlap and len(outer.name) >= len(inner.name)
