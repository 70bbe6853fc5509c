"""The recap of a stored session. Start at `recap_of`."""

from dataclasses import replace
from typing import Final, Literal, get_args

from clew.condense.recap import Recap, RecapSource, compose_recap
from clew.project.quests import QuestState
from clew.recall.read_path import ReadPath
from clew.rows.compactions import newest_compaction
from clew.rows.quest_reading import as_set, state_after
from clew.rows.recap_source import last_besides, recap_source, title_of, topics_of
from clew.rows.recap_states import read_state
from clew.store.protocol import Reader
from clew.text.counters import Counter

Style = Literal["auto", "quest", "chat"]
STYLES: Final[tuple[str, ...]] = get_args(Style)


def recap_of(path: ReadPath, session: str, count: Counter, *, budget: int, style: Style = "auto") -> Recap:
    """The recap of a session, up to its last compaction if it has one, so that it stays the same between compactions.

    That of the compaction itself is read as it was made; one of another budget or style is made from what the
    compaction gathered. Without a compaction, the turns are read.

    Raises:
        NotFoundError: there is no such session.
    """
    with path.store.snapshot() as reader:
        turns = last_besides(reader, path.space, session, 0) + 1
        made = newest_compaction(reader, path.space, session)
        if made is not None and style == "auto" and (made.budget, made.counter) == (budget, count.name):
            return replace(made.recap, turns=turns)
        source = None if made is None else _gathered(reader, path.space, session, made.last, count)
        if source is None:
            source, _ = recap_source(reader, path.space, session, last=None if made is None else made.last)
        last = turns if made is None else made.last
        at = state_after(reader, path.space, session, last, QuestState())
        source = replace(source, quest=as_set(reader, path.space, at.shown))
    recap = compose_recap(source, count, budget=budget, style=None if style == "auto" else style)
    return replace(recap, turns=turns)


def _gathered(reader: Reader, space: str, session: str, last: int, count: Counter) -> RecapSource | None:
    """What the last compaction gathered; None while the next one is under way, or where that was by other rules."""
    state = read_state(reader, space, session, count.name).state
    if state.last != last:
        return None
    topics = topics_of(reader, space, session, last)
    return state.source(session, count, topics, state.tasks.left(), title_of(reader, space, session))
