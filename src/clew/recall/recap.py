"""The recap of a stored session. Start at `recap_of`."""

from dataclasses import replace
from typing import Final, Literal, get_args

from clew.condense.material import recap_turns
from clew.condense.prompt_tokens import prompt_tokens
from clew.condense.recap import Recap, RecapSource, compose_recap
from clew.condense.recap_state import RecapState
from clew.project.quests import QuestState
from clew.recall.read_path import ReadPath
from clew.rows.compactions import newest_compaction
from clew.rows.damaged_rows import reading_derived
from clew.rows.quest_reading import as_set, state_after
from clew.rows.recap_source import last_besides, recap_source, scores_of, title_of, topics_of
from clew.rows.recap_states import read_state
from clew.store.protocol import Reader
from clew.store.rows import turn_from_row
from clew.store.tables import TURN
from clew.text.counters import Counter

Style = Literal["auto", "quest", "chat"]
STYLES: Final[tuple[Style, ...]] = get_args(Style)


def recap_of(
    path: ReadPath, session: str, count: Counter, *, budget: int, style: Style = "auto", until_now: bool = False
) -> Recap:
    """The recap of a session up to its last compaction, so that it stays the same until the next one.

    The recap that the compaction made is returned if budget and style are the same; otherwise one is made from what the
    compaction gathered. A session without a compaction is read as a whole.

    Args:
        until_now: tell of the turns after the compaction as well; only these are read.

    Raises:
        NotFoundError: there is no such session.
    """
    with reading_derived(path.store) as reader:
        turns = last_besides(reader, path.space, session, 0) + 1
        compaction = newest_compaction(reader, path.space, session)
        if compaction is not None and until_now and compaction.last + 1 < turns:
            source = _to_the_end(reader, path.space, session, count)
        elif (
            compaction is not None
            and style == "auto"
            and (compaction.budget, compaction.counter) == (budget, count.name)
        ):
            return replace(compaction.recap, turns=turns)
        else:
            material = None if compaction is None else _gathered(reader, path.space, session, compaction.last, count)
            last = None if compaction is None else compaction.last
            source = material or replace(recap_source(reader, path.space, session, last=last)[0], last=last)
        at = state_after(reader, path.space, session, turns if source.last is None else source.last, QuestState())
        active = path.config.analyze.overlay_threshold
        source = replace(source, quest=as_set(reader, path.space, at.shown), active=active)
    recap = compose_recap(source, count, budget=budget, style=None if style == "auto" else style)
    return replace(recap, turns=turns)


def _gathered(reader: Reader, space: str, session: str, last: int, count: Counter) -> RecapSource | None:
    """What the last compaction gathered; None if a later one has begun to gather, or other rules were used."""
    state = read_state(reader, space, session, count.name).state
    return _source(reader, space, session, state, count) if state.last == last else None


def _to_the_end(reader: Reader, space: str, session: str, count: Counter) -> RecapSource:
    """What was gathered of a session, together with the turns after it."""
    state = read_state(reader, space, session, count.name).state
    rows = TURN.scan(reader, (space, session, state.last + 1), (space, session))
    turns = [turn for turn in map(turn_from_row, rows) if turn.origin != "injected"]
    read = recap_turns(zip(turns, scores_of(reader, space, turns), strict=True), state.labels)
    state.gather(read, {turn.seq or 0: prompt_tokens(turn, count) for turn in turns})
    for turn in turns:
        state.tasks.read(turn)
    return _source(reader, space, session, state, count)


def _source(reader: Reader, space: str, session: str, state: RecapState, count: Counter) -> RecapSource:
    topics = topics_of(reader, space, session, state.last)
    return state.source(session, count, topics, state.tasks.left_by_turn(), title_of(reader, space, session))
