"""One party as a process of its own, for the test of memory: every primitive in turn.

Reads its role, keys and ports from standard input, waits for the peers over ZeroMQ with CURVE, and
prints its largest resident memory in MiB after each primitive.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable

import numpy as np

from ppaurora.mpc import Party, Role, Shared, low_bits, primitives
from ppaurora.mpc.handshake import Terms, shake_hands
from ppaurora.mpc.keys import Identity
from ppaurora.mpc.link import Endpoint, open_links
from tests.mpc.statistics_calls import STATISTICS_CALLS

SESSION = b"a million tests."
CALLS: dict[str, Callable[[Party, Shared, Shared], object]] = {
    "open_words": lambda party, x, y: primitives.open_words(party, x),
    "multiply": primitives.multiply,
    "square": lambda party, x, y: primitives.square(party, x),
    "products": lambda party, x, y: primitives.products(party, [x, y], [(0, 0), (0, 1), (1, 1)]),
    "inner_product": primitives.inner_product,
    "sums_of_products": lambda party, x, y: primitives.sums_of_products(
        party, [x, y], [(0, 0), (0, 1), (1, 1)]
    ),
    "is_negative": lambda party, x, y: primitives.is_negative(party, x),
    "is_zero": lambda party, x, y: primitives.is_zero(party, x),
    "open_negative": lambda party, x, y: primitives.open_negative(party, x),
    "open_zero": lambda party, x, y: primitives.open_zero(party, x),
    "negative_part": lambda party, x, y: primitives.negative_part(party, x),
    "compare_exchange": primitives.compare_exchange,
    "negative_times": primitives.negative_times,
    "where_negative": lambda party, x, y: primitives.where_negative(party, x, x, y),
    "to_arithmetic": lambda party, x, y: primitives.to_arithmetic(party, low_bits(x)),
    "truncate": lambda party, x, y: primitives.truncate(party, x, 20),
    "carry": lambda party, x, y: primitives.carry(party, x, [y, y]),
    "shuffle": lambda party, x, y: primitives.shuffle(party, [x, y]),
    # half as many numerators, each compared with two multiples: a million comparisons at once
    "divide": lambda party, x, y: primitives.divide(
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
    role, n = Role(told["role"]), told["elements"]
    identity = Identity.from_private(bytes.fromhex(told["private"]))
    publics = {Role(int(peer)): bytes.fromhex(key) for peer, key in told["publics"].items()}
    endpoints = {
        peer: Endpoint("127.0.0.1", told["ports"][str(int(peer))], publics[peer], role < peer)
        for peer in role.others
    }
    links = open_links(role, identity, endpoints, SESSION)
    keys = shake_hands(role, identity, links, publics, Terms(bytes(32), SESSION))
    party = Party(role, links, keys)
    peaks = {"start": resident_peak()}
    x, y = (
        Shared.absent(n)
        if party.is_helper
        else Shared.from_words(
            role, np.random.default_rng([role, k]).integers(0, 2**64, n, np.uint64)
        )
        for k in range(2)
    )
    for name, call in CALLS.items():
        call(party, x, y)
        peaks[name] = resident_peak()
    party.finish()
    print(json.dumps(peaks))


if __name__ == "__main__":
    main()
