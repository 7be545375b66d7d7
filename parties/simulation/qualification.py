"""Operation qualified: known lists have their known numbers here, and what is wrong is refused.

The lists are made of whole numbers, so that they are the same everywhere, with ties within and
between owners. The numbers expected of them stand here: other programs computed them (scikit-learn,
and all pairs one by one), as the tests do again. Three real server processes compute each study.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from ppaurora.mpc.errors import AuroraError
from ppaurora.parties.errors import DataError, EvidenceRefused, ResultDiffers
from ppaurora.parties.participant.checkup import Finding, Verdict
from ppaurora.parties.reports.verification import verified
from ppaurora.parties.simulation.simulate import simulate
from ppaurora.parties.sources.labelled import Labelled
from ppaurora.parties.study.study import Study
from ppaurora.protocols.options import Options

SIZES = (90, 60, 31)
DECIMALS = 6
ACCEPTED = "it was accepted"
SORTED = {"auroc": "0.775889", "auroc_se": "0.034562", "average_precision": "0.713876"}
COUNTED = {
    "auroc": "0.775889",
    "brier": "0.181399",
    "accuracy:at=0.5": "threshold 0.5, accuracy 0.668508",
    "observed_expected": "0.832073",
}
KNOWN: Mapping[str, Mapping[str, str]] = {"full": SORTED, "float32": SORTED, "decimals:2": COUNTED}
"""The numbers to be released at each resolution of the scores."""


def known_lists() -> list[Labelled]:
    """Scores in hundredths, and labels, of three owners.

    >>> [len(one.scores) for one in known_lists()]
    [90, 60, 31]
    >>> known_lists()[0].scores[:4].tolist(), known_lists()[0].labels[:4].tolist()
    ([0.62, 0.03, 0.4, 0.06], [1, 0, 0, 0])
    """
    found, row = [], 0
    for size in SIZES:
        rows = range(row + 1, row + size + 1)
        labels = [int(k * k % 11 in (1, 3)) for k in rows]
        scores = [(k * 37 % 71 + 25 * label) / 100 for k, label in zip(rows, labels, strict=True)]
        found.append(Labelled(np.array(scores), np.array(labels, np.uint8)))
        row += size
    return found


def operation() -> Iterator[Finding]:
    """Every check of the operation, each made whatever the others found; half a minute."""
    for resolution, expected in KNOWN.items():
        about = f"operation, {resolution}"
        try:
            yield from _known(about, resolution, expected)
        except AuroraError as error:
            yield Finding(about, Verdict.WRONG, str(error), error)
    for about, scores, labels in (
        ("a score that is no number is refused", [0.5, float("nan")], [1, 0]),
        ("a label of no class is refused", [0.5, 0.25], [1, 2]),
    ):
        yield _refused(f"operation, {about}", scores, labels)


def _known(about: str, resolution: str, expected: Mapping[str, str]) -> Iterator[Finding]:
    """The numbers of the known lists, and whether the result proves them and no others."""
    options = Options(metrics=tuple(expected), decimals=DECIMALS, resolution=resolution)
    with tempfile.TemporaryDirectory(prefix="ppaurora-") as kept:
        simulation = simulate(known_lists(), options, folder=Path(kept))
        study = Study.load(Path(kept) / "study.toml")
    found = {text: str(value) for text, value in simulation.result.values.items()}
    listed = "; ".join(f"{text} {value}" for text, value in found.items())
    yield _judged(about, found == expected and simulation.equal, listed)
    text = simulation.result.to_json()
    verified(text, study)
    value = expected["auroc"]
    changed = text.replace(value, f"{value[:-1]}{(int(value[-1]) + 1) % 10}")
    try:
        verified(changed, study)
        seen = ACCEPTED
    except EvidenceRefused as error:
        seen = str(error)
    yield _judged(f"{about}, a changed result is refused", seen != ACCEPTED, seen)


def _refused(about: str, scores: list[float], labels: list[int]) -> Finding:
    try:
        simulate([Labelled(np.array(scores), np.array(labels, np.uint8))], Options())
        seen = ACCEPTED
    except DataError as error:
        seen = str(error)
    return _judged(about, seen != ACCEPTED, seen)


def _judged(about: str, right: bool, seen: str) -> Finding:
    """A finding, with the error that it is where it is not right."""
    if right:
        return Finding(about, Verdict.FINE, seen)
    error = ResultDiffers(f"{about}: {seen}", advice="Do not use this installation.")
    return Finding(about, Verdict.WRONG, seen, error)
