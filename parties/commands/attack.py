"""Try what a released number tells somebody who knows much: on your own data, or generated."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.table import Table

from ppaurora.parties.commands.declared_options import OptionGroup, with_declared_options
from ppaurora.parties.commands.group import group
from ppaurora.parties.commands.options import COLUMNS, Format, FormatOption
from ppaurora.parties.errors import ConfigurationError
from ppaurora.parties.reports.console import err, out
from ppaurora.parties.sources.reader import read
from ppaurora.parties.sources.source import Columns
from ppaurora.protocols.lists.scale import ANY
from ppaurora.protocols.release.class_counts import consistent_counts
from ppaurora.protocols.release.differencing import told as two_results
from ppaurora.protocols.release.label_guessing import WAYS, Labels, success
from ppaurora.protocols.release.label_guessing import Scores as ScoreVector

MOST_WORK = 2_000_000_000
"""Rows times trials beyond which an attack would take hours."""

app = group(__doc__)

Draw = Callable[[], tuple[ScoreVector, Labels]]


FileArgument = Annotated[
    Path | None, typer.Argument(help="Rows of your own; without it they are generated.")
]


@dataclass(frozen=True, slots=True)
class AttackOptions(OptionGroup):
    """The rows that are attacked, and the guesses at them."""

    direction: Annotated[
        str, typer.Option(help="Whether higher or lower scores mean positive.")
    ] = "higher"
    samples: Annotated[
        int | None,
        typer.Option(min=2, help="Rows of a study: so many of the file, or generated (30)."),
    ] = None
    share: Annotated[
        float, typer.Option(min=0, max=1, help="The fraction of positives among generated rows.")
    ] = 0.5
    decimals: Annotated[str, typer.Option(help="Released decimals, with a slash between.")] = (
        "2/3/4/6"
    )
    trials: Annotated[int, typer.Option(min=1, help="Guesses for each number of decimals.")] = 1000
    seed: Annotated[int, typer.Option(help="The seed of everything that is drawn.")] = 1

    @property
    def places(self) -> list[int]:
        """The numbers of decimals."""
        texts = self.decimals.split("/")
        if not all(text.isascii() and text.isdecimal() and 1 <= int(text) <= 15 for text in texts):
            raise ConfigurationError(
                f'--decimals "{self.decimals}" is not understood',
                advice="Write it like 2/3/4, from 1 to 15.",
            )
        return [int(text) for text in texts]

    def drawn(
        self, file: Path | None, columns: Columns, generator: np.random.Generator
    ) -> tuple[Draw, int, float]:
        """Data sets to attack, the number of their rows, and the more frequent class's fraction."""
        if file is None:
            drawn = _generated(self.samples or 30, self.share, generator)
        else:
            rows = read(file, columns, range=(ANY,))
            signed = rows.scores if self.direction == "higher" else -rows.scores
            drawn = _sampled(signed, rows.labels.astype(np.int64), self.samples, generator)
        if drawn[1] * self.trials > MOST_WORK:
            raise ConfigurationError(
                f"{self.trials} trials with {drawn[1]} rows each take very long",
                advice="Take fewer with --trials or --samples.",
            )
        return drawn


@app.command("guess-labels")
@with_declared_options("column")
def guess_labels(
    file: FileArgument = None,
    columns: Columns = COLUMNS,
    options: AttackOptions = AttackOptions(),
    format: FormatOption = Format.table,
) -> None:
    """Estimate how often one label is guessed by one who knows the AUROC and all other rows."""
    generator, trials = np.random.default_rng(options.seed), options.trials
    draw, n, most_frequent = options.drawn(file, columns, generator)
    rates_by_decimals = []
    for places in options.places:
        rates = {
            way: success(draw, places, trials=trials, generator=generator, way=way) for way in WAYS
        }
        rates_by_decimals.append({"decimals": places, **rates})
    if format is Format.json:
        summary = {"samples": n, "trials": trials, "most_frequent_class": most_frequent}
        out().print_json(json.dumps({**summary, "guessed": rates_by_decimals}))
        return
    table = Table("decimals", "closest", "fitting", title=f"labels guessed, of {n} rows")
    for row in rates_by_decimals:
        table.add_row(str(row["decimals"]), *(f"{row[way]:.1%}" for way in WAYS))
    out().print(table)
    _tell_error(trials, most_frequent)


@app.command("differencing")
@with_declared_options("column")
def differencing(
    file: FileArgument = None,
    columns: Columns = COLUMNS,
    options: AttackOptions = AttackOptions(share=0.3),
    format: FormatOption = Format.table,
) -> None:
    """Recover from two AUROCs the one patient by whom their lists differ.

    The attacker knows both numbers and how many samples of each class there are, and no row: for
    instance a receiver of two studies, between which one patient was taken out.
    """
    generator, trials = np.random.default_rng(options.seed), options.trials
    draw, n, most_frequent = options.drawn(file, columns, generator)
    outcomes = {
        places: two_results(draw, places, trials=trials, generator=generator)
        for places in options.places
    }
    if format is Format.json:
        summary = {"samples": n, "trials": trials, "most_frequent_class": most_frequent}
        rows = [{"decimals": places, **asdict(outcome)} for places, outcome in outcomes.items()]
        out().print_json(json.dumps({**summary, "told": rows}))
        return
    headings = ("decimals", "label certain", "label guessed", "ranks left")
    table = Table(*headings, title=f"with and without one of {n}")
    for places, outcome in outcomes.items():
        shares = (outcome.certain, outcome.guessed, outcome.open)
        table.add_row(str(places), *(f"{one_of:.1%}" for one_of in shares))
    out().print(table)
    _tell_error(trials, most_frequent)
    err().print(
        "Ranks left: which share of the possible ranks of the patient's score among the other "
        "class still fits."
    )


@app.command("class-counts")
def class_counts(
    value: Annotated[str, typer.Argument(help="A released AUROC, with all its decimals.")],
    samples: Annotated[int, typer.Argument(min=2, help="The number of samples.")],
    ties: Annotated[bool, typer.Option(help="Whether ties may count half.")] = True,
    format: FormatOption = Format.table,
) -> None:
    """List the numbers of positives that fit a released AUROC of so many samples."""
    whole, point, digits = value.partition(".")
    if not (whole in ("0", "1") and point and digits.isascii() and digits.isdecimal()):
        raise ConfigurationError(
            f'"{value}" is no released AUROC', advice="Write it as it was released, like 0.8123."
        )
    fitting = consistent_counts(samples, int(whole + digits), len(digits), ties=ties)
    if format is Format.json:
        out().print_json(json.dumps({"samples": samples, "value": value, "positives": fitting}))
        return
    out().print(f"{len(fitting)} of {samples - 1} numbers of positives fit {value}:")
    out().print(_ranges(fitting) or "none; is it the AUROC of so many samples?")


def _tell_error(trials: int, most_frequent: float) -> None:
    err().print(
        f"{trials} guesses each, standard error at most {50 / trials**0.5:.1f} points; always "
        f"naming the more frequent class is right in {most_frequent:.1%}."
    )


def _generated(n: int, share: float, generator: np.random.Generator) -> tuple[Draw, int, float]:
    """Normal scores, of positives higher by one standard deviation."""
    P = round(n * share)
    labels = np.repeat(np.array([1, 0]), [P, n - P])
    return lambda: (generator.normal(size=n) + labels, labels), n, max(P, n - P) / n


def _sampled(
    scores: ScoreVector, labels: Labels, samples: int | None, generator: np.random.Generator
) -> tuple[Draw, int, float]:
    """So many of the file's rows, or all of them each time."""
    n = labels.size if samples is None else min(samples, labels.size)
    if n < 2:
        raise ConfigurationError("fewer than two rows", advice="Give a file with more rows.")
    most = max(int(labels.sum()), labels.size - int(labels.sum())) / labels.size

    def draw() -> tuple[ScoreVector, Labels]:
        if n == labels.size:
            return scores, labels
        chosen = generator.choice(labels.size, n, replace=False)
        return scores[chosen], labels[chosen]

    return draw, n, most


def _ranges(numbers: list[int]) -> str:
    """The numbers in one line, neighbours as from-to.

    >>> _ranges([1, 4, 5, 6, 9])
    '1, 4-6, 9'
    """
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)
