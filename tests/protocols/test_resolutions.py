"""Studies of the same scores in several resolutions release the same numbers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ppaurora.protocols.lists.scale import Scale
from ppaurora.protocols.options import Options
from tests.further import some_of
from tests.protocols.studies import Owner, Study, owners_of, run_all

EVERYWHERE = (
    "auroc", "auroc_ci", "average_precision", "auroc_se", "pauc:max_fpr=0.25", "brier",
    "calibration:bins=10", "confusion:at=0.07/0.29/0.5", "observed_expected",
    "net_benefit:at=0.1/0.35", "roc_curve:points=20",
)  # fmt: skip
SUMMING = {"brier", "observed_expected", "calibration:bins=10"}
CUTTING = {text for text in EVERYWHERE if text.startswith(("cal", "conf", "net", "roc"))}
SORTED_ONLY = ("aupr", "precision_at_recall:recall=0.5", "youden_max")
BATCH = 20


def drawn(count: int, seed: int) -> list[tuple[Study, int]]:
    """Studies of scores with few decimals, and the number of decimals."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        n, d = int(rng.integers(2, 60)), int(rng.integers(1, 5))
        scores = rng.integers(0, 10**d + 1, n) / 10**d
        if rng.random() < 0.5:
            scores = rng.choice(scores[: max(1, n // 4)], n)
        labels = rng.integers(0, 2, n)
        cuts = np.sort(rng.integers(0, n + 1, 2))
        owners = owners_of(scores.tolist(), labels.tolist(), np.diff([0, *cuts, n]).tolist())
        decimals = int(rng.integers(1, 7))
        asked = (str(rng.choice(EVERYWHERE)), str(rng.choice(EVERYWHERE)))
        metrics = tuple(dict.fromkeys(asked))
        direction = str(rng.choice(["higher", "lower"]))
        least = int(rng.choice([1, 2]))
        options = Options(metrics=metrics, decimals=decimals, least_cell=least)
        found.append((Study(owners, options, direction), d))
    return found


def on_the_scale(study: Study, resolution: str) -> Study:
    """The same owners with the scores that the resolution takes theirs for."""
    scale = Scale.of(resolution)

    def canonical(scores: object) -> list[float]:
        codes = scale.codes(np.asarray(scores, float))
        return scale.scores(codes).tolist()

    owners = tuple(
        Owner(canonical(one.scores) if len(one.scores) else [], one.labels) for one in study.owners
    )
    return replace(study, owners=owners)


def check(studies: list[tuple[Study, int]]) -> None:
    ways: list[tuple[list[Study], list[Study]]] = []
    plain = [study for study, _ in studies]
    for more in ({}, {"table": "sorted"}, {"table": "counted"}):
        exact = [
            replace(study, options=replace(study.options, resolution=f"decimals:{d}", **more))
            for study, d in studies
        ]
        ways.append((exact, plain))
    # thresholds are taken to the nearest float32 as scores are, and sums are of those scores
    of_sums = [study for study in plain if not CUTTING & {*study.options.metrics}]
    cutting = [study for study in plain if not SUMMING & {*study.options.metrics}]
    for chosen, of in ((of_sums, on_the_scale), (cutting, lambda study, _: study)):
        single = [
            replace(study, options=replace(study.options, resolution="float32")) for study in chosen
        ]
        ways.append((single, [of(study, "float32") for study in chosen]))
    plainly = run_all(plain)
    for resolved, of_doubles in ways:
        others = plainly if of_doubles is plain else run_all(of_doubles)
        for one, other in zip(run_all(resolved), others, strict=True):
            assert one.results == other.results


@pytest.mark.parametrize("few", some_of([slice(5), slice(5, 12)], in_ci=[slice(5)]))
def test_a_few_studies_release_the_same_in_every_resolution(few: slice) -> None:
    check(drawn(12, 1)[few])


@pytest.mark.soak
@pytest.mark.parametrize("part", range(8))
def test_two_thousand_studies_release_the_same_in_every_resolution(part: int) -> None:
    studies = drawn(250, 10 + part)
    for start in range(0, len(studies), BATCH):
        check(studies[start : start + BATCH])


def test_statistics_of_sorted_lists_are_the_same_for_float32() -> None:
    for study, _ in drawn(6, 3):
        options = Options(metrics=SORTED_ONLY, decimals=4)
        study = replace(study, options=options)
        single = replace(study, options=replace(options, resolution="float32"))
        [one], [other] = run_all([single]), run_all([on_the_scale(study, "float32")])
        assert one.results == other.results


def test_owners_of_texts_doubles_and_float32_tie_where_their_scores_are_the_same() -> None:
    near = float(np.float32(0.7))
    owners = (Owner([0.7, 0.1], [1, 0]), Owner([near, 0.25], [0, 1]))
    options = Options(metrics=("auroc",), decimals=4, resolution="float32")
    [single], [exact] = (
        run_all([Study(owners, replace(options, resolution=resolution))])
        for resolution in ("float32", "full")
    )
    # 0.7 and the float32 beside it are one score there, and two as doubles
    assert single.results == {"auroc": "0.6250"}
    assert exact.results == {"auroc": "0.7500"}
