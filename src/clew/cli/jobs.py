"""`clew jobs` and `clew extract`: background work that failed or waits, and extractions of whole sessions."""

from collections.abc import Sequence
from typing import Any, Final

import click

from clew.cli.opening import open_for_questions, open_memory, session_named
from clew.cli.options import Scope, common
from clew.cli.show import dim, err, grid, lay_out, out, shortened
from clew.cli.terminal import emit
from clew.errors import ClewError
from clew.rows.extraction_runs import count_runs, runs_of
from clew.rows.failed_jobs import jobs_of
from clew.store.row_types import JobRow
from clew.store.rows import from_us
from clew.text.counted import counted
from clew.text.printable import printable
from clew.types.extraction import Extraction, ExtractionRun, ExtractionState, TriVector

EXTRACT: Final = "extract"
"""Kind of the extractions among the jobs."""

LINE: Final = 300
"""Most characters shown of a reason, a task or a relation."""

ROWS: Final = 50
"""Most jobs, and most lines of each part of a vector, that are shown."""

_ENDED: Final = frozenset((ExtractionState.FAILED, ExtractionState.DEFERRED))


@click.command()
@click.option("--retry", is_flag=True, help="Retry what failed or was set aside, with all its attempts.")
@click.option("--all", "every", is_flag=True, help="Also the extractions that are done.")
@common
def jobs(scope: Scope, retry: bool, every: bool) -> None:
    """List background jobs and extractions that failed or wait, and retry them.

    What failed is tried three times in all and then set aside as `deferred`; a turn on which a rule fails, at once. An
    extraction that waits (`pending`) found no budget or no model; of one that failed, the chunks that did are listed
    below it. After --retry, the jobs are done in the background or by `clew work`, the extractions by `clew extract`.
    """
    if retry:
        with open_memory(scope) as retried:
            err().print(f"{counted(retried.retry(), 'job')} will be tried anew")
    with open_for_questions(scope) as memory, memory.reads.store.snapshot() as reader:
        failed = jobs_of(reader, memory.space)
        made = runs_of(reader, memory.space, done=every, limit=None if scope.as_json else ROWS)
        states = count_runs(reader, memory.space)
    runs = [extraction.run for extraction in made]
    if scope.as_json:
        emit(*map(_job_record, failed), *map(_run_record, runs))
        return
    table = grid("job", "state", ">attempts", "reason", titles=True)
    for row in failed[:ROWS]:
        table.add_row(printable(row.job), row.state, str(row.attempts), _line(row.reason))
    for run in runs:
        table.add_row(printable(f"{EXTRACT}:{run.session}"), run.state.value, str(run.attempts), _line(_why(run)))
        for chunk in run.chunks if run.state in _ENDED else ():
            if chunk.state in _ENDED:
                cells = (chunk.id, chunk.state.value, str(chunk.attempts), _line(chunk.reason))
                table.add_row(*(dim(printable(cell)) for cell in cells))
    if failed or runs:
        lay_out(out(), table)
    extracted = sum(count for state, count in states.items() if every or state != ExtractionState.DONE)
    left = max(0, len(failed) - ROWS) + extracted - len(runs)
    if left:
        err().print(f"{left} more; --json has them all.", style="dim")
    elif not failed and not runs:
        err().print("No job failed or waits.", style="dim")


def _why(run: ExtractionRun) -> str:
    size = f"{counted(len(run.chunks), 'chunk')}, {run.mode.value}, by {run.extractor}"
    return run.reason or size


def _line(text: str | None) -> str:
    return shortened(text or "", LINE)


def _job_record(row: JobRow) -> dict[str, Any]:
    later = from_us(row.not_before) if row.not_before else None
    return {
        "job": row.job,
        "kind": row.kind,
        "state": row.state,
        "attempts": row.attempts,
        "reason": row.reason,
        "not_before": None if later is None else later.isoformat(),
    }


def _run_record(run: ExtractionRun) -> dict[str, Any]:
    return {"job": f"{EXTRACT}:{run.session}", "kind": EXTRACT, "reason": None, **run.to_dict()}


@click.command()
@click.argument("session", required=False)
@click.option("--rules", is_flag=True, help="Use the rules only, even if a language model is configured.")
@click.option(
    "--safe-limit-tokens",
    type=int,
    metavar="TOKENS",
    help="Tokens of a prompt above which the session is read in chunks.  [default: extract.safe_limit_tokens]",
)
@click.option(
    "--semantic-calls",
    type=click.IntRange(min=0),
    metavar="N",
    help="Most calls of the model about aliases, reversals and contradictions.  [default: extract.semantic_calls]",
)
@common
def extract(
    scope: Scope, session: str | None, rules: bool, safe_limit_tokens: int | None, semantic_calls: int | None
) -> None:
    """Extract graph, open tasks and summary of sessions.

    SESSION is a name that `clew sessions` lists; without it, all that have new turns are extracted. The configured
    language model reads it, in chunks where its prompt is too long; without a model, rules do. Exit status 1 means that
    an extraction failed or waits: `clew jobs` says why.
    """
    if rules and semantic_calls is not None:
        raise click.UsageError("--rules asks no model: leave out --semantic-calls.")
    limit: dict[str, Any] = {} if safe_limit_tokens is None else {"safe_limit_tokens": safe_limit_tokens}
    with open_memory(scope) as memory:
        name = None if session is None else session_named(memory, session)
        made = memory.extract(name, use_model=not rules, semantic_calls=semantic_calls, **limit)
    if scope.as_json:
        emit(*(extraction.to_dict() for extraction in made))
    elif session is not None and made[0].vector is not None:
        _print_vector(made[0], made[0].vector)
    else:
        _print_runs(made)
    wrong = [extraction.run for extraction in made if not extraction.ok]
    if wrong:
        raise ClewError(f"{counted(len(wrong), 'extraction')} not done: {wrong[0].reason}; `clew jobs` lists all")


def _print_runs(made: Sequence[Extraction]) -> None:
    table = grid("session", "state", ">chunks", ">entities", ">relations", ">open", titles=True)
    for extraction in made:
        counts = extraction.run.telemetry
        shown = (str(counts.get(name, "")) for name in ("nodes", "edges", "open_deltas"))
        table.add_row(
            printable(extraction.run.session), extraction.run.state.value, str(len(extraction.run.chunks)), *shown
        )
    if made:
        lay_out(out(), table)
    else:
        err().print("No session has new turns.", style="dim")


def _print_vector(made: Extraction, vector: TriVector) -> None:
    console = out()
    parts = {
        "summary": vector.summary.splitlines(),
        "open": [f"{delta.namespace}: {delta.text}".removeprefix(": ") for delta in vector.open_deltas],
        "relations": [f"{edge.source} {edge.verb} {edge.target}" for edge in vector.edges],
        "entities": [f"{node.name} ({node.type.value})" for node in vector.nodes],
        "unresolved": [f"{question.kind}: {' | '.join(question.items)}" for question in made.unresolved],
    }
    for title, lines in parts.items():
        if lines:
            console.print(title, style="bold")
        for text in lines[:ROWS]:
            console.print(shortened(text, LINE))
        if len(lines) > ROWS:
            console.print(f"and {len(lines) - ROWS:,} more; --json has all", style="dim")
