"""The rows that owners left out: their sum is released, and a number that is none is refused."""

from __future__ import annotations

import numpy as np
import pytest

from ppaurora.mpc.errors import RemoteProtocolError
from ppaurora.mpc.local import run_local
from ppaurora.mpc.shares import share
from ppaurora.mpc.streams import KEY_BYTES
from ppaurora.protocols.evaluate import evaluate
from ppaurora.protocols.options import Options
from ppaurora.protocols.pipelines.histogram import OwnersSums
from ppaurora.protocols.release.values import Table
from ppaurora.protocols.statistics.registry import statistic
from tests.protocols.studies import Outcome, Owner, keys_of, released

OWNERS = (Owner([0.1, 0.9], [0, 1]), Owner([0.5, 0.5, 0.3], [1, 0, 0]), Owner([0.7], [1]))
ALONE = Options(metrics=("left_out",))
BESIDE = Options(
    metrics=("auroc", "brier", "left_out", "bootstrap:strata=none,replicates=20,bins=2"),
    resolution="bins:4",
    least_cell=1,
)
LIFTED = Options(
    metrics=("left_out", "bootstrap:strata=none,replicates=1000,bins=4"), resolution="bins:4"
)
SORTED = Options(metrics=("left_out", "auroc", "class_counts"), least_cell=1)
STUDIES = (ALONE, BESIDE, LIFTED, SORTED)
LARGEST = (1 << 31) - 1


def computed(options: Options, numbers: tuple[int, ...]) -> Outcome:
    """The study in which the owners say that they left out so many rows, mod 2^64."""
    pipeline, uploads = options.pipeline, []
    for owner, number in zip(OWNERS, numbers, strict=True):
        keys, secret = keys_of(owner, options), bytes(KEY_BYTES)
        words = [pipeline.repeatable(keys, secret, said) for said in (0, 1)]
        # one word, and no other one, is the number
        [place] = np.flatnonzero(words[1] - words[0]).tolist()
        words[0][place] = number % 2**64
        uploads.append(words[0])
    sizes = [len(owner.labels) for owner in OWNERS]
    results = run_local(
        lambda party, *own: evaluate(party, options, own, sizes=sizes), *map(share, uploads)
    )
    return released(options, results)


@pytest.mark.parametrize("options", STUDIES)
@pytest.mark.parametrize("numbers", [(0, 0, 0), (4, 0, 13), (LARGEST, LARGEST, LARGEST)])
def test_the_sum_over_all_owners_is_released(options: Options, numbers: tuple[int, ...]) -> None:
    outcome = computed(options, numbers)
    assert outcome.refused == ()
    assert outcome.results["left_out"] == f"rows {sum(numbers)}"
    assert outcome.samples == 6


@pytest.mark.parametrize("options", STUDIES)
@pytest.mark.parametrize("lie", [-1, LARGEST + 1, 1 << 63, -(1 << 63) + 5])
def test_an_upload_with_a_number_that_is_no_count_is_refused(options: Options, lie: int) -> None:
    outcome = computed(options, (7, lie, 5))
    assert outcome.refused == (1,)
    assert outcome.results["left_out"] == "rows 12"


def test_words_that_no_study_gives_are_refused() -> None:
    for word in (-1, 1 << 53, (1 << 64) - 1):
        with pytest.raises(RemoteProtocolError):
            statistic("left_out").decode([word], 4)
    assert statistic("left_out").decode([12], 4) == Table(("rows",), (("12",),))


def test_beside_many_counts_of_which_halves_are_taken_it_is_compared_as_it_is() -> None:
    assert isinstance(LIFTED.pipeline, OwnersSums)
    layout = LIFTED.pipeline.layout
    assert layout.lifts
    assert layout.words - layout.lifted_words == 1


def test_an_engine_that_counts_tells_it_as_well() -> None:
    assert Options(metrics=("class_counts",)).pipeline.counting_grid is not None
    assert ALONE.pipeline.counting_grid is not None


def test_the_ledger_names_what_the_other_owners_learn_together() -> None:
    assert "all owners but one together learn" in statistic("left_out").leaks(4)
