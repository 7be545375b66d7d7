"""The arithmetic of comparisons: in C where the installation has the library, else in numpy.

Both compute the same words, so that parties need not agree on which they use.
"""

from typing import TYPE_CHECKING

from ppaurora.mpc.kernels.library import in_use
from ppaurora.mpc.lazily import lazily

if TYPE_CHECKING:
    from ppaurora.mpc.kernels.gates import (
        evaluate,
        evaluate_on_nibbles,
        products,
        products_of_nibbles,
    )
    from ppaurora.mpc.kernels.places import exchange, subtract
    from ppaurora.mpc.kernels.planes import bits_and_signs, chosen, signs, turn

__all__ = [
    "bits_and_signs",
    "chosen",
    "evaluate",
    "evaluate_on_nibbles",
    "exchange",
    "in_use",
    "products",
    "products_of_nibbles",
    "signs",
    "subtract",
    "turn",
]

# who asks which of the two it is, as `--version` does, loads no numpy
__getattr__ = lazily(
    __name__,
    {
        "bits_and_signs": "ppaurora.mpc.kernels.planes",
        "chosen": "ppaurora.mpc.kernels.planes",
        "evaluate": "ppaurora.mpc.kernels.gates",
        "evaluate_on_nibbles": "ppaurora.mpc.kernels.gates",
        "exchange": "ppaurora.mpc.kernels.places",
        "products": "ppaurora.mpc.kernels.gates",
        "products_of_nibbles": "ppaurora.mpc.kernels.gates",
        "signs": "ppaurora.mpc.kernels.planes",
        "subtract": "ppaurora.mpc.kernels.places",
        "turn": "ppaurora.mpc.kernels.planes",
    },
)
