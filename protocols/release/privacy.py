"""Privacy loss of differentially private numbers, and the decoding of a noisy word."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal, localcontext
from fractions import Fraction

from ppaurora.mpc.errors import RemoteProtocolError
from ppaurora.protocols.release.values import decimal_text

TINY = Fraction(1, 1 << 40)
DIGITS = 3


@dataclass(frozen=True, slots=True)
class Privacy:
    """(ε, δ)-differential privacy for the replacement of one sample of one list [Thesis, 2.4]."""

    epsilon: Fraction
    delta: Fraction

    @classmethod
    def together(cls, parts: Iterable[Privacy]) -> Privacy:
        """The privacy loss of several numbers of the same lists: the sums [Thesis, Theorem 2.5]."""
        listed = list(parts)
        epsilon = sum((loss.epsilon for loss in listed), Fraction(0))
        return cls(epsilon, sum((loss.delta for loss in listed), Fraction(0)))

    def __str__(self) -> str:
        return f"ε = {float(self.epsilon):g}, δ below {_bound(self.delta)}"


def _bound(delta: Fraction) -> str:
    """A short text of a number that is not smaller: a power of two where that is tiny.

    >>> _bound(Fraction(1, 99_000)), _bound(Fraction(3, 1 << 50))
    ('0.0000102', '2^-48')
    """
    if delta < TINY:
        return _power_of_two(delta)
    with localcontext(rounding=ROUND_CEILING, prec=DIGITS):
        return f"{Decimal(delta.numerator) / Decimal(delta.denominator):f}"


def _power_of_two(delta: Fraction) -> str:
    """The least power of two that is not smaller.

    >>> _power_of_two(Fraction(3, 1 << 50))
    '2^-48'
    """
    power = 0
    while Fraction(1, 1 << power + 1) >= delta > 0:
        power += 1
    return f"2^-{power}"


def noisy_text(name: str, word: int, decimals: int, largest_noise: int) -> str:
    """A noisy ratio as a decimal text, cut off at 0 and 1.

    >>> noisy_text("auroc_dp", 2**64 - 5, 4, 100), noisy_text("auroc_dp", 8250, 4, 100)
    ('0.0000', '0.8250')
    """
    scale = 10**decimals
    value = word - (1 << 64) if word >> 63 else word
    if not -largest_noise <= value <= scale + largest_noise:
        raise RemoteProtocolError(
            f"the shares of {name} do not make a result",
            advice="The two proxies hold shares of different runs; ask for the result again.",
        )
    return decimal_text(min(max(value, 0), scale), decimals)
