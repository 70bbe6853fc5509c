"""Ablations: what recall loses when one signal, or one step of dampening, is left out.

Each conversation is stored once; its questions are asked again with the signal's weight at 0. Only the bare ranking is
measured, since the block follows from it.
"""

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from clew.config import Config
from clew.errors import InputError
from clew.evaluate.corpus import DatasetConversation
from clew.evaluate.recall import (
    EPOCH,
    AskingClock,
    OnProgress,
    RunSetup,
    bare_outcome,
    changed_settings,
    store_conversation,
)
from clew.evaluate.results import QuestionOutcome, Run
from clew.memory import Memory
from clew.rank.dampening import STEPS
from clew.rank.signals import SIGNALS
from clew.version import __version__

NOTHING: Final = "nothing"
"""Name of the run that leaves no signal out."""


def run_ablations(
    conversations: Sequence[DatasetConversation],
    setup: RunSetup,
    *,
    signals: Sequence[str] = (),
    on_progress: OnProgress | None = None,
) -> dict[str, Run]:
    """Runs once with all signals (under the name `NOTHING`), then once without each signal, by its name.

    Args:
        signals: the signals to leave out in turn; empty means every signal.

    Raises:
        InputError: a signal is unknown, or there is no question.
    """
    known = [*(signal.name for signal in SIGNALS), *STEPS]
    unknown = [name for name in signals if name not in known]
    if unknown:
        raise InputError(f"no signal is called {unknown[0]!r}; there are {', '.join(known)}")
    variants = {NOTHING: setup.config, **{name: without(setup.config, name) for name in signals or known}}
    outcomes: dict[str, list[QuestionOutcome]] = {name: [] for name in variants}
    for number, conversation in enumerate(conversations, start=1):
        _run_one(conversation, setup, variants, outcomes)
        if on_progress is not None:
            on_progress(conversation.name, number, len(conversations))
    if not outcomes[NOTHING]:
        raise InputError(f"{setup.data} holds no question that can be scored; check the path and --only")
    return {
        name: Run(
            version=__version__,
            data=setup.data,
            embedder=None if setup.embedder is None else setup.embedder.name,
            settings=changed_settings(variant),
            budgets=tuple(sorted(setup.budgets)),
            turns=sum(len(conversation.turns) for conversation in conversations),
            outcomes=tuple(outcomes[name]),
        )
        for name, variant in variants.items()
    }


def without(config: Config, signal: str) -> Config:
    """The configuration with the weight of one signal at 0."""
    weights: dict[str, Any] = dict.fromkeys(("cost", "cost_assistant") if signal == "cost" else (signal,), 0.0)
    return replace(config, recall=replace(config.recall, **weights))


def _run_one(
    conversation: DatasetConversation,
    setup: RunSetup,
    variants: dict[str, Config],
    outcomes: dict[str, list[QuestionOutcome]],
) -> None:
    budgets, embedder = sorted(setup.budgets), setup.embedder
    last = next((turn.at for turn in reversed(conversation.turns) if turn.at is not None), EPOCH)
    clock = AskingClock(last)
    with tempfile.TemporaryDirectory(prefix="clew-bench-") as folder:
        home = Path(folder) / "home"
        with Memory.open(home, config=variants[NOTHING], embedder=embedder or "none", clock=clock) as memory:
            store_conversation(memory, conversation, embedder)
        for name, variant in variants.items():
            with Memory.open(home, config=variant, embedder=embedder or "none", clock=clock) as memory:
                for question in conversation.questions:
                    clock.now = question.asked_at or last
                    outcomes[name].append(bare_outcome(memory, conversation, question, budgets))
