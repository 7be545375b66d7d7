"""Statistics of every kind of study: all of them, or all but the fits that take seconds each."""

from __future__ import annotations

import pytest

from tests.protocols.statistics.test_every_statistic import STUDIES

SLOW = ("calibration_in_the_large", "calibration_slope", "heterogeneity=true")
"""Fits of some hundred hops of wide numbers, and what more there is to say of several sites."""
FITTED = [False, pytest.param(True, marks=pytest.mark.weekly)]
"""With them a study runs weekly only."""


def cases_of(kind: str, fitted: bool) -> list[tuple[str, str]]:
    """The statistics of a kind, each with its table."""
    return [one for one in STUDIES[kind] if fitted or not any(name in one[0] for name in SLOW)]
