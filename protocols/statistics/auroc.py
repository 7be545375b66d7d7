"""The area under the ROC curve: the chance that a positive scores above a negative, ties half.

[ppAURORA, Alg. 1 and 2]. AUROC = N / D with

    without ties   N = Σ_j (1 - y_j)·TP_j               D = P·N
    with ties      N = Σ_j (1 - y_j)·(TP_j + B_j)       D = 2·P·N

where B_j is TP before j's group of tied scores: a negative in a group with g positives stands below
B_j positives and beside g, and since the positives come first in a group, TP_j = B_j + g.
Exact integers; nobody learns anything. One hop each ([ppAURORA, Alg. 1]: two).
"""

from __future__ import annotations

from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import inner_product, multiply
from ppaurora.protocols.arithmetic.ratio import Ratio
from ppaurora.protocols.ranking.labels import Groups, Labels


def most_pairs(n: int) -> int:
    """The largest P·N of n samples."""
    return (n // 2) * ((n + 1) // 2)


def auroc_no_ties(party: Party, labels: Labels) -> Ratio:
    """[ppAURORA, Alg. 1]: exact if no positive is tied with a negative, else the optimistic value.

    The positives of a tie are sorted first, so ties count as won.
    """
    N = inner_product(party, 1 - labels.y, labels.TP)
    D = multiply(party, labels.P, labels.N)
    return Ratio(N, D, most_pairs(len(labels.y)))


def auroc(party: Party, labels: Labels, groups: Groups) -> Ratio:
    """[ppAURORA, Alg. 2]: ties counted half."""
    N = inner_product(party, 1 - labels.y, labels.TP + groups.B)
    return Ratio(N, 2 * groups.PN, 2 * most_pairs(len(labels.y)))
