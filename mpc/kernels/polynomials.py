"""Numbers in fixed point, in units of 2^-62: products, and polynomials of them.

What one takes is the same for all numbers, so that who times it learns nothing.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ppaurora.mpc.kernels.library import COUNT, WORDS, at, contiguous, function

Whole: TypeAlias = "NDArray[np.int64]"

UNIT_BITS = 62
_HALF = UNIT_BITS // 2
_LOW = (1 << _HALF) - 1


def scaled_product(a: Whole, b: Whole) -> Whole:
    """floor(a·b / 2^62) for numbers from -2^62 to 2^62.

    >>> scaled_product(np.array([-3 << 40]), np.array([5 << 30])).tolist()
    [-3840]
    """
    compiled = function("scaled_product", WORDS, WORDS, WORDS, COUNT)
    if compiled is None or a.shape != b.shape:
        return _by_numpy(a, b)
    words, others = (contiguous(one.view(np.uint64)) for one in (a, b))
    product = np.empty(a.shape, np.uint64)
    compiled(at(words), at(others), at(product), product.size)
    return product.view(np.int64)


def _by_numpy(a: Whole, b: Whole) -> Whole:
    a_high, a_low, b_high, b_low = a >> _HALF, a & _LOW, b >> _HALF, b & _LOW
    middle = a_high * b_low + a_low * b_high + (a_low * b_low >> _HALF)
    product: Whole = a_high * b_high + (middle >> _HALF)
    return product


def polynomials(coefficients: Whole, rows: Whole, x: Whole) -> Whole:
    """For each number x from 0 to 2^62 the polynomial whose coefficients stand in its row.

    Each row of `coefficients` has one for every power, the highest last; no partial sum may leave
    the numbers from -2^62 to 2^62.

    >>> one = 1 << UNIT_BITS
    >>> rows = np.array([[5, 0], [one // 4, one // 2]])
    >>> polynomials(rows, np.array([1]), np.array([one])).tolist() == [one * 3 // 4]
    True
    """
    terms = coefficients.shape[1]
    compiled = function("polynomials", *[WORDS] * 4, COUNT, COUNT)
    if compiled is None:
        value: Whole = coefficients[:, -1][rows]
        for power in range(terms - 2, -1, -1):
            value = _by_numpy(value, x) + coefficients[:, power][rows]
        return value
    given = [contiguous(one.view(np.uint64)) for one in (coefficients, rows, x)]
    found = np.empty(x.shape, np.uint64)
    compiled(*map(at, given), at(found), terms, found.size)
    return found.view(np.int64)
