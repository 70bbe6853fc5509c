"""An import, `clew watch`, `clew serve` and a program with the library on one home at once: nothing lost, all sound.

`CLEW_EACH` says how often each of them writes.
"""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import httpx2
import pytest

from clew.memory import Memory
from tests.e2e.test_cli_watch import added, line, watching
from tests.e2e.test_proxy_process import serving
from tests.support.cli_runs import done, environment, process
from tests.support.raw_upstreams import PATIENCE

ROUNDS = int(os.environ.get("CLEW_EACH", "4"))

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600 + 60 * ROUNDS)]

FORGOTTEN = b"the library says tea 39"

LIBRARY = """
import sys
import clew
with clew.Memory.open(sys.argv[1], embedder="none", config={"index": {"pack_minimum": 16, "fan_out": 2}}) as memory:
    for n in range(40 * int(sys.argv[2])):
        name = memory.add(clew.Turn(role="user", content=f"the library says tea {n}", session="library"))
        if n % 8 == 7:
            assert memory.recall("who says tea?", budget=300).tokens <= 300
        if n % 40 == 39:
            memory.forget(turn_ids=[name])
"""


@pytest.mark.requirement("F-MEMORY-10", "F-WATCH-02")
def test_four_programs_on_one_home_at_once(tmp_home: Path) -> None:
    home, talk = tmp_home / ".clew", tmp_home / "talk.jsonl"
    watched = tmp_home / ".claude/projects/-srv-shop/abc.jsonl"
    watched.parent.mkdir(parents=True)
    watched.write_text(line(0, "the first rope"))
    with watching(tmp_home) as (_, reports), serving(tmp_home, place=str(home)) as (url, _):
        seen = added(reports)
        words = [sys.executable, "-c", LIBRARY, str(home), str(ROUNDS)]
        with subprocess.Popen(words, env=environment(tmp_home), stderr=subprocess.PIPE) as library:
            for n in range(1, ROUNDS + 1):
                with watched.open("a") as stream:
                    stream.write(line(n, f"rope {n}"))
                said = [{"role": "user", "content": f"hull {number}"} for number in range(50 * n)]
                talk.write_text("".join(f"{json.dumps(each)}\n" for each in said))
                imported = process(tmp_home, "import", talk)
                assert imported.returncode == 0, imported.stderr
                turns = {"turns": [{"role": "user", "text": f"mast {n}", "session": "rest"}]}
                added_there = httpx2.post(f"{url}/clew/api/v1/turns", json=turns, timeout=PATIENCE).json()
                assert added_there["added"] == 1
            assert (library.communicate()[1], library.returncode) == (b"", 0)
        while seen < ROUNDS + 1:
            seen += added(reports)
    with Memory.open(home, embedder="none") as memory:
        assert memory.drain(None), "files that others held are scrubbed in the end"
    assert not [file for file in home.rglob("*") if file.is_file() and FORGOTTEN in file.read_bytes()]
    assert "no problems found" in done("verify", "--home", home)
    with Memory.open(home, embedder="none") as memory:
        counts = Counter(turn.session for turn in memory.turns())
    assert counts == {"abc": ROUNDS + 1, "talk": 50 * ROUNDS, "rest": ROUNDS, "library": 39 * ROUNDS}
