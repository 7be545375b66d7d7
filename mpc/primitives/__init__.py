"""The primitives: every function takes the party first and reads the same at all three roles.

Each is imported when it is first called or its cost is asked for: who reads a study, or a result,
needs none of them.
"""

import sys
from typing import TYPE_CHECKING

from ppaurora.mpc.lazily import import_all, when_called

if TYPE_CHECKING:
    from ppaurora.mpc.primitives.biased_bits import biased_bits
    from ppaurora.mpc.primitives.carry import carry, carry_in_few_hops
    from ppaurora.mpc.primitives.compare import (
        compare_exchange,
        compare_exchange_columns,
        is_negative,
        is_zero,
        negative_part,
        negative_parts,
        negative_parts_in_place,
        negative_times,
        open_negative,
        open_zero,
        where_negative,
    )
    from ppaurora.mpc.primitives.convert import to_arithmetic
    from ppaurora.mpc.primitives.digit_steps import (
        largest_denominator,
        largest_divisor,
        largest_root_denominator,
        largest_wide_denominator,
        undefined,
    )
    from ppaurora.mpc.primitives.divide import divide, whole_quotient
    from ppaurora.mpc.primitives.lookup import lookup
    from ppaurora.mpc.primitives.multiply import (
        inner_product,
        multiply,
        products,
        square,
        sums_of_products,
    )
    from ppaurora.mpc.primitives.opening import open_words, tell_helper
    from ppaurora.mpc.primitives.row_order import row_order, row_orders
    from ppaurora.mpc.primitives.shuffle import shuffle
    from ppaurora.mpc.primitives.truncate import truncate
    from ppaurora.mpc.primitives.wide_compare import wide_is_negative, wide_negative_times
    from ppaurora.mpc.primitives.wide_divide import wide_divide, wide_divide_to_wide
    from ppaurora.mpc.primitives.wide_multiply import wide_multiply, wide_products, widen
    from ppaurora.mpc.primitives.wide_root import wide_root, wide_root_to_wide

__all__ = [
    "biased_bits",
    "carry",
    "carry_in_few_hops",
    "compare_exchange",
    "compare_exchange_columns",
    "divide",
    "inner_product",
    "is_negative",
    "is_zero",
    "largest_denominator",
    "largest_divisor",
    "largest_root_denominator",
    "largest_wide_denominator",
    "lookup",
    "multiply",
    "negative_part",
    "negative_parts",
    "negative_parts_in_place",
    "negative_times",
    "open_negative",
    "open_words",
    "open_zero",
    "products",
    "row_order",
    "row_orders",
    "shuffle",
    "square",
    "sums_of_products",
    "tell_helper",
    "to_arithmetic",
    "truncate",
    "undefined",
    "where_negative",
    "whole_quotient",
    "wide_divide",
    "wide_divide_to_wide",
    "wide_is_negative",
    "wide_multiply",
    "wide_negative_times",
    "wide_products",
    "wide_root",
    "wide_root_to_wide",
    "widen",
]

when_called(
    __name__,
    {
        "biased_bits": "biased_bits",
        "carry": "carry",
        "carry_in_few_hops": "carry",
        "compare_exchange": "compare",
        "compare_exchange_columns": "compare",
        "divide": "divide",
        "inner_product": "multiply",
        "is_negative": "compare",
        "is_zero": "compare",
        "largest_denominator": "digit_steps",
        "largest_divisor": "digit_steps",
        "largest_root_denominator": "digit_steps",
        "largest_wide_denominator": "digit_steps",
        "lookup": "lookup",
        "multiply": "multiply",
        "negative_part": "compare",
        "negative_parts": "compare",
        "negative_parts_in_place": "compare",
        "negative_times": "compare",
        "open_negative": "compare",
        "open_words": "opening",
        "open_zero": "compare",
        "products": "multiply",
        "row_order": "row_order",
        "row_orders": "row_order",
        "shuffle": "shuffle",
        "square": "multiply",
        "sums_of_products": "multiply",
        "tell_helper": "opening",
        "to_arithmetic": "convert",
        "truncate": "truncate",
        "undefined": "digit_steps",
        "where_negative": "compare",
        "whole_quotient": "divide",
        "wide_divide": "wide_divide",
        "wide_divide_to_wide": "wide_divide",
        "wide_is_negative": "wide_compare",
        "wide_multiply": "wide_multiply",
        "wide_negative_times": "wide_compare",
        "wide_products": "wide_multiply",
        "wide_root": "wide_root",
        "wide_root_to_wide": "wide_root",
        "widen": "wide_multiply",
    },
)


def import_everything() -> None:
    """Import all primitives and what they run on, so that no session waits for a file.

    Nor does one wait for what is generated once in a process (`prepared`).
    """
    # here, for a file of this package has the same name
    from ppaurora.mpc import kernels

    for package in (kernels, sys.modules[__name__]):
        import_all(package)
