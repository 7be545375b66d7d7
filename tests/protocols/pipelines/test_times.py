"""The counts of times to an event: what an upload has, and which uploads are refused."""

from __future__ import annotations

import random

import numpy as np
import pytest

from ppaurora.mpc.local import run_local
from ppaurora.mpc.shares import share
from ppaurora.protocols.disclosure.ledger import ledger
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.evaluate import evaluate
from ppaurora.protocols.options import Options
from tests.protocols.pipelines.test_groups import check
from tests.protocols.statistics.drawn_times import drawn_times
from tests.protocols.studies import Owner, Study, run, upload_of

OPTIONS = Options(metrics=("c_index",), resolution="decimals:1", time_edges=("10", "20"))
SCORES = 11
OWNER = Owner([0.9, 0.9, 0.2, 0.0, 1.0], [1, 0, 1, 1, 0], times=[10, 11, 20, 20.5, 3])


def test_an_upload_counts_events_and_censored_samples_by_time_and_score() -> None:
    events, censored = upload_of(OWNER, OPTIONS).reshape(2, 3, SCORES)
    wanted = np.zeros((2, 3, SCORES), int)
    wanted[0, 0, 1] = wanted[1, 1, 1] = wanted[0, 1, 8] = wanted[1, 0, 0] = 1
    # the event at 20.5 is behind the horizon
    wanted[1, 2, 10] = 1
    assert (np.array([events, censored]) == wanted).all()


def test_its_length_does_not_tell_of_the_list() -> None:
    assert upload_of(Owner([], [], times=[]), OPTIONS).size == upload_of(OWNER, OPTIONS).size == 66


def test_lower_scores_may_speak_for_the_event() -> None:
    study = Study((OWNER,), OPTIONS, "lower")
    turned = Owner([0.1, 0.1, 0.8, 1.0, 0.0], OWNER.labels, times=OWNER.times)
    assert (upload_of(OWNER, study.options) == upload_of(turned, OPTIONS)).all()


@pytest.mark.parametrize("wrong", ["one more", "one less", "negative", "huge"])
def test_an_upload_of_other_counts_is_refused(wrong: str) -> None:
    words = upload_of(OWNER, OPTIONS).copy()
    match wrong:
        case "one more":
            words[0] += 1
        case "one less":
            words[words.argmax()] -= 1
        case "negative":
            words[:2] = np.array([-1, 2]).astype(np.uint64)
        case "huge":
            words[:2] = np.array([1 << 40, -(1 << 40)]).astype(np.uint64)
    good = upload_of(OWNER, OPTIONS)
    found = run_local(
        lambda party, *own: evaluate(party, OPTIONS, own, sizes=[5, 5]), share(words), share(good)
    )
    assert [one.refused for one in found] == [(0,)] * 3
    assert [one.samples for one in found] == [5] * 3


def test_a_study_of_times_has_no_other_part() -> None:
    for other in ("auroc_within", "brier", "left_out"):
        with pytest.raises(OptionRefused, match="of times to an event"):
            Options(metrics=("c_index", other), resolution="bins:4", time_edges=("1",))


def test_the_ledger_says_what_the_servers_learn() -> None:
    told = ledger(OPTIONS, [5, 9]).learns
    assert (
        "the number of samples of each list",
        "for each list one bit: whether it is made of counts that add up to the stated number of "
        "samples",
        *told.P0[2:],
    ) == told.P0
    assert not any("event" in fact or "time " in fact for fact in (*told.P0, *told.helper))


@pytest.mark.parametrize("seed", range(2))
def test_each_group_has_the_value_of_its_own_samples(seed: int) -> None:
    draw = random.Random(seed)
    for study in drawn_times(3, seed, ["c_index"], groups=("a", "b")):
        owners = tuple(
            Owner(
                one.scores,
                one.labels,
                parts=[draw.randrange(2) for _ in one.labels],
                times=one.times,
            )
            for one in study.owners
        )
        check(study.options, owners)


def test_a_covert_study_has_the_same_value() -> None:
    covert = Options(
        metrics=("c_index",),
        resolution="decimals:1",
        time_edges=("10", "20"),
        assurance="covert",
    )
    assert run(Study((OWNER,), covert)).results == run(Study((OWNER,), OPTIONS)).results
