"""`clew bench`: measures how much evidence recall finds, what compactions keep, and how fast Clew is."""

from pathlib import Path
from typing import Any, Final

import click

from clew.cli.options import Command, Scope, common
from clew.cli.show import bar, dim, err, out, progress
from clew.cli.terminal import emit
from clew.config import Config, load_config
from clew.errors import InputError
from clew.evaluate.ablation import NOTHING, run_ablations
from clew.evaluate.compression.extracts import SUMMARISERS, CondenseSetup, extracts
from clew.evaluate.compression.histories import load_histories
from clew.evaluate.compression.suite import BUDGETS, condense_sheets, run_condense, summarise_condense
from clew.evaluate.corpus import DatasetConversation
from clew.evaluate.curve import curve as draw
from clew.evaluate.datasets import load
from clew.evaluate.recall import RunSetup, run_recall
from clew.evaluate.results import MEASURES, read, save, summarise
from clew.evaluate.results import compare as compare_runs
from clew.evaluate.speed.measure import Measure
from clew.evaluate.speed.suite import QUICK, SIZES, run_speed
from clew.evaluate.tables import Sheet, ablation_sheet, difference_sheet, headline, run_sheets, speed_sheet
from clew.models.choose import choose_embedder
from clew.models.protocol import Embedder
from clew.models.recorded import RecordedEmbedder
from clew.serve.measure_proxy import CALLS, TURNS, run_proxy_bench
from clew.store.open import home_of
from clew.text.printable import printable

FILE = click.Path(path_type=Path)

_DIGITS: Final = 12
"""Most digits of a number of tokens or turns: more than there can be."""


def numbers(_context: click.Context, _parameter: click.Parameter, value: str | None) -> tuple[int, ...] | None:
    """Parses comma-separated whole numbers, in their order; None if the option was not given.

    Raises:
        BadParameter: one of them is not a whole number above 0.
    """
    if value is None:
        return None
    texts = [text.strip().replace("_", "") for text in value.split(",")]
    if not all(text.isascii() and text.isdigit() and len(text) <= _DIGITS and int(text) > 0 for text in texts):
        raise click.BadParameter(f"{value!r}: expected comma-separated whole numbers above 0, such as 500,1000.")
    return tuple(dict.fromkeys(int(text) for text in texts))


def assignments(_context: click.Context, _parameter: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    """Parses `SETTING=VALUE` arguments into a dict.

    Raises:
        BadParameter: one of them has no `=`.
    """
    pairs = [value.partition("=") for value in values]
    for value, (_, mark, _) in zip(values, pairs, strict=True):
        if not mark:
            raise click.BadParameter(f"{value!r}: expected SETTING=VALUE, such as recall.cost=1.5.")
    return {path.strip(): text.strip() for path, _, text in pairs}


def _on_data_set(command: Command) -> Command:
    """Gives a command the options that choose a data set, budgets, and some of its conversations."""
    for option in (
        click.option("--only", multiple=True, metavar="NAME", help="Only this conversation. May be repeated."),
        click.option(
            "--budgets", callback=numbers, default="500,1000,2000,4000", show_default=True, help="Token budgets."
        ),
        click.option(
            "--data", required=True, type=FILE, help="LoCoMo, LongMemEval or QMSum file; REALTALK or BEAM folder."
        ),
    ):
        command = option(command)
    return command


def _with_vectors(command: Command) -> Command:
    """Gives a command the options --embedder and --vectors-cache."""
    for option in (
        click.option("--vectors-cache", type=FILE, metavar="FILE", help="Cache vectors in this file, for later runs."),
        click.option("--embedder", metavar="NAME", help="Embedder, or none.  [default: as configured]"),
    ):
        command = option(command)
    return command


@click.group()
@common
def bench(_scope: Scope) -> None:
    """Measure the quality of recall and of compactions, and speed."""


@bench.command()
@_on_data_set
@click.option(
    "--questions", type=click.IntRange(min=1), help="Questions per conversation at most; always the same ones."
)
@_with_vectors
@click.option(
    "--set",
    "overrides",
    callback=assignments,
    multiple=True,
    metavar="SETTING=VALUE",
    help="Change a setting. May be repeated.",
)
@click.option(
    "--out", "results", type=FILE, metavar="FILE", help="Write the result of each question, for `bench compare`."
)
@common
def recall(
    scope: Scope,
    *,
    data: Path,
    budgets: tuple[int, ...],
    only: tuple[str, ...],
    questions: int | None,
    embedder: str | None,
    vectors_cache: Path | None,
    overrides: dict[str, str],
    results: Path | None,
) -> None:
    """Measure how much of the evidence a context holds.

    Each conversation is stored in a new, temporary memory, and its questions are asked. The evidence turns of a
    question are looked up among the ranked turns and in the rendered block, at each budget (a token is four
    characters). With --home, the settings of that home apply; its turns are not read.
    """
    config = load_config(None if scope.home is None else home_of(scope.home), overrides)
    conversations = _chosen(load(data), only)
    with bar("conversations") as shown:
        task = shown.add_task("", total=len(conversations))
        run = run_recall(
            conversations,
            RunSetup(data.resolve().name, budgets, _embedder(config, embedder, vectors_cache), config),
            sample=questions,
            on_progress=lambda _name, place, _total: shown.update(task, completed=place),
        )
    if results is not None:
        save(run, results)
    if scope.as_json:
        emit(summarise(run))
        return
    out().print(printable(headline(run)), soft_wrap=True)
    _print(*run_sheets(run))


def _chosen(conversations: list[DatasetConversation], names: tuple[str, ...]) -> list[DatasetConversation]:
    _check_names(names, [conversation.name for conversation in conversations])
    return [conversation for conversation in conversations if not names or conversation.name in names]


def _check_names(names: tuple[str, ...], known: list[str]) -> None:
    for name in names:
        if name not in known:
            raise InputError(f"there is no conversation {name!r}; the data has {', '.join(known)}")


def _embedder(config: Config, name: str | None, cache: Path | None) -> Embedder | None:
    chosen, note = choose_embedder(name or config.embedder, threads=config.embed_threads)
    if chosen is None:
        err().print(printable(note), style="dim")
    return chosen if chosen is None or cache is None else RecordedEmbedder(chosen, cache)


@bench.command()
@click.option(
    "--data", required=True, type=FILE, help="A data set as for `bench recall`, or anything that `clew import` reads."
)
@click.option(
    "--budgets", callback=numbers, default=",".join(map(str, BUDGETS)), show_default=True, help="Token budgets."
)
@click.option("--only", multiple=True, metavar="NAME", help="Only this conversation or project. May be repeated.")
@click.option("--sample", type=click.IntRange(min=1), help="Values per compaction and questions per history at most.")
@click.option(
    "--against",
    "summarisers",
    type=click.Choice((*SUMMARISERS, "none")),
    multiple=True,
    help="Summariser to compare with. May be repeated.  [default: all]",
)
@_with_vectors
@common
def condense(
    scope: Scope,
    *,
    data: Path,
    budgets: tuple[int, ...],
    only: tuple[str, ...],
    sample: int | None,
    summarisers: tuple[str, ...],
    embedder: str | None,
    vectors_cache: Path | None,
) -> None:
    """Measure how small a compaction makes a prompt, and what survives.

    Each conversation, or the joined sessions of each project, is compacted after 50, 70 and 90 % of its text (at most
    120,000 tokens). Evidence that the rest uses again is looked for in the recap, in 1,000 tokens recalled for a
    question about it, and by the references of the receipt. Questions of a data set are answered from a recap and a
    recall at equal tokens. Beside it stand the last turns and the summaries of sumy (clew[bench]).
    """
    config = load_config(None if scope.home is None else home_of(scope.home))
    histories = load_histories(data)
    _check_names(only, [history.name for history in histories])
    wanted = [name for name in summarisers or SUMMARISERS if name != "none"]
    setup = CondenseSetup(
        config=config, embedder=_embedder(config, embedder, vectors_cache), extracts=extracts(wanted), sample=sample
    )
    with bar("conversations") as shown:
        chosen = [history for history in histories if not only or history.name in only]
        task = shown.add_task("", total=len(chosen))
        run = run_condense(
            chosen,
            setup,
            data=data.resolve().name,
            budgets=budgets,
            on_progress=lambda _name, place, _total: shown.update(task, completed=place),
        )
    if scope.as_json:
        emit(summarise_condense(run))
        return
    _print(*condense_sheets(run))


@bench.command()
@click.argument("first", type=FILE)
@click.argument("second", type=FILE)
@click.option("--measure", type=click.Choice(list(MEASURES)), default="recall", show_default=True)
@common
def compare(scope: Scope, *, first: Path, second: Path, measure: str) -> None:
    """Compare two results that `bench recall --out` wrote, question by question.

    A star marks a change whose 95 % interval over conversations excludes 0. With --json, one row per line.
    """
    differences = compare_runs(read(first), read(second), measure)
    if scope.as_json:
        emit(*({**difference.to_dict(), "significant": difference.significant} for difference in differences))
        return
    _print(difference_sheet(differences, measure))


@bench.command()
@_on_data_set
@click.option("--signal", "signals", multiple=True, metavar="NAME", help="Only this signal. May be repeated.")
@_with_vectors
@common
def ablate(
    scope: Scope,
    *,
    data: Path,
    budgets: tuple[int, ...],
    only: tuple[str, ...],
    signals: tuple[str, ...],
    embedder: str | None,
    vectors_cache: Path | None,
) -> None:
    """Measure what recall loses without each signal.

    Ranks again with the weight of one signal set to 0. A row shows the change in percentage points; a star marks a
    change whose 95 % interval over conversations excludes 0. With --json, one signal per line.
    """
    config = load_config(None if scope.home is None else home_of(scope.home))
    conversations = _chosen(load(data), only)
    with bar("conversations") as shown:
        task = shown.add_task("", total=len(conversations))
        runs = run_ablations(
            conversations,
            RunSetup(data.resolve().name, budgets, _embedder(config, embedder, vectors_cache), config),
            signals=signals,
            on_progress=lambda _name, place, _total: shown.update(task, completed=place),
        )
    changes = {name: compare_runs(runs[NOTHING], run) for name, run in runs.items() if name != NOTHING}
    if scope.as_json:
        emit(
            *(
                {"without": name, "changes": [difference.to_dict() for difference in differences]}
                for name, differences in changes.items()
            )
        )
        return
    out().print(printable(headline(runs[NOTHING])), soft_wrap=True)
    _print(ablation_sheet(runs[NOTHING], changes))


@bench.command()
@click.argument("results", nargs=-1, required=True, type=FILE)
@click.option(
    "--name", "names", multiple=True, metavar="TEXT", help="Name of each result, in order.  [default: its data]"
)
@click.option("--out", "place", required=True, type=FILE, metavar="FILE", help="Where to write the SVG.")
@common
def curve(scope: Scope, *, results: tuple[Path, ...], names: tuple[str, ...], place: Path) -> None:
    """Plot recall against tokens, from results that `bench recall --out` wrote."""
    runs = [read(path) for path in results]
    if names and len(names) != len(runs):
        raise click.BadParameter(f"{len(names)} names for {len(runs)} results; give one for each, or none.")
    picture = draw(runs, names or [f"{run.data}, {run.embedder or 'no model'}" for run in runs])
    try:
        place.write_text(picture, encoding="utf-8")
    except OSError as error:
        raise InputError(f"{place} cannot be written: {error.strerror}; give another path") from error
    if scope.as_json:
        emit({"written": str(place)})
        return
    out().print(printable(f"written to {place}"), soft_wrap=True)


@bench.command()
@click.option(
    "--turns", callback=numbers, help=f"Sizes of the memories in turns.  [default: {','.join(map(str, SIZES))}]"
)
@click.option("--quick", is_flag=True, help=f"Only {QUICK[0]:,} turns, unless --turns is given.")
@common
def speed(scope: Scope, *, turns: tuple[int, ...] | None, quick: bool) -> None:
    """Measure speed and size, next to reference implementations, in one run.

    Works in a temporary folder (set TMPDIR to choose where), on generated text, without a model. Wall-clock times
    depend on the machine; compare the ratios. With --json, one figure per line.
    """
    with progress("{task.description}") as shown:
        task = shown.add_task("")
        measures = run_speed(
            turns or (QUICK if quick else SIZES), on_progress=lambda what: shown.update(task, description=what)
        )
    if scope.as_json:
        emit(*(_record(measure) for measure in measures))
        return
    _print(speed_sheet(measures))


@bench.command()
@click.option("--turns", type=click.IntRange(100), metavar="N", help=f"Turns of the memory.  [default: {TURNS}]")
@click.option("--quick", is_flag=True, help="Fewer turns and calls.")
@common
def proxy(scope: Scope, *, turns: int | None, quick: bool) -> None:
    """Measure what the proxy costs, and whether it leaves requests and answers alone, beside direct calls.

    Works in a temporary folder, against a scripted upstream, on generated text, without a model and without a network.
    Times depend on the machine; compare with the same call without the proxy. With --json, one figure per line.
    """
    with progress("{task.description}") as shown:
        task = shown.add_task("")
        size, calls = (1000, 20) if quick else (TURNS, CALLS)
        measures = run_proxy_bench(
            turns or size, calls=calls, on_progress=lambda what: shown.update(task, description=what)
        )
    if scope.as_json:
        emit(*(_record(measure) for measure in measures))
        return
    _print(speed_sheet(measures, "The proxy"))


def _record(measure: Measure) -> dict[str, Any]:
    ratio = measure.ratio
    return measure.to_dict() if ratio is None else {**measure.to_dict(), "ratio": ratio}


def _print(*sheets: Sheet) -> None:
    for sheet in sheets:
        out().print()
        out().print(dim(printable(sheet.title)), soft_wrap=True)
        out().print(printable(sheet.text()), soft_wrap=True)
