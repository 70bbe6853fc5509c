"""`clew doctor`: explains problems in plain words, and repairs them."""

from contextlib import closing
from typing import Any

import click

from clew.cli.opening import check_home_exists, damage_as_json
from clew.cli.options import Scope, common
from clew.cli.problem_lines import SHOWN, problem_lines
from clew.cli.show import indented, ledger_line, out, say_encryption
from clew.cli.terminal import emit
from clew.config import load_config
from clew.errors import ClewError
from clew.maintain import doctor as pipeline
from clew.maintain.stats import LEDGER_DAYS
from clew.maintain.verify import verify
from clew.models.choose import choose_recogniser
from clew.rows.failed_jobs import deferred
from clew.rows.name_spans import read_asked
from clew.rows.spend_ledger import read_ledger
from clew.store.open import home_of, open_store
from clew.store.protocol import Store
from clew.text.counted import counted
from clew.text.printable import printable
from clew.types.reports import Problem
from clew.version import __version__, build


@click.command()
@click.option("--repair", is_flag=True, help="Repair whatever can be repaired without losing a turn.")
@common
def doctor(scope: Scope, repair: bool) -> None:
    """Explain what is wrong and how to repair it; with --repair, repair it.

    Checks what `clew verify` checks, and lists the jobs that were set aside. With --repair, it rebuilds derived data,
    deletes orphaned rows, and checks again; no turn is deleted or changed. Exit status 1 means that a problem is left.
    """
    check_home_exists(scope.home)
    if not scope.as_json:
        out().print(f"clew {__version__}, {build()}")
    config = load_config(home_of(scope.home))
    mended: list[str] = []
    with damage_as_json(scope), closing(open_store(scope.home)) as store:
        spent = _ledger(scope, store) | _deferred(scope, store) | _names(scope, store, config.entities.ner)
        report = verify(store, scope.space)
        findings = pipeline.diagnose(report.problems)
        if not scope.as_json:
            say_encryption(report.encryption)
            _print(findings)
        if repair and findings:
            mended = pipeline.repair(store, scope.space, findings, config.index)
            report = verify(store, scope.space)
            findings = pipeline.diagnose(report.problems)
            if not scope.as_json:
                out().print(f"repaired: {', '.join(mended) or 'nothing'}; checked again")
                _print(findings)
    if scope.as_json:
        emit(
            {
                "ok": report.ok,
                "version": __version__,
                "build": build(),
                "encryption": report.encryption,
                "mended": mended,
                "findings": [_record(finding) for finding in findings],
                **spent,
            }
        )
    if not report.ok:
        can = any(finding.mends for finding in findings) and not repair
        hint = "`clew doctor --repair` repairs what it can" if can else "see above for the repair of each"
        raise ClewError(f"{counted(len(report.problems), 'problem')} left; {hint}")
    if not scope.as_json:
        out().print("no problems found")


def _names(scope: Scope, store: Store, setting: str) -> dict[str, str]:
    """The recogniser of names in use, and the one that was used so far, as JSON fields; printed unless --json."""
    try:
        _, note = choose_recogniser(setting)
    except ClewError as error:  # not a problem of the stored data
        note = str(error)
    with store.snapshot() as reader:
        asked = read_asked(reader, scope.space)[1]
    if asked is not None and asked.model not in note:
        note += f"; the names found by {asked.model} are kept"
    if not scope.as_json:
        out().print(printable(note), soft_wrap=True)
    return {"ner": note}


def _deferred(scope: Scope, store: Store) -> dict[str, list[dict[str, Any]]]:
    """The jobs that were set aside, as JSON fields; printed unless --json. Empty if there are none."""
    with store.snapshot() as reader:
        aside = deferred(reader, scope.space)
    if aside and not scope.as_json:
        console = out()
        console.print(f"{counted(len(aside), 'job')} set aside; `clew work --retry` retries", style="bold")
        for turn in aside[:SHOWN]:
            said = f"{turn.job}: {turn.reason or 'unknown reason'}, {counted(turn.attempts, 'attempt')}"
            console.print(indented(f"- {printable(said)}"))
        if len(aside) > SHOWN:
            console.print(indented(f"- and {len(aside) - SHOWN:,} more"))
    return {"deferred": [turn.to_dict() for turn in aside]} if aside else {}


def _ledger(scope: Scope, store: Store) -> dict[str, list[dict[str, Any]]]:
    """The recent cost of language models, as JSON fields; printed unless --json. Empty if none was called."""
    with store.snapshot() as reader:
        rows = read_ledger(reader, scope.space, LEDGER_DAYS)
    if not scope.as_json:
        for row in rows:
            out().print(ledger_line(row), soft_wrap=True)
    return {"ledger": rows} if rows else {}


def _print(findings: list[pipeline.Finding]) -> None:
    console = out()
    for finding in findings:
        console.print(f"{finding.kind}: {counted(len(finding.problems), 'problem')}", style="bold")
        console.print(indented(finding.meaning))
        console.print(indented(finding.repair))
        for line in problem_lines(finding.problems, _problem_line):
            console.print(indented(f"- {line}"))


def _problem_line(problem: Problem) -> str:
    return f"{printable(problem.where)}: {printable(problem.detail)}"


def _record(finding: pipeline.Finding) -> dict[str, object]:
    problems = [problem.to_dict() for problem in finding.problems]
    return {
        "kind": finding.kind,
        "meaning": finding.meaning,
        "repair": finding.repair,
        "mends": finding.mends,
        "problems": problems,
    }
