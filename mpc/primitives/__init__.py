"""The primitives: every function takes the party first and reads the same at all three roles."""

from ppaurora.mpc.primitives.carry import carry
from ppaurora.mpc.primitives.compare import (
    compare_exchange,
    is_negative,
    is_zero,
    negative_part,
    negative_times,
    open_negative,
    open_zero,
    where_negative,
)
from ppaurora.mpc.primitives.convert import to_arithmetic
from ppaurora.mpc.primitives.divide import divide, largest_denominator, undefined
from ppaurora.mpc.primitives.multiply import (
    inner_product,
    multiply,
    products,
    square,
    sums_of_products,
)
from ppaurora.mpc.primitives.opening import open_words
from ppaurora.mpc.primitives.shuffle import shuffle
from ppaurora.mpc.primitives.tell_helper import tell_helper
from ppaurora.mpc.primitives.truncate import truncate
from ppaurora.mpc.primitives.whole_quotient import largest_divisor, whole_quotient

__all__ = [
    "carry",
    "compare_exchange",
    "divide",
    "inner_product",
    "is_negative",
    "is_zero",
    "largest_denominator",
    "largest_divisor",
    "multiply",
    "negative_part",
    "negative_times",
    "open_negative",
    "open_words",
    "open_zero",
    "products",
    "shuffle",
    "square",
    "sums_of_products",
    "tell_helper",
    "to_arithmetic",
    "truncate",
    "undefined",
    "where_negative",
    "whole_quotient",
]
