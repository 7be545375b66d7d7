"""Rows that count with secret numbers are cells, for every statistic that can be of them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.local import run_local
from ppaurora.mpc.party import Party
from ppaurora.mpc.shares import Shared, narrowed, reconstruct, share
from ppaurora.protocols.ranking.binned import CellCounts
from ppaurora.protocols.ranking.weighted_rows import (
    cells_of_rows,
    cells_of_rows_cost,
    pooled_rows,
)
from ppaurora.protocols.statistics.registry import statistic

Rows = tuple[Sequence[int], Sequence[int], Sequence[int]]
TEXTS = (
    "auroc",
    "average_precision",
    "pauc:max_fpr=0.4",
    "pauc:min_tpr=0.3,max_tpr=0.8",
    "tpauc:min_tpr=0.25,max_fpr=0.6",
)
DECIMALS = 6


def opened(
    rows: Rows, texts: Sequence[str] = (), most: int = 1 << 20, *, narrow: bool = False, **how: Any
) -> tuple[list[list[int]], Cost]:
    """The released words of statistics over these rows, behind the cells' counts; and the cost."""

    def program(party: Party, scores: Shared, p: Shared, n: Shared) -> tuple[list[Shared], Cost]:
        keys = narrowed(scores) if narrow else scores
        found = cells_of_rows(party, keys, p, n, most=most, **how)
        spent = sum(link.counters.bytes_sent for link in party.links.values())
        cost = Cost(party.hops, spent)
        programs = [statistic(text).over_cells(certain=True) for text in texts]
        assert all(one.weighted for one in programs)
        words = [one.private(party, found, DECIMALS) for one in programs]
        return [found.positives, found.negatives, found.PN, found.P, found.N, *words], cost

    at = run_local(program, *(share(np.array(column, np.uint64)) for column in rows))
    shares = zip(at[0][0], at[1][0], strict=True)
    cost = Cost(max(one.hops for _, one in at), sum(one.payload for _, one in at))
    return [reconstruct(a.words, b.words).tolist() for a, b in shares], cost


def drawn(rng: np.random.Generator, n: int) -> Rows:
    """Rows with ties, rows that count as none, and some that count as both classes."""
    scores = np.sort(rng.integers(0, max(2, n // 2), n))[::-1]
    weights = rng.integers(0, 6, n) * rng.integers(0, 2, n)
    labels = rng.integers(0, 2, n)
    both = rng.integers(0, 2, n) * (rng.integers(0, 8, n) == 0)
    p, q = weights * labels + both, weights * (1 - labels)
    return scores.tolist(), p.tolist(), q.tolist()


def by_pairs(rows: Rows) -> Fraction | None:
    """The AUROC, by counting weighted pairs."""
    won = pairs = Fraction(0)
    for s, p, _ in zip(*rows, strict=True):
        for t, _, n in zip(*rows, strict=True):
            won += p * n * (Fraction(s > t) + Fraction(s == t, 2))
            pairs += p * n
    return won / pairs if pairs else None


def test_a_cell_has_the_counts_of_its_group_where_the_group_ends() -> None:
    rows = ([9, 9, 7, 7, 7, 2], [1, 0, 4, 0, 0, 2], [3, 5, 0, 0, 6, 0])
    [p, n, PN, P, N], _ = opened(rows)
    assert p == [0, 1, 0, 0, 4, 2]
    assert n == [0, 8, 0, 0, 6, 0]
    assert (P, N, PN) == ([7], [14], [7 * 14])


@pytest.mark.parametrize("few_hops", [False, True])
@pytest.mark.parametrize("narrow", [False, True])
@pytest.mark.parametrize("n", [1, 2, 9, 40])
def test_the_numbers_and_the_cost_are_as_stated(n: int, narrow: bool, few_hops: bool) -> None:
    rng = np.random.default_rng(n)
    rows = drawn(rng, n)
    found, cost = opened(rows, TEXTS, narrow=narrow, few_hops=few_hops)
    assert cost == cells_of_rows_cost(n, narrow=narrow, few_hops=few_hops)
    scores, p, q = rows
    clear = pooled_rows(np.array(scores), p, q)
    assert (found[3], found[4]) == ([clear.P], [clear.N])
    for text, words in zip(TEXTS, found[5:], strict=True):
        one = statistic(text).over_cells(certain=True)
        assert words == one.plaintext_words(clear, DECIMALS), text
    area = by_pairs(rows)
    if area is not None:
        assert found[5] == [int(area * 10**DECIMALS + Fraction(1, 2))]


def test_the_order_within_a_group_and_rows_that_count_as_none_make_no_difference() -> None:
    rng = np.random.default_rng(4)
    scores, p, q = (np.array(column) for column in drawn(rng, 30))
    turned = np.lexsort((rng.random(30), -scores))
    more = np.repeat(np.arange(30), 2)
    none = np.tile([1, 0], 30)
    expected, _ = opened((scores, p, q), TEXTS)
    for order, kept in ((turned, 1), (more, none)):
        found, _ = opened((scores[order], p[order] * kept, q[order] * kept), TEXTS)
        assert found[2:] == expected[2:]


def test_weights_times_a_number_change_nothing() -> None:
    rng = np.random.default_rng(8)
    scores, p, q = (np.array(column) for column in drawn(rng, 30))
    once, _ = opened((scores, p, q), TEXTS)
    often, _ = opened((scores, 100 * p, 100 * q), TEXTS)
    assert once[5:] == often[5:]


def test_the_largest_sums_are_exact() -> None:
    half = (1 << 30) - 1
    rows = ([5, 4, 4, 3], [half - 2, 2, 0, 0], [0, 0, 1, half])
    found, _ = opened(rows, TEXTS, most=(1 << 31) - 1)
    area = by_pairs(rows)
    assert area is not None
    assert found[5] == [int(area * 10**DECIMALS + Fraction(1, 2))]
    clear = pooled_rows(np.array(rows[0]), rows[1], rows[2])
    for text, words in zip(TEXTS, found[5:], strict=True):
        one = statistic(text).over_cells(certain=True)
        assert words == one.plaintext_words(clear, DECIMALS), text


def test_the_bound_of_all_rows_is_public_and_their_number_is_a_share() -> None:
    def program(party: Party, *columns: Shared) -> tuple[int, Any]:
        found: CellCounts = cells_of_rows(party, *columns, most=77)
        return found.n, (found.P + found.N).words if found.P.present else None

    at = run_local(program, *(share(np.array(one, np.uint64)) for one in ([3, 2], [1, 0], [0, 1])))
    assert [n for n, _ in at] == [77] * 3
    assert reconstruct(at[0][1], at[1][1]).tolist() == [2]
