"""Assign the rows of an owner's list to folds as all other owners do, by a key that they share."""

from __future__ import annotations

import csv
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from ppaurora.parties.columns.fold import FoldBy
from ppaurora.parties.commands.declared_options import with_declared_options
from ppaurora.parties.commands.group import group
from ppaurora.parties.commands.options import StudyOption
from ppaurora.parties.errors import ConfigurationError, DataError
from ppaurora.parties.reports.console import err, out
from ppaurora.parties.site.fold_key import check_fold_key, load_fold_key
from ppaurora.parties.site.site import Site
from ppaurora.parties.sources.engine.engine import table_of
from ppaurora.parties.sources.reader import file_source
from ppaurora.parties.sources.source import Columns, place_of
from ppaurora.parties.study.study import Study
from ppaurora.protocols.errors import DataRefused
from ppaurora.protocols.lists.folds import CHECKED, FoldRule

FOLD = "fold"

app = group(__doc__)

SiteOption = Annotated[
    Path | None,
    typer.Option("--site", "-s", help="Take folds, form, column and key of your site's study."),
]
KeyOption = Annotated[Path | None, typer.Option(help="The file of the owners' key.")]
CountOption = Annotated[int, typer.Option("--folds", help="How many folds, without --site.")]


@app.command("key", hidden=True)
def key_command(
    file: Annotated[Path, typer.Argument(help="Where to put the key that the owners share.")],
) -> None:
    """Say which command makes the owners' key."""
    raise ConfigurationError(
        "`ppaurora folds key` makes no key: one key of the owners is that of folds and of joins",
        advice=f"Write `ppaurora keys owners {file}`.",
    )


@app.command()
@with_declared_options("fold-key", "fold-least")
def assign(
    file: Annotated[Path, typer.Argument(help="A CSV or Parquet file.")],
    output: Annotated[Path, typer.Option("--out", help="A new CSV file: each row and its fold.")],
    by: FoldBy,
    site: SiteOption = None,
    study: StudyOption = None,
    key: KeyOption = None,
    folds: CountOption = 0,
    delimiter: Annotated[str, typer.Option(help=Columns.options()["delimiter"].help)] = "",
) -> None:
    """Write FILE again with the fold of each row, numbered from 0, in a new column "fold".

    With it each model is made without the fold that it will score.
    """
    chosen = _chosen(site, study, key, folds, by)
    source = file_source(file, Columns(delimiter=delimiter))
    names, rows = table_of(source)
    if FOLD in [name.strip().casefold() for name in names]:
        raise DataError(f'{file} has a column "{FOLD}" already', advice="Rename that column.")
    place = place_of(chosen.column, names, source.name, "Name it with --fold-by COLUMN.")
    try:
        assigned = chosen.rule.assigned(
            [row[place] for row in rows], chosen.key, column=chosen.column
        )
    except DataRefused as refusal:
        raise DataError(refusal.what, advice=refusal.advice) from None
    try:
        handle = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise ConfigurationError(
            f"{output} exists already and is left alone", advice="Choose another file name."
        ) from None
    with os.fdopen(handle, "w", encoding="utf-8", newline="") as opened:
        lines = csv.writer(opened, lineterminator="\n")
        lines.writerow([*names, FOLD])
        lines.writerows([*row, fold] for row, fold in zip(rows, assigned.tolist(), strict=True))
    sizes = np.bincount(assigned.astype(np.int64), minlength=chosen.rule.count).tolist()
    err().print(f"rows in each of {chosen.rule.count} folds: {', '.join(map(str, sizes))}")


@app.command()
@with_declared_options("fold-key", "fold-least", "fold-by")
def check(
    by: FoldBy,
    site: SiteOption = None,
    study: StudyOption = None,
    key: KeyOption = None,
    folds: CountOption = 0,
) -> None:
    """Print what two owners compare by telephone, to know that their folds agree.

    It is a code of the key, the number of folds, the form, and the canonical forms of public test
    identifiers that are nobody's. Equal lines mean that equal identifiers come into equal folds.
    Nothing is told of the key or of any patient, and nothing of whether the lists have patients in
    common.
    """
    chosen = _chosen(site, study, key, folds, replace(by, column="-"))
    out().print(chosen.rule.check_text(chosen.key))
    err().print(
        f"{chosen.rule.count} folds of the form {chosen.rule.form}, tried on "
        f"{len(CHECKED[chosen.rule.form])} public identifiers."
    )


@dataclass(frozen=True, slots=True)
class Chosen:
    """The assignment of folds: its rule, its key, and its column."""

    rule: FoldRule
    column: str
    key: bytes

    def __repr__(self) -> str:
        return f"<Chosen, {self.rule}>"


def _chosen(
    site: Path | None, study: Path | None, key: Path | None, folds: int, by: FoldBy
) -> Chosen:
    """The assignment that a site's study states, or else the one of the options."""
    if site is not None:
        if key is not None or folds or by.cuts:
            raise ConfigurationError(
                "--site is given beside --key, --folds or --fold-cuts",
                advice="The site's study says all of these; leave them out.",
            )
        own = Site.load(site)
        agreed = Study.load(study or own.only_study)
        found = next((one for one in agreed.extra if isinstance(one, FoldBy)), None)
        if found is None:
            raise ConfigurationError(
                f"The study {agreed.id} has no folds", advice="Name another one with --study."
            )
        fold_key = check_fold_key(found, own.fold_key)
        return Chosen(found.rule(agreed.options.folds), found.column, fold_key)
    if not folds or (key is None) != bool(by.cuts):
        raise ConfigurationError(
            "It is not said how folds are assigned, or said twice",
            advice="Give --site SITE, or --folds K with --key FILE or --fold-cuts POINTS.",
        )
    by.check_rule(folds)
    return Chosen(by.rule(folds), by.column, b"" if key is None else load_fold_key(key))
