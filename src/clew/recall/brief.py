"""What a project was about last time, and what stayed open, for the start of a session. Start at `brief`."""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Final

import numpy as np

from clew.analyze.naming import without_markup
from clew.condense.binding import is_binding
from clew.condense.courtesy import without_courtesy
from clew.condense.left_open import left_open
from clew.condense.material import is_summary, plain_prose, prose_of
from clew.condense.open_tasks import open_tasks
from clew.condense.recap_lines import as_sentence, awaits_answer
from clew.condense.recap_told import is_among_people
from clew.condense.statements import LONGEST, statements
from clew.index.view import IndexView
from clew.recall.read_path import ReadPath
from clew.recall.session_topics import telling
from clew.recall.sessions import ANY_PROJECT, ProjectFilter, latest_talks
from clew.store.protocol import Reader
from clew.store.rows import turn_from_row
from clew.store.selections import NODE_TITLES
from clew.store.tables import TURN
from clew.text.counted import counted
from clew.text.shown_names import name_on_a_line, said_by, shown_speaker, shown_title
from clew.text.spoken import without_fillers
from clew.types.ids import BEAT, cut_session, short_session
from clew.types.session import SessionInfo
from clew.types.turn import Turn

EARLIER: Final = 4
"""Sessions before the last one that are named."""

BEATS: Final = 6
"""Latest beats of the last session whose topics are named."""

TAIL: Final = 2_000
"""Last turns of the last session that are read for its last words and its open tasks."""

READ: Final = 200
"""Last turns that are searched for what was decided or forbidden; a turn takes some 0.5 ms."""

TOLD: Final = 5
"""Most decisions, and most constraints, that are named."""

WORDS: Final = 300
"""Most characters of a quoted turn."""

_SAID: Final = {"user": "Last request", "assistant": "Last answer"}

_QUESTION = re.compile(r"[^.!?\n]{8,300}\?(?=[\s*)\"']*$)")
"""A question at the end of an answer."""


def brief(path: ReadPath, chosen: ProjectFilter = ANY_PROJECT) -> str:
    """Describes the last session that passes a filter as text; empty if there is none."""
    view = path.live.view()
    with path.store.snapshot() as reader:
        present = path.clock()
        talks = latest_talks(reader, path.space, view, present, 1 + EARLIER, chosen)
        if not talks:
            return ""
        last, *earlier = talks
        turns = _tail(reader, path.space, view, last.name)
        ends = view.ends(last.name)
        topics = _topics(reader, path.space, last.name)
        topics = topics if ends is None else telling(view, topics, ends)
    lines = [*_last(last, turns, topics), *_open(turns), *_told(turns)]
    if earlier:
        lines += ["", "Earlier:", *(_earlier(session, last.project) for session in earlier)]
    return "\n".join(lines)


def _last(session: SessionInfo, turns: Sequence[Turn], topics: Sequence[str]) -> Iterator[str]:
    where = " on ".join(name_on_a_line(place) for place in (session.project, session.branch) if place)
    yield f"Last session: {_day(session.end)}, {counted(session.turns, 'turn')}" + (f", {where}" if where else "")
    yield f"Name: {name_on_a_line(cut_session(session.name))}"
    among_people = _are_people(turns)
    title = shown_title(session.title) if session.title else ""
    asked = _asked(title, turns)
    if title:
        yield f"About: {title}" if among_people else f"Request: {asked}"
    if topics:
        yield f"Topics: {', '.join(topics)}"
    if among_people:
        last = next((turn for turn in reversed(turns) if _prose(turn)), None)
        if last is not None:
            yield f"Last words: {shown_speaker(said_by(last.speaker, last.role))}: {_short(_prose(last))}"
        return
    last_said = _last_said(turns)
    yield from (f"{_SAID[by]}: {_short(text)}" for by, text in last_said if by != "user" or _short(text) != asked)


def _asked(title: str, turns: Sequence[Turn]) -> str:
    """The request from which a title was cut, shortened to a line; the title if the request is not found."""
    begin = title.removesuffix("…").rstrip()
    if begin == title:
        return title
    said = (_prose(turn) for turn in turns if turn.origin == "user")
    return next((_short(text[place:]) for text in said if (place := text.find(begin)) >= 0), title)


def _last_said(turns: Sequence[Turn]) -> list[tuple[str, str]]:
    """The last statement of the user and of the assistant, in order; courtesies only where there is no other."""
    latest, courtesies = dict[str, tuple[int, str]](), dict[str, tuple[int, str]]()
    for place, turn in reversed(list(enumerate(turns))):
        if turn.origin in _SAID and turn.origin not in latest and (text := _prose(turn)):
            (latest if without_courtesy(text) else courtesies).setdefault(turn.origin, (place, text))
    last = sorted((place, origin, text) for origin, (place, text) in (courtesies | latest).items())
    return [(origin, text) for _, origin, text in last]


def _are_people(turns: Sequence[Turn]) -> bool:
    """Whether two or more people with names talk, and no assistant."""
    voices = {(turn.role, turn.speaker) for turn in turns if _prose(turn)}
    return len({speaker for _, speaker in voices}) > 1 and is_among_people(voices)


def _earlier(session: SessionInfo, project: str | None) -> str:
    """One line about an earlier session: its name, and its project folder if that differs from the last session's."""
    name = name_on_a_line(short_session(session.name))
    where = f" (in {name_on_a_line(session.project)})" if session.project and session.project != project else ""
    title = shown_title(session.title) if session.title else "no title"
    return f"- {_day(session.end)} [{name}] {title}{where}"


def _open(turns: Sequence[Turn]) -> Iterator[str]:
    """Lines about what stayed open: unanswered requests and questions, errors, tasks, and what a turn calls open."""
    said = [turn for turn in turns if turn.origin in ("user", "assistant") and _prose(turn)]
    if _are_people(said):
        pass  # nobody there is asked to answer everything
    elif awaits_answer((turn.origin, prose_of(turn)) for turn in reversed(said)):
        yield "The last request has no answer."
    elif said and said[-1].origin == "assistant" and (asked := _QUESTION.search(_prose(said[-1]))):
        yield f"Asked you: {_short(asked[0])}"
    results = [part for turn in turns[-2:] for part in turn.parts if part.type == "tool_result"]
    if results and (results[-1].extra or {}).get("is_error") is True:
        yield f"Last result, an error: {_short(results[-1].text)}"
    left = None if _are_people(said) else left_open(turns)
    called = () if left is None else left.points
    tasks = [task for task in open_tasks(turns) if task.text not in called]
    if tasks:
        yield from ("", "Open tasks:", *(f"- {_short(task.text)}" for task in tasks))
    listed = {task.text.casefold() for task in tasks}
    points = [point for point in called if point.casefold() not in listed]
    if points:
        yield from ("", "Left open by the last answer:", *(f"- {_short(point)}" for point in points))


def _told(turns: Sequence[Turn]) -> Iterator[str]:
    """Lines about recent constraints and explicit decisions; the newest of each kind comes last."""
    sentences: dict[str, dict[str, None]] = {"constraint": {}, "decision": {}}
    among_people = _are_people(turns)
    for turn in turns[-READ:]:
        if is_summary(turn):
            continue
        prose = prose_of(turn)[: 4 * LONGEST]
        for start, end, kind in statements(prose):
            text = as_sentence(" ".join(prose[start:end].split()))
            by_person = turn.role == turn.origin == "user"
            if kind in sentences and is_binding(kind, text, by_person=by_person, among_people=among_people):
                sentences[kind].pop(text, None)
                sentences[kind][text] = None
    for kind, heading in (("constraint", "To be kept:"), ("decision", "Decided:")):
        if sentences[kind]:
            yield from ("", heading, *(f"- {_short(text)}" for text in list(sentences[kind])[-TOLD:]))


def _tail(reader: Reader, space: str, view: IndexView, session: str) -> list[Turn]:
    places = np.flatnonzero(view.turns.session == view.sessions.index(session))[-TAIL:]
    rows = TURN.get_many(reader, [(space, session, seq) for seq in view.turns.seq[places].tolist()])
    return [turn_from_row(row) for row in rows if row is not None]


def _topics(reader: Reader, space: str, session: str) -> list[str]:
    """The topics of the latest beats in order, without repetitions."""
    nodes = NODE_TITLES.scan(reader, (space, session), (space, session), index="level")
    beats = sorted((node.low, node.title) for node in nodes if node.level == BEAT and node.title)
    return list(dict.fromkeys(topic for _, title in beats[-BEATS:] for topic in title.split(", ")))


def _prose(turn: Turn) -> str:
    """The prose of a turn, without tool calls, results, client notes, code blocks, Markdown and hesitations."""
    text = without_markup("\n".join(part.text for part in turn.parts if part.type == "text"))
    return without_fillers(" ".join(plain_prose(text).split()))


def _short(text: str) -> str:
    line = name_on_a_line(text).lstrip("-# ")
    return line if len(line) <= WORDS else (line[:WORDS].rpartition(" ")[0] or line[:WORDS]) + " …"


def _day(at: datetime | None) -> str:
    return "no date" if at is None else at.date().isoformat()
