"""`ppaurora simulate` and `ppaurora demo`: the three real processes on this machine."""

from __future__ import annotations

import contextlib
import shlex
import shutil
import signal
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from ppaurora.parties.columns.column import Extras
from ppaurora.parties.commands.declared_options import with_declared_options
from ppaurora.parties.commands.options import (
    ExplainOption,
    Format,
    FormatOption,
    GlobOption,
    is_named,
)
from ppaurora.parties.commands.report import NO_FILES, ReportFiles
from ppaurora.parties.errors import ConfigurationError, Interrupted, ResultDiffers
from ppaurora.parties.reports.console import err, out
from ppaurora.parties.reports.files import page_of_text
from ppaurora.parties.reports.study_status import computing_progress
from ppaurora.parties.reports.terminal import show_page
from ppaurora.parties.simulation.simulate import Simulation, served, simulate, usual_options
from ppaurora.parties.sources.form import form_of, options_text
from ppaurora.parties.sources.glob_files import GlobFiles
from ppaurora.parties.sources.labelled import Labelled
from ppaurora.parties.sources.reader import file_source
from ppaurora.parties.sources.source import Columns, FileSource
from ppaurora.parties.study.study import Scores
from ppaurora.protocols.analyses.validation import Validation
from ppaurora.protocols.lists.tags import Side
from ppaurora.protocols.options import Options

DEMO_SIZES = (400, 250, 150)


@with_declared_options("fold-key", "fold-least", "join-key", "holds")
def simulate_command(
    context: typer.Context,
    options: Options,
    scores: Scores,
    extra: Extras,
    columns: Columns,
    files: Annotated[
        list[Path] | None, typer.Argument(help="One CSV or Parquet file for each owner.")
    ] = None,
    of_scores: Annotated[
        list[Path] | None,
        typer.Option(
            "--scores",
            metavar="FILE",
            help="The file of an owner that has scores and no labels; see --join-by. Repeatable.",
        ),
    ] = None,
    of_labels: Annotated[
        list[Path] | None,
        typer.Option(
            "--labels",
            metavar="FILE",
            help="The file of an owner that has labels and no scores; see --join-by. Repeatable.",
        ),
    ] = None,
    glob: GlobOption = False,
    format: FormatOption = Format.table,
    keep: Annotated[
        Path | None, typer.Option(help="Keep keys, study, logs and state in this new directory.")
    ] = None,
    explain: ExplainOption = False,
    report_files: ReportFiles = NO_FILES,
) -> None:
    """Run a study over your files with three real servers, and compare with the pooled data."""
    files = files or []
    lists: list[Any] = [GlobFiles(str(file), columns) for file in files] if glob else [*files]
    lists += [
        _holding(file, side, columns, scores)
        for side, given in ((Side.SCORES, of_scores), (Side.LABELS, of_labels))
        for file in given or []
    ]
    if not lists:
        raise ConfigurationError(
            "No list is given",
            advice="Give one file for each owner; files of scores or labels only with --scores and "
            "--labels.",
        )
    if not options.analysis and not options.folds and not is_named(context, "metric"):
        options = usual_options(lists, options, scores, extra, columns, err().print)
    if keep is not None:
        _make(keep)
    _run(
        lists,
        options,
        scores,
        format,
        extra=extra,
        columns=columns,
        folder=keep,
        files=report_files,
        explain=explain,
    )


def _holding(path: Path, side: Side, columns: Columns, scores: Scores) -> FileSource:
    """The file of an owner that has scores or labels only."""
    form = form_of(path, replace(columns, holds=side.word), scores)
    err().print(f"{path} is read with {options_text(form)}")
    return file_source(path, form)


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True)
    except FileExistsError:
        raise ConfigurationError(
            f"{folder} exists already and is left alone",
            advice="Choose another folder for --keep: a simulation always begins anew.",
        ) from None


@with_declared_options()
def demo(
    format: FormatOption = Format.table,
    seed: Annotated[int, typer.Option(help="Of the generated data.")] = 1,
    serve: Annotated[
        bool, typer.Option("--serve", help="Keep three servers up to play with, until Ctrl-C.")
    ] = False,
    files: ReportFiles = NO_FILES,
) -> None:
    """See it work: three generated hospitals, three servers, private values beside pooled ones."""
    rng = np.random.default_rng(seed)
    lists = []
    for size in DEMO_SIZES:
        labels = (rng.random(size) < 0.3).astype(np.uint8)
        # two decimals only, so that many scores are tied
        scores = np.round(rng.beta(2 + 2 * labels, 3), 2)
        lists.append(Labelled(scores, labels))
    options = Options(analysis=Validation.name, resolution="decimals:2")
    if serve:
        _serve(lists, options)
        return
    _run(lists, options, Scores(), format, files=files)


def _serve(lists: Sequence[Labelled], options: Options) -> None:
    """Three servers on this machine and an owner's files for each list, until Ctrl-C or SIGTERM."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    console = err()
    with (
        tempfile.TemporaryDirectory(prefix="ppaurora-demo-") as folder,
        contextlib.suppress(KeyboardInterrupt),
        served(lists, options, Path(folder), on_message=console.print) as processes,
    ):
        console.print("P0, P1 and the helper serve. In another terminal:")
        program = _program()
        out().print(f"cd {folder}")
        for number in range(1, len(lists) + 1):
            owner = f"owner-{number}"
            out().print(f"{program} outsource {owner}.csv --site {owner}.toml")
        out().print(f"{program} status --site owner-1.toml")
        out().print(f"{program} result --site owner-1.toml --wait 60 --report report.html")
        console.print("Ctrl-C ends the servers and deletes that folder.")
        for process in processes:
            process.wait()


def _program() -> str:
    """The words that start this program from any folder: its name if the shell finds it by that."""
    own = Path(sys.argv[0]).absolute()
    if own.name == "__main__.py":
        return shlex.join([sys.executable, "-m", "ppaurora"])
    found = shutil.which(own.name)
    return own.name if found and Path(found) == own else shlex.quote(str(own))


def _run(
    lists: Sequence[Labelled | Path | GlobFiles | FileSource],
    options: Options,
    scores: Scores,
    format: Format,
    *,
    extra: Extras = (),
    columns: Columns | None = None,
    folder: Path | None = None,
    files: ReportFiles = NO_FILES,
    explain: bool = False,
) -> None:
    console = err()
    try:
        with computing_progress() as watch:
            done = simulate(
                lists,
                options,
                scores=scores,
                extra=extra,
                columns=columns,
                folder=folder,
                on_message=console.print,
                watch=watch,
            )
    except KeyboardInterrupt:
        left = f"What there was is left in {folder}" if folder else "Nothing is left of it"
        raise Interrupted(
            f"Interrupted: the three servers were stopped. {left}",
            advice="The same command begins anew" + (", with another --keep." if folder else "."),
        ) from None
    _show(done, format, explain=explain)
    text = done.result.to_json()
    files.write(page_of_text(text, done.pooled), text, done.result.study)
    if not done.equal:
        raise ResultDiffers(
            "The private values differ from the pooled ones: this is a bug",
            advice="Please report it with your command line.",
        )


def _show(done: Simulation, format: Format, *, explain: bool) -> None:
    if format is Format.json:
        sys.stdout.write(done.result.to_json())
    else:
        show_page(page_of_text(done.result.to_json(), done.pooled), explain=explain)
        for name in done.empty:
            out().print(f"{name} has an empty list and uploaded nothing")
