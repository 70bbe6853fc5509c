"""No telemetry: embedding a text leaves nothing behind but the vector."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

EMBED = """
from clew.models.minilm import find_minilm
embedder, reason = find_minilm()
if embedder is None:
    raise SystemExit(reason)
print(embedder.embed(["We picked Redis for sessions."]).shape)
"""


@pytest.mark.requirement("F-HOUSE-19")
def test_the_local_embedder_leaves_no_trace(tmp_home: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ORT_")}
    ran = subprocess.run(
        [sys.executable, "-c", EMBED], env=environment, cwd=tmp_home, capture_output=True, encoding="utf-8", check=False
    )
    if "no local embedder" in ran.stderr:
        pytest.skip(ran.stderr.strip())
    assert ran.returncode == 0, ran.stderr
    assert [path for path in tmp_home.rglob("*") if path.is_file()] == []
