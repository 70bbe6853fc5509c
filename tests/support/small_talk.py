"""A small part of the sample conversation, with its questions, as a data set of its own."""

import json
from pathlib import Path

from tests.support.cli_runs import SAMPLE


def small_talk(folder: Path, turns: int = 80) -> Path:
    """Writes the sample's first turns and the questions that they answer; returns the folder."""
    lines = (SAMPLE / "conversation.jsonl").read_text(encoding="utf-8").splitlines()[:turns]
    known = {json.loads(line)["external_id"] for line in lines}
    asked = json.loads((SAMPLE / "questions.json").read_text(encoding="utf-8"))
    kept = [question for question in asked if question["evidence"] and known.issuperset(question["evidence"])]
    place = folder / "small"
    place.mkdir()
    (place / "conversation.jsonl").write_text("\n".join(lines), encoding="utf-8")
    (place / "questions.json").write_text(json.dumps(kept), encoding="utf-8")
    return place
