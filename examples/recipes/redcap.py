"""A prediction and its outcome in exports of a longitudinal REDCap project, made up here.

The export is one CSV file with raw data: a row for each record and event, so the score stands in
the row of one event and the outcome in that of another; rows of repeating instruments lie between.
`redcap.sql` joins them. A record without a score is left out, and so is one whose outcome is empty
or a missing data code such as NASK.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from ppaurora import Options, Query, read, simulate

QUERY = (Path(__file__).parent / "redcap.sql").read_text(encoding="utf-8")
HEADER = "record_id,redcap_event_name,redcap_repeat_instrument,risk_score,readmitted\n"


def hospital(folder: Path, seed: int, records: int = 100) -> Path:
    """The export of a hospital that is made up."""
    rng = np.random.default_rng(seed)
    lines = []
    for record in range(1, records + 1):
        risk = f"{rng.beta(2, 5):.3f}" if rng.random() < 0.95 else ""
        outcome = int(rng.random() < float(risk or 0.3))
        told = str(outcome) if rng.random() < 0.9 else str(rng.choice(["", "NASK"]))
        lines.append(f"{record},baseline_arm_1,,{risk},\n")
        if rng.random() < 0.3:
            lines.append(f"{record},baseline_arm_1,medication,,\n")
        lines.append(f"{record},day_30_arm_1,,,{told}\n")
    path = folder / f"export-{seed}.csv"
    path.write_text(HEADER + "".join(lines), encoding="utf-8")
    return path


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as given:
        files = [hospital(Path(given), seed) for seed in range(3)]
        lists = [read(Query(QUERY, {"export": file})) for file in files]
    done = simulate(lists, Options(metrics=("auroc_ci",)))
    print(f"{sum(map(len, lists))} records, AUROC {done.result['auroc_ci']}")
