"""Saved states of the HCE pipeline in which a value has another form."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

from clew.errors import InputError
from tests.unit.test_views_hce import told


@pytest.mark.requirement("F-HCE-06")
@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("max_focus",), 10**30),
        (("max_focus",), math.inf),
        (("context_budget",), -1),
        (("focus", 0, "content"), 5),
        (("focus", 0, "role"), []),
        (("graph", "entities", 0, "types"), {}),
        (("graph", "entities", 0, "forms"), {}),
        (("graph", "entities", 0, "forms"), {"x": math.inf}),
    ],
)
def test_a_value_of_another_form_is_refused(tmp_path: Path, place: tuple[Any, ...], value: Any) -> None:
    found = told()
    found.save(tmp_path)
    before = found.build_prompt("Bob")
    state = json.loads((tmp_path / "pipeline.json").read_text(encoding="utf-8"))
    part = state
    for step in place[:-1]:
        part = part[step]
    part[place[-1]] = value
    (tmp_path / "pipeline.json").write_text(json.dumps(state), encoding="utf-8")
    with pytest.raises(InputError):
        found.load(tmp_path)
    assert found.build_prompt("Bob") == before


@pytest.mark.requirement("F-HCE-06")
def test_a_state_that_is_nested_too_deeply_is_refused(tmp_path: Path) -> None:
    (tmp_path / "pipeline.json").write_text("[" * 100_000, encoding="utf-8")
    with pytest.raises(InputError, match="cannot be read"):
        told().load(tmp_path)
