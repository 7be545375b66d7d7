"""The area above the least precision-recall curve, for every number of positives: public tables.

[Thesis, Thm 3.3]: whatever the ranking, the precision at the recall i/P is at least i/(i + N). With
n = P + N public, the area that is left above that curve is a function of P alone, and a table of it
is read at the secret P. For recalls from r = r'/s on, as fixed-point numbers with F bits behind the
point, 0 where a class is missing:

- of the step sum, s times P times that area: N·Σ_i s·c_i/(i + N) over the positives i = 1 .. P,
  where c_i = min(1, max(0, i - r·P)) is the part of the step that lies beyond r. For r = 0 it is
  P·(1 - AP_MIN) [Thesis, Thm 3.5];
- of the integral, 2·P times that area: 2·N·ln(s·n / (s·n - (s - r')·P)) [Thesis, Cor. 3.6], which
  for r = 0 is 2·P·(1 - AUCPR_MIN) [Thesis, Thm 3.4].

Every number is rounded up, by at most s·n²/4 + 2 units.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate

from ppaurora.protocols.arithmetic.logarithms import SPARE_BITS, log_ratio


def above_steps(n: int, r: Fraction, bits: int) -> list[int]:
    """2^bits times s·P times the area above the least step sum, for P = 0 .. n.

    >>> [float(one) / 2**40 for one in above_steps(2, Fraction(0), 40)]
    [0.0, 0.5, 0.0]
    """
    from_r, s = r.numerator, r.denominator
    inverse = [0, *(-(-(1 << bits) // k) for k in range(1, n + 1))]
    harmonic = list(accumulate(inverse))
    table = [0]
    for P in range(1, n):
        N = n - P
        first = from_r * P // s + 1
        partly = (s * first - from_r * P) * inverse[N + first]
        table.append(N * (partly + s * (harmonic[n] - harmonic[N + first])))
    return [*table, 0][: n + 1]


def above_integral(n: int, r: Fraction, bits: int) -> list[int]:
    """2^bits times 2·P times the area above the integral of the least curve, for P = 0 .. n.

    >>> [round(one / 2**40, 9) for one in above_integral(2, Fraction(0), 40)]
    [0.0, 1.386294361, 0.0]
    """
    s, step = r.denominator, r.denominator - r.numerator
    table, total, place = [0], 0, s * n
    for P in range(1, n):
        total += log_ratio(place, place - step, bits + SPARE_BITS)
        place -= step
        table.append((2 * (n - P) * total >> SPARE_BITS) + 1)
    return [*table, 0][: n + 1]
