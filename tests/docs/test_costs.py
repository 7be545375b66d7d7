"""The costs of statistics on the page, held against what the program predicts."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from ppaurora.protocols.cost import total_cost
from ppaurora.protocols.options import Options
from tests.docs.tree import page

TIMES = {"time_width": "30", "time_horizon": "600"}
PAIR, GROUPS, CLASSES = ("other",), ("first", "other"), ("a", "b", "c")
MORE: dict[str, dict[str, Any]] = {
    **{
        name: {"groups": GROUPS}
        for name in ("auroc_groups", "auroc_groups_equal", "rates_groups", "calibration_groups")
    },
    **{
        name: {"against": PAIR}
        for name in (
            *("auroc_models", "auroc_contrasts", "auroc_equal", "auroc_covariance", "idi"),
            "tpauc_difference",
        )
    },
    **{name: {"classes": CLASSES} for name in ("auroc_classes", "auroc_multiclass")},
    "auroc": {"most_weight": 10.0, "weight_step": 0.01},
    "kaplan_meier": TIMES,
    "c_index": {"resolution": "bins:100", **TIMES},
    "auroc_at_time": {"resolution": "bins:100", **TIMES},
    "brier_at_time": {"resolution": "decimals:2", **TIMES},
}
"""Options that a study of a statistic has beside its metric."""
MOST = {"auroc_clusters": "at most 77,935 samples"}


def written(size: int) -> str:
    for unit, name in ((10**9, "GB"), (10**6, "MB")):
        if size >= unit:
            return f"{size / unit:.1f} {name}"
    return f"{size / 1000:.0f} kB"


def cost(text: str, samples: int, merge: str) -> str:
    name = text.partition(":")[0]
    options = Options(metrics=(text,), **MORE.get(name, {}))
    if any(part.sorts for part in options.parts):
        options = replace(options, merge=merge)
    per = max(1, len(options.groups))
    found = total_cost(options, [samples // per] * (8 * per))
    return f"{found.hops} hops, {written(found.payload)}"


ROWS = re.findall(
    r"^\| `([^`]+)`[^|]*\| ([^|]+) \| ([^|]+) \|$",
    page("docs/STATISTICS.md").partition("## What they take")[2].partition("\n## ")[0],
    re.MULTILINE,
)


def test_the_page_has_a_row_for_each_statistic_that_is_named_here() -> None:
    assert {*MORE, *MOST, "auroc_sites", "site_values"} <= {
        text.partition(":")[0] for text, _, _ in ROWS
    }


@pytest.mark.parametrize(("text", "small", "large"), ROWS)
def test_the_costs_of_a_statistic_are_those_on_the_page(text: str, small: str, large: str) -> None:
    assert cost(text, 1000, "shuffled") == small
    assert MOST.get(text) == large or cost(text, 125_000, "network") == large
