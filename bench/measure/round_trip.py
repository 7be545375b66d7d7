"""Round trip and pace of the laid network, measured through the real links."""

from __future__ import annotations

from ppaurora.bench.measure.run import run
from ppaurora.bench.networks.networks import Hosts
from ppaurora.mpc.role import Role


def median_round_trip(hosts: Hosts, *, repetitions: int = 100, plain: bool = False) -> float:
    """Seconds from one word's sending by P0 to P1's answer."""
    done = run(hosts, {"job": "round trips", "repetitions": repetitions}, plain=plain)
    return float(done.answer(Role.P0)["median"])


def bits_per_second(hosts: Hosts, *, blocks: int = 40, plain: bool = False) -> float:
    """The bits a second that P0 sends to P1, in blocks of a mebibyte."""
    done = run(hosts, {"job": "transfer", "repetitions": blocks}, plain=plain)
    return float(done.answer(Role.P0)["bits_per_second"])
