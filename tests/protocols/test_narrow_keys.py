"""Keys below 2^31, checked, sorted and compared mod 2^32: which ones, what comes out, the cost."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from ppaurora.protocols.cost import phase_estimates
from ppaurora.protocols.lists.scale import Scale
from ppaurora.protocols.options import Options
from ppaurora.protocols.pipelines.folds import Folds
from ppaurora.protocols.pipelines.models import Models
from ppaurora.protocols.pipelines.sorted_list import NARROW, SortedList
from tests.further import some_of
from tests.protocols.studies import Owner, Study, run, run_all

NARROW_SCALES = ("float32", "decimals:9", "decimals:4")
SORTED = ("auroc", "auroc_ci", "average_precision", "youden_max", "aupr", "auroc_no_ties")
KINDS = {
    "sorted": {"metrics": SORTED, "least_cell": 1},
    "pairs": {"metrics": ("auroc_difference", "auroc")},
    "folds": {"metrics": ("auroc_folds", "aucnpr_folds:empty=skip"), "folds": 3},
    "covert": {"metrics": ("auroc_ci", "aupr"), "assurance": "covert", "merge": "auto"},
    "several parts": {"metrics": ("auroc", "brier", "f1:at=0.5"), "least_cell": 1},
}


def drawn(seed: int, resolution: str, sizes: tuple[int, ...] = (40, 0, 25, 31)) -> list[Owner]:
    """Owners of scores that the resolution holds: its ends, many that are tied, and neighbours."""
    rng = np.random.default_rng(seed)
    scale = Scale.of(resolution)
    few = rng.integers(0, scale.top, 6)
    codes = [0, scale.top, 1, scale.top - 1, *few, *(few + 1)]

    def scores(size: int) -> list[float]:
        drawn = np.where(
            rng.random(size) < 0.6, rng.choice(codes, size), rng.integers(0, scale.top, size)
        )
        return scale.scores(drawn.astype(np.uint64)).tolist()

    return [
        Owner(
            scores(size),
            rng.integers(0, 2, size).tolist(),
            scores(size),
            rng.integers(0, 3, size).tolist(),
        )
        for size in sizes
    ]


def each(options: Options) -> SortedList:
    """The pipeline of a single list in this study."""
    pipeline = options.pipeline
    if isinstance(pipeline, Folds | Models):
        return pipeline.each
    assert isinstance(pipeline, SortedList)
    return pipeline


@pytest.mark.parametrize(
    ("choices", "narrow"),
    [
        ({"resolution": "full"}, False),
        ({"resolution": "float32"}, True),
        ({"resolution": "float32", "range": (0, 2)}, False),
        ({"resolution": "float32", "range": (-1, 1)}, False),
        ({"resolution": "float32", "range": ("any",)}, False),
        ({"resolution": "decimals:9"}, True),
        ({"resolution": "decimals:9", "range": (0, 2)}, False),
        ({"resolution": "decimals:8", "range": (0, 10)}, True),
        ({"resolution": "float32", "ties": "helper"}, False),
        ({"resolution": "float32", "merge": "delta", "delta": 3}, False),
        ({"resolution": "float32", "merge": "shuffled"}, True),
        ({"resolution": "float32", "direction": "lower"}, True),
    ],
    ids=str,
)
def test_keys_of_31_bits_are_sorted_in_32(choices: dict[str, object], narrow: bool) -> None:
    options = Options(metrics=("auroc",), **choices)  # type: ignore[arg-type]
    assert each(options).narrow == narrow
    assert narrow <= (options.scale.largest_key < NARROW)


@pytest.mark.parametrize(
    ("resolution", "kind", "merge"),
    some_of(
        # a covert study can be of nothing else than the network
        [
            (resolution, kind, merge)
            for resolution, kind, merge in product(NARROW_SCALES, KINDS, ["network", "shuffled"])
            if kind != "covert" or merge == "network"
        ],
        in_ci=[
            *(("float32", "sorted", "network"), ("decimals:9", "sorted", "shuffled")),
            *(("decimals:4", "pairs", "network"), ("float32", "folds", "shuffled")),
            *(("float32", "covert", "network"), ("decimals:9", "several parts", "network")),
        ],
    ),
)
def test_every_study_releases_what_64_bits_release(resolution: str, kind: str, merge: str) -> None:
    choices = {"merge": merge, **KINDS[kind]}
    full = Options(decimals=5, **choices)  # type: ignore[arg-type]
    narrow = replace(full, resolution=resolution, table="sorted" if "dec" in resolution else "auto")
    owners = tuple(drawn(len(kind), resolution))
    for direction in ("higher", "lower"):
        studies = (Study(owners, options, direction) for options in (narrow, full))
        one, other = (run(study) for study in studies)
        assert one.results == other.results
        assert one.refused == other.refused == ()
        assert one.payload < other.payload


@pytest.mark.parametrize(
    ("kind", "sizes"),
    some_of(
        product(KINDS, [(1,), (2,), (3, 2), (0, 31), (8, 5, 70)]),
        in_ci=[
            *(("sorted", (1,)), ("sorted", (8, 5, 70)), ("pairs", (3, 2)), ("folds", (0, 31))),
            *(("covert", (2,)), ("covert", (3, 2)), ("several parts", (8, 5, 70))),
        ],
    ),
)
def test_the_predicted_cost_is_the_measured_one(kind: str, sizes: tuple[int, ...]) -> None:
    choices = {"merge": "network", **KINDS[kind], "resolution": "float32"}
    if kind == "covert":
        choices["merge"] = "network"
    options = Options(**choices)  # type: ignore[arg-type]
    study = Study(tuple(drawn(7, "float32", sizes)), options)
    measured, predicted = run(study), phase_estimates(options, study.sizes)
    if kind != "covert":  # whose commitments are no phase
        assert sum(one.spent.hops for one in predicted) == measured.hops
        assert sum(one.spent.payload for one in predicted) == measured.payload
    sort = {one.phase: one.spent for one in predicted}["sort"]
    full = phase_estimates(replace(options, resolution="full"), study.sizes)
    wide = {one.phase: one.spent for one in full}["sort"]
    assert sort.hops == wide.hops
    # bits of a few comparisons fill whole words
    assert sort.payload <= wide.payload


def test_a_sort_of_many_keys_takes_half_the_bytes() -> None:
    for merge, most in (("network", 0.50), ("shuffled", 0.58)):
        narrow, full = (
            {
                one.phase: one.spent.payload
                for one in phase_estimates(
                    Options(metrics=("auroc",), merge=merge, resolution=resolution), [1000] * 8
                )
            }
            for resolution in ("float32", "full")
        )
        assert narrow["sort"] < most * full["sort"]
        assert narrow["check"] < 0.56 * full["check"]


@pytest.mark.parametrize("kind", ["sorted", "pairs", "folds"])
def test_a_lie_is_refused_and_the_others_go_on(kind: str) -> None:
    options = Options(merge="network", resolution="float32", **KINDS[kind])  # type: ignore[arg-type]
    owners = tuple(drawn(3, "float32", (30, 20, 25)))
    study = Study(owners, options)
    honest = run(Study((owners[0], owners[2]), options))

    class Lying(Study):
        def shares(self):  # type: ignore[no-untyped-def]
            shares = super().shares()
            first, second = shares[1]
            # the first key with bit 31: a negative number mod 2^32
            lie = second.copy()
            lie[0] += np.uint64(1 << 31)
            return [shares[0], (first, lie), *shares[2:]]

    found = run(Lying(study.owners, study.options))
    assert found.refused == (1,)
    assert found.results == honest.results


@pytest.mark.soak
@pytest.mark.parametrize("part", range(4))
@pytest.mark.parametrize("merge", ["network", "shuffled"])
def test_a_thousand_studies_release_what_64_bits_release(merge: str, part: int) -> None:
    rng = np.random.default_rng(100 + part)
    for _ in range(13):
        studies: list[Study] = []
        for _ in range(10):
            resolution = str(rng.choice(NARROW_SCALES))
            kind = str(rng.choice(["sorted", "pairs", "folds", "several parts"]))
            sizes = tuple(rng.integers(0, 60, rng.integers(1, 5)).tolist())
            if not sum(sizes):
                continue
            options = Options(
                decimals=int(rng.integers(1, 7)),
                merge=merge,
                resolution=resolution,
                table="sorted" if "dec" in resolution else "auto",
                **KINDS[kind],  # type: ignore[arg-type]
            )
            owners = tuple(drawn(int(rng.integers(1 << 30)), resolution, sizes))
            studies.append(Study(owners, options, str(rng.choice(["higher", "lower"]))))
        full = [
            replace(one, options=replace(one.options, resolution="full", table="auto"))
            for one in studies
        ]
        for one, other in zip(run_all(studies), run_all(full), strict=True):
            assert one.results == other.results
