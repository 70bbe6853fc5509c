"""How many values that a session uses again stand literally in its recap: `python -m benchmarks.recap_values FILE...`.

Each file (anything that `clew import` reads) is imported into a memory of its own without an embedder. Every session of
at least `LEAST` tokens is cut at 50, 60, ... 90 % of its text; the recap of the first part has a thirtieth of its
tokens. A value is a mark of evidence (path, command, identifier, number, date, error, address) of the first part that
occurs, as a mark, in the rest. Beside the recap stands the text of the last turns that fit the same budget.
"""

import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from clew.condense.material import Judged, RecapTurn, recap_turns
from clew.condense.recap import RecapSource, compose_recap
from clew.memory import Memory
from clew.store.rows import turn_from_row
from clew.store.tables import TURN
from clew.text.counters import counter
from clew.types import Turn

LEAST = 20_000
RATIO = 30
CUTS = (0.5, 0.6, 0.7, 0.8, 0.9)
COUNT = counter()


def stored(memory: Memory, session: str) -> list[tuple[Turn, Judged]]:
    """The turns of a session with what the analysis says of them."""
    with memory.reads.store.snapshot() as reader:
        rows = TURN.scan(reader, (memory.space, session), (memory.space, session))
    turns = [turn_from_row(row) for row in rows]
    return [(turn, judged(memory, str(turn.id))) for turn in turns]


def judged(memory: Memory, name: str) -> Judged:
    """What the analysis says of a turn."""
    said = {kind: note.value for kind, note in memory.annotations(name).items()}
    return Judged(float(said.get("importance", 0)), bool(said.get("paradigm_shift")), said.get("overlays", {}))


def values(turns: Sequence[RecapTurn]) -> dict[str, str]:
    """Value, folded -> kind."""
    return {mark.value.casefold(): mark.kind for turn in turns for mark in turn.marks}


def last_turns(turns: Sequence[Turn], budget: int) -> str:
    """The texts of the last turns within a budget, the first of them cut."""
    text = "\n".join(turn.text for turn in turns)
    return text[-4 * budget :]


def measure(memory: Memory, session: str, found: Counter[tuple[str, str]]) -> None:
    """Adds a session's counts: (place, kind) -> values used again."""
    pairs = stored(memory, session)
    turns, read = [turn for turn, _ in pairs], recap_turns(pairs)
    total = sum(turn.characters for turn in read)
    if total < 4 * LEAST:
        return
    for share in CUTS:
        cut, characters = 0, 0
        while characters < share * total:
            characters += read[cut].characters
            cut += 1
        budget = characters // 4 // RATIO
        recap = compose_recap(RecapSource(session, read[:cut]), COUNT, budget=budget).text.casefold()
        tail = last_turns(turns[:cut], budget).casefold()
        later = values(read[cut:])
        for value, kind in values(read[:cut]).items():
            if value in later:
                for name in ("all", kind, session[:8]):
                    found["used again", name] += 1
                    found["in the recap", name] += value in recap
                    found["in the last turns", name] += value in tail


def main(files: Sequence[str]) -> None:
    """Prints a table."""
    found: Counter[tuple[str, str]] = Counter()
    for file in files:
        with TemporaryDirectory() as home, Memory.open(home, embedder="none") as memory:
            memory.import_path(Path(file))
            memory.drain()
            for session in memory.sessions():
                measure(memory, session.name, found)
    print("| | used again | in the recap | in the last turns |\n|---|---:|---:|---:|")
    for name in dict.fromkeys(name for _, name in found):
        whole = found["used again", name]
        shares = (f"{found[place, name] / whole:.0%}" for place in ("in the recap", "in the last turns"))
        print(f"| {name} | {whole} | {' | '.join(shares)} |")


if __name__ == "__main__":
    main(sys.argv[1:])
