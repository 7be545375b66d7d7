"""Every statistic of one definition against it, on a thousand drawn studies.

The definitions stand beside the tests of each statistic; studies are drawn by `by_definition`.
"""

from __future__ import annotations

import pytest

from tests.protocols.statistics import (
    test_accuracy,
    test_aupr,
    test_auroc,
    test_auroc_no_ties,
    test_average_precision,
    test_balanced_accuracy,
    test_brier,
    test_calibration,
    test_calibration_errors_binned,
    test_class_counts,
    test_confusion,
    test_ece,
    test_f1,
    test_f_beta,
    test_log_loss,
    test_mcc,
    test_net_benefit,
    test_npv,
    test_observed_expected,
    test_ppv,
    test_pr_curve,
    test_roc_curve,
    test_scaled_brier,
    test_youden,
    test_youden_max,
)
from tests.protocols.statistics.by_definition import ALL, Definition, agree

DEFINITIONS: dict[str, Definition] = {
    test_auroc.TEXT: test_auroc.DEFINITION,
    test_auroc_no_ties.TEXT: test_auroc_no_ties.DEFINITION,
    test_aupr.TEXT: test_aupr.DEFINITION,
    test_average_precision.TEXT: test_average_precision.DEFINITION,
    test_youden_max.BY_DEFINITION: test_youden_max.DEFINITION,
    test_confusion.TEXT: test_confusion.DEFINITION,
    test_confusion.LIMITED: test_confusion.LIMITS,
    test_ppv.TEXT: test_ppv.DEFINITION,
    test_ppv.LIMITED: test_ppv.LIMITS,
    test_npv.TEXT: test_npv.DEFINITION,
    test_npv.LIMITED: test_npv.LIMITS,
    test_f1.TEXT: test_f1.DEFINITION,
    test_f_beta.TEXT: test_f_beta.DEFINITION,
    test_accuracy.TEXT: test_accuracy.DEFINITION,
    test_accuracy.LIMITED: test_accuracy.LIMITS,
    test_balanced_accuracy.TEXT: test_balanced_accuracy.DEFINITION,
    test_youden.TEXT: test_youden.DEFINITION,
    test_net_benefit.TEXT: test_net_benefit.DEFINITION,
    test_mcc.TEXT: test_mcc.DEFINITION,
    test_roc_curve.TEXT: test_roc_curve.DEFINITION,
    test_pr_curve.TEXT: test_pr_curve.DEFINITION,
    test_brier.TEXT: test_brier.DEFINITION,
    test_scaled_brier.TEXT: test_scaled_brier.DEFINITION,
    test_log_loss.TEXT: test_log_loss.DEFINITION,
    test_observed_expected.TEXT: test_observed_expected.DEFINITION,
    test_ece.TEXT: test_ece.DEFINITION,
    test_calibration.TEXT: test_calibration.DEFINITION,
    test_calibration_errors_binned.TEXT: test_calibration_errors_binned.DEFINITION,
    test_class_counts.TEXT: test_class_counts.DEFINITION,
    test_class_counts.LIMITED: test_class_counts.with_limits,
}


@pytest.mark.soak
@pytest.mark.parametrize("text", DEFINITIONS)
def test_a_thousand_studies_have_the_value_of_their_definition(text: str) -> None:
    compared = agree(text, DEFINITIONS[text], ALL, 2)
    print(f"{text}: {ALL} studies, {compared.numbers} numbers, {compared.halves} at a half")
    # tied positives leave the AUROC without ties undefined
    assert compared.numbers > ALL // 4
