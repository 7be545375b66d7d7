"""An owner's lists of several releases: nearly the same one is refused, whatever came between."""

from __future__ import annotations

import stat
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from ppaurora.mpc.keys import Identity
from ppaurora.parties.errors import ConfigurationError, PolicyRefusal
from ppaurora.parties.participant.cuts_sent import CutsSent
from ppaurora.parties.participant.member import Member
from ppaurora.parties.participant.participant import Participant
from ppaurora.parties.participant.privacy_budget import PrivacyBudget
from ppaurora.parties.participant.releases_sent import ListRows, ReleasesSent
from ppaurora.parties.participant.upload_records import UploadRecords
from ppaurora.parties.participant.upload_words import upload_rows
from ppaurora.parties.site.policy import check_study
from ppaurora.parties.site.site import Policy
from ppaurora.parties.sources.counted import Counted
from ppaurora.parties.sources.labelled import Labelled
from ppaurora.parties.study.key_days import day_at
from ppaurora.parties.study.keys_in_force import KeysInForce
from ppaurora.parties.study.schedule import Schedule
from ppaurora.parties.study.study import Rule, Study
from ppaurora.protocols.release.privacy import Privacy
from tests.parties.sample import study
from tests.parties.world import ANY_METRIC

ANN = Identity.from_private(bytes([4]) * 64)
MONTHLY = Schedule(every="month", first="2026-01", releases=6)
JANUARY, FEBRUARY, MARCH = (period.name for period in MONTHLY.periods[:3])
ROOM = Rule(least_owners=2, least_list=1, least_samples=2, most_share=0.8)


def agreement(**changes: object) -> Study:
    return study(**{"schedule": MONTHLY, "rule": ROOM, "metrics": ("auroc",), **changes})


def rows(values: list[int]) -> ListRows:
    return ListRows([np.array(values, np.uint64)], len(values))


def sent(state: Path, period: str, of: Study | None = None, owner: Identity = ANN) -> ReleasesSent:
    """As a program that has just started has it."""
    return ReleasesSent(state, (of or agreement()).release(period), owner.public)


def test_a_list_with_a_few_rows_more_fewer_or_others_is_refused_and_one_with_more_is_not(
    tmp_path: Path,
) -> None:
    first = list(range(200))
    sent(tmp_path, JANUARY).keep(rows(first))
    before = (tmp_path / "releases-sent.json").read_bytes()
    for near, why in (
        (first, "no row differs"),
        (first[::-1], "no row differs"),
        ([*first, 900], "fewer than 5 rows differ"),
        ([*first, 900, 901, 902, 903], "fewer than 5 rows differ"),
        (first[4:], "fewer than 5 rows differ"),
        ([*first[2:], 900, 901], "fewer than 5 rows differ"),
        ([*first, 7], "fewer than 5 rows differ"),
    ):
        for attempt in (sent(tmp_path, MARCH).check, sent(tmp_path, MARCH).keep):
            with pytest.raises(PolicyRefusal, match=f"release of {JANUARY}: {why}"):
                attempt(rows(near))
    assert (tmp_path / "releases-sent.json").read_bytes() == before
    sent(tmp_path, MARCH).keep(rows([*first, *range(900, 905)]))


def test_the_same_release_may_be_sent_again_and_counts_as_what_was_sent_last(
    tmp_path: Path,
) -> None:
    first, corrected = list(range(100)), list(range(50, 150))
    for one in (first, first, corrected):
        sent(tmp_path, JANUARY).keep(rows(one))
    sent(tmp_path, FEBRUARY).keep(rows(first))
    with pytest.raises(PolicyRefusal, match=f"release of {JANUARY}"):
        sent(tmp_path, MARCH).check(rows(corrected))


def test_a_list_that_was_withdrawn_is_forgotten_and_another_agreement_is_no_release_of_it(
    tmp_path: Path,
) -> None:
    one = rows(list(range(60)))
    sent(tmp_path, JANUARY).keep(one)
    sent(tmp_path, FEBRUARY, agreement(id="another")).keep(one)
    sent(tmp_path, JANUARY).forget()
    sent(tmp_path, FEBRUARY).keep(one)


def test_a_list_that_no_server_took_is_forgotten_only_if_none_was_begun_before(
    tmp_path: Path,
) -> None:
    one, taken = rows(list(range(60))), rows(list(range(100, 160)))

    def begun(period: str, of: ListRows) -> UploadRecords:
        release = agreement().release(period)
        entries = tuple(replace(entry, public=ANN.public) for entry in release.participants[:1])
        here = replace(release, participants=(*entries, *release.participants[1:]))
        records = UploadRecords(
            Member.of(here, ANN, KeysInForce(day=day_at(time.time()))), ANY_METRIC, tmp_path
        )
        records.keep(bytes(16), of)
        return records

    begun(JANUARY, one).not_begun()
    begun(FEBRUARY, one)  # it is of that release, and goes on there
    begun(FEBRUARY, one).not_begun()
    with pytest.raises(PolicyRefusal, match=f"release of {FEBRUARY}: no row differs"):
        begun(MARCH, one)
    # another list for that release, which takes none any more, does not stand in for it
    begun(FEBRUARY, taken).not_begun()
    with pytest.raises(PolicyRefusal, match=f"release of {FEBRUARY}: no row differs"):
        begun(MARCH, one)
    kept = begun(MARCH, taken)
    told = kept.of_releases()
    # once all servers have it, a refusal of the same again takes nothing back
    kept.finish(bytes(16))
    kept.not_begun()
    assert kept.of_releases().keys() == told.keys()
    assert {period: own.samples for period, own in told.items()} == {FEBRUARY: 60, MARCH: 60}
    assert all(own.begun is not None for own in told.values())


def test_owners_that_share_a_folder_do_not_take_each_others_lists_for_their_own(
    tmp_path: Path,
) -> None:
    first, second = rows(list(range(60))), rows(list(range(100, 160)))
    ben = Identity.from_private(bytes([5]) * 64)
    sent(tmp_path, JANUARY).keep(first)
    sent(tmp_path, JANUARY, owner=ben).keep(second)
    sent(tmp_path, FEBRUARY, owner=ben).check(first)
    for owner, one in ((ANN, first), (ben, second)):
        with pytest.raises(PolicyRefusal, match="no row differs"):
            sent(tmp_path, FEBRUARY, owner=owner).check(one)


def distance(a: list[int], b: list[int]) -> int:
    """The rows that only one of two lists has, each as often as it has it more."""
    more, fewer = Counter(a), Counter(b)
    return (more - fewer).total() + (fewer - more).total()


def trial(seed: int) -> tuple[int, int]:
    """Two lists a few rows apart, and what the footprint says: never that more differ than do."""
    rng = np.random.default_rng(seed)
    values = int(rng.choice([4, 50, 1 << 40]))
    first = rng.integers(0, values, int(rng.integers(0, 400))).tolist()
    kept = [one for one in first if rng.random() > rng.choice([0, 0.005, 0.5])]
    second = kept + rng.integers(0, values, int(rng.integers(0, 8))).tolist()
    rng.shuffle(second)
    key = rng.bytes(32)
    apart = rows(first).footprint(key).distance(rows(second).footprint(key))
    exact = distance(first, second)
    assert apart <= exact
    return exact, apart


def test_no_two_lists_that_are_near_have_footprints_that_are_not() -> None:
    few = [(exact, told) for exact, told in map(trial, range(40)) if exact <= 20]
    # with so few rows hardly ever two of them fall into one bucket
    assert sum(exact == told for exact, told in few) >= 0.9 * len(few)
    assert len(few) > 5


@pytest.mark.soak
def test_no_two_of_many_lists_that_are_near_have_footprints_that_are_not() -> None:
    few = [(exact, told) for exact, told in map(trial, range(1000, 2000)) if exact <= 20]
    assert sum(exact == told for exact, told in few) >= 0.98 * len(few)
    assert len(few) > 200


def test_the_lists_of_different_months_pass_at_every_size_from_ten_rows() -> None:
    rng = np.random.default_rng(3)
    for size in (10, 100, 1000, 100_000):
        one, other = (rows(rng.integers(0, 1 << 40, size).tolist()) for _ in range(2))
        key = rng.bytes(32)
        assert one.footprint(key).distance(other.footprint(key)) >= min(size, 1000)


def test_a_row_is_its_score_its_label_and_what_the_study_asks_for_beside_them() -> None:
    one = agreement().release(JANUARY)
    table = Labelled([0.1, 0.2, 0.3], [0, 1, 1])
    for other, apart in (
        (Labelled([0.3, 0.1, 0.2], [1, 0, 1]), 0),
        (Labelled([0.1, 0.2, 0.3], [0, 1, 0]), 2),
        (Labelled([0.1, 0.2, 0.30000000000000004], [0, 1, 1]), 2),
    ):
        key = bytes(range(32))
        mine, theirs = (upload_rows(one, each, None).footprint(key) for each in (table, other))
        assert mine.distance(theirs) == apart
    columns = [np.arange(4, dtype=np.uint64), np.zeros(4, np.uint64)]
    swapped = [columns[1], columns[0]]
    key = bytes(range(32))
    assert ListRows(columns, 4).footprint(key).distance(ListRows(swapped, 4).footprint(key)) > 0


def test_counts_of_an_engine_and_the_rows_behind_them_are_the_same_list() -> None:
    one = agreement(metrics=("confusion:at=0.5",), resolution="bins:64").release(JANUARY)
    grid = one.options.pipeline.counting_grid
    assert grid is not None
    table = Labelled([0.1, 0.2, 0.2, 0.9], [0, 1, 1, 1])
    key = bytes(range(32))
    counted = upload_rows(one, Counted.of(table, grid), None).footprint(key)
    assert counted == upload_rows(one, table, None).footprint(key)


def test_a_differencing_attack_by_the_rows_of_three_patients_ends_at_the_owner(
    tmp_path: Path,
) -> None:
    rng = np.random.default_rng(5)
    scores, labels = rng.random(100), (rng.random(100) < 0.4).astype(np.uint8)
    parts = [
        Participant(ANN, agreement().release(period), ANY_METRIC, tmp_path)
        for period in (JANUARY, FEBRUARY)
    ]
    first = parts[0].prepare(Labelled(scores, labels))
    parts[0].uploading.records.keep(first.upload, first.rows)
    with pytest.raises(PolicyRefusal, match="fewer than 5 rows differ"):
        parts[1].prepare(Labelled(scores[3:], labels[3:]))
    another = parts[1].prepare(Labelled(rng.random(100), labels))
    assert another.upload != first.upload
    assert "rows=" not in repr(another)
    with pytest.raises(ConfigurationError, match="needs a place that outlives"):
        Participant(ANN, agreement().release(MARCH), ANY_METRIC).prepare(Labelled(scores, labels))


def test_the_record_is_private_and_two_processes_do_not_lose_each_others_lists(
    tmp_path: Path,
) -> None:
    rng = np.random.default_rng(6)
    periods = [period.name for period in MONTHLY.periods]
    lists = [rows(rng.integers(0, 1 << 40, 50).tolist()) for _ in periods]
    with ThreadPoolExecutor(6) as pool:
        list(
            pool.map(
                lambda pair: sent(tmp_path, pair[0]).keep(pair[1]), zip(periods, lists, strict=True)
            )
        )
    assert stat.S_IMODE((tmp_path / "releases-sent.json").stat().st_mode) == 0o600
    for period, one in zip(periods, lists, strict=True):
        with pytest.raises(PolicyRefusal, match=f"release of {period}"):
            sent(tmp_path, next(other for other in periods if other != period)).check(one)
    (tmp_path / "releases-sent.json").unlink()
    with pytest.raises(ConfigurationError, match="releases-sent"):
        sent(tmp_path, JANUARY).check(lists[0])


def noisy(epsilon: str = "0.5") -> Study:
    return agreement(metrics=(f"auroc_dp:epsilon={epsilon},least_class=50",))


def test_every_release_is_charged_and_an_agreement_beyond_the_budget_is_refused_at_once(
    tmp_path: Path,
) -> None:
    policy = Policy(most_epsilon=Fraction(3), data_set="icu")
    for one in (noisy(), *noisy().releases):
        check_study(policy, one)
    with pytest.raises(PolicyRefusal, match=r"all 6 releases of the study cost 3\.06"):
        check_study(policy, noisy("0.51").release(JANUARY))
    most = Privacy(Fraction("2.9"), Fraction(1, 10**6))
    for place, one in enumerate(noisy().releases):
        budget = PrivacyBudget(tmp_path, "icu", most)
        if place < 5:
            budget.spend(one, bytes([place]) * 16)
            budget.spend(one, bytes([place]) * 16)  # as an interrupted upload is repeated
            continue
        with pytest.raises(PolicyRefusal, match=r"costs 0\.5, and 2\.5 of 2\.9 are spent"):
            budget.spend(one, bytes([place]) * 16)


def test_releases_have_the_cuts_of_their_agreement_and_no_study_beside_them_has_others(
    tmp_path: Path,
) -> None:
    asked = agreement(metrics=("confusion:at=0.5",), resolution="bins:64")
    for one in asked.releases:
        CutsSent(tmp_path, "icu").keep(one)
    near = agreement(id="near", metrics=("ppv:at=0.515625",), resolution="bins:64")
    for other in (near, near.release(MARCH), replace(near, schedule=Schedule())):
        with pytest.raises(PolicyRefusal, match=r"sent counts for the study sepsis-1\.2026-01"):
            CutsSent(tmp_path, "icu").check(other)
