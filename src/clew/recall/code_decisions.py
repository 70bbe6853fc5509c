"""What was decided about a file or a symbol, and whether the code changed since."""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Final

import numpy as np

from clew.condense.material import prose_of
from clew.condense.recap_lines import announces
from clew.condense.statements import is_announcement, is_settled, statements
from clew.errors import NotFoundError, StoreError
from clew.index.view import IndexView
from clew.project.links import PathResolver, TurnLinks, normal_path, touches
from clew.project.project import Project
from clew.rank.algebra.syntax import About
from clew.recall.mentions import concerning, links_at
from clew.recall.working_folders import ProjectPlace, working_folders
from clew.store.protocol import Reader
from clew.store.rows import turn_from_row
from clew.store.tables import TURN
from clew.text.late_pattern import late_pattern
from clew.text.printable import printable
from clew.types.ids import turn_id
from clew.types.projects import CodeDecision
from clew.types.turn import ROLES, Turn

log = logging.getLogger("clew.project")

READ: Final = 60
"""Turns that are read for one question, the newest that concern the file."""

STRETCH: Final = 256
"""Turns, the newest first, whose links are read at first; each further stretch has four times as many."""

_TOLD: Final = ("decision", "constraint", "failure")
_LINE: Final = 300  # characters of a sentence or request
_BACK: Final = 20  # turns of the user before a change among which the request for it is looked for
_LATER: Final = 3
_USER: Final = ROLES.index("user")


@dataclass(frozen=True, slots=True)
class TurnScope:
    """Which turns count as sources of decisions.

    Attributes:
        project: only turns of sessions that worked on it, or whose folder is not known, count; None for all.
        besides: a session whose turns do not count; None for none.
    """

    project: ProjectPlace | None = None
    besides: str | None = None


ALL: Final = TurnScope()


def decisions_about(
    reader: Reader,
    space: str,
    view: IndexView,
    wanted: About,
    limit: int,
    roots: Sequence[str] = (),
    scope: TurnScope = ALL,
) -> list[CodeDecision]:
    """Decisions, requirements, failed attempts and requests about a file or symbol, newest first; requests come last.

    Args:
        roots: folders of the projects of the space, whose files on disk tell whether they were written since.
    """
    concerned = list(islice(_concerned(reader, space, view, wanted, scope), READ))
    edits = [place for place, _, how in concerned if how == "edited"]
    written = None if wanted.kind == "symbol" else _written(roots, wanted.name)
    decisions: list[CodeDecision] = []
    requests: dict[int, CodeDecision] = {}
    for place, links, how in concerned:
        turn = _turn_at(reader, space, view, place)
        if turn is None:
            continue
        later = [_name(view, edit) for edit in edits if view.turns.ordinal[edit] > view.turns.ordinal[place]][:_LATER]
        decisions += _told(turn, links, how, later, written, wanted)
        if how == "edited" and (request := _request(reader, space, view, place)) is not None:
            requests.setdefault(
                request.ordinal or 0, _decision(request, "request", prose_of(request), how, later, written)
            )
    known = {decision.turn for decision in decisions}
    return [
        *decisions,
        *(request_decision for request_decision in requests.values() if request_decision.turn not in known),
    ][:limit]


def _concerned(
    reader: Reader, space: str, view: IndexView, wanted: About, scope: TurnScope
) -> Iterator[tuple[int, TurnLinks, str]]:
    """Yields each turn about a file or symbol, newest first: its position, its links, and how it concerns the file."""
    order, start, size = np.argsort(view.turns.ordinal)[::-1], 0, STRETCH
    while start < len(order):
        places = order[start : start + size]
        places = places[concerning(reader, space, view, wanted, places) == 1]
        names = [view.sessions[code] for code in view.turns.session[places].tolist()]
        folders = {} if scope.project is None else working_folders(reader, space, view, names)
        links_by_place = links_at(reader, space, view, places)
        for place, name, links in zip(places.tolist(), names, links_by_place, strict=True):
            worked_in = folders.get(name, ())
            if name == scope.besides or (scope.project is not None and scope.project.has(worked_in) is False):
                continue
            if wanted.kind == "symbol":
                yield place, links, "named"
            elif scope.project is None:
                yield place, links, touches(links, wanted.name) or "named"
            elif (how := scope.project.touches(links, wanted.name, worked_in)) is not None:
                yield place, links, how
        start, size = start + size, size * 4


def _told(
    turn: Turn, links: TurnLinks, how: str, later: Sequence[str], written: datetime | None, wanted: About
) -> list[CodeDecision]:
    """The sentences of a turn that settle something.

    A sentence that only announces the next step ("Let's try it without the cache:") settles nothing. If the turn names
    several files, only sentences that name the wanted one count.
    """
    prose = prose_of(turn)
    sentences = [(kind, " ".join(prose[start:end].split())) for start, end, kind in statements(prose) if kind in _TOLD]
    by_user = turn.origin == "user"
    sentences = [(kind, text) for kind, text in sentences if kind != "decision" or decides(text, by_user=by_user)]
    if len(set(links.said)) > 1:
        end = wanted.name.rpartition("/")[2].rpartition(".")[2 if wanted.kind == "symbol" else 0] or wanted.name
        sentences = [(kind, text) for kind, text in sentences if end.casefold() in text.casefold()]
    return [_decision(turn, kind, text, how, later, written) for kind, text in sentences]


def decides(text: str, *, by_user: bool) -> bool:
    """Whether a sentence states a decision.

    An agent that announces its next step decides only if it says what the step is preferred to, or why.
    """
    if is_announcement(text):
        return False
    return by_user or is_settled(text) or _CHOOSES.search(text) is not None or not announces(text)


_CHOOSES: Final = late_pattern(r"(?i)\b(?:instead|rather than|because|so that|let['’]s|let us)\b")


def _decision(
    turn: Turn, kind: str, text: str, how: str, later: Sequence[str], written: datetime | None
) -> CodeDecision:
    line = printable(" ".join(text.split()))
    return CodeDecision(
        turn=str(turn.id),
        session=turn.session,
        at=turn.at,
        kind=kind,
        text=line if len(line) <= _LINE else f"{line[: _LINE - 1]}…",
        how=how,
        changed_by=tuple(later),
        changed_on_disk=None if written is None or turn.at is None else written > turn.at,
    )


def _request(reader: Reader, space: str, view: IndexView, place: int) -> Turn | None:
    """The last message of the user before a turn of the same session."""
    session, seq = view.turns.session[place], int(view.turns.seq[place])
    before = np.flatnonzero((view.turns.session == session) & (view.turns.seq < seq) & (view.turns.role == _USER))
    for candidate in before[np.argsort(view.turns.seq[before])][::-1][:_BACK].tolist():
        turn = _turn_at(reader, space, view, candidate)
        if turn is not None and turn.origin == "user" and prose_of(turn):
            return turn
    return None


def _turn_at(reader: Reader, space: str, view: IndexView, place: int) -> Turn | None:
    row = TURN.get(reader, (space, view.sessions[int(view.turns.session[place])], int(view.turns.seq[place])))
    return None if row is None else turn_from_row(row)


def _name(view: IndexView, place: int) -> str:
    return turn_id(view.sessions[int(view.turns.session[place])], int(view.turns.seq[place]))


def _written(roots: Sequence[str], path: str) -> datetime | None:
    """When the file at a path was last written on disk; None if no readable project has the file."""
    for root in roots:
        try:
            with Project.open(root) as project:
                resolver = PathResolver(project.paths_named(normal_path(path).rpartition("/")[2]), root)
            if (match := resolver.resolve(path)) is not None:
                return datetime.fromtimestamp((Path(root) / match.path).stat().st_mtime, UTC)
        except (NotFoundError, StoreError, OSError) as error:  # gone, moved or damaged since it was attached
            log.info("whether %r was written to is not known from the project in %s: %s", path, root, error)
    return None
