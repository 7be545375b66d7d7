"""`ppaurora simulate` and `ppaurora demo`: the three real processes on this machine."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from ppaurora.parties.commands.options import (
    CodeOption,
    DecimalsOption,
    DelimiterOption,
    DeltaOption,
    Format,
    MergeOption,
    MetricOption,
    TiesOption,
)
from ppaurora.parties.errors import ResultDiffers
from ppaurora.parties.reports.terminal import computing_progress, err, out, show_result
from ppaurora.parties.simulation.simulate import Simulation, simulate
from ppaurora.parties.sources.labelled import Labelled
from ppaurora.parties.sources.source import Columns
from ppaurora.parties.study.study import Scores
from ppaurora.protocols.options import Options

FormatOption = Annotated[Format, typer.Option("--format", help="How stdout is written.")]
DEMO_SIZES = (400, 250, 150)


def simulate_command(
    files: Annotated[list[Path], typer.Argument(help="One CSV or Parquet file for each owner.")],
    score: Annotated[str, typer.Option(help="The column of scores.")] = "score",
    label: Annotated[str, typer.Option(help="The column of labels.")] = "label",
    delimiter: DelimiterOption = "",
    metric: MetricOption = None,
    decimals: DecimalsOption = 4,
    code: CodeOption = "unit",
    direction: Annotated[str, typer.Option(help="higher or lower scores: positive")] = "higher",
    positive: Annotated[str, typer.Option(help="The label of the positive class.")] = "1",
    negative: Annotated[str, typer.Option(help="The label of the negative class.")] = "0",
    merge: MergeOption = "auto",
    delta: DeltaOption = 1,
    ties: TiesOption = "compare",
    format: FormatOption = Format.table,
    keep: Annotated[
        Path | None, typer.Option(help="Keep keys, study, logs and state in this new directory.")
    ] = None,
) -> None:
    """Run a study over your files with three real servers, and compare with the pooled data."""
    options = Options(tuple(metric or ["auroc"]), decimals, merge, delta, ties, code)
    scores = Scores(direction, positive, negative)
    if keep is not None:
        keep.mkdir(parents=True)
    columns = Columns(score, label, delimiter)
    _run(files, options, scores, format, columns=columns, folder=keep)


def demo(
    format: FormatOption = Format.table,
    seed: Annotated[int, typer.Option(help="Of the generated data.")] = 1,
) -> None:
    """See it work: three generated hospitals, three servers, private values beside pooled ones."""
    rng = np.random.default_rng(seed)
    lists = []
    for size in DEMO_SIZES:
        labels = (rng.random(size) < 0.3).astype(np.uint8)
        # two decimals only, so that many scores are tied
        scores = np.round(rng.beta(2 + 2 * labels, 3), 2)
        lists.append(Labelled(scores, labels))
    options = Options(metrics=("auroc", "aupr", "average_precision"))
    _run(lists, options, Scores(), format)


def _run(
    lists: Sequence[Labelled | Path],
    options: Options,
    scores: Scores,
    format: Format,
    *,
    columns: Columns | None = None,
    folder: Path | None = None,
) -> None:
    console = err()
    columns = columns or Columns()
    with computing_progress() as watch:
        done = simulate(
            lists,
            options,
            scores=scores,
            score=columns.score,
            label=columns.label,
            delimiter=columns.delimiter,
            folder=folder,
            told=console.print,
            watch=watch,
        )
    _show(done, format)
    if not done.equal:
        raise ResultDiffers(
            "The private values differ from the pooled ones: this is a bug",
            advice="Please report it with your command line.",
        )


def _show(done: Simulation, format: Format) -> None:
    if format is Format.json:
        sys.stdout.write(done.result.to_json())
    else:
        show_result(done.result, done.pooled)
        for name in done.empty:
            out().print(f"{name} has an empty list and uploaded nothing")
