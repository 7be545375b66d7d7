"""The primitives: every function takes the party first and reads the same at all three roles."""

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
