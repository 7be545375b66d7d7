"""Disclosure of one patient by two AUROCs, against all data sets that fit them."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from ppaurora.protocols.release.differencing import left_open, told
from ppaurora.protocols.release.label_guessing import released_auroc


def placement(scores: np.ndarray, labels: np.ndarray, row: int) -> int:
    """Twice the pairs of the row in order, one by one."""
    sign = 1 if labels[row] else -1
    others = [other for other in range(len(labels)) if labels[other] != labels[row]]
    return sum(1 + int(np.sign(sign * (scores[row] - scores[other]))) for other in others)


@pytest.mark.parametrize("decimals", [1, 2, 3])
def test_every_patient_is_among_what_is_left_and_nothing_impossible_is(decimals: int) -> None:
    """All labellings of six ranks with ties, and every patient of each."""
    scores = np.array([0.1, 0.2, 0.2, 0.3, 0.4, 0.4])
    of_numbers: dict[tuple[int, int, int], set[tuple[int, int]]] = {}
    for bits in product((0, 1), repeat=6):
        labels = np.array(bits)
        for row in range(6):
            kept = np.arange(6) != row
            both = released_auroc(scores, labels, decimals)
            without = released_auroc(scores[kept], labels[kept], decimals)
            if both is None or without is None:
                continue
            key = (both, without, int(labels.sum()))
            seen = (int(labels[row]), placement(scores, labels, row))
            of_numbers.setdefault(key, set()).add(seen)
    assert len(of_numbers) > 20
    for (both, without, P), patients in of_numbers.items():
        left = left_open(both, without, P, 6 - P, decimals)
        for is_positive, place in patients:
            of_class = left.if_positive if is_positive else left.if_negative
            assert of_class.least <= place <= of_class.most
        labels_seen = {is_positive for is_positive, _ in patients}
        if left.is_certain:
            assert len(labels_seen) == 1


def fitting(both: int, without: int, P: int, N: int, decimals: int) -> dict[int, set[int]]:
    """All placements that fit, by trying every number of pairs."""
    one, found = 10**decimals, {0: set[int](), 1: set[int]()}
    for label, (others, largest) in {1: ((P - 1) * N, 2 * N), 0: (P * (N - 1), 2 * P)}.items():
        for before, place in product(range(2 * others + 1), range(largest + 1)):
            pairs = before + place
            if not others or pairs > 2 * P * N:
                continue
            values = [
                (2 * one * u + 2 * m) // (4 * m) for u, m in ((pairs, P * N), (before, others))
            ]
            if values == [both, without]:
                found[label].add(place)
    return found


@pytest.mark.parametrize("seed", range(12))
def test_what_is_left_is_what_trying_all_numbers_of_pairs_finds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    P, N, decimals = (int(rng.integers(low, high)) for low, high in ((1, 6), (1, 6), (1, 4)))
    both, without = (int(one) for one in rng.integers(0, 10**decimals + 1, 2))
    left, tried = left_open(both, without, P, N, decimals), fitting(both, without, P, N, decimals)
    for label, of_class in ((1, left.if_positive), (0, left.if_negative)):
        assert set(range(of_class.least, of_class.most + 1)) == tried[label]


def normal(n: int, rng: np.random.Generator):  # type: ignore[no-untyped-def]
    labels = np.repeat([1, 0], [n // 3, n - n // 3])
    return lambda: (rng.normal(size=n) + labels, labels)


def test_more_decimals_tell_more_of_the_patient() -> None:
    rng = np.random.default_rng(1)
    found = [told(normal(60, rng), d, trials=300, generator=rng) for d in (1, 3, 8)]
    assert found[0].open > 0.9 > found[1].open > 2 * found[2].open
    assert found[2].open < 0.03
    assert found[0].certain < 0.1
    assert found[2].certain > 0.9
    assert found[2].guessed >= found[2].certain
    # always naming the more frequent class is right for two of three
    assert found[0].guessed > 0.55


def test_classes_of_one_size_leave_the_label_open_but_not_the_rank() -> None:
    rng = np.random.default_rng(3)
    labels = np.repeat([1, 0], 20)
    found = told(lambda: (rng.normal(size=40) + labels, labels), 9, trials=50, generator=rng)
    assert found.certain == 0
    assert found.open == pytest.approx(1 / 41)


def test_two_decimals_of_a_thousand_samples_tell_next_to_nothing() -> None:
    rng = np.random.default_rng(2)
    found = told(normal(1000, rng), 2, trials=100, generator=rng)
    assert found.certain == 0
    assert found.open > 0.95
