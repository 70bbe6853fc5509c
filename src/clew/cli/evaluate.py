"""`clew eval`: runs the evaluations that the source documents specify."""

from typing import Final

import click

from clew.cli.options import Scope, common
from clew.cli.show import err, out, progress
from clew.cli.terminal import emit
from clew.config import load_config
from clew.evaluate.hsca.conversation_beats import ConversationWeigher
from clew.evaluate.hsca.result import Evaluation
from clew.evaluate.hsca.suite import CASES, SEED, run_all
from clew.evaluate.tables import Sheet
from clew.models.choose import choose_embedder
from clew.store.open import home_of
from clew.text.counted import counted
from clew.text.printable import printable

SHOWN: Final = 3
"""Most failures printed per evaluation; --failures prints all."""


@click.group("eval")
@common
def eval_(_scope: Scope) -> None:
    """Run the evaluations that the source documents specify."""


@eval_.command()
@click.option("--seed", type=int, default=SEED, show_default=True, help="Seed of the random generator.")
@click.option("--cases", type=click.IntRange(min=1), default=CASES, show_default=True, help="Cases per evaluation.")
@click.option("--embedder", metavar="NAME", help="Embedder, or none for the rules alone.  [default: as configured]")
@click.option("--seen", is_flag=True, help="Use the development part of the material instead of the held-out part.")
@click.option("--failures", is_flag=True, help="Print every failure.")
@common
def hsca(scope: Scope, *, seed: int, cases: int, embedder: str | None, seen: bool, failures: bool) -> None:
    """Run the five evaluations of the HSCA specification (section 7) on texts of our own.

    Exit status 1 means that a threshold of the document was missed. With --home, the settings of that home apply; its
    turns are not read. With --json, one evaluation per line.
    """
    config = load_config(None if scope.home is None else home_of(scope.home))
    chosen, note = choose_embedder(embedder or config.embedder, threads=config.embed_threads)
    if chosen is None:
        err().print(printable(note), style="dim")
    with progress("{task.description}") as shown:
        task = shown.add_task("")
        evaluations = list(
            run_all(
                ConversationWeigher(chosen),
                seed=seed,
                count=cases,
                part="seen" if seen else "unseen",
                on_progress=lambda name: shown.update(task, description=name),
            )
        )
    if scope.as_json:
        emit(*(_record(evaluation) for evaluation in evaluations))
    else:
        _print(evaluations, None if failures else SHOWN)
    missed = [evaluation.name for evaluation in evaluations if not evaluation.meets_document]
    if missed:
        err().print(f"below the document's threshold: {', '.join(missed)}")
        raise click.exceptions.Exit(1)


def _record(evaluation: Evaluation) -> dict[str, object]:
    return {**evaluation.to_dict(), "meets_document": evaluation.meets_document, "passed": evaluation.passed}


def _print(evaluations: list[Evaluation], most: int | None) -> None:
    out().print(printable(sheet(evaluations).text()), soft_wrap=True)
    for evaluation in evaluations:
        if evaluation.failures:
            out().print()
            out().print(f"{evaluation.name}: {counted(len(evaluation.failures), 'failure')}", style="dim")
            for failure in evaluation.failures[:most]:
                out().print(printable(f"  {failure.case}  {failure.found}"), soft_wrap=True)


def sheet(evaluations: list[Evaluation]) -> Sheet:
    """A table with one row for each evaluation, and one for each of its further figures."""
    rows = []
    for evaluation in evaluations:
        bars = (f"{100 * evaluation.document_bar:.1f}", f"{100 * evaluation.bar:.1f}")
        name = f"{evaluation.number} {evaluation.name}"
        rows.append(
            (name, f"{100 * evaluation.value:.1f}", *bars, f"{evaluation.cases}", "yes" if evaluation.passed else "no")
        )
        for figure, value in evaluation.figures.items():
            floor = evaluation.floors.get(figure)
            ours = "-" if floor is None else f"{100 * floor:.1f}"
            rows.append((f"  {figure.replace('_', ' ')}", f"{100 * value:.1f}", "-", ours, "", ""))
    columns = ("evaluation", "%", "document asks", "we ask", "cases", "passed")
    return Sheet("HSCA evaluations", columns, tuple(rows))
