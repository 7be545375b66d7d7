"""Words of an owner's list before they are shared: keys of its rows, or counts on a grid."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ppaurora.mpc.words import Words
from ppaurora.parties.columns.column import of_list
from ppaurora.parties.errors import DataError
from ppaurora.parties.participant.releases_sent import ListRows
from ppaurora.parties.site.fold_key import check_fold_key
from ppaurora.parties.sources.columns.collector import lowest
from ppaurora.parties.sources.counted import Counted
from ppaurora.parties.sources.labelled import Labelled
from ppaurora.parties.study.study import Study
from ppaurora.protocols.errors import DataRefused
from ppaurora.protocols.grid.grid import Grid
from ppaurora.protocols.lists.scale import PROBABILITIES, encode
from ppaurora.protocols.lists.tags import Side, of_side, side_of
from ppaurora.protocols.pipelines.clusters import CLUSTER


def upload_words(
    study: Study,
    table: Labelled | Counted,
    fold_key: Path | None,
    drawing: bytes,
    *,
    shows: bool = False,
) -> tuple[Words, tuple[int, ...]]:
    """The words of the upload of a list, or of its counts, and the sizes of its folds, if any.

    `fold_key` is the file with the owners' key of folds, and from `drawing` an owner draws what its
    upload has of chance. The site's own values go along to be shown by its name if it `shows` them.
    A list or counts that the study does not take are refused.
    """
    pipeline = study.options.pipeline.showing(shows)
    if isinstance(table, Labelled):
        keys = _keys(study, table, fold_key, study.id)
        words = pipeline.repeatable(keys, drawing, table.left_out)
        return words, pipeline.sizes(keys) if pipeline.folded else ()
    grid = pipeline.counting_grid
    if grid != table.grid:
        needs = _counts_in(grid) if grid else "every score"
        given = _counts_in(table.grid)
        raise DataError(
            f"The study needs {needs} of the list, and was given {given}",
            advice="Nothing was sent. Let `take` of Participant read the list as needed.",
        )
    counts = (table.positives, table.negatives)
    return pipeline.of_counts(counts, drawing, table.left_out), ()


def upload_rows(study: Study, table: Labelled | Counted, fold_key: Path | None) -> ListRows:
    """The rows of a list as the study takes them: keys and columns, or counts in cells.

    They depend on the list and the study alone, not on where the list is read or counted.
    """
    grid = study.options.pipeline.counting_grid
    if grid is not None:
        counted = table if isinstance(table, Counted) else Counted.of(table, grid)
        times = np.concatenate([counted.positives, counted.negatives])
        return ListRows([np.arange(times.size, dtype=np.uint64)], len(counted), times)
    assert isinstance(table, Labelled)
    # tags are those of the agreement, and clusters, which are numbered in one list, of no release
    keys = _keys(study, table, fold_key, study.agreement.id)
    kinds = ["", *(one.name for one in study.extra)]
    kept = [own for own, kind in zip(keys, kinds, strict=True) if kind != CLUSTER]
    return ListRows(kept, len(table))


def _counts_in(grid: Grid) -> str:
    return f"counts in {len(grid)} cells, where {grid.direction} scores are positive,"


def _keys(study: Study, table: Labelled, fold_key: Path | None, named: str) -> list[Words]:
    """The keys of its rows: of their scores, and of each column that the study names beside.

    Tags by which rows are joined are those of a study that is `named` so.
    """
    own = of_list(study.extra, study.options, table.holds)
    labels_apart = [one for one in own if not one.is_label]
    wanted, there = {name for one in labels_apart for name in one.columns}, set(table.extra)
    if wanted != there:
        takes = [f'takes the column "{name}" of each sample' for name in sorted(wanted - there)]
        has = [f'takes no column "{name}"' for name in sorted(there - wanted)]
        raise DataError(
            f"The study {' and '.join([*takes, *has])}; it is as it was given with this list",
            advice="Nothing was sent. Let `take` of Participant read the list as needed.",
        )
    joined, scale = study.options.least_join, study.options.scale
    if not joined and table.holds != Side.BOTH.word:
        raise DataError(
            f"The list holds {table.holds} only, and the study joins no lists",
            advice="Nothing was sent. Give a list with both.",
        )
    has_scores = table.holds != Side.LABELS.word
    scores = table.scores if has_scores else np.full(len(table), lowest(scale))
    try:
        keys = [
            encode(scores, table.labels, scale),
            *(
                one.of_study(named).keys_in(
                    table.extra,
                    table.labels,
                    study.options,
                    check_fold_key(one, fold_key),
                )
                if one in own
                else np.zeros(len(table), np.uint64)
                for one in study.extra
            ),
        ]
        return of_side(keys, side_of(table.holds)) if joined else keys
    except DataRefused as refusal:
        told = refusal.in_source(table.kept)
        raise DataError(told.what, advice=_advice(told)) from None


def _advice(refusal: DataRefused) -> str:
    """Advice about a list that cannot be encoded; scores above 1 may need another range."""
    if PROBABILITIES.outside in [fault.what for fault in refusal.faults]:
        return (
            "Correct these rows; if the scores are no probabilities, the study needs another "
            "range under [scores]."
        )
    return refusal.advice
