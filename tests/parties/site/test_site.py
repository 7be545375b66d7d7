"""The private site file, and the policy that it sets."""

from __future__ import annotations

from pathlib import Path

import pytest

from ppaurora.parties.errors import ConfigurationError, PolicyRefusal
from ppaurora.parties.site.policy import check_groups, check_samples, check_study
from ppaurora.parties.site.site import Policy, Site
from ppaurora.protocols.options import MOST_DECIMALS
from ppaurora.protocols.sorting.sort import USUAL
from tests.parties.sample import study


def load(folder: Path, text: str) -> Site:
    (folder / "site.toml").write_text(text)
    return Site.load(folder / "site.toml")


def test_paths_are_relative_to_the_site_file(tmp_path: Path) -> None:
    site = load(tmp_path, 'key = "keys/a.key"\nstudies = ["s.toml"]\n')
    assert site.key == tmp_path / "keys/a.key"
    assert site.only_study == tmp_path / "s.toml"
    assert site.results == tmp_path / "results"
    assert site.server.state == tmp_path / "state"
    assert (site.server.encrypt, site.server.secrets) == (False, None)
    server = '[server]\nencrypt = true\nsecrets = "keys/shares"\n'
    site = load(tmp_path, 'key = "a"\nstudies = ["s.toml"]\n' + server)
    assert (site.server.encrypt, site.server.secrets) == (True, tmp_path / "keys/shares")


def test_who_has_no_site_file_is_told_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="There is no file") as caught:
        Site.load(tmp_path / "site.toml")
    assert "`ppaurora init`" in caught.value.advice


def test_a_server_computes_on_all_cores_but_one_unless_its_site_file_says_how_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = 'key = "a"\nstudies = ["s.toml"]\n'
    for cores, threads in ((1, 1), (2, 1), (8, 7), (512, 256), (None, 1)):
        monkeypatch.setattr("os.cpu_count", lambda cores=cores: cores)
        assert load(tmp_path, text).server.threads == threads
    assert load(tmp_path, f"{text}[server]\nthreads = 5\n").server.threads == 5


def test_a_server_is_told_how_much_goes_over_the_line_in_a_second(tmp_path: Path) -> None:
    text = 'key = "a"\nstudies = ["s.toml"]\n[server]\n'
    assert load(tmp_path, text).server.megabits == USUAL.megabits
    assert load(tmp_path, f"{text}megabits = 80\n").server.megabits == 80
    for wrong in (0, 1_000_001):
        with pytest.raises(ConfigurationError, match="megabits must be between 1 and 1000000"):
            load(tmp_path, f"{text}megabits = {wrong}\n")


def test_links_have_bulk_lanes_unless_the_site_file_says_no(tmp_path: Path) -> None:
    text = 'key = "a"\nstudies = ["s.toml"]\n'
    assert load(tmp_path, text).server.bulk
    assert not load(tmp_path, f"{text}[server]\nbulk = false\n").server.bulk


def test_studies_may_be_a_pattern(tmp_path: Path) -> None:
    for name in ("b.toml", "a.toml"):
        (tmp_path / name).touch()
    (tmp_path / "keys").mkdir()
    site = load(tmp_path, 'key = "k"\nstudies = ["[ab].toml", "*.toml"]\n')
    assert [path.name for path in site.studies] == ["[ab].toml", "a.toml", "b.toml", "site.toml"]
    with pytest.raises(ConfigurationError, match="takes part in 4 studies"):
        _ = site.only_study


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('studies = ["s.toml"]', "key is missing"),
        ('key = "k"\nstudies = []', "at least one study"),
        ('key = "k"\nstudies = ["s"]\nkay = "k"', 'Did you mean "key"'),
        ('key = "k"\nstudies = ["s"]\n[policy]\nmost_decimal = 3', 'Did you mean "most_decimals"'),
        ('key = "k"\nstudies = ["s"]\n[policy]\nmodes = ["net"]', "modes is not a known option"),
        ('key = "k"\nstudies = ["s"]\n[server]\nlisten = "7100"', 'must read "host:port"'),
        ('key = "k"\nstudies = ["s"]\n[server]\npatience = 0', "between 1 and 600"),
        ('key = "k"\nstudies = ["s"]\n[server]\nencrypt = 1', "must be true or false"),
        ('key = "k"\nstudies = ["s"]\n[server]\nthreads = 0', "between 1 and 256"),
        ('key = "k"\nstudies = ["s"]\n[server]\nbulk = "no"', "must be true or false"),
    ],
)
def test_a_faulty_site_file_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        load(tmp_path, text)


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        (Policy(least_other_owners=2), "at least 2 other owners"),
        (Policy(metrics=("auroc",)), "does not allow the metric aupr"),
        (Policy(most_decimals=3), "at most 3 decimals"),
    ],
)
def test_what_the_policy_forbids_is_refused(policy: Policy, message: str) -> None:
    with pytest.raises(PolicyRefusal, match=message) as caught:
        check_study(policy, study())
    assert "Nothing was sent" in str(caught.value)


def test_a_site_that_says_nothing_allows_what_options_allow() -> None:
    assert Policy().most_decimals == MOST_DECIMALS
    check_study(Policy(), study(metrics=("auroc",), decimals=MOST_DECIMALS))


def test_what_the_policy_allows_passes() -> None:
    check_study(Policy(metrics=("auroc", "aupr"), most_decimals=4), study())
    check_samples(Policy(least_own_samples=5), 5)
    with pytest.raises(PolicyRefusal, match="at least 5 samples"):
        check_samples(Policy(least_own_samples=5), 4)


def test_the_policys_least_samples_hold_in_each_group_that_has_some() -> None:
    check_groups(Policy(least_own_samples=5), {"female": 5, "male": 0})
    check_groups(Policy(), {"female": 1, "male": 0})
    with pytest.raises(PolicyRefusal, match='at least 5 samples, or none, and "male" has 4'):
        check_groups(Policy(least_own_samples=5), {"female": 9, "male": 4})


def test_what_tells_every_label_is_refused_unless_the_policy_names_it() -> None:
    text = "labels_by_rank:samples=100"
    with pytest.raises(PolicyRefusal, match="label of every sample") as caught:
        check_study(Policy(), study(metrics=("auroc", text), least_cell=1))
    assert "Nothing was sent" in str(caught.value)
    asked = study(metrics=("auroc", text), least_cell=1)
    check_study(Policy(metrics=("auroc", "labels_by_rank")), asked)
