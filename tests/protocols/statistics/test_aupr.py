"""The area under the precision-recall curve, against its definition on drawn studies."""

from __future__ import annotations

from tests.protocols import pooled
from tests.protocols.statistics.by_definition import SAMPLE, agree, of_precision

TEXT = "aupr"
DEFINITION = of_precision(pooled.aupr)


def test_a_few_studies_have_the_value_of_the_definition() -> None:
    assert agree(TEXT, DEFINITION, SAMPLE, 1).numbers
