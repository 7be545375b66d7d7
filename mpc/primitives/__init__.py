"""The primitives: every function takes the party first and reads the same at all three roles.

Each is imported when it is first called or its cost is asked for: who reads a study, or a result,
needs none of them.

Whoever deviates, and sends anything it likes, receives nothing that depends on the data before
something is opened by name. Three facts carry this for all primitives; the docstring of each says
which of its messages they are about.

1. What a proxy sends to the other one is masked by words of a stream that it shares with the helper
   (`Party.masks`), each place of which it reads once, for one message. The other proxy has no word
   of that stream.
2. What the helper sends to a proxy is masked by words of the other proxy's stream of deals
   (`Party.dealt`), each place of which the helper reads once, for one message.
3. Which places are read follows from the sizes that a party computes with and from its own count of
   steps, never from the words of a message; and masks and deals are separate streams. So a party
   that was told other sizes, by a P0 that tells the helper other verdicts say, still masks each
   message by words that are read for no other one.

So what arrives is uniformly random whatever was sent, waited for or held back. A message that is
missing, comes twice, or is of another length, kind or step ends the session with the same words
whatever the data (`ppaurora.mpc.link`).
"""

import sys
from typing import TYPE_CHECKING

from ppaurora.mpc.lazily import import_all, when_called

if TYPE_CHECKING:
    from ppaurora.mpc.primitives.biased_bits import biased_bits
    from ppaurora.mpc.primitives.carry import carry
    from ppaurora.mpc.primitives.carry_in_few_hops import carry_in_few_hops
    from ppaurora.mpc.primitives.compare import (
        is_negative,
        is_zero,
        negative_part,
        negative_times,
        open_negative,
        open_zero,
        where_negative,
    )
    from ppaurora.mpc.primitives.compare_columns import (
        compare_exchange,
        compare_exchange_columns,
        negative_parts,
        negative_parts_in_place,
    )
    from ppaurora.mpc.primitives.convert import to_arithmetic
    from ppaurora.mpc.primitives.digit_steps import undefined
    from ppaurora.mpc.primitives.divide import divide
    from ppaurora.mpc.primitives.largest import (
        largest_denominator,
        largest_divisor,
        largest_root_denominator,
        largest_wide_denominator,
    )
    from ppaurora.mpc.primitives.lookup import lookup
    from ppaurora.mpc.primitives.multiply import (
        inner_product,
        multiply,
        products,
        square,
        sums_of_products,
    )
    from ppaurora.mpc.primitives.opening import open_words
    from ppaurora.mpc.primitives.row_order import row_order, row_orders
    from ppaurora.mpc.primitives.shuffle import shuffle
    from ppaurora.mpc.primitives.tell_helper import tell_helper
    from ppaurora.mpc.primitives.truncate import truncate
    from ppaurora.mpc.primitives.whole_quotient import whole_quotient
    from ppaurora.mpc.primitives.wide_compare import wide_is_negative, wide_negative_times
    from ppaurora.mpc.primitives.wide_divide import wide_divide, wide_divide_to_wide
    from ppaurora.mpc.primitives.wide_multiply import wide_multiply, wide_products
    from ppaurora.mpc.primitives.wide_root import wide_root, wide_root_to_wide
    from ppaurora.mpc.primitives.widen import widen

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
        "carry_in_few_hops": "carry_in_few_hops",
        "compare_exchange": "compare_columns",
        "compare_exchange_columns": "compare_columns",
        "divide": "divide",
        "inner_product": "multiply",
        "is_negative": "compare",
        "is_zero": "compare",
        "largest_denominator": "largest",
        "largest_divisor": "largest",
        "largest_root_denominator": "largest",
        "largest_wide_denominator": "largest",
        "lookup": "lookup",
        "multiply": "multiply",
        "negative_part": "compare",
        "negative_parts": "compare_columns",
        "negative_parts_in_place": "compare_columns",
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
        "tell_helper": "tell_helper",
        "to_arithmetic": "convert",
        "truncate": "truncate",
        "undefined": "digit_steps",
        "where_negative": "compare",
        "whole_quotient": "whole_quotient",
        "wide_divide": "wide_divide",
        "wide_divide_to_wide": "wide_divide",
        "wide_is_negative": "wide_compare",
        "wide_multiply": "wide_multiply",
        "wide_negative_times": "wide_compare",
        "wide_products": "wide_multiply",
        "wide_root": "wide_root",
        "wide_root_to_wide": "wide_root",
        "widen": "widen",
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
