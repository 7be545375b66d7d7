"""A lying owner's histogram is refused by name; the check opens one bit and shows nothing else."""

import numpy as np
import pytest

from ppaurora.mpc.local import run_local
from ppaurora.mpc.role import Role
from ppaurora.mpc.shares import concatenate, share
from ppaurora.protocols.evaluate import evaluate
from ppaurora.protocols.grid.layout import LARGEST_COUNT, check_uploads
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


def verdicts(*histograms, layout=LAYOUT):
    sizes = [size for _, size in histograms]

    def program(party, *own):
        def findings(places):
            asked = [own[place] for place in places]
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
