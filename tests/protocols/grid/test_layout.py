"""A lying owner's histogram is refused by name; the check opens one bit and shows nothing else."""

import numpy as np
import pytest

from ppaurora.mpc.local import run_local
from ppaurora.mpc.role import Role
from ppaurora.mpc.shares import concatenate, share
from ppaurora.protocols.evaluate import evaluate
from ppaurora.protocols.grid.layout import LARGEST_COUNT, check_uploads, lifted
from ppaurora.protocols.lists.verdicts import Verdicts, judged
from ppaurora.protocols.options import Options
from tests.mpc.test_views import leaks, views
from tests.protocols.studies import released

pytestmark = pytest.mark.usefixtures("same_keys")

LARGEST = LARGEST_COUNT
LIES = {
    "one sample more than stated": ([3, 4, 0, 0], 6),
    "one sample fewer than stated": ([3, 4, 0, 0], 8),
    "a negative count that others make up for": ([5, -1, 2, 0], 6),
    "the largest count and one": ([LARGEST + 1, 0, 0, 0], LARGEST + 1),
    "counts whose sum wraps around": ([2**62, 2**62, 2**62, 2**62 + 7], 7),
    "negative counts whose sum wraps around": ([-(2**63), -(2**63), 3, 4], 7),
    "counts that grow past half the ring": ([2**63 - 1, 2**63 - 1, 2, 7], 7),
}
GRID = Options(metrics=("auroc",), decimals=6, resolution="bins:2")


LAYOUT = GRID.pipeline.layout
MANY_CELLS = Options(metrics=("auroc",), decimals=6, resolution="bins:2049")
WIDE = MANY_CELLS.pipeline.layout


def wide(counts):
    """These counts of the outermost bins of both classes, and none in all others."""
    positives, negatives = np.zeros((2, len(WIDE.grid)), object)
    positives[0], positives[-1], negatives[0], negatives[-1] = counts
    return [*positives, *negatives]


def verdicts(*histograms, layout=LAYOUT):
    sizes = [size for _, size in histograms]

    def program(party, *own):
        def findings(places):
            asked = [own[place] for place in places]
            asked = lifted(party, asked, layout)
            return check_uploads(party, asked, [sizes[place] for place in places], layout)

        return judged(party, own, findings, Verdicts({}))

    by_role = run_local(
        program,
        *(share(np.array([c % 2**64 for c in counts], np.uint64)) for counts, _ in histograms),
    )
    assert by_role[0] == by_role[1] == by_role[2]
    return by_role[0]


@pytest.mark.parametrize("lie", LIES)
def test_a_lie_is_found_and_only_that_histogram_is_refused(lie):
    assert verdicts(([1, 2, 3, 4], 10), LIES[lie], ([0, 0, 0, 1], 1)) == [True, False, True]


def test_honest_histograms_pass():
    assert verdicts(([0] * 4, 0), ([LARGEST, 0, 0, 0], LARGEST), ([1, 1, 1, 1], 4)) == [True] * 3
    assert verdicts() == []


def test_one_bit_a_histogram_is_opened(opened_verdicts):
    verdicts(([1, 2, 3, 4], 10), ([-5, -6, 3, 4], 10))
    assert opened_verdicts == [[1, 0], [1, 0]]


def test_views_of_the_check_are_alike_for_histograms_that_could_not_differ_more():
    def program(party, *counts):
        check_uploads(party, [concatenate(counts)], [LARGEST], LAYOUT)

    one, other = (views(program, values) for values in ((0, LARGEST, 0, 0), (0, 0, LARGEST, 0)))
    for role in Role:
        # the two shares of the opened bit fit together
        allowed = {"pairs"} if role is not Role.HELPER else set()
        assert set(leaks(one[role], other[role])) <= allowed, role
    assert one[Role.P0].size


@pytest.mark.parametrize("lie", [lie for lie, (_, size) in LIES.items() if size < 10])
def test_the_study_goes_on_without_the_liar(lie):
    counts, size = LIES[lie]
    uploads = [[3, 1, 1, 2], [c % 2**64 for c in counts], [2, 2, 2, 2]]
    results = run_local(
        lambda party, *own: evaluate(party, GRID, own, sizes=[7, size, 8]),
        *(share(np.array(one, np.uint64)) for one in uploads),
    )
    outcome = released(GRID, results)
    assert outcome.refused == (1,)
    assert outcome.samples == 15
    # 5 and 3 positives, 3 and 4 negatives: (4·5 + (3·5 + 4·3)/2) / (8·7)
    assert outcome.results == {"auroc": "0.598214 (0.357142 to 0.839286)"}


def test_many_counts_are_lifted_and_few_are_compared():
    assert WIDE.lifts
    assert len(range(WIDE.words)[WIDE.compared]) == 0
    assert not LAYOUT.lifts
    assert len(range(LAYOUT.words)[LAYOUT.compared]) == LAYOUT.words


WRONG_SUMS = {lie: own for lie, own in LIES.items() if sum(c % 2**32 for c in own[0]) != own[1]} | {
    "lower halves that add up to the stated number and 2^32": ([2**31, 2**31, 3, 4], 7),
    "a count just below 2^32 that others make up for": ([2**32 - 1, 1, 3, 4], 7),
}


@pytest.mark.parametrize("lie", WRONG_SUMS)
def test_a_lie_in_many_counts_is_found(lie):
    counts, size = WRONG_SUMS[lie]
    honest = wide([1, 2, 3, 4])
    asked = (honest, 10), (wide(counts), size), (honest, 10)
    assert verdicts(*asked, layout=WIDE) == [True, False, True]


def test_the_largest_honest_counts_pass_among_many():
    asked = (wide([LARGEST, 0, 0, 0]), LARGEST), (wide([0] * 4), 0), (wide([0, 0, 0, 9]), 9)
    assert verdicts(*asked, layout=WIDE) == [True] * 3


def test_of_many_counts_only_lower_halves_are_checked_and_only_these_are_counted():
    high = [(1 << 62) + 5, (1 << 32) + 1, 7 << 40, (3 << 33) + 2]
    uploads = [wide(high), wide([2, 2, 2, 2])]
    results = run_local(
        lambda party, *own: evaluate(party, MANY_CELLS, own, sizes=[8, 8]),
        *(share(np.array([c % 2**64 for c in one], np.uint64)) for one in uploads),
    )
    low = [wide([c % 2**32 for c in high]), uploads[1]]
    expected = run_local(
        lambda party, *own: evaluate(party, MANY_CELLS, own, sizes=[8, 8]),
        *(share(np.array(one, np.uint64)) for one in low),
    )
    outcome = released(MANY_CELLS, results)
    assert outcome == released(MANY_CELLS, expected)
    assert outcome.refused == ()
    assert outcome.samples == 16
