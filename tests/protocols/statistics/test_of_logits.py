"""The logits of the parts and their groups, which regressions on logit scores share."""

from __future__ import annotations

import numpy as np
import pytest

from ppaurora.protocols.options import Options
from ppaurora.protocols.statistics.of_logits import MOST_GROUPS, logits
from tests.protocols.statistics.test_calibration_slope import well_calibrated
from tests.protocols.studies import Study, run

BOTH = ("calibration_slope:bins=16", "calibration_in_the_large:bins=16")


@pytest.mark.parametrize("parts", [2, 3, 64, MOST_GROUPS])
def test_logits_are_those_of_the_middles_of_the_parts(parts: int) -> None:
    middle = (np.arange(parts) + 0.5) / parts
    found = np.array(logits(parts), float)
    assert found == pytest.approx(np.log(middle / (1 - middle))[::-1], rel=1e-12, abs=1e-12)
    # what `logit_offset` counts on
    assert max(abs(found)) < 10.4


def test_both_in_one_study_have_the_values_that_each_has_alone() -> None:
    of = well_calibrated(500, sure=2.0).owners
    together = run(Study(of, Options(metrics=BOTH))).results
    alone = [run(Study(of, Options(metrics=(text,)))).results for text in BOTH]
    assert together == {**alone[0], **alone[1]}
