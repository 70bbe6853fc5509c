"""Checks that each analysed turn is in one closed beat or in its branch's open buffer, and has annotations."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final

from clew.derive.branch_state import MARK, BranchMark, mark_name
from clew.rows.failed_jobs import RuleStage
from clew.rows.set_aside import names_aside, sessions_aside
from clew.rows.vocabulary import aliases_of, read_vocabulary
from clew.store.protocol import Reader
from clew.store.selections import ANALYSIS_VERSION, LABEL_OWNER, META_ENTRIES
from clew.store.tables import NODE
from clew.store.turn_selections import TURN_BRANCHES, TURN_ORDINAL
from clew.store.values import past_prefix
from clew.structure.hierarchy_codec import seqs_of
from clew.structure.vocabulary import resolve
from clew.text.counted import counted
from clew.types.ids import turn_id
from clew.types.reports import Problem

_REPAIR: Final = "clew rebuild"
_SHOWN: Final = 5

_Places = Mapping[int, int]
"""Places in a session, and how often beats and open buffers cover each."""


def coverage_problems(reader: Reader, space: str) -> Iterator[Problem]:
    """Turns that are in no beat or in two, beats of deleted turns, and labels of deleted nodes."""
    marks = _branch_marks(reader, space)
    branches = _branches(reader, space)
    closed, names = _closed_beats(reader, space)
    begun_anew = sessions_aside(reader, space, RuleStage.BEATS)
    for session in sorted(branches.keys() | closed.keys()):
        covered = Counter(closed.get(session, {}))
        expected: set[int] = set()
        for branch, seqs in branches.get(session, {}).items():
            mark = marks.get(mark_name(session, branch))
            if mark is not None:
                covered.update(mark.open)
                expected |= {seq for seq in seqs if seq < mark.next}
        yield from _compare(session, covered, expected, has_gaps=session in begun_anew)
        yield from _without_annotations(reader, space, session, expected)
    for node in LABEL_OWNER.scan(reader, (space,), (space,)):
        if ":turn:" not in node and node not in names:
            detail = "it has labels, and there is no such node"
            yield Problem(kind="coverage", where=node, detail=detail, repair=_REPAIR)
    yield from _alias_problems(reader, space)


def _alias_problems(reader: Reader, space: str) -> Iterator[Problem]:
    """Label aliases that lead nowhere or in a circle."""
    aliases = aliases_of(reader, space)
    words, _ = read_vocabulary(reader, space, None)
    for name, target in sorted(aliases.items()):
        lost = [label for label in (name, target) if label not in words.labels]
        if lost or resolve(name, aliases) in aliases:
            what = f"it leads to {target!r}, " + (f"and no label {lost[0]!r} is in use" if lost else "in a circle")
            yield Problem(kind="coverage", where=f"label {name}", detail=what, repair=_REPAIR)


def _branch_marks(reader: Reader, space: str) -> dict[str, BranchMark]:
    """How far each branch is analysed, by the name of its row."""
    rows = META_ENTRIES.scan(reader, (space, MARK), (space, past_prefix(MARK)))
    return {row.name: BranchMark.from_json(row.value) for row in rows}


def _branches(reader: Reader, space: str) -> dict[str, dict[str, set[int]]]:
    """By session and branch, the places of the turns, without injected text and turns that were set aside."""
    branches: dict[str, dict[str, set[int]]] = {}
    aside = names_aside(reader, space, RuleStage.ANALYSIS)
    for row in TURN_BRANCHES.scan(reader, (space,), (space,)):
        if row.origin != "injected" and (not aside or turn_id(row.session, row.seq) not in aside):
            branches.setdefault(row.session, {}).setdefault(row.branch, set()).add(row.seq)
    return branches


def _closed_beats(reader: Reader, space: str) -> tuple[dict[str, Counter[int]], set[str]]:
    """How often each turn is in a closed beat, by session; and the names of all nodes."""
    counts: dict[str, Counter[int]] = {}
    names: set[str] = set()
    for row in NODE.scan(reader, (space,), (space,)):
        names.add(row.node)
        if row.level == 1:
            counts.setdefault(row.session, Counter()).update(seqs_of(row.data) or ())
    return counts, names


def _compare(session: str, covered: _Places, expected: set[int], *, has_gaps: bool) -> Iterator[Problem]:
    """What is wrong with the beats of a session.

    Args:
        has_gaps: rules failed on one of its beats, whose turns are in none (`clew.rows.set_aside`).
    """
    faults = {
        "are analysed and in no beat": set() if has_gaps else expected - set(covered),
        "are in more than one beat": {seq for seq, count in covered.items() if count > 1},
        "are in a beat and not among the turns": set(covered) - expected,
    }
    for what, seqs in faults.items():
        if seqs:
            shown = ", ".join(map(str, sorted(seqs)[:_SHOWN])) + ", ..." * (len(seqs) > _SHOWN)
            detail = f"{counted(len(seqs), 'turn', what)}: places {shown}"
            yield Problem(kind="coverage", where=f"session {session}", detail=detail, repair=_REPAIR)


def _without_annotations(reader: Reader, space: str, session: str, expected: set[int]) -> Iterator[Problem]:
    """Analysed turns without annotations."""
    seqs = sorted(expected)
    ordinals = TURN_ORDINAL.get_many(reader, [(space, session, seq) for seq in seqs])
    stored = [(seq, ordinal) for seq, ordinal in zip(seqs, ordinals, strict=True) if ordinal is not None]
    versions = ANALYSIS_VERSION.get_many(reader, [(space, ordinal) for _, ordinal in stored])
    missing = [turn_id(session, seq) for (seq, _), version in zip(stored, versions, strict=True) if version is None]
    if missing:
        shown = ", ".join(missing[:_SHOWN]) + ", ..." * (len(missing) > _SHOWN)
        detail = counted(len(missing), "turn", "lack what the analysis says of them")
        yield Problem(kind="coverage", where=shown, detail=detail, repair=_REPAIR)
