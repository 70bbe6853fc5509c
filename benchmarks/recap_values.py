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

from clew.condense.material import RecapTurn
from clew.condense.recap import compose_recap
from clew.memory import Memory
from clew.rows.recap_source import recap_source
from clew.text.counters import CHARS_PER_TOKEN, counter
from clew.types import Turn

LEAST = 20_000
RATIO = 30
CUTS = (0.5, 0.6, 0.7, 0.8, 0.9)
COUNT = counter()


def values(turns: Sequence[RecapTurn]) -> dict[str, str]:
    """Value, folded -> kind."""
    return {mark.value.casefold(): mark.kind for turn in turns for mark in turn.marks}


def last_turns(turns: Sequence[Turn], budget: int) -> str:
    """The texts of the last turns within a budget, the first of them cut."""
    text = "\n".join(turn.text for turn in turns)
    return text[-CHARS_PER_TOKEN * budget :]


def measure(memory: Memory, session: str, found: Counter[tuple[str, str]]) -> None:
    """Adds a session's counts: (place, kind) -> values used again."""
    with memory.reads.store.snapshot() as reader:
        whole, turns = recap_source(reader, memory.space, session)
        total = sum(turn.characters for turn in whole.turns)
        if total < CHARS_PER_TOKEN * LEAST:
            return
        for share in CUTS:
            cut, characters = 0, 0
            while characters < share * total:
                characters += whole.turns[cut].characters
                cut += 1
            budget = characters // CHARS_PER_TOKEN // RATIO
            source, _ = recap_source(reader, memory.space, session, last=whole.turns[cut - 1].seq)
            recap = compose_recap(source, COUNT, budget=budget).text.casefold()
            tail = last_turns(turns[:cut], budget).casefold()
            later = values(whole.turns[cut:])
            for value, kind in values(source.turns).items():
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
