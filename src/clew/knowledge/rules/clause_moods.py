"""How the clauses of a sentence are meant, by place in its text."""

from clew.knowledge.rules.clauses import clauses
from clew.knowledge.rules.moods import moods
from clew.knowledge.rules.sentences import is_name
from clew.knowledge.rules.tokens import read
from clew.types.facts import Mood


def clause_moods(sentence: str) -> list[tuple[int, int, Mood]]:
    """Start, end and mood of the clauses of one English sentence, in order; empty if none is recognised."""
    s = read(sentence, 0, len(sentence))
    parts = clauses(s, is_name)
    found = []
    for clause, mood in zip(parts, moods(s, parts) if parts else [], strict=True):
        low = clause.group.at if clause.shared else clause.subject[0]
        high = max(low + 1, min(clause.stop, len(s)))
        found.append((s.start[low], s.end[high - 1], mood))
    return found
