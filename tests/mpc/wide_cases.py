"""Numbers at the edges of the wide ring."""

from __future__ import annotations

WIDE_TOP = 2**255 - 1
WIDE_EDGES = [
    0,
    WIDE_TOP,
    -WIDE_TOP,
    *(
        sign * ((digit << bit) + off)
        for bit in range(0, 252, 4)
        for digit in (1, 7, 8, 15)
        for sign in (1, -1)
        for off in (-1, 0, 1)
    ),
]
"""As `EDGES`, in the wide ring: also what makes all limbs of x + r and r equal but one."""
