"""The three vectors of a session without a model: what turns name, open tasks, and the session's rendering.

entities    names found by rules and by the recorded spans of a named-entity model; concepts from two turns on
relations   what the stored statements of the turns amount to
deltas      the tasks that an agent's calls keep and no call says are done
summary     the stored rendering of the session, else one made from its turns
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, cast

from clew.analyze.naming import naming_text
from clew.analyze.recognised import named_in
from clew.condense.node_material import SILENT, line_of
from clew.condense.node_renderings import NodeLine, NodeSource, render_node
from clew.condense.open_tasks import tasks_by_turn
from clew.derive.extraction_facts import stated_relations
from clew.derive.rendering import SESSION_SIZE
from clew.rows.name_spans import spans_seen
from clew.rows.recap_source import title_of
from clew.rows.renderings import rendering, session_node
from clew.store.protocol import Reader
from clew.structure.graph import entity_of
from clew.structure.stored_graph import may_name, speaker_key
from clew.text.counters import Counter as TokenCounter
from clew.types.entity import NodeType
from clew.types.extraction import GraphNode, OpenDelta, TriVector
from clew.types.turn import Turn

NAME: Final = "rules"
"""Name of this extractor."""

CONCEPT_TURNS: Final = 2
"""Turns that must name a concept before it is an entity of the session."""

_SALIENT: Final = "salient"


def rules_vector(
    reader: Reader, space: str, session: str, turns: Sequence[Turn], count: TokenCounter, *, is_whole: bool = True
) -> TriVector:
    """What rules extract from turns of a session, in their order.

    Args:
        is_whole: whether these are all of the session's turns.
    """
    title = title_of(reader, space, session) or ""
    stored = rendering(reader, space, session_node(session), _SALIENT) if is_whole else None
    return TriVector(
        session=session,
        summary=_summary(turns, count) if stored is None else stored.text,
        feature_namespace=title,
        nodes=tuple(_nodes(reader, space, turns)),
        edges=tuple(stated_relations(reader, space, turns)),
        open_deltas=tuple(
            OpenDelta(namespace=title, text=text, turn_ids=(cast(str, turn.id),))
            for turn, texts in tasks_by_turn(turns)
            for text in texts
        ),
    )


def _nodes(reader: Reader, space: str, turns: Sequence[Turn]) -> Iterator[GraphNode]:
    types: dict[str, Counter[NodeType]] = {}
    forms: dict[str, Counter[str]] = {}
    where: dict[str, list[str]] = {}
    naming = [turn for turn in turns if may_name(turn)]
    for turn, spans in zip(naming, spans_seen(reader, space, naming), strict=True):
        nodes = {mention.key: (mention.type, mention.name) for mention in named_in(naming_text(turn), spans).mentions}
        own = speaker_key(turn.speaker)
        if own is not None and turn.speaker is not None:
            nodes.setdefault(own, (NodeType.PERSON, turn.speaker))
        for key, (kind, name) in nodes.items():
            types.setdefault(key, Counter())[kind] += 1
            forms.setdefault(key, Counter())[name] += 1
            where.setdefault(key, []).append(cast(str, turn.id))
    for key, kinds in types.items():
        entity = entity_of(key, kinds, forms[key])
        if entity.type is not NodeType.CONCEPT or len(where[key]) >= CONCEPT_TURNS:
            yield GraphNode(type=entity.type, name=entity.name, aliases=entity.aliases, turn_ids=tuple(where[key]))


def _summary(turns: Sequence[Turn], count: TokenCounter) -> str:
    spoken = (turn for turn in turns if turn.role not in SILENT and turn.origin not in SILENT)
    lines: list[NodeLine] = [line for line in map(line_of, spoken) if line is not None]
    made = render_node(NodeSource(lines), SESSION_SIZE, count)
    return next((each.text for each in made if each.kind == _SALIENT), "")
