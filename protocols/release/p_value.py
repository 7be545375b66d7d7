"""The p-value of a released test statistic, by the normal law: it tells no more than that.

p = 2·Φ(-|z|), to four significant digits, of the z that is released: its last decimal moves p by at
most 0.0004, so a program that rounds z less may print another p. Below 0.0001 nobody needs digits.
"""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

from ppaurora.protocols.arithmetic.normal import density_and_tails

SIGNIFICANT, DIGITS = 4, 20
LEAST = Decimal("0.0001")
FARTHEST = Decimal(4)
"""Beyond it p is below `LEAST`."""


def two_sided_p(z: str) -> str:
    """The p-value of a z that is written as a number, or as "at least 100", "at most -100".

    >>> two_sided_p("1.960"), two_sided_p("-0.003"), two_sided_p("at least 100")
    ('0.05000', '0.9976', 'less than 0.0001')
    """
    size = abs(Decimal(z.split()[-1]))
    p = 2 * density_and_tails(size, DIGITS)[2] if size < FARTHEST else Decimal(0)
    if p < LEAST:
        return f"less than {LEAST}"
    last = Decimal(1).scaleb(p.adjusted() - SIGNIFICANT + 1)
    return f"{p.quantize(last, ROUND_HALF_UP):f}"
