"""An owner's budget of privacy loss: it adds up, survives, and is never forgotten by accident."""

from __future__ import annotations

import hashlib
import json
import stat
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from ppaurora.mpc.keys import Identity
from ppaurora.parties.columns.tag import JoinBy
from ppaurora.parties.errors import ConfigurationError, PolicyRefusal
from ppaurora.parties.participant.participant import Participant
from ppaurora.parties.participant.privacy_budget import PrivacyBudget
from ppaurora.parties.site.policy import check_study
from ppaurora.parties.site.site import Policy, Site
from ppaurora.parties.sources.labelled import Labelled
from ppaurora.parties.study.study import Study
from ppaurora.protocols.release.privacy import Privacy
from tests.parties.sample import study

ANN = Identity.from_private(bytes([4]) * 64)
FILE = "privacy-budget.json"


def noisy(id: str, epsilon: str = "1") -> Study:
    return study(id=id, metrics=(f"auroc_dp:epsilon={epsilon},least_class=50",))


def smooth(id: str, delta: str) -> Study:
    text = f"average_precision_dp:epsilon=0.1,mechanism=smooth,delta={delta}"
    return study(id=id, metrics=(text,))


def upload(one: Study, secret: int = 0) -> tuple[Study, bytes]:
    """The study, and the name of an upload to it under some secret."""
    return one, hashlib.sha256(one.hash + bytes([secret])).digest()


def budget(
    folder: Path, most: str = "2", data_set: str = "icu", delta: str = "0.000001"
) -> PrivacyBudget:
    """As a program that has just started has it."""
    return PrivacyBudget(folder, data_set, Privacy(Fraction(most), Fraction(delta)))


def test_studies_add_up_and_the_one_beyond_the_budget_is_refused(tmp_path: Path) -> None:
    budget(tmp_path).spend(*upload(noisy("one", "0.1")))
    budget(tmp_path).spend(*upload(noisy("two", "1.9")))
    with pytest.raises(PolicyRefusal, match=r"costs 0\.001, and 2 of 2 are spent"):
        budget(tmp_path).spend(*upload(noisy("three", "0.001")))
    budget(tmp_path, "2.001").spend(*upload(noisy("three", "0.001")))


def test_every_upload_under_a_fresh_secret_is_charged(tmp_path: Path) -> None:
    """The servers may compute the same study again, with fresh noise."""
    budget(tmp_path).spend(*upload(noisy("one"), 1))
    budget(tmp_path).spend(*upload(noisy("one"), 2))
    with pytest.raises(PolicyRefusal, match="2 of 2 are spent"):
        budget(tmp_path).spend(*upload(noisy("one"), 3))
    budget(tmp_path).spend(*upload(noisy("one"), 2))


def test_an_upload_that_all_servers_lost_is_not_repeated_for_nothing(tmp_path: Path) -> None:
    one, name = upload(noisy("one"))
    budget(tmp_path).spend(one, name)
    budget(tmp_path).check_found(name, 0)
    budget(tmp_path).stored(name)
    budget(tmp_path).check_found(name, 1)
    with pytest.raises(PolicyRefusal, match="fresh noise") as caught:
        budget(tmp_path).check_found(name, 0)
    assert "ppaurora outsource --withdraw" in caught.value.advice


def test_an_upload_that_is_repeated_under_the_same_secret_is_charged_once(tmp_path: Path) -> None:
    for _ in range(5):
        budget(tmp_path).spend(*upload(noisy("one", "1.5")))
    budget(tmp_path).spend(*upload(noisy("two", "0.5")))
    with pytest.raises(PolicyRefusal):
        budget(tmp_path).check(*upload(noisy("three", "0.5")))


def test_a_version_that_takes_the_place_of_another_is_charged_in_its_place(tmp_path: Path) -> None:
    budget(tmp_path).spend(*upload(noisy("one", "1.5")))
    later = replace(noisy("one", "1.5"), follows=noisy("one", "1.5").hash.hex())
    for _ in range(2):
        budget(tmp_path).carry_over(noisy("one", "1.5"), later)
    [there] = json.loads((tmp_path / FILE).read_text())["kept"]["spent"]["icu"].values()
    assert there["study"] == later.hash.hex()
    budget(tmp_path).check(later, upload(noisy("one", "1.5"))[1])
    budget(tmp_path).spend(*upload(noisy("two", "0.5")))
    with pytest.raises(PolicyRefusal):
        budget(tmp_path).check(*upload(later, 1))


def test_every_private_statistic_counts_with_its_epsilon(tmp_path: Path) -> None:
    texts = (
        "auroc_dp:epsilon=0.5,least_class=50",
        "average_precision_dp:epsilon=0.25,least_class=50",
    )
    budget(tmp_path).spend(*upload(study(id="both", metrics=texts)))
    with pytest.raises(PolicyRefusal, match=r"costs 1\.5, and 0\.75 of 2 are spent"):
        budget(tmp_path).check(*upload(noisy("two", "1.5")))


def test_deltas_add_up_and_the_one_beyond_the_budget_is_refused(tmp_path: Path) -> None:
    for id in ("one", "two"):
        budget(tmp_path, delta="0.001").spend(*upload(smooth(id, "0.0004")))
    with pytest.raises(PolicyRefusal, match=r"δ = 0\.0004\d*, and 0\.0008\d* of 0\.001 are spent"):
        budget(tmp_path, delta="0.001").spend(*upload(smooth("three", "0.0004")))
    # what the servers' rounding adds counts as well
    with pytest.raises(PolicyRefusal, match="most_delta"):
        budget(tmp_path, data_set="wards", delta="0.0004").spend(*upload(smooth("one", "0.0004")))


def test_data_sets_have_budgets_of_their_own(tmp_path: Path) -> None:
    budget(tmp_path).spend(*upload(noisy("one", "2")))
    budget(tmp_path, data_set="wards").spend(*upload(noisy("one", "2")))
    with pytest.raises(PolicyRefusal, match="wards"):
        budget(tmp_path, data_set="wards").spend(*upload(noisy("two", "1")))


def test_what_was_spent_lies_on_the_disk_for_its_owner_alone(tmp_path: Path) -> None:
    budget(tmp_path / "state").spend(*upload(noisy("one")))
    [file] = (tmp_path / "state").glob("*.json")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert noisy("one").hash.hex() in file.read_text()


def test_a_crash_while_it_is_written_leaves_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    budget(tmp_path).spend(*upload(noisy("one", "1.5")))
    monkeypatch.setattr(Path, "replace", lambda *_: (_ for _ in ()).throw(OSError(28, "full")))
    with pytest.raises(ConfigurationError, match="cannot be written"):
        budget(tmp_path).spend(*upload(noisy("two", "0.5")))
    monkeypatch.undo()
    budget(tmp_path).spend(*upload(noisy("three", "0.5")))
    with pytest.raises(PolicyRefusal):
        budget(tmp_path).spend(*upload(noisy("two", "0.5")))


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{}",
        "[]",
        '{"spent": {}}',
        *(
            f'{{"writes": 1, "before": "", "kept": {{"spent": {{"icu": {{"ab": {charge}}}}}}}}}'
            for charge in (
                '{"study": "s", "epsilon": "one", "delta": "0", "stored": true}',
                '{"study": "s", "epsilon": "1", "delta": "1/0", "stored": true}',
                '{"study": "s", "epsilon": "-1", "delta": "0", "stored": true}',
                '{"study": "s", "epsilon": "1", "stored": true}',
            )
        ),
    ],
)
def test_a_damaged_file_is_never_taken_for_an_empty_one(tmp_path: Path, content: str) -> None:
    (tmp_path / FILE).write_text(content)
    with pytest.raises(ConfigurationError, match="damaged"):
        budget(tmp_path).spend(*upload(noisy("one")))
    assert (tmp_path / FILE).read_text() == content


def test_programs_that_charge_it_at_once_never_spend_more_than_there_is(tmp_path: Path) -> None:
    def try_it(place: int) -> bool:
        try:
            budget(tmp_path).spend(*upload(noisy(f"study-{place}", "0.5")))
        except PolicyRefusal:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(try_it, range(24))) == 4


def test_without_a_place_that_lasts_there_is_no_budget() -> None:
    with pytest.raises(ConfigurationError, match="outlives"):
        Participant(ANN, noisy("one"), Policy(most_epsilon=Fraction(1)))


def test_an_owner_beyond_its_budget_prepares_nothing(tmp_path: Path) -> None:
    table = Labelled(np.linspace(0, 1, 20), np.arange(20, dtype=np.uint8) % 2)
    policy = Policy(most_epsilon=Fraction(1), data_set="icu")
    with Participant(ANN, noisy("one"), policy, tmp_path) as ann:
        ann.prepare(table)
    budget(tmp_path, "1").spend(*upload(noisy("two")))
    with (
        Participant(ANN, noisy("one"), policy, tmp_path) as ann,
        pytest.raises(PolicyRefusal, match="1 of 1 are spent"),
    ):
        ann.prepare(table)


def test_what_no_budget_holds_is_refused_by_the_policy() -> None:
    policy = Policy(most_epsilon=Fraction(1))
    check_study(policy, noisy("one"))
    with pytest.raises(PolicyRefusal, match=r"the study costs 1\.5"):
        check_study(policy, noisy("one", "1.5"))
    with pytest.raises(PolicyRefusal, match=r"δ = 1e-06 in all, the study costs 0\.01"):
        check_study(policy, smooth("one", "0.01"))
    with pytest.raises(PolicyRefusal, match="differentially private numbers only"):
        check_study(policy, study())


def test_exact_numbers_beside_the_noisy_number_of_joined_rows_are_refused() -> None:
    """The one noisy number that may stand beside exact ones does not let these pass."""
    policy = Policy(most_epsilon=Fraction(1))
    joined = partial(
        study, least_join=20, extra=(JoinBy(column="patient", key=64 * "a"),), table="auto"
    )
    check_study(policy, joined(metrics=("samples_dp:epsilon=1",)))
    with pytest.raises(PolicyRefusal, match="differentially private numbers only"):
        check_study(policy, joined(metrics=("samples_dp:epsilon=1", "auroc")))
    with pytest.raises(PolicyRefusal, match=r"the study costs 1\.5"):
        check_study(policy, joined(metrics=("samples_dp:epsilon=1.5",)))


def test_the_site_file_sets_it(tmp_path: Path) -> None:
    site = tmp_path / "site.toml"
    text = 'key = "k"\nstudies = ["s"]\n[policy]\nmost_epsilon = {}\ndata_set = "icu 2024"\n'
    site.write_text(text.format("0.3"))
    assert Site.load(site).policy.most_epsilon == Fraction(3, 10)
    assert Site.load(site).policy.data_set == "icu 2024"
    assert Site.load(site).policy.most_delta == Fraction(1, 1_000_000)
    site.write_text(text.format("0.3") + "most_delta = 0.01\n")
    assert Site.load(site).policy.most_privacy_loss == Privacy(Fraction(3, 10), Fraction(1, 100))
    site.write_text(text.format("0.3") + "most_delta = 1.5\n")
    with pytest.raises(ConfigurationError, match="most_delta"):
        Site.load(site)
    for wrong in ("-1", "nan"):
        site.write_text(text.format(wrong))
        with pytest.raises(ConfigurationError, match="most_epsilon"):
            Site.load(site)
