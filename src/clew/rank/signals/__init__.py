"""The signals: plain functions from a Frame to one value per turn.

`SIGNALS` lists all of them in the order in which they are added, which fixes the floating-point sum. A new signal is a
function in a module of this package and a row of that list.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from clew.config import RecallConfig
from clew.index.view import Mask
from clew.rank.signals.agent import agent, brief, call, terse, users_words
from clew.rank.signals.beat import beat
from clew.rank.signals.burst import burst
from clew.rank.signals.cost import cost, lengthy
from clew.rank.signals.course import cause, closing, sequel
from clew.rank.signals.coverage import coverage, exact, rare
from clew.rank.signals.decision import decision
from clew.rank.signals.dense import answer, dense, dense_rewritten, unembedded, window
from clew.rank.signals.fact import fact
from clew.rank.signals.failure import failure
from clew.rank.signals.graph import graph
from clew.rank.signals.hop import hop
from clew.rank.signals.importance import importance
from clew.rank.signals.label import label
from clew.rank.signals.lexical import ALONE, lexical
from clew.rank.signals.opening import opening
from clew.rank.signals.position import position
from clew.rank.signals.quote import quote
from clew.rank.signals.session import session
from clew.rank.signals.speaker import assistant, speaker, speaker_first_person, user
from clew.rank.signals.stretch import stretch
from clew.rank.signals.style import dated, first_person, question, standing, statement
from clew.rank.signals.time import time
from clew.rank.signals.tree import tree
from clew.rank.sparse_columns import Column


@dataclass(frozen=True, slots=True)
class Signal:
    """One signal and how it enters the sum.

    Attributes:
        compute: returns one value per turn, or None when the signal has no opinion on this question. The function of a
            standing signal also takes a slice of turns, to compute their values alone; where they are 0 or 1 it may
            return a mask, which is kept in an eighth of the memory.
        scale: "z" values are centred and divided by their spread over the space before weighting; "raw" are not.
        standing: the signal depends on the turns and not on the question, so its values are cached with the view.
        ranks: the signal orders turns by relevance, so reciprocal rank fusion uses it as a list of its own; the others
            (priors and boosts) break ties there.
        derived: the function also takes the opinions of the signals before it on this question, by name.
        grows: the values of a standing signal for old turns stay the same as turns are added, so that only those of new
            turns are computed.
        alone: factor of the z-score where the question has no vectors, so that fewer signals rank.
    """

    name: str
    compute: Callable[..., Column | Mask | None]
    weight: Callable[[RecallConfig, bool], float]
    scale: Literal["z", "raw"] = "raw"
    ranks: bool = False
    standing: bool = False
    alone: float = 1.0
    grows: bool = True
    derived: bool = False


def _cost_weight(config: RecallConfig, *, with_assistant: bool) -> float:
    return config.cost_assistant if with_assistant else config.cost


SIGNALS: tuple[Signal, ...] = (
    Signal("lexical", lexical, lambda c, _: c.lexical, "z", ranks=True, alone=ALONE),
    Signal("dense", dense, lambda c, _: c.dense, "z", ranks=True),
    Signal("dense_rewritten", dense_rewritten, lambda c, _: c.dense_rewritten, "z", ranks=True),
    Signal("window", window, lambda c, _: c.window, "z", ranks=True),
    Signal("unembedded", unembedded, lambda c, _: c.unembedded, derived=True),
    Signal("burst", burst, lambda c, _: c.burst, derived=True),
    Signal("stretch", stretch, lambda c, _: c.stretch, derived=True),
    Signal("answer", answer, lambda c, _: c.answer),
    Signal("speaker", speaker, lambda c, _: c.speaker),
    Signal("speaker_first_person", speaker_first_person, lambda c, _: c.speaker_first_person),
    Signal("first_person", first_person, lambda c, _: c.first_person, standing=True),
    Signal("question", question, lambda c, _: c.question, standing=True),
    Signal("statement", statement, lambda c, _: c.statement, "z", standing=True),
    Signal("time", time, lambda c, _: c.time),
    Signal("dated", dated, lambda c, _: c.dated),
    Signal("position", position, lambda c, _: c.position),
    Signal("label", label, lambda c, _: c.label, ranks=True),
    Signal("fact", fact, lambda c, _: c.fact),
    Signal("graph", graph, lambda c, _: c.graph),
    Signal("beat", beat, lambda c, _: c.beat, "z", ranks=True),
    Signal("tree", tree, lambda c, _: c.tree, "z", ranks=True),
    Signal("hop", hop, lambda c, _: c.hop, "z", ranks=True),
    Signal("quote", quote, lambda c, _: c.quote),
    Signal("coverage", coverage, lambda c, _: c.coverage),
    Signal("exact", exact, lambda c, _: c.exact),
    Signal("rare", rare, lambda c, _: c.rare),
    Signal("call", call, lambda c, _: c.call, derived=True),
    Signal("session", session, lambda c, _: c.session, derived=True),
    Signal("failure", failure, lambda c, _: c.failure),
    Signal("decision", decision, lambda c, _: c.decision),
    Signal("cause", cause, lambda c, _: c.cause),
    Signal("closing", closing, lambda c, _: c.closing, derived=True),
    Signal("sequel", sequel, lambda c, _: c.sequel, derived=True),
    Signal("importance", importance, lambda c, _: c.importance, "z"),
    Signal("user", user, lambda c, _: c.user, standing=True),
    Signal("terse", terse, lambda c, _: c.terse, standing=True, grows=False),
    Signal("agent", agent, lambda c, _: c.agent, standing=True, grows=False),
    Signal("users_words", users_words, lambda c, _: c.users_words),
    Signal("brief", brief, lambda c, _: c.brief, standing=True, grows=False),
    Signal("standing", standing, lambda c, _: c.standing),
    Signal("assistant", assistant, lambda c, _: c.assistant),
    Signal("opening", opening, lambda c, _: c.opening),
    Signal("cost", cost, lambda c, a: _cost_weight(c, with_assistant=a), standing=True),
    Signal("lengthy", lengthy, lambda c, a: c.lengthy * _cost_weight(c, with_assistant=a), standing=True, grows=False),
)

__all__ = ["SIGNALS", "Signal"]
