"""`clew doctor`: what is wrong, in plain words, and its repair."""

from contextlib import closing
from typing import Final

import click

from clew.cli.opening import see_that_home_exists
from clew.cli.options import Scope, common
from clew.cli.show import counted, emit, indented, out, printable
from clew.config import load_config
from clew.errors import ClewError
from clew.pipeline import doctor as pipeline
from clew.pipeline.verify import verify
from clew.store.open import home_of, open_store

SHOWN: Final = 5
"""Problems of a kind that are printed; `--json` has them all."""


@click.command()
@click.option("--repair", is_flag=True, help="Mend what can be mended without losing a turn.")
@common
def doctor(scope: Scope, repair: bool) -> None:
    """Say what is wrong, what it means and what helps; mend it with --repair.

    Checks what `clew verify` checks. With --repair it makes again what is derived from the turns, drops what belongs to
    nothing, and checks once more; no turn is dropped and no word of one changed. Exit status 1 means that something is
    still wrong.
    """
    see_that_home_exists(scope.home)
    config = load_config(home_of(scope.home))
    mended: list[str] = []
    with closing(open_store(scope.home)) as store:
        report = verify(store, scope.space)
        findings = pipeline.diagnose(report.problems)
        if not scope.as_json:
            _print(findings)
        if repair and findings:
            mended = pipeline.repair(store, scope.space, findings, config.index)
            report = verify(store, scope.space)
            findings = pipeline.diagnose(report.problems)
            if not scope.as_json:
                out().print(f"worked on: {', '.join(mended) or 'nothing'}; checked again")
                _print(findings)
    if scope.as_json:
        emit({"ok": report.ok, "mended": mended, "findings": [_record(each) for each in findings]})
    if not report.ok:
        can = any(each.mends for each in findings) and not repair
        hint = "`clew doctor --repair` mends what it can" if can else "see above for what helps"
        raise ClewError(f"{counted(len(report.problems), 'problem')} left; {hint}")
    if not scope.as_json:
        out().print("everything is whole")


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
