"""The hook for Flower, where Flower is installed: its own client app and strategy call it."""

from __future__ import annotations

import runpy
from importlib.util import find_spec

import numpy as np
import pytest

from tests.docs.tree import HOME
from tests.examples import ALL_EXAMPLES

INSTALLED = find_spec("flwr") is not None


@pytest.mark.zeromq
@pytest.mark.skipif(not INSTALLED and not ALL_EXAMPLES, reason="Flower is not installed")
def test_flowers_strategy_gets_the_exact_value_beside_the_averaged_one() -> None:
    example = runpy.run_path(str(HOME / "examples" / "flower_evaluation.py"))
    lists = example["hospitals"]()
    own_auroc, sizes = example["local_auroc"], [len(one) for one in lists]
    scores, labels = (
        np.concatenate([getattr(one, name) for one in lists]) for name in ("scores", "labels")
    )
    averaged = np.average([own_auroc(one.scores, one.labels) for one in lists], weights=sizes)
    told = example["main"]()
    assert told["auroc"] == pytest.approx(own_auroc(scores, labels), abs=5e-7)
    assert told["auroc-averaged"] == pytest.approx(averaged)
    assert abs(told["auroc"] - told["auroc-averaged"]) > 0.01
