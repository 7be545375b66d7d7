"""The primitives: every function takes the party first and reads the same at all three roles.

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

from ppaurora.mpc.primitives.biased_bits import biased_bits
from ppaurora.mpc.primitives.blockwise import open_words, tell_helper
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
    to_arithmetic,
    where_negative,
)
from ppaurora.mpc.primitives.digit_steps import (
    largest_denominator,
    largest_divisor,
    largest_root_denominator,
    largest_wide_denominator,
    undefined,
)
from ppaurora.mpc.primitives.divide import divide, whole_quotient
from ppaurora.mpc.primitives.extend import extend
from ppaurora.mpc.primitives.lookup import lookup
from ppaurora.mpc.primitives.low_half import low_half
from ppaurora.mpc.primitives.multiply import (
    inner_product,
    multiply,
    products,
    square,
    sums_of_products,
    sums_of_weighted_squares,
)
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
    "extend",
    "inner_product",
    "is_negative",
    "is_zero",
    "largest_denominator",
    "largest_divisor",
    "largest_root_denominator",
    "largest_wide_denominator",
    "lookup",
    "low_half",
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
    "sums_of_weighted_squares",
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
