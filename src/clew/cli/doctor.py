"""`clew doctor`: what is wrong, in plain words, and its repair."""

from contextlib import closing
from typing import Any, Final

import click

from clew.cli.opening import see_that_home_exists
from clew.cli.options import Scope, common
from clew.cli.show import counted, emit, indented, ledger_line, out, printable, say_encryption
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

SHOWN: Final = 5
"""Problems of a kind that are printed; `--json` has them all."""


@click.command()
@click.option("--repair", is_flag=True, help="Mend what can be mended without losing a turn.")
@common
def doctor(scope: Scope, repair: bool) -> None:
    """Say what is wrong, what it means and what helps; mend it with --repair.

    Checks what `clew verify` checks, and shows the work that was put aside. With --repair it makes again what is
    derived from the turns, drops what belongs to nothing, and checks once more; no turn is dropped and no word of one
    changed.
    Exit status 1 means that something is still wrong.
    """
    see_that_home_exists(scope.home)
    config = load_config(home_of(scope.home))
    mended: list[str] = []
    with closing(open_store(scope.home)) as store:
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
                out().print(f"worked on: {', '.join(mended) or 'nothing'}; checked again")
                _print(findings)
    if scope.as_json:
        emit(
            {
                "ok": report.ok,
                "encryption": report.encryption,
                "mended": mended,
                "findings": [_record(each) for each in findings],
                **spent,
            }
        )
    if not report.ok:
        can = any(each.mends for each in findings) and not repair
        hint = "`clew doctor --repair` mends what it can" if can else "see above for what helps"
        raise ClewError(f"{counted(len(report.problems), 'problem')} left; {hint}")
    if not scope.as_json:
        out().print("everything is whole")


def _names(scope: Scope, store: Store, setting: str) -> dict[str, str]:
    """What finds names here and what has found them so far, for the record; printed here unless that is JSON."""
    try:
        _, note = choose_recogniser(setting)
    except ClewError as error:  # it is no fault of the home
        note = str(error)
    with store.snapshot() as reader:
        asked = read_asked(reader, scope.space)[1]
    if asked is not None and asked.model not in note:
        note += f"; what {asked.model} found is kept"
    if not scope.as_json:
        out().print(printable(note), soft_wrap=True)
    return {"ner": note}


def _deferred(scope: Scope, store: Store) -> dict[str, list[dict[str, Any]]]:
    """What was put aside, for the record; printed here unless that is JSON. Empty when nothing was."""
    with store.snapshot() as reader:
        aside = deferred(reader, scope.space)
    if aside and not scope.as_json:
        console = out()
        console.print(f"{counted(len(aside), 'job')} put aside; `clew work --retry` tries again", style="bold")
        for each in aside[:SHOWN]:
            said = f"{each.job}: {each.reason or 'no reason is known'}, {counted(each.attempts, 'attempt')}"
            console.print(indented(f"- {printable(said)}"))
        if len(aside) > SHOWN:
            console.print(indented(f"- and {len(aside) - SHOWN:,} more"))
    return {"deferred": [each.to_dict() for each in aside]} if aside else {}


def _ledger(scope: Scope, store: Store) -> dict[str, list[dict[str, Any]]]:
    """What language models cost lately, for the record; printed here unless that is JSON. Empty when none was asked."""
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
        for each in finding.problems[:SHOWN]:
            console.print(indented(f"- {printable(each.where)}: {printable(each.detail)}"))
        if len(finding.problems) > SHOWN:
            console.print(indented(f"- and {len(finding.problems) - SHOWN:,} more"))


def _record(finding: pipeline.Finding) -> dict[str, object]:
    problems = [each.to_dict() for each in finding.problems]
    return {
        "kind": finding.kind,
        "meaning": finding.meaning,
        "repair": finding.repair,
        "mends": finding.mends,
        "problems": problems,
    }
