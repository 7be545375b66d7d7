"""The area under the precision-recall curve of two normal laws, from numbers that were released.

[Thesis, Eq. 4.11, erratum 4]: with the scores of the negatives normal around μ_x with the standard
deviation σ_x, those of the positives around μ_y with σ_y, a share π of positives, and
a = (μ_y - μ_x)/σ_x, b = σ_y/σ_x,

    area = ∫ π·t/(π·t + (1 - π)·Φ(-a + b·Φ⁻¹(t))) dt,    t from 0 to 1.

A receiver who knows a, b and π computes it here; `aupr_binormal` of grid mode releases them. Only
as good as the assumption: with other laws it stays wrong however large the sample [Thesis, section
4.4].
"""

from __future__ import annotations

from math import ceil, erfc, exp, pi, sqrt

REACH, STEPS_PER_UNIT = 30, 32


def aupr_binormal(a: float, b: float, share: float) -> float:
    """The area for positives a·σ_x above the negatives, b times as spread out, a share of all.

    By trapezoids in u = Φ⁻¹(t), which for such an integrand converge faster than any power, the
    finer the larger b is: right to ten decimals.

    >>> round(aupr_binormal(1, 1, 0.1), 6)
    0.292836
    """
    if not (b > 0 and 0 < share < 1):
        raise ValueError(f"b = {b} and a share of {share}: b above 0, the share between 0 and 1")
    total, steps = 0.0, STEPS_PER_UNIT * max(1, ceil(b))
    for place in range(-REACH * steps, REACH * steps + 1):
        u = place / steps
        found, wrong = share * _below(u), (1 - share) * _below(b * u - a)
        if found:
            total += exp(-u * u / 2) * found / (found + wrong)
    return total / (steps * sqrt(2 * pi))


def _below(u: float) -> float:
    """Φ(u), with all digits far below 0."""
    return erfc(-u / sqrt(2)) / 2
