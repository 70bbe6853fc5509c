"""How often the overlay that a text was written for is the one that it raises most.

    python -m benchmarks.overlay_texts NAME FOLDER

FOLDER is the project NAME of `data/overlay_texts.json`, as installed or checked out, after `clew project genesis`:
three texts for each overlay, written by one person before any score was seen.
"""

import argparse
import json
from collections.abc import Mapping
from pathlib import Path

from clew.analyze.overlays import Overlay, keyword_scores, strongest
from clew.project.lens import lens_of
from clew.project.meet import ACTIVE
from clew.project.project import Project
from clew.text.terms import terms

MARGIN = 0.5
TEXTS = Path(__file__).parent / "data" / "overlay_texts.json"


def is_first(scores: Mapping[Overlay, float], overlay: Overlay) -> bool:
    """Whether no overlay has a higher score, and it has one."""
    return scores.get(overlay, 0) > 0 and scores[overlay] == max(scores.values())


def is_alone(scores: Mapping[Overlay, float], overlay: Overlay) -> bool:
    """Whether an overlay has a score that is higher than that of any other by `MARGIN`."""
    return scores.get(overlay, 0) >= MARGIN + max(
        (score for each, score in scores.items() if each != overlay), default=0
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    texts = json.loads(TEXTS.read_text(encoding="utf-8"))
    parser.add_argument("name", choices=sorted(texts))
    parser.add_argument("folder", type=Path)
    given = parser.parse_args()
    with Project.open(given.folder) as project:
        nodes = lens_of(project).nodes
    asked = [(Overlay.of(name), text) for name, some in texts[given.name].items() for text in some]
    met = [(overlay, nodes.scores(terms(text))) for overlay, text in asked]
    scored = [
        (overlay, strongest(keyword_scores(text), scores))
        for (overlay, text), (_, scores) in zip(asked, met, strict=True)
    ]
    others = sum(score >= ACTIVE for overlay, scores in scored for each, score in scores.items() if each != overlay)
    print(f"{len(asked)} texts about {given.name}")
    print(f"first by the meet alone {sum(is_first(scores, overlay) for overlay, scores in met)}")
    alone = {
        each: [scores for overlay, scores in met if overlay == each and is_alone(scores, each)] for each in Overlay
    }
    print(f"alone by the meet       {sum(map(len, alone.values()))}, by at least {MARGIN}")
    for overlay, some in alone.items():
        best = max(some, key=lambda scores: scores[overlay], default={})
        other = max((score for each, score in best.items() if each != overlay), default=0.0)
        print(f"  {overlay.value:<16} {len(some)} of 3; the highest {best.get(overlay, 0.0):.1f}, others {other:.1f}")
    print(f"first by all sources    {sum(is_first(scores, overlay) for overlay, scores in scored)}")
    print(f"other overlays raised   {others}")


if __name__ == "__main__":
    main()
