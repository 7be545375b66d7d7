"""Make the picture in the README: the table and the ROC curve of a study that is really computed.

.venv/bin/python docs/picture.py        # renews docs/result.png; needs matplotlib
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from PIL import Image

from ppaurora import Labelled, Options, Result, simulate

PICTURE = Path(__file__).resolve().parent / "result.png"
SIZES = (4000, 2500, 1500)
BINS = 1024
NOTE = f"""Generated data, scores in {BINS} bins. Each number is
the one that the pooled samples give."""
METRICS = ("auroc_ci", "brier", "observed_expected", "roc_curve")
INCHES, DOTS, COLOURS = (8.4, 3.3), 110, 48
BLUE, GREY, RULE = "#0058a3", "#5a6270", "#c9ced6"


def hospitals() -> list[Labelled]:
    """Three lists whose scores are nearly right as probabilities."""
    rng = np.random.default_rng(11)
    lists = []
    for size in SIZES:
        risk = rng.beta(1.2, 2.5, size)
        labels = (rng.random(size) < risk**1.15).astype(np.uint8)
        lists.append(Labelled(risk, labels))
    return lists


def table(result: Result) -> list[tuple[str, str]]:
    """The rows of the table: the name by which a paper calls each number, and what was released."""
    auroc = result["auroc_ci"]
    assert auroc.interval is not None
    lower, upper = auroc.interval
    return [
        ("Hospitals, samples", f"{len(SIZES)}, {sum(SIZES)}"),
        ("AUROC (95% CI)", f"{auroc.value} ({lower} to {upper})"),
        ("Brier score", f"{result['brier'].value}"),
        ("Observed / expected", f"{result['observed_expected'].value}"),
    ]


def draw_table(axes: Axes, rows: list[tuple[str, str]]) -> None:
    """The table, with a rule above and below each row."""
    axes.axis("off")
    axes.set(xlim=(0, 1), ylim=(0, 1))
    axes.text(0, 0.93, "Released to the receivers", weight="bold", size=11)
    for at, (name, value) in enumerate(rows):
        y = 0.76 - 0.15 * at
        axes.plot([0, 1], [y + 0.1, y + 0.1], color=RULE, linewidth=0.8)
        axes.text(0, y, name, size=10)
        axes.text(1, y, value, size=10, ha="right")
    axes.text(0, 0.08, NOTE, color=GREY, size=9)


def draw_curve(axes: Axes, rows: Sequence[Mapping[str, Any]]) -> None:
    """The released points of the ROC curve."""
    points = [(row["fpr"], row["tpr"]) for row in rows if row["fpr"] is not None]
    axes.plot([0, 1], [0, 1], ":", color=GREY, linewidth=1)
    axes.plot(*zip(*points, strict=True), "o-", color=BLUE, markersize=3, linewidth=1.2)
    axes.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
    axes.set_xlabel("1 - specificity", size=9)
    axes.set_ylabel("sensitivity", size=9)
    axes.set_title("ROC curve", size=11, weight="bold", loc="left")
    axes.tick_params(labelsize=8)
    axes.grid(color=RULE, linewidth=0.5)


def main() -> None:
    """Run the study with three servers, and draw what it released."""
    done = simulate(hospitals(), Options(metrics=METRICS))
    if not done.equal:
        raise SystemExit("the released numbers are not the pooled ones")
    figure = Figure(figsize=INCHES, dpi=DOTS, layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(1.25, 1))
    draw_table(left, table(done.result))
    draw_curve(right, done.result["roc_curve"].rows)
    figure.savefig(PICTURE)
    with Image.open(PICTURE) as drawn:
        drawn.convert("RGB").quantize(COLOURS).save(PICTURE, optimize=True)


if __name__ == "__main__":
    main()
