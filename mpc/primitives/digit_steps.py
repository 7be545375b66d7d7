"""The steps of a long division or root, and the largest denominators that their arithmetic holds.

A step finds one digit in the base `radix` = base^w, and so w digits, by comparing all its values at
once. Two decimals a step take half the hops of one, and five times as many comparisons. That pays
for a few quotients, where a hop costs more than its bytes: vectors of up to FEW elements get the
widest steps that the arithmetic holds, longer ones a step for each digit. A caller for whom ten
thousand comparisons are few, beside all that it compares, may have steps of up to four decimals.

If the denominator is 0, all comparisons hold and every step counts all its values. The result,

    undefined = base^digits + base^(digits - 1),

is larger than any quotient, so that one released word holds either a quotient or that there is
none. The first step has as many values beyond its digit as make this the same for all widths.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ppaurora.mpc.wide_words import WIDE_BITS

ONE = 1 << 62
"""The largest threshold of biased bits: that of a bit which is certainly 1."""
LARGEST_TABLE = 1 << 22
"""Entries of a table: its one-hot vector is then one frame of 32 MiB."""


def largest_denominator(base: int = 10) -> int:
    """The largest D for which no difference in the long division reaches 2^63.

    >>> largest_denominator()
    439208192231179800
    """
    return (2**63 - 1) // (2 * base + 1)


def largest_divisor(digits: int, base: int = 10) -> int:
    """The largest D for which neither N nor a difference of `whole_quotient` reaches 2^63.

    >>> largest_divisor(15) >= 4 * 576
    True
    """
    scale: int = base**digits
    return (2**63 - 1) // (scale + 1)


def largest_wide_denominator(base: int = 10) -> int:
    """The largest D for which no difference of the long division reaches 2^255.

    >>> largest_wide_denominator(10) > 2**250
    True
    """
    return ((1 << WIDE_BITS - 1) - 1) // (2 * base + 1)


def largest_root_denominator(digits: int, base: int = 10) -> int:
    """The largest D for which no difference of the digits reaches 2^255.

    Before the last digit s <= base^(digits - 1), so that R <= (2s + 1)·D; it is multiplied by
    4·base², and what is subtracted is not larger.

    >>> largest_root_denominator(14) > 2**199
    True
    """
    return ((1 << WIDE_BITS - 1) - 1) // largest_factor_of_root(digits, base, base)


def largest_factor_of_root(digits: int, base: int, last_radix: int) -> int:
    """By how much more than D the largest difference of a root is, of the last step."""
    largest_root: int = base**digits // last_radix
    return 4 * last_radix**2 * (2 * largest_root + 1)


USUAL_RADIX = 100
"""A wider step needs more comparisons than a hop is worth, where little else is compared."""
LARGEST_RADIX = 10_000
FEW = 128


@dataclass(frozen=True, slots=True)
class Step:
    """One digit in base `radix`, found by comparing `count` values; the last one is rounded."""

    radix: int
    count: int
    last: bool


def undefined(digits: int, base: int = 10) -> int:
    """The result if numerator and denominator are 0.

    >>> undefined(4), 10**4
    (11000, 10000)
    """
    value: int = base**digits + base ** (digits - 1)
    return value


def radix_beside(compared: int) -> int:
    """The widest step beside so many comparisons, of which it may take twice as many.

    >>> radix_beside(8000), radix_beside(10)
    (10000, 100)
    """
    return min(LARGEST_RADIX, max(USUAL_RADIX, 2 * compared))


def digit_steps(
    digits: int,
    base: int,
    length: int,
    holds: Callable[[Sequence[Step]], bool],
    *,
    widest: int = USUAL_RADIX,
) -> tuple[Step, ...]:
    """As few steps as `holds` accepts, none wider than `widest`, for vectors of this length; of
    these the narrowest. Single digits where nothing wider is accepted.

    >>> [step.radix for step in digit_steps(5, 10, 1, lambda steps: True)]
    [10, 100, 100]
    >>> [step.radix for step in digit_steps(5, 10, 1, lambda steps: True, widest=10**4)]
    [100, 1000]
    """
    choice = _steps(digits, base, 1)
    width = 2
    while length <= FEW and base**width <= widest:
        steps = _steps(digits, base, width)
        if len(steps) < len(choice) and holds(steps):
            choice = steps
        width += 1
    return choice


def _steps(digits: int, base: int, width: int) -> tuple[Step, ...]:
    """Steps of this width; the first has what is left over."""
    first = digits % width or min(width, digits)
    widths = [first, *[width] * ((digits - first) // width)]
    steps = []
    for place, radix in enumerate(base**w for w in widths):
        last = place == len(widths) - 1
        # a digit has radix - 1 values beside 0, and rounding up may make the last one `radix`
        count = radix - 1 + last
        if place == 0:
            count += radix // base
        steps.append(Step(radix, count, last))
    return tuple(steps)


def largest_factor(steps: Sequence[Step]) -> int:
    """By how much a difference of a long division can be larger than the denominator D.

    A step subtracts up to count·D from up to radix·D; the last one, which rounds, 2·count·D from
    between D and 2·radix·D + D.
    """
    *before, last = steps
    of_last = max(2 * last.radix + 1, 2 * last.count - 1)
    return max([of_last, *(max(step.radix, step.count) for step in before)])
