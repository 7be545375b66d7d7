"""Make the picture of a report that the README shows: a real report, seen by a real browser.

.venv/bin/python docs/picture.py        # renews docs/report.png; needs Chromium or Chrome
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
from PIL import Image

from ppaurora import Labelled, Options, simulate
from ppaurora.parties.reports.files import browser, page_of_text, write_report

PICTURE = Path(__file__).resolve().parent / "report.png"
SIZES = (4000, 2500, 1500)
PARTS = ((slice(None), 0), (slice(2, 4), 175))
"""The parts that stand side by side: sections of the page, from so far below its top."""
WIDTH, HEIGHT, COLOURS = 760, 780, 64
METRICS = ("auroc_ci_binned", "brier", "roc_curve", "calibration")


def hospitals() -> list[Labelled]:
    """Three lists whose scores are nearly right as probabilities."""
    rng = np.random.default_rng(11)
    lists = []
    for size in SIZES:
        risk = rng.beta(1.2, 2.5, size)
        labels = (rng.random(size) < risk**1.15).astype(np.uint8)
        lists.append(Labelled(risk, labels))
    return lists


def main() -> None:
    """Run the study, write the report, and take the picture."""
    done = simulate(hospitals(), Options(metrics=METRICS, mode="grid", bins=1024))
    page = page_of_text(done.result.to_json())
    whole = Image.new("RGB", (WIDTH * len(PARTS), HEIGHT))
    with tempfile.TemporaryDirectory() as folder:
        html, taken = Path(folder, "report.html"), Path(folder, "report.png")
        for at, (sections, top) in enumerate(PARTS):
            list(write_report(replace(page, sections=page.sections[sections]), html=html))
            _take(html, taken, HEIGHT + top)
            with Image.open(taken) as one:
                whole.paste(one.crop((0, top, WIDTH, top + HEIGHT)), (at * WIDTH, 0))
    whole.quantize(COLOURS).save(PICTURE, optimize=True)


def _take(page: Path, path: Path, height: int) -> None:
    """The picture of a page in a browser's window of this height."""
    command = [
        browser(),
        "--headless",
        "--disable-gpu",
        "--no-first-run",
        "--hide-scrollbars",
        f"--user-data-dir={path.parent}/profile",
        f"--window-size={WIDTH},{height}",
        f"--screenshot={path}",
        # a browser's own sandbox refuses to start as root
        *(["--no-sandbox"] if os.geteuid() == 0 else []),
        page.as_uri(),
    ]
    subprocess.run(command, check=True, capture_output=True, timeout=120)


if __name__ == "__main__":
    main()
