"""The arithmetic of comparisons: in C where the installation has the library, else in numpy.

Both compute the same words, so that parties need not agree on which they use.
"""

from ppaurora.mpc.kernels.gates import (
    Choice,
    LayerInput,
    OpenedBits,
    add_difference,
    bits_and_signs,
    by_nibble,
    evaluate_on_nibbles,
    join_layer,
    nibbles_to_wires,
    placed,
    products_of_layer,
    products_of_nibbles,
    signs,
    sum_and_products_of_nibbles,
    transpose,
)
from ppaurora.mpc.kernels.library import in_use

__all__ = [
    "Choice",
    "LayerInput",
    "OpenedBits",
    "add_difference",
    "bits_and_signs",
    "by_nibble",
    "evaluate_on_nibbles",
    "in_use",
    "join_layer",
    "nibbles_to_wires",
    "placed",
    "products_of_layer",
    "products_of_nibbles",
    "signs",
    "sum_and_products_of_nibbles",
    "transpose",
]
