"""The arithmetic of comparisons, and of polynomials in fixed point: in C where the installation has
the library, else in numpy.

Both compute the same words, so that parties need not agree on which they use.
"""

from ppaurora.mpc.kernels.gates import (
    Choice,
    LayerInput,
    OpenedBits,
    add_difference,
    bits_and_signs,
    digits_to_wires,
    join_layer,
    products_of_all_digits,
    products_of_digits,
    products_of_layer,
    signs,
    values_of_digits,
)
from ppaurora.mpc.kernels.library import in_use

__all__ = [
    "Choice",
    "LayerInput",
    "OpenedBits",
    "add_difference",
    "bits_and_signs",
    "digits_to_wires",
    "in_use",
    "join_layer",
    "products_of_all_digits",
    "products_of_digits",
    "products_of_layer",
    "signs",
    "values_of_digits",
]
