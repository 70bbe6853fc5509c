"""How novelty, overlays and importance spread over real conversations, and whether importance tells anything.

    CLEW_DATA=FOLDER python -m benchmarks.importance [--vectors FILE] [--embedder none] [--part tune|kept] [--plot FILE]

FOLDER holds `locomo-dev`, `realtalk-dev`, `beam-dev`, `tiage`, `dialseg711`, `qmsum-dev`, `agent_claude_code_*` and
`agent_tau_bench` (docs/benchmarks.md says where they come from); what is not there is left out. Turns are analysed as a
memory does it, by vectors and by words alone; `--vectors` keeps vectors for the next run. The constants of
`clew.analyze` were chosen on the conversations that `TUNE` names; agent sessions were not among them. `--plot` draws
layer 1, and importance in both profiles.
"""

import argparse
import json
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from benchmarks.bars import Panel, draw_panels
from benchmarks.segmentation import read_dialseg, read_tiage
from clew.analyze.importance import RoleBaseline, importance, top_overlays
from clew.analyze.novelty import Vector, calibration_of
from clew.analyze.overlays import Overlay
from clew.analyze.turns import Rules, SessionHistory, TurnInput, analyze_turn
from clew.analyze.weigh import Weighing, weigh_joint
from clew.derive.embedding import embedding_text
from clew.evaluate.datasets import load
from clew.evaluate.tables import UNKNOWN, Sheet
from clew.ingest.importers import ImportedTurn, read_path
from clew.models.choose import choose_embedder
from clew.models.protocol import Embedder
from clew.models.recorded import RecordedEmbedder
from clew.types.analysis import TurnAnalysis
from clew.types.turn import Turn

TUNE: Final = {"LoCoMo": (0, 1, 2), "REALTALK": (0, 1, 2), "BEAM": (0, 1, 2, 3)}
"""Places of the conversations that constants were chosen on."""

PEOPLE: Final = ("LoCoMo", "REALTALK", "TIAGE", "DialSeg711", "QMSum")
"""Here people talk with each other, whichever roles they have."""

ENOUGH: Final = 50

ACTIVE: Final = 5.0
SHARES: Final = (0.05, 0.25, 0.5, 0.75, 0.95)
LOWEST, HIGHEST = 1.5, 9.5
"""What rounds to 1, and to 10, is at an end of the scale of importance."""

TOGETHER: Final = 6
"""Turns that are weighed together for the plot, about as many as a beat has."""


@dataclass(frozen=True, slots=True)
class Talk:
    """One line of one session.

    Attributes:
        gold: places of the turns that hold the answer to a question; None where there are no questions.
    """

    corpus: str
    kept: bool
    turns: tuple[Turn, ...]
    gold: frozenset[int] | None = None


@dataclass(frozen=True, slots=True)
class TurnScores:
    """One analysed turn; `sigma` is its importance by the source's own formula."""

    corpus: str
    role: str
    said: TurnAnalysis
    sigma: float
    gold: bool | None


def talks(data: Path) -> Iterator[Talk]:
    """All conversations that are there, a session at a time."""
    for corpus, place in (("LoCoMo", "locomo-dev/locomo.json"), ("REALTALK", "realtalk-dev"), ("BEAM", "beam-dev")):
        for number, conversation in enumerate(load(data / place) if (data / place).exists() else ()):
            evidence = {name for question in conversation.questions for name in question.evidence}
            for session in conversation.sessions():
                gold = frozenset(place for place, said in enumerate(session) if said.id in evidence)
                turns = tuple(said.to_turn() for said in session)
                yield Talk(corpus, number not in TUNE[corpus], turns, gold)
    yield from _of_short_chats(data)
    meetings = data / "qmsum-dev" / "meetings.jsonl"
    for conversation in load(meetings) if meetings.exists() else ():
        for session in conversation.sessions():
            yield Talk("QMSum", True, tuple(said.to_turn() for said in session))
    sessions = (*data.glob("agent_claude_code_*/*/full.jsonl"), *data.glob("agent_claude_code_viewer/*.jsonl"))
    for path in sorted(sessions):
        found = [each.turn for each in read_path(path) if isinstance(each, ImportedTurn)]
        found.sort(key=lambda turn: (turn.session, turn.branch))  # stable: a line's turns stay in order
        for _, line in groupby(found, key=lambda turn: (turn.session, turn.branch)):
            yield Talk("Claude Code", True, tuple(line))
    runs = data / "agent_tau_bench" / "gpt-4o-airline_longest30.json"
    for number, run in enumerate(json.loads(runs.read_text(encoding="utf-8")) if runs.exists() else ()):
        said = [turn for turn in run["traj"] if isinstance(turn["content"], str) and turn["role"] != "system"]
        turns = tuple(Turn(role=turn["role"], content=turn["content"], session=f"{number}") for turn in said)
        yield Talk("tau-bench", True, turns)


def _of_short_chats(data: Path) -> Iterator[Talk]:
    """Dialogues of about 16 turns (TIAGE) and 28 (DialSeg711), whose speakers take turns."""
    tiage = (data / "tiage" / "anno_train.json", data / "tiage" / "anno_dev.json")
    dialseg = data / "dialseg711" / "en_dataset_reference_2.txt"
    chats = [("TIAGE", chat) for path in tiage if path.exists() for chat in read_tiage(path)]
    chats += [("DialSeg711", chat) for chat in (read_dialseg(dialseg) if dialseg.exists() else ())]
    for corpus, chat in chats:
        turns = [
            Turn(role="assistant" if number % 2 else "user", content=text, session=chat.name)
            for number, text in enumerate(chat.texts)
        ]
        yield Talk(corpus, chat.kept, tuple(turns))


def analysed(found: Iterable[Talk], embedder: Embedder | None) -> Iterator[TurnScores]:
    """Every turn in the light of those before it."""
    rules = Rules(calibration_of(None if embedder is None else embedder.name))
    for talk in found:
        vectors = _vectors(talk.turns, embedder)
        session = SessionHistory()
        for place, (turn, vector) in enumerate(zip(talk.turns, vectors, strict=True)):
            said, after = analyze_turn(TurnInput(f"t:turn:{place}", turn.role, turn.text, vector), session, rules)
            scores = {Overlay(name): score for name, score in said.overlays.items()}
            sigma = importance(said.novelty, top_overlays(scores), 0.0, RoleBaseline(), "sigma")
            yield TurnScores(talk.corpus, turn.role, said, sigma, None if talk.gold is None else place in talk.gold)
            session = after


def _vectors(turns: Sequence[Turn], embedder: Embedder | None) -> Sequence[Vector | None]:
    if embedder is None:
        return [None] * len(turns)
    rows: list[Vector | None] = []
    for low in range(0, len(turns), 64):
        texts = [embedding_text(turn) for turn in turns[low : low + 64]]
        rows += [vector if text.strip() else None for text, vector in zip(texts, embedder.embed(texts), strict=True)]
    return rows


def area(scores: NDArray[np.float64], gold: NDArray[np.bool_]) -> float | None:
    """How often a turn that holds an answer has more than one that holds none (AUC; ties count half)."""
    if not gold.any() or gold.all():
        return None
    others = np.sort(scores[~gold])
    below = np.searchsorted(others, scores[gold], side="left") + np.searchsorted(others, scores[gold], side="right")
    return float(below.mean() / 2 / len(others))


def groups(rows: Sequence[TurnScores]) -> Iterator[tuple[str, list[TurnScores]]]:
    """Rows by corpus; where an assistant takes part, by role as well, if there are enough of it to say anything."""
    for corpus in dict.fromkeys(row.corpus for row in rows):
        some = [row for row in rows if row.corpus == corpus]
        if corpus in PEOPLE:
            yield corpus, some
            continue
        for role in ("user", "assistant", "tool"):
            spoken = [row for row in some if row.role == role]
            if len(spoken) >= ENOUGH:
                yield f"{corpus}, {role}", spoken


def spread_sheet(rows: Sequence[TurnScores], way: str) -> Sheet:
    """Quantiles of novelty, of the three highest overlays and of importance, and what follows from them."""
    lines = []
    for name, some in groups(rows):
        said = [row.said for row in some]
        matters = np.array([each.importance for each in said])
        sigma = np.array([row.sigma for row in some])
        gold = None if some[0].gold is None else area(matters, np.array([bool(row.gold) for row in some]))
        lines.append(
            (
                name,
                f"{len(some):,}",
                _quantiles([each.novelty for each in said]),
                _quantiles([sum(sorted(each.overlays.values())[-3:]) / 3 for each in said], 1),
                _quantiles([each.importance for each in said], 1),
                f"{_percent(matters < LOWEST)} / {_percent(matters >= HIGHEST)}",
                f"{_percent(sigma < LOWEST)} / {_percent(sigma >= HIGHEST)}",
                _percent([each.paradigm_shift for each in said]),
                _percent([each.preserved for each in said]),
                _percent([each.routine for each in said]),
                _percent([bool(each.references) for each in said]),
                UNKNOWN if gold is None else f"{gold:.2f}",
            )
        )
    columns = ("turns of", "turns", "novelty", "top three overlays", "importance", "ends", "ends, sigma", "shift")
    return Sheet(way, (*columns, "preserved", "routine", "refers", "AUC"), tuple(lines))


def overlay_sheet(rows: Sequence[TurnScores]) -> Sheet:
    """Share of turns on which each overlay is active; what was said before counts as it does in a memory."""
    lines = [
        (name, *(_percent([row.said.overlays.get(overlay, 0.0) >= ACTIVE for row in some]) for overlay in Overlay))
        for name, some in groups(rows)
    ]
    return Sheet(f"Turns with a score of {ACTIVE:.0f} or more, %", ("turns of", *Overlay), tuple(lines))


def _quantiles(values: Sequence[float], digits: int = 2) -> str:
    return " ".join(f"{value:.{digits}f}" for value in np.quantile(values, SHARES))


def _percent(flags: Sequence[bool] | NDArray[np.bool_]) -> str:
    return f"{100 * float(np.mean(flags)):.1f}"


def plot(rows: Sequence[TurnScores], found: Sequence[Talk]) -> str:
    """Importance in both profiles, and layer 1 of texts that are not short, by corpus."""
    panels = []
    for name, some in groups(rows):
        if name.endswith(("tool", "system")):
            continue
        weights = [
            weighed.layer1.score
            for talk in found
            for low in range(0, len(talk.turns) if talk.corpus == some[0].corpus else 0, TOGETHER)
            for turn, weighed in _weighed(talk.turns[low : low + TOGETHER])
            if (some[0].corpus in PEOPLE or turn.role == some[0].role) and not weighed.layer1.short
        ]
        matters = [row.said.importance for row in some]
        panels.append(
            Panel(name, _shares(weights, 0, 1), _shares(matters, 1, 10), _shares([row.sigma for row in some], 1, 10))
        )
    return draw_panels(panels)


def _weighed(turns: Sequence[Turn]) -> Iterable[tuple[Turn, Weighing]]:
    return zip(turns, weigh_joint([turn.text for turn in turns]), strict=True)


def _shares(values: Sequence[float], low: float, high: float) -> list[float]:
    counts, _ = np.histogram(values, bins=18, range=(low, high))
    return [float(count) / max(1, len(values)) for count in counts]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.importance", description="What turns are worth.")
    parser.add_argument("--vectors", type=Path, metavar="FILE", help="keeps vectors for the next run")
    parser.add_argument("--embedder", default="auto", help="as the setting of that name; auto by default")
    parser.add_argument("--part", choices=("tune", "kept"), help="conversations for tuning alone, or the others alone")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw the distributions as SVG")
    options = parser.parse_args(arguments)
    if "CLEW_DATA" not in os.environ:
        parser.error("CLEW_DATA is not set; set it to the folder that holds locomo-dev, realtalk-dev and beam-dev")
    found = [each for each in talks(Path(os.environ["CLEW_DATA"])) if options.part in (None, _part(each))]
    embedder = choose_embedder(options.embedder)[0]
    if embedder is not None and options.vectors is not None:
        embedder = RecordedEmbedder(embedder, options.vectors)
    rows = list(analysed(found, embedder))
    sheets = [spread_sheet(rows, "By words alone" if embedder is None else f"With {embedder.name}")]
    if embedder is not None:
        sheets.append(spread_sheet(list(analysed(found, None)), "By words alone"))
    sheets.append(overlay_sheet(rows))
    print("\n\n".join(sheet.markdown() for sheet in sheets))
    if options.plot is not None:
        options.plot.write_text(plot(rows, found), encoding="utf-8")
    return 0


def _part(talk: Talk) -> str:
    return "kept" if talk.kept else "tune"


if __name__ == "__main__":
    sys.exit(main())
