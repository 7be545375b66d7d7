"""The arithmetic of comparisons: in C where the installation has the library, else in numpy.

Both compute the same words, so that parties need not agree on which they use.
"""

from ppaurora.mpc.kernels.gates import (
    Choice,
    OpenedBits,
    add_difference,
    bits_and_signs,
    evaluate,
    evaluate_on_nibbles,
    folded_products,
    join_to_wires,
    nibbles_to_wires,
    products,
    products_of_nibbles,
    signs,
    sum_and_products_of_nibbles,
    transpose,
)
from ppaurora.mpc.kernels.library import in_use

__all__ = [
    "Choice",
    "OpenedBits",
    "add_difference",
    "bits_and_signs",
    "evaluate",
    "evaluate_on_nibbles",
    "folded_products",
    "in_use",
    "join_to_wires",
    "nibbles_to_wires",
    "products",
    "products_of_nibbles",
    "signs",
    "sum_and_products_of_nibbles",
    "transpose",
]
