"""One party as a process of its own, for the test of memory: every primitive in turn.

It prints its largest resident memory in MiB after each primitive.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable

import numpy as np

from ppaurora.mpc import Party, Shared, low_bits, primitives
from ppaurora.mpc.shares import narrowed
from tests.mpc.processes import session_of
from tests.mpc.statistics_calls import STATISTICS_CALLS

CALLS: dict[str, Callable[[Party, Shared, Shared], object]] = {
    "open_words": lambda party, x, y: primitives.open_words(party, x),
    "multiply": primitives.multiply,
    "square": lambda party, x, y: primitives.square(party, x),
    "products": lambda party, x, y: primitives.products(party, [x, y], [(0, 0), (0, 1), (1, 1)]),
    "inner_product": primitives.inner_product,
    "sums_of_products": lambda party, x, y: primitives.sums_of_products(
        party, [x, y], [(0, 0), (0, 1), (1, 1)]
    ),
    "sums_of_weighted_squares": lambda party, x, y: primitives.sums_of_weighted_squares(
        party, len(x), lambda part: [x.words[part], y.words[part]], pairs=1
    ),
    "is_negative": lambda party, x, y: primitives.is_negative(party, x),
    "is_zero": lambda party, x, y: primitives.is_zero(party, x),
    "open_negative": lambda party, x, y: primitives.open_negative(party, x),
    "open_zero": lambda party, x, y: primitives.open_zero(party, x),
    "negative_part": lambda party, x, y: primitives.negative_part(party, x),
    "compare_exchange": primitives.compare_exchange,
    "compare_exchange, 32 bits": lambda party, x, y: primitives.compare_exchange(
        party, narrowed(x), narrowed(y)
    ),
    "negative_times": primitives.negative_times,
    "where_negative": lambda party, x, y: primitives.where_negative(party, x, x, y),
    "to_arithmetic": lambda party, x, y: primitives.to_arithmetic(party, low_bits(x)),
    "low_half": lambda party, x, y: primitives.low_half(party, x),
    "truncate": lambda party, x, y: primitives.truncate(party, x, 20),
    "carry": lambda party, x, y: primitives.carry(party, x, [y, y]),
    "carry, 32 bits": lambda party, x, y: primitives.carry(
        party, narrowed(x), [narrowed(y), narrowed(y)]
    ),
    "extend": lambda party, x, y: primitives.extend(party, narrowed(x)),
    # one column, as AUROC needs it: all factors of a place travel in one hop, with two 6 of them
    "carry_in_few_hops": lambda party, x, y: primitives.carry_in_few_hops(party, x, [y]),
    "shuffle": lambda party, x, y: primitives.shuffle(party, [x, y]),
    "tell_helper": lambda party, x, y: primitives.tell_helper(
        party, None if party.is_helper else x.words, len(x)
    ),
    # half as many numerators, each compared with two multiples: a million comparisons at once
    "divide": lambda party, x, y: primitives.divide(
        party, x[: len(x) // 2], y[: len(y) // 2], digits=2, bound=99, base=2
    ),
    "whole_quotient": lambda party, x, y: primitives.whole_quotient(
        party, x[: len(x) // 2], y[: len(y) // 2], digits=2, bound=99, base=2
    ),
    **STATISTICS_CALLS,
}


def resident_peak() -> float:
    """MiB; of this program alone, where getrusage would count what started it too."""
    with open("/proc/self/status") as status:
        [line] = [line for line in status if line.startswith("VmHWM")]
    return int(line.split()[1]) / 1024


def main() -> None:
    told = json.load(sys.stdin)
    n = told["elements"]
    with session_of(told) as party:
        peaks = {"start": resident_peak()}
        x, y = (
            Shared.absent(n)
            if party.is_helper
            else Shared.from_words(
                party.role, np.random.default_rng([party.role, k]).integers(0, 2**64, n, np.uint64)
            )
            for k in range(2)
        )
        for name, call in CALLS.items():
            call(party, x, y)
            peaks[name] = resident_peak()
    print(json.dumps(peaks))


if __name__ == "__main__":
    main()
