"""The noisy number of joined rows: its count, its noise, and what an owner learns of a target."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from math import exp

import numpy as np
import pytest

from ppaurora.mpc.errors import LocalProtocolError, RemoteProtocolError
from ppaurora.protocols.disclosure.ledger import ledger
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.lists.tags import Side
from ppaurora.protocols.options import Options
from ppaurora.protocols.ranking.binned import PooledBins
from ppaurora.protocols.release.noise import GeometricNoise
from ppaurora.protocols.statistics.registry import statistic
from tests.protocols.joins import Holder, drawn, joined
from tests.protocols.pipelines.test_joined import NARROW, holder, study
from tests.protocols.release.test_noise import KEYS, worst_ratio
from tests.protocols.release.test_noise import drawn as noise_drawn
from tests.protocols.studies import Owner, Study, run, upload_of

SCORES, LABELS, _ = Side
TEXT = "samples_dp:epsilon=1"
ALONE = replace(NARROW, metrics=(TEXT,), least_join=50)


def counted(holders: list[Holder], options: Options = ALONE) -> int:
    """The number before the noise, from uploads in the clear."""
    of = study(holders, options)
    [one] = options.statistics
    uploads = [upload_of(owner, options) for owner in of.owners]
    data = options.pipeline.plaintext(uploads, of.sizes)
    return int(one.plaintext_words(options.pipeline.part(one.pipeline, data), 4)[0])


def silent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(GeometricNoise, "thresholds", lambda self: [0] * self.digits)


@pytest.mark.parametrize("merge", ["network", "shuffled"])
def test_without_noise_it_is_the_number_of_joined_rows_enough_or_not(
    monkeypatch: pytest.MonkeyPatch, merge: str
) -> None:
    silent(monkeypatch)
    for seed in (23, 11, 5):
        holders = drawn(seed, owners=4, people=20)
        found = run(study(holders, replace(ALONE, merge=merge))).results[TEXT]
        assert int(found) == len(joined(holders)[0]) == counted(holders)


def test_in_a_study_that_joins_nothing_it_is_of_all_samples(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    silent(monkeypatch)
    options = Options(metrics=(TEXT,))
    of = Study((Owner([0.2, 0.4, 0.9], [0, 0, 1]), Owner([0.1], [0])), options)
    assert run(of).results == {TEXT: "4"}


def test_replacing_one_row_changes_it_by_at_most_two() -> None:
    """A partner lost or given back, and one won or kept apart; every change there is occurs."""
    rng = np.random.default_rng(3)
    changes = Counter[int]()
    for _ in range(300):
        lists = [rng.choice(6, size=3, replace=False).tolist() for _ in range(3)]
        sides = [SCORES, LABELS, Side(int(rng.integers(0, 2)))]
        before = [holder(side, own) for side, own in zip(sides, lists, strict=True)]
        free = [person for person in range(6) if person not in lists[2]]
        lists[2][0] = int(rng.choice(free))
        after = [holder(side, own) for side, own in zip(sides, lists, strict=True)]
        changes[counted(after) - counted(before)] += 1
    assert set(changes) == {-2, -1, 0, 1, 2}


def test_an_owner_with_a_target_guesses_no_better_than_epsilon_allows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The attack on membership: known people and one target, there or not, below the least.

    The exact numbers beside are withheld; the noisy one differs by one row, and the likelihood
    ratio of any event of it stays below ε, with half of the noise it does not.
    """
    options = replace(ALONE, metrics=("auroc", TEXT))
    registry = holder(LABELS, range(20))
    silent(monkeypatch)
    found = [
        run(study([registry, holder(SCORES, [*range(5), target])], options)).results
        for target in (19, 99)
    ]
    assert found[0]["auroc"] == found[1]["auroc"] == "undefined: a class is missing"
    numbers = [int(one[TEXT]) for one in found]
    assert numbers == [6, 5]
    monkeypatch.undo()
    for epsilon, sound in ((1, True), (4, False)):
        noise = statistic(f"samples_dp:epsilon={epsilon}").noise
        there, not_there = (
            number + part
            for number, part in zip(
                (2, 0), noise_drawn(noise, 30_000, KEYS).reshape(2, 15_000), strict=True
            )
        )
        # of a replaced row: the most that it changes
        assert (worst_ratio(there, not_there) <= 1) == sound


def test_the_noise_has_the_scale_that_epsilon_says() -> None:
    holders = [holder(SCORES, range(12)), holder(LABELS, range(12))]
    found = [int(run(study(holders, ALONE)).results[TEXT]) for _ in range(12)]
    # variance of Pr(i) ~ q^|i| with q = e^(-1/2): 2q/(1 - q)² = 7.84
    q = exp(-0.5)
    assert abs(np.mean(found) - 12) < 5 * (2 * q / (1 - q) ** 2 / 12) ** 0.5
    assert len(set(found)) > 2


def test_it_stands_beside_exact_numbers_of_joined_rows_and_is_charged() -> None:
    options = replace(ALONE, metrics=("auroc", "brier", TEXT))
    assert options.privacy is not None
    assert options.privacy.epsilon == 1
    assert options.exact == ("auroc", "brier")
    told = ledger(options, (500, 0, 0, 0, 400, 0))
    text = " ".join(told.learns.receivers)
    assert "the noisy number of samples, of joined lists that of joined rows, ε = 1" in text
    assert "of those with noise: ε = 1" in text
    with pytest.raises(OptionRefused, match="beside exact ones"):
        Options(metrics=("auroc", TEXT))


@pytest.mark.parametrize("more", ["", ":epsilon=0", ":epsilon=11"])
def test_a_number_without_enough_noise_is_refused(more: str) -> None:
    with pytest.raises(OptionRefused):
        replace(NARROW, metrics=(f"samples_dp{more}",))


def test_words_that_no_noise_makes_are_refused_and_less_than_nothing_is_shown_as_none() -> None:
    one = statistic(TEXT)
    assert str(one.decode([2**64 - 3], 4)) == "0"
    assert str(one.decode([7], 4)) == "7"
    with pytest.raises(RemoteProtocolError):
        one.decode([1 << 62], 4)


def test_the_number_of_rows_that_were_not_joined_is_not_made_up() -> None:
    [one] = ALONE.statistics
    data = run_free()
    with pytest.raises(LocalProtocolError, match="was not kept"):
        one.plaintext_words(data, 4)


def run_free() -> PooledBins:
    options = Options(metrics=(TEXT,))
    upload = upload_of(Owner([0.5], [1]), options)
    found = options.pipeline.plaintext([upload])
    assert isinstance(found, PooledBins)
    return found
