"""The tables of predicted costs: of joined lists, of several models, of several classes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pytest

from ppaurora.protocols.analyses.analysis import analyses
from ppaurora.protocols.cost import total_cost
from ppaurora.protocols.lists.scale import Scale
from ppaurora.protocols.options import Options
from tests.docs.tree import page

DECIMALS: dict[str, Any] = {"resolution": "decimals:4"}
TWO: dict[str, Any] = {**DECIMALS, "groups": ("a", "b")}
WEIGHTS: dict[str, Any] = {"most_weight": 10.0, "weight_step": 0.01}
FOUR_AND_FOUR = [1000, 0, 0] * 4 + [0, 1000, 0] * 4
"""Rows with scores, with labels, and with both, of each owner."""


def one_and_one(rows: int) -> list[int]:
    return [rows, 0, 0, 0, rows, 0]


JOINED: Sequence[tuple[str, dict[str, Any], list[int]]] = (
    ("auroc", {}, FOUR_AND_FOUR),
    ("auroc", DECIMALS, FOUR_AND_FOUR),
    ("auroc", DECIMALS, FOUR_AND_FOUR),
    ("auroc average_precision", {}, FOUR_AND_FOUR),
    ("auroc", {}, [16384, 0, 0] * 2 + [0, 16384, 0] * 2),
    ("auroc", {}, one_and_one(65536)),
    ("auroc", {}, one_and_one(1048576)),
    ("auroc", DECIMALS, one_and_one(1048576)),
    ("brier", DECIMALS, one_and_one(1048576)),
    ("brier", DECIMALS, FOUR_AND_FOUR),
    ("brier", {}, FOUR_AND_FOUR),
    ("log_loss", {}, FOUR_AND_FOUR),
    ("spiegelhalter_z", {}, FOUR_AND_FOUR),
    ("ppv:at=0.5", DECIMALS, FOUR_AND_FOUR),
    ("calibration:bins=10", DECIMALS, FOUR_AND_FOUR),
    ("samples_dp:epsilon=1", DECIMALS, FOUR_AND_FOUR),
    ("validation", DECIMALS, FOUR_AND_FOUR),
    ("validation", {}, FOUR_AND_FOUR),
    ("auroc", TWO, FOUR_AND_FOUR),
    ("auroc", {**DECIMALS, "groups": tuple("abcde")}, FOUR_AND_FOUR),
    ("auroc auroc_groups", TWO, FOUR_AND_FOUR),
    ("rates_groups:at=0.5", TWO, FOUR_AND_FOUR),
    ("calibration_groups", TWO, FOUR_AND_FOUR),
    ("subgroups", TWO, FOUR_AND_FOUR),
    ("auroc", {**DECIMALS, **WEIGHTS}, FOUR_AND_FOUR),
    ("auroc", {**TWO, **WEIGHTS}, FOUR_AND_FOUR),
    ("auroc_folds", {**DECIMALS, "folds": 5}, FOUR_AND_FOUR),
    ("mean_folds:of=accuracy:at=0.5", {**DECIMALS, "folds": 5}, FOUR_AND_FOUR),
)
"""The metrics or the analysis of each row, its other options, and the owners' rows."""


def rows_of(name: str, pattern: str) -> list[list[str]]:
    """The cells of the lines of a page that match."""
    lines = [line for line in page(name).splitlines() if re.fullmatch(pattern, line)]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


OF_JOINED = rows_of("docs/JOINS.md", r"\| .* \| `(shuffled|network|auto)` \|.*")
MODELS, CLASSES = (
    rows_of("docs/STATISTICS.md", rf"\| \d+ {cells}\|")
    for cells in (r"(\| \d+, [\d.,]+ ){3}", r"(\| \d+, [\d.]+ ){2}")
)


def cost(options: Options, sizes: Sequence[int], decimals: int) -> str:
    found = total_cost(options, sizes)
    return f"{found.hops}, {found.payload / 1e6:,.{decimals}f}"


def test_every_row_is_looked_at() -> None:
    assert len(OF_JOINED) == len(JOINED)
    assert [row[0] for row in MODELS] == ["2", "3", "5", "16"]
    assert [row[0] for row in CLASSES] == ["3", "5", "16"]


@pytest.mark.parametrize("place", range(len(JOINED)))
def test_joined_lists_take_what_their_table_says(place: int) -> None:
    _, sort, hops, megabytes, *_ = OF_JOINED[place]
    asked, more, sizes = JOINED[place]
    scale = Scale.of(more.get("resolution", "full"))
    of_name = analyses().get(asked)
    metrics = tuple(asked.split()) if of_name is None else of_name.over_join(scale, 1)
    options = Options(metrics=metrics, merge=sort.strip("`"), least_join=20, **more)
    assert cost(options, sizes, 0) == f"{hops}, {megabytes}"


@pytest.mark.parametrize("row", MODELS, ids=lambda row: row[0])
def test_several_models_take_what_their_table_says(row: list[str]) -> None:
    models, *told = row
    against = tuple(f"m{model}" for model in range(1, int(models)))
    metrics = analyses()["comparison"].metrics(Scale.of("full"), int(models))
    found = [
        cost(Options(metrics=metrics, against=against, merge=merge), [size] * 8, decimals)
        for merge, size, decimals in (
            ("shuffled", 1000, 1),
            ("network", 1000, 1),
            ("network", 131072, 0),
        )
    ]
    assert found == told


@pytest.mark.parametrize("row", CLASSES, ids=lambda row: row[0])
def test_several_classes_take_what_their_table_says(row: list[str]) -> None:
    count, *told = row
    classes = tuple(f"c{place}" for place in range(int(count)))
    means = (f"auroc_multiclass:mean={of}" for of in ("weighted", "pairs"))
    metrics = ("auroc_classes", "auroc_multiclass", *means)
    found = [
        cost(Options(metrics=metrics, classes=classes, merge=merge), [1000] * 8, 1)
        for merge in ("shuffled", "network")
    ]
    assert found == told
