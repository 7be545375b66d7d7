"""Proportions with limits in a study: what is withheld, what is told, and what it costs."""

from __future__ import annotations

import numpy as np
import pytest

from ppaurora.protocols.disclosure.ledger import ledger
from ppaurora.protocols.options import Options
from ppaurora.protocols.statistics.registry import statistic
from tests.protocols.studies import Owner, Study, run

LIMITED = ("ppv:at=0.5/0.999,level=0.95", "npv:at=0.5/0.999,level=0.95")


def test_the_limits_of_a_rate_that_is_withheld_are_withheld() -> None:
    rng = np.random.default_rng(3)
    labels = rng.integers(0, 2, 80)
    owner = Owner([*rng.random(79) * 0.99, 0.9999], labels)
    for text, told in run(Study((owner,), Options(metrics=LIMITED))).results.items():
        shown, withheld = told.split("; ")[:2]
        assert "withheld" not in shown
        assert [cell.split()[-1] for cell in withheld.split(", ")[1:]] == ["withheld"] * 3, text


def test_the_ledger_says_what_limits_tell() -> None:
    told = [
        one.leaks(4)
        for one in map(
            statistic, ("ppv:at=0.5,level=0.95", "accuracy:at=0.5,level=0.95", "ppv:at=0.5")
        )
    ]
    assert "tell how many are called positive" in told[0]
    assert "follow from the rate" in told[1]
    assert "limits" not in told[2]
    options = Options(metrics=("ppv:at=0.5,level=0.95",))
    assert "are called positive" in ledger(options, [60]).learns.receivers[0]


@pytest.mark.parametrize("name", ["ppv", "npv", "accuracy", "confusion"])
def test_the_methods_name_wilson_where_there_are_limits(name: str) -> None:
    assert "Wilson" in statistic(f"{name}:at=0.5,level=0.95").source
    assert not statistic(f"{name}:at=0.5").source


def test_limits_of_counts_that_are_released_cost_nothing() -> None:
    for name in ("confusion:at=0.5", "class_counts"):
        one = statistic(f"{name}{':' if ':' not in name else ','}level=0.95")
        assert one.cost(3, 4) == statistic(name).cost(3, 4)
        assert one.words(4) == statistic(name).words(4)
