"""The gates that are compiled; as a program, writes the C source of the kernels.

python -m ppaurora.mpc.primitives.kernels
"""

from __future__ import annotations

from ppaurora.mpc.kernels.source import FILE, source
from ppaurora.mpc.primitives.comparison import NEGATIVE, ZERO
from ppaurora.mpc.primitives.placed_comparison import PLACE_BITS, Packing

GATES = (
    *(gate for one in (NEGATIVE, ZERO) for gate in (one.leaf, one.join, one.last)),
    *(Packing(bits, 64).last for bits in PLACE_BITS),
)


def written() -> str:
    """The C source for these gates."""
    return source(GATES)


if __name__ == "__main__":
    FILE.write_text(written(), encoding="utf-8")
