"""Counts of two scores: drawn together, and refused where they cannot be of the same rows."""

from __future__ import annotations

import numpy as np
import pytest

from ppaurora.mpc.local import run_local
from ppaurora.mpc.shares import Shared, share
from ppaurora.protocols.evaluate import NOTHING_KNOWN
from ppaurora.protocols.lists.verdicts import judged
from ppaurora.protocols.options import Options
from tests.protocols.studies import Owner, Study, keys_of, run

TEXT = "tpauc_difference:min_tpr=0.5,max_fpr=0.5,replicates=20,bins=8"
WORDS = 8 * 4 * 21
OPTIONS = Options(metrics=(TEXT,))
SECRET = bytes(range(16))


def parts_of(text: str) -> int:
    return int(text.rpartition("bins=")[2])


def owner(n: int = 50, *, equal: bool = False) -> Owner:
    rng = np.random.default_rng(n)
    first = rng.random(n)
    return Owner(first, rng.integers(0, 2, n), first if equal else rng.random(n))


def words(one: Owner, secret: bytes = SECRET) -> np.ndarray:
    return OPTIONS.pipeline.repeatable(keys_of(one, OPTIONS), secret)


def test_a_sample_is_drawn_as_often_by_both_scores() -> None:
    rows = words(owner(equal=True)).reshape(21, 2, 2, 8)
    assert (rows[:, 0] == rows[:, 1]).all()
    rows = words(owner()).reshape(21, 2, 2, 8)
    assert (rows.sum(axis=3)[:, 0] == rows.sum(axis=3)[:, 1]).all()
    assert (rows[:, 0].sum(axis=(1, 2)) == 50).all()
    assert len({tuple(row.reshape(-1)) for row in rows}) == 21


def test_a_secret_draws_the_same_again_and_another_secret_does_not() -> None:
    assert (words(owner()) == words(owner())).all()
    other = words(owner(), SECRET[::-1])
    assert (words(owner())[: 4 * 8] == other[: 4 * 8]).all()
    assert (words(owner()) != other).any()


def verdict(upload: np.ndarray, size: int) -> bool:
    pipeline = OPTIONS.pipeline

    def program(party, shared: Shared) -> list[bool]:
        [lifted] = pipeline.lifted(party, [shared], [size])
        return judged(
            party, [lifted], lambda places: pipeline.check(party, [lifted], [size]), NOTHING_KNOWN
        )

    return run_local(program, share(upload))[0][0]


def test_counts_that_no_rows_have_are_refused() -> None:
    honest = words(owner())
    assert verdict(honest, 50)
    assert not verdict(honest, 49)
    # a positive more and a negative fewer by the second score, of the list and of a replicate
    for row in (0, 7):
        lie = honest.reshape(21, 2, 2, 8).copy()
        place = int(np.flatnonzero(lie[row, 1, 1])[0])
        lie[row, 1, 0, 0] += 1
        lie[row, 1, 1, place] -= 1
        assert not verdict(lie.reshape(-1), 50)
    # a sample more in a replicate, by both scores
    lie = honest.reshape(21, 2, 2, 8).copy()
    lie[3, :, 0, 2] += 1
    assert not verdict(lie.reshape(-1), 50)


def test_it_stands_beside_other_parts_of_an_upload() -> None:
    texts = (TEXT, "auroc_difference", "auroc", "brier")
    results = run(Study((owner(), owner(30)), Options(metrics=texts))).results
    assert set(results) == set(texts)
    alone = run(Study((owner(), owner(30)), OPTIONS)).results
    assert results[TEXT] == alone[TEXT]


@pytest.mark.parametrize("n", [0, 1])
def test_tiny_lists_have_no_difference(n: int) -> None:
    few = Owner([0.5] * n, [1] * n, [0.25] * n)
    [told] = run(Study((few,), OPTIONS)).results.values()
    assert told.startswith("undefined")
