"""Several programs that ask a language model at once, one of them killed; and how the ledger is shown."""

import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from clew.memory import Memory
from clew.models.budget import Prices, worst_case
from clew.models.prompt import Prompt
from clew.rows.spend_ledger import read_ledger
from clew.store.open import open_store
from clew.testing import ScriptedLLM
from tests.support.cli_runs import done, failure, record
from tests.support.llm_answers import nothing
from tests.support.memories import told

pytestmark = pytest.mark.usefixtures("tmp_home")

ASK = """
import sys, time
from datetime import UTC, datetime
from pathlib import Path
from clew.config import LLMConfig
from clew.errors import BudgetExceeded
from clew.models.budget import Prices, worst_case
from clew.models.prompt import Completion, Prompt
from clew.derive.llm.completion_cache import CompletionCache
from clew.store.open import open_store
from clew.testing import FrozenClock, ScriptedLLM

home, number, tokens, hangs = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4] == "hangs"
worst = worst_case(Prompt.of("Say it.", "hello 0-000"), 50, Prices(0, 0))

def say(_prompt):
    print("asked", flush=True)
    time.sleep(600 if hangs else 0.001)
    return Completion("x", worst.tokens_in, 50, "m")

store = open_store(home)
clock = FrozenClock(datetime(2024, 3, 5, 12, tzinfo=UTC))
answers = CompletionCache(store, "default", ScriptedLLM(say), LLMConfig(daily_tokens=tokens), clock)
print("ready", flush=True)
sys.stdin.readline()
try:
    for place in range(100):
        answers.ask(Prompt.of("Say it.", f"hello {number}-{place:03}"), 50, "s:turn:0", "p")
except BudgetExceeded as error:
    print("refused", flush=True)
store.close()
"""
WORST = worst_case(Prompt.of("Say it.", "hello 0-000"), 50, Prices(0, 0))
CALL = WORST.tokens_in + WORST.tokens_out


def start(home: Path, number: int, tokens: int, how: str = "answers") -> subprocess.Popen[str]:
    command = [sys.executable, "-c", ASK, str(home), str(number), str(tokens), how]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def go(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()


@pytest.mark.requirement("W-LLM-06")
@pytest.mark.slow
def test_processes_together_do_not_pass_the_budget_and_a_killed_one_keeps_what_it_reserved(tmp_path: Path) -> None:
    budget = 40 * CALL + 7
    with Memory.open(tmp_path, embedder="none") as memory:
        memory.add(told("hello there"))
    victim = start(tmp_path, 0, budget, "hangs")
    go(victim)
    assert victim.stdout is not None
    assert victim.stdout.readline() == "asked\n"
    victim.kill()
    victim.communicate()
    others = [start(tmp_path, number, budget) for number in range(1, 4)]
    for process in others:
        go(process)
    said = [process.communicate()[0].split() for process in others]
    assert [process.returncode for process in others] == [0, 0, 0]
    assert [words[-1] for words in said] == ["refused"] * 3
    assert sum(words.count("asked") for words in said) == 39
    with closing(open_store(tmp_path)) as store, store.snapshot() as reader:
        (row,) = read_ledger(reader, "default")
    assert (row["calls"], row["failures"], row["reserved_tokens"]) == (39, 0, CALL)
    assert row["tokens_in"] + row["tokens_out"] == 39 * CALL


HANG = """
import sys, time
from clew.memory import Memory
from clew.testing import ScriptedLLM

def say(_prompt):
    print("asked", flush=True)
    time.sleep(600)

memory = Memory.open(sys.argv[1], embedder="none", llm=ScriptedLLM(say))
memory.drain()
"""


@pytest.mark.requirement("W-LLM-08")
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells at once that a holder was killed")
@pytest.mark.slow
def test_what_a_killed_program_was_asking_is_asked_by_the_next(tmp_path: Path) -> None:
    with Memory.open(tmp_path, embedder="none") as memory:
        memory.add_many([told("some words that are asked about"), told("and others that are too")])
    victim = subprocess.Popen([sys.executable, "-c", HANG, str(tmp_path)], stdout=subprocess.PIPE, encoding="utf-8")
    assert victim.stdout is not None
    assert victim.stdout.readline() == "asked\n"
    victim.kill()
    victim.communicate()
    with Memory.open(tmp_path, embedder="none", llm=ScriptedLLM(nothing)) as memory:
        assert memory.drain(200)
        row, _ = memory.stats().details["ledger"]
    assert row["calls"] == 2
    assert row["reserved_tokens"] > 1_000


@pytest.mark.requirement("W-LLM-07")
def test_the_ledger_is_shown(tmp_path: Path) -> None:
    with Memory.open(tmp_path, embedder="none", llm=ScriptedLLM(nothing)) as memory:
        memory.add(told("some words that are asked about"))
        assert memory.drain(200)
    row, other = record("stats", "--home", tmp_path)["details"]["ledger"]
    assert (row["calls"], other["calls"]) == (1, 1)
    line = f"{row['day']} scripted, nuance_model: 1 call, {row['tokens_in']} tokens read, 8 written, cost 0.000000\n"
    assert line in done("doctor", "--home", tmp_path)
    assert record("doctor", "--home", tmp_path)["ledger"] == [row, other]
    page = " ".join(done("stats", "--home", tmp_path).split())
    assert f"{row['tokens_in']} tokens read" in page
    with Memory.open(tmp_path / "other", embedder="none") as memory:
        memory.add(told("nobody is asked about this"))
    assert "ledger" not in record("doctor", "--home", tmp_path / "other")


@pytest.mark.requirement("W-LLM-12")
def test_work_says_why_the_model_is_not_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Memory.open(tmp_path, embedder="none") as memory:
        memory.add(told("some words that are asked about"))
    monkeypatch.setenv("CLEW_EMBEDDER", "none")
    monkeypatch.setenv("CLEW_LLM_MODEL", "openai:m@http://127.0.0.1:9/v1")
    monkeypatch.setenv("CLEW_LLM_DAILY_TOKENS", "0")
    assert "llm.daily_tokens" in failure(1, "work", "--once", "--home", tmp_path)
