"""What a statistic tells about a classifier, for reports that put its number beside others."""

from __future__ import annotations

from enum import StrEnum


class Topic(StrEnum):
    """How well scores tell the classes apart, or how far they are right as probabilities."""

    DISCRIMINATION = "discrimination"
    CALIBRATION = "calibration"
