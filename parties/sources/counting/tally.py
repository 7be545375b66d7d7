"""An engine's counts as those of both classes, or as a refusal with numbers of faulty rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from ppaurora.parties.errors import DataError
from ppaurora.parties.sources.columns.classes import UNKNOWN, UNLABELLED, Classes
from ppaurora.parties.sources.columns.collector import left_out
from ppaurora.parties.sources.columns.faults import FaultKind, Faults
from ppaurora.parties.sources.columns.numbers import (
    EMPTY,
    INFINITE,
    NAN,
    NO_NUMBER,
    outside,
    too_fine,
)
from ppaurora.parties.sources.columns.objects import ObjectLabels
from ppaurora.parties.sources.counted import Counted
from ppaurora.parties.sources.counting.statement import MOST_LABELS, Unusable, most_rows
from ppaurora.parties.sources.source import Columns
from ppaurora.parties.study.study import Scores
from ppaurora.protocols.grid.grid import Grid
from ppaurora.protocols.lists.scale import Scale

UNUSABLE: Mapping[int, FaultKind] = {
    Unusable.MISSING: EMPTY,
    Unusable.NAN: NAN,
    Unusable.INFINITE: INFINITE,
    Unusable.NO_NUMBER: NO_NUMBER,
}
WITHOUT_SCORE = (Unusable.MISSING, Unusable.NAN)


def tally(
    rows: Iterable[tuple[object, object, object]],
    source: str,
    columns: Columns,
    scores: Scores,
    grid: Grid,
    scale: Scale,
    *,
    score: str,
    label: str,
) -> Counted:
    """The counts in rows of place, label and number; `score` and `label` are the columns' names."""
    classes = Classes(columns.words(scores))
    missing = total = 0
    counts = np.zeros((2, len(grid)), np.int64)
    kinds = {
        **UNUSABLE,
        Unusable.OUTSIDE: outside(scale),
        Unusable.TOO_FINE: too_fine(scale),
    }
    unusable = dict.fromkeys(kinds.values(), 0)
    unlabelled: dict[FaultKind, int] = {}
    labels = ObjectLabels(classes, source, label)
    for number_of_row, (k, y, n) in enumerate(rows, start=1):
        if number_of_row > most_rows(grid):
            raise DataError(
                f'{source}, column "{label}": more than {MOST_LABELS} different labels',
                advice=classes.unknown.advice,
            )
        place, number = int(str(k)), int(str(n))
        label_class = labels.of(y)
        total += number
        if columns.drop_missing and (label_class is None or place in WITHOUT_SCORE):
            missing += number
            continue
        if place < 0:
            unusable[kinds[place]] += number
        if label_class is None or label_class == UNKNOWN:
            kind = UNLABELLED if label_class is None else classes.unknown
            unlabelled[kind] = unlabelled.get(kind, 0) + number
        elif place >= 0:
            counts[label_class, place] += number
    faults = Faults(source)
    for column, faulty in ((score, unusable), (label, unlabelled)):
        for kind, number in faulty.items():
            if number:
                faults.add_count(column, kind, number)
    faults.refuse(classes.hint)
    notes = (left_out(source, missing, total),) if missing else ()
    return Counted(counts[1], counts[0], grid, notes, missing)
