"""The whole computation in a process that has imported it and done nothing else.

The helper together with a receiver: what they read off the shares of a result.

The helper dealt every λ, so it knows P0's and P1's parts of each. For every way in which the digits
could have come out it computes the share that P0 would hold; before the shares are made fresh
exactly one way fits what the receiver got from P0, and it tells the digits before their carry.
"""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import product

import numpy as np
import pytest

from ppaurora.mpc.local import open_locally, run_local
from ppaurora.mpc.primitives import compare, divide
from ppaurora.mpc.primitives.digit_steps import digit_steps
from ppaurora.mpc.role import Role
from ppaurora.mpc.shares import share
from ppaurora.parties.simulation.processes import environment
from ppaurora.protocols.evaluate import freshly_shared
from tests.further import some_of
from tests.mpc.processes import ROOT


@pytest.mark.parametrize(
    ("metrics", "merge", "samples"),
    [("auroc,auroc_ci", "auto", 300), ("aupr,auroc_no_ties", "network", 30)],
)
def test_the_first_session_generates_and_imports_nothing(
    metrics: str, merge: str, samples: int
) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.protocols.first_session", metrics, merge, str(samples)],
        cwd=ROOT,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    told = json.loads(done.stdout)
    assert "_joining" in told["used"]
    assert told["generated"] == []
    assert told["imported"] == []


DIGITS, BOUND = 4, 1 << 40
ONE = 10**DIGITS
STEPS = digit_steps(DIGITS, 10, 1, lambda steps: True)
M = 1 << 64


def divided(monkeypatch, N, D, *, fresh):
    """P0's share of a quotient, the quotient, and the words λ that the helper dealt."""
    dealt = {Role.P0: [], Role.P1: []}
    bit_share = compare.bit_share

    def spy(role, e, words):
        dealt[role].append(words.copy())
        return bit_share(role, e, words)

    def program(party, N, D):
        quotient = divide(party, N, D, digits=DIGITS, bound=BOUND)
        return freshly_shared(party, quotient) if fresh else quotient

    with monkeypatch.context() as patch:
        patch.setattr(compare, "bit_share", spy)
        at = run_local(program, share([N]), share([D]))
    return int(at[0].words[0]), int(open_locally(at)[0]), dealt


def fitting_ways(seen, dealt):
    """The digits, place by place, with which P0 would hold exactly the share that was seen."""
    options = []
    weight = ONE
    for step, own, other in zip(STEPS, dealt[Role.P0], dealt[Role.P1], strict=True):
        mask = [(int(a) + int(b)) % M for a, b in zip(own, other, strict=True)]
        count = step.count
        weight //= step.radix
        by_digit = []
        for digit in range(count + 1):
            # c = 1 for the multiples beyond the digit; e = c xor λ; P0 holds e + (1 - 2e)·λ0
            missing = 0
            for k in range(count):
                e = int(k >= digit) ^ mask[k]
                missing += e + (1 - 2 * e) * int(own[k])
            by_digit.append(weight * (count - missing))
        options.append(by_digit)
    return [
        way
        for way in product(*(range(len(one)) for one in options))
        if sum(one[digit] for one, digit in zip(options, way, strict=True)) % M == seen
    ]


CASES = [(39_999, 40_000), (1, 3), (999_975, 1_000_000), (1, 1), (5, 8), (0, 7)]


@pytest.mark.parametrize(("N", "D"), CASES)
def test_without_fresh_shares_exactly_one_way_fits_and_tells_the_digits(monkeypatch, N, D):
    seen, quotient, dealt = divided(monkeypatch, N, D, fresh=False)
    [way] = fitting_ways(seen, dealt)
    told = 0
    for step, digit in zip(STEPS, way, strict=True):
        told = told * step.radix + digit
    assert told == quotient


def test_digits_before_the_carry_tell_a_one_from_what_was_rounded_to_it(monkeypatch):
    exact, almost = (
        fitting_ways(seen, dealt)
        for seen, _, dealt in (
            divided(monkeypatch, 1, 1, fresh=False),
            divided(monkeypatch, 999_975, 1_000_000, fresh=False),
        )
    )
    assert exact != almost


@pytest.mark.parametrize("seed", some_of(range(50), in_ci=range(15)))
def test_with_fresh_shares_no_way_fits(monkeypatch, seed):
    rng = np.random.default_rng(seed)
    D = int(rng.integers(1, BOUND))
    N = int(D * rng.random())
    seen, quotient, dealt = divided(monkeypatch, N, D, fresh=True)
    assert quotient == (2 * ONE * N + D) // (2 * D)
    assert fitting_ways(seen, dealt) == []


def test_the_secret_stays_and_the_shares_change():
    def program(party, x):
        first = freshly_shared(party, x)
        second = freshly_shared(party, first)
        return x, first, second

    at = run_local(program, share([1, 2, 3]))
    for k in range(3):
        assert open_locally([one[k] for one in at]).tolist() == [1, 2, 3]
    held = [tuple(at[0][k].words.tolist()) for k in range(3)]
    assert len(set(held)) == 3
    assert not set(held[0]) & set(held[1])
