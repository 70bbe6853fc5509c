"""How layer 1 and coherence spread over real text. Run `python -m benchmarks.spread DATA`, DATA as for `domains`.

Turns of conversations are weighed alone and six together; prose in passages of about 180 words. Of layer 1 only what is
not short is counted. Each line has the 5, 25, 50, 75 and 95 % quantiles of both.
"""

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.domains import documents
from clew.analyze.weigh import weigh_joint
from clew.evaluate.datasets import load

TOGETHER = 6
SHARES = (0.05, 0.25, 0.5, 0.75, 0.95)


def corpora(data: Path) -> Iterator[tuple[str, list[list[str]]]]:
    """Name and groups of texts that are weighed together."""
    talks = {
        "LoCoMo": [[turn.text for turn in talk.turns] for talk in load(data / "locomo-dev" / "locomo.json")],
        "REALTALK": [[turn.text for turn in talk.turns] for talk in load(data / "realtalk-dev")],
        "TIAGE": list(_tiage(data)),
    }
    for name, conversations in talks.items():
        starts = ((turns, at) for turns in conversations for at in range(0, len(turns) - TOGETHER + 1, TOGETHER))
        yield f"{name}, six turns together", [turns[at : at + TOGETHER] for turns, at in starts]
        yield f"{name}, turns alone", [[turn] for turns in conversations for turn in turns]
    for role in ("user", "assistant"):
        chats = load(data / "beam-dev")
        yield f"BEAM, {role}", [[turn.text] for chat in chats for turn in chat.turns if turn.role == role]
    runs = json.loads((data / "agent_tau_bench" / "gpt-4o-airline_longest30.json").read_text(encoding="utf-8"))
    said = [turn for run in runs for turn in run["traj"] if turn["role"] in ("user", "assistant")]
    yield "tau-bench, user and assistant", [[turn["content"]] for turn in said if isinstance(turn["content"], str)]
    prose: dict[str, list[list[str]]] = {}
    for document in documents(data, None):
        prose.setdefault(f"passages, {document.domain}", []).extend([text] for text in document.passages)
    yield from prose.items()


def _tiage(data: Path) -> Iterator[list[str]]:
    for name in ("anno_dev.json", "anno_train.json"):
        for said in json.loads((data / "tiage" / name).read_text(encoding="utf-8")).values():
            yield [text for text, _ in said]


def quantiles(scores: Sequence[float]) -> str:
    """The quantiles of at least one score, in one string."""
    ordered = sorted(scores)
    return " ".join(f"{ordered[min(len(ordered) - 1, int(share * len(ordered)))]:.2f}" for share in SHARES)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    for name, groups in corpora(parser.parse_args().data):
        weighed = [one for group in groups for one in weigh_joint(group)]
        scored = [one.layer1.score for one in weighed if not one.layer1.short]
        coherent = quantiles([one.coherence for one in weighed])
        print(f"| {name} | {len(weighed):,} | {len(scored):,} | {quantiles(scored)} | {coherent} |")


if __name__ == "__main__":
    main()
