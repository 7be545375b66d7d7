"""The German Breast Cancer Study Group 2, with the predictions of a Cox model.

Times to recurrence or death of 686 patients, in days (Schumacher et al., Journal of Clinical
Oncology 12:2086-2093, 1994; the data set GBSG2 of R's TH.data, here as lifelines 0.30.3 has it).
`lp` is the linear predictor of a Cox model on all eight covariates, by lifelines, rounded to four
decimals; `risk` the same model's chance of an event within 1825 days, rounded to two.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

FILE = Path(__file__).with_name("gbsg2.csv")


def columns() -> dict[str, Sequence[float]]:
    """Each column by name."""
    with FILE.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return {name: [float(row[name]) for row in rows] for name in rows[0]}
