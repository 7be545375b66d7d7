"""Two studies whose cuts lie one bin apart do not both get an owner's data set."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ppaurora.mpc.keys import Identity
from ppaurora.mpc.link.endpoint import free_ports
from ppaurora.mpc.role import Role
from ppaurora.parties.columns.fold import FoldBy
from ppaurora.parties.columns.group import GroupBy
from ppaurora.parties.columns.tag import JoinBy
from ppaurora.parties.errors import ConfigurationError, PolicyRefusal, Unreachable
from ppaurora.parties.participant.cuts_sent import CutsSent, StudyCuts
from ppaurora.parties.participant.participant import Participant
from ppaurora.parties.site.site import Policy, Site
from ppaurora.parties.sources.labelled import Labelled
from ppaurora.parties.study.study import Rule, ServerEntry, Study
from tests.parties.sample import study

ANN = Identity.from_private(bytes([4]) * 64)
BY = JoinBy(column="patient", key=64 * "a")
ROOM = Rule(least_owners=2, least_samples=1000, least_list=20, most_share=0.6)


def on_grid(
    id: str, *metrics: str, bins: int = 64, direction: str = "higher", least_cell: int = 1
) -> Study:
    choices: dict[str, Any] = {
        "resolution": f"bins:{bins}",
        "direction": direction,
        "least_cell": least_cell,
    }
    return study(id=id, metrics=metrics, rule=ROOM, **choices)


def cuts(state: Path, data_set: str = "icu") -> CutsSent:
    """As a program that has just started has it."""
    return CutsSent(state, data_set)


def keep(state: Path, *studies: Study, data_set: str = "icu") -> None:
    for one in studies:
        cuts(state, data_set).keep(one)


def refused(state: Path, one: Study) -> PolicyRefusal:
    before = {path: path.read_bytes() for path in state.rglob("cuts-sent*")}
    for attempt in (cuts(state).check, cuts(state).keep):
        with pytest.raises(PolicyRefusal, match="this site has sent counts") as caught:
            attempt(one)
    assert {path: path.read_bytes() for path in state.rglob("cuts-sent*")} == before
    return caught.value


def test_a_threshold_one_bin_beside_the_first_is_refused_with_both_and_the_earlier_study(
    tmp_path: Path,
) -> None:
    first = on_grid("first", "confusion:at=0.5")
    keep(tmp_path, first)
    told = refused(tmp_path, on_grid("second", "ppv:at=0.515625"))
    assert f"the study first ({first.hash.hex()[:16]}), with threshold 0.5" in told.what
    assert "this study has threshold 0.515625 instead" in told.what
    assert "same_cuts" in told.advice


def test_a_least_cell_in_each_of_two_studies_does_not_help(tmp_path: Path) -> None:
    keep(tmp_path, on_grid("first", "roc_curve:points=32", "confusion:at=0.5"))
    refused(tmp_path, on_grid("second", "roc_curve:points=64"))
    refused(tmp_path, on_grid("second", "roc_curve:points=32", "confusion:at=0.515625"))


def test_the_same_cuts_and_studies_without_any_pass_by_whatever_statistics(tmp_path: Path) -> None:
    keep(
        tmp_path,
        on_grid("before", "auroc"),
        on_grid("first", "confusion:at=0.25/0.5"),
        on_grid("first", "confusion:at=0.25/0.5"),
        on_grid("second", "ppv:at=0.5/0.25", "brier"),
        on_grid("third", "mcc:at=0.25"),
        on_grid("fourth", "net_benefit:at=0.5", bins=4096),
        on_grid("fifth", "auroc", "log_loss"),
        study(id="sixth", metrics=("auroc", "aupr")),
    )
    refused(tmp_path, on_grid("seventh", "f1:at=0.25/0.75"))
    # the first one has settled it, not the last
    refused(tmp_path, on_grid("eighth", "npv:at=0.125"))


def test_of_cuts_under_a_least_cell_only_all_of_them_under_the_same_pass(tmp_path: Path) -> None:
    """The withheld cuts depend on all of them: a part of them may show another one."""
    first = on_grid("first", "roc_curve:points=8", least_cell=5)
    keep(tmp_path, first, on_grid("second", "pr_curve:points=8", least_cell=5))
    for metrics, least in (
        (("roc_curve:points=4",), 5),
        (("roc_curve:points=8",), 10),
        (("roc_curve:points=8",), 1),
        (("calibration:bins=10",), 5),
        (("confusion:at=0.5",), 5),
    ):
        told = refused(tmp_path, on_grid("third", *metrics, least_cell=least))
        assert "under a least cell of 5" in told.what


def test_a_subset_without_a_least_count_under_one_tells_nothing_new(tmp_path: Path) -> None:
    keep(tmp_path, on_grid("first", "confusion:at=0.25/0.5/0.75"))
    keep(tmp_path, on_grid("second", "roc_curve:points=4"))


def test_ranks_and_rates_are_cuts_as_well(tmp_path: Path) -> None:
    def ranked(id: str, *metrics: str, least_cell: int = 1) -> Study:
        return study(id=id, metrics=metrics, rule=ROOM, least_cell=least_cell)

    keep(tmp_path, ranked("first", "precision_at_top:k=10/20"))
    keep(tmp_path, ranked("second", "recall_at_top:k=20"))
    for metrics in (("recall_at_top:k=21",), ("sensitivity:at_specificity=0.9",)):
        refused(tmp_path, ranked("third", *metrics))
    refused(tmp_path, on_grid("third", "confusion:at=0.5"))


def test_areas_between_rates_are_cuts_without_a_least_cell(tmp_path: Path) -> None:
    def between(id: str, least_true: str) -> Study:
        metrics = (f"tpauc:min_tpr={least_true},max_fpr=0.4",)
        return study(id=id, metrics=metrics, rule=ROOM)

    keep(tmp_path, between("first", "0.6"))
    keep(tmp_path, between("second", "0.6"))
    refused(tmp_path, between("third", "0.7"))


def test_of_ranks_under_a_least_cell_only_all_of_them_pass(tmp_path: Path) -> None:
    """Of two near ranks one is withheld, which depends on the other one."""

    def ranked(id: str, *metrics: str, least_cell: int = 5) -> Study:
        return study(id=id, metrics=metrics, rule=ROOM, least_cell=least_cell)

    keep(tmp_path, ranked("first", "precision_at_top:k=100/102", "pauc:max_fpr=0.1"))
    keep(tmp_path, ranked("second", "recall_at_top:k=100/102"))
    keep(tmp_path, ranked("third", "pauc:max_fpr=0.1"))
    told = refused(tmp_path, ranked("fourth", "precision_at_top:k=102"))
    assert "under a least cell of 5" in told.what
    refused(tmp_path, ranked("fourth", "precision_at_top:k=100/102", least_cell=1))


def test_the_other_direction_means_other_cuts(tmp_path: Path) -> None:
    keep(tmp_path, on_grid("first", "confusion:at=0.5"))
    refused(tmp_path, on_grid("second", "confusion:at=0.5", direction="lower"))


def test_data_sets_have_cuts_of_their_own(tmp_path: Path) -> None:
    keep(tmp_path, on_grid("first", "confusion:at=0.5"))
    keep(tmp_path, on_grid("second", "confusion:at=0.515625"), data_set="wards")
    refused(tmp_path, on_grid("second", "confusion:at=0.515625"))


def test_of_programs_that_send_at_once_one_settles_the_cuts(tmp_path: Path) -> None:
    def try_it(place: int) -> bool:
        try:
            cuts(tmp_path).keep(on_grid(f"study-{place}", f"confusion:at={place / 64}"))
        except PolicyRefusal:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(try_it, range(1, 25))) == 1


@pytest.mark.parametrize("lost", ["cuts-sent.json", "accepted/cuts-sent.anchor"])
def test_removed_cuts_are_not_forgotten_cuts(tmp_path: Path, lost: str) -> None:
    keep(tmp_path, on_grid("first", "confusion:at=0.5"))
    keep(tmp_path, on_grid("other", "confusion:at=0.25"), data_set="wards")
    (tmp_path / lost).unlink()
    with pytest.raises(ConfigurationError, match="is missing"):
        cuts(tmp_path).check(on_grid("second", "confusion:at=0.515625"))


def listed(size: int = 400) -> Labelled:
    return Labelled(np.linspace(0, 1, size), np.arange(size, dtype=np.uint8) % 2)


def nobody_listens() -> tuple[ServerEntry, ...]:
    """The study's servers at ports of this machine behind which there is nothing."""
    ports = free_ports(len(Role))
    return tuple(
        replace(one, host="127.0.0.1", port=port)
        for one, port in zip(study().servers, ports, strict=True)
    )


def test_an_owner_keeps_the_cuts_before_a_server_is_reached(tmp_path: Path) -> None:
    policy = Policy(data_set="icu", same_cuts=True)
    first, second = (
        replace(on_grid(id, f"confusion:at={at}"), servers=nobody_listens())
        for id, at in (("a", "0.5"), ("b", "0.25"))
    )
    with Participant(ANN, first, policy, tmp_path) as ann:
        prepared = ann.prepare(listed())
        cuts(tmp_path).check(second)
        with pytest.raises(Unreachable):
            ann.send(prepared)
    refused(tmp_path, second)
    with (
        Participant(ANN, second, policy, tmp_path) as ann,
        pytest.raises(PolicyRefusal, match=r"with threshold 0\.5"),
    ):
        ann.prepare(listed())


def test_without_a_place_that_lasts_no_cuts_are_kept() -> None:
    with pytest.raises(ConfigurationError, match="outlives"):
        Participant(ANN, on_grid("a", "brier"), Policy(same_cuts=True))


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("", ("default", False)),
        ('data_set = "icu"', ("icu", True)),
        ('data_set = "icu"\nsame_cuts = false', ("icu", False)),
        ("same_cuts = true", ("default", True)),
    ],
)
def test_the_site_file_sets_it_and_a_named_data_set_asks_for_it(
    tmp_path: Path, lines: str, expected: Sequence[object]
) -> None:
    site = tmp_path / "site.toml"
    site.write_text(f'key = "k"\nstudies = ["s"]\n[policy]\n{lines}\n')
    policy = Site.load(site).policy
    assert (policy.data_set, policy.same_cuts) == expected


def test_the_same_cuts_in_another_order_of_what_is_shown_first_are_refused(tmp_path: Path) -> None:
    """Named thresholds come before those at equal distances, and readings in turn."""
    first = on_grid("first", "roc_curve:points=4", "confusion:at=0.265625", least_cell=5)
    keep(tmp_path, first, on_grid("second", "pr_curve:points=4", "ppv:at=0.265625", least_cell=5))
    named = on_grid("third", "confusion:at=0.25/0.265625/0.5/0.75", least_cell=5)
    assert StudyCuts.of(named).thresholds == StudyCuts.of(first).thresholds
    assert "in another order" in refused(tmp_path, named).what
    keep(tmp_path, study(id="a", metrics=("precision_at_top:k=100/102",)), data_set="wards")
    with pytest.raises(PolicyRefusal, match="in another order"):
        cuts(tmp_path, "wards").check(study(id="b", metrics=("precision_at_top:k=102/100",)))


def test_without_a_least_cell_the_order_does_not_matter(tmp_path: Path) -> None:
    keep(tmp_path, on_grid("first", "roc_curve:points=4"), on_grid("b", "ppv:at=0.25/0.5/0.75"))


@pytest.mark.parametrize(
    ("kind", "more"),
    [
        ("groups", {"groups": ("f", "m"), "extra": (GroupBy(column="sex", least=20), BY)}),
        ("folds", {"folds": 2, "extra": (FoldBy(column="sex", cuts=("1950",), form="number"), BY)}),
    ],
)
def test_a_column_of_the_other_side_of_joined_rows_makes_other_cuts(
    tmp_path: Path, kind: str, more: dict[str, Any]
) -> None:
    """Two registries disagree on a few rows: the same cuts by either would tell of these."""
    metric = "mean_folds:of=accuracy:at=0.5" if kind == "folds" else "accuracy:at=0.5"

    def of_side(id: str, side: str) -> Study:
        return study(
            id=id, metrics=(metric,), rule=ROOM, least_join=20, **{f"{kind}_from": side, **more}
        )

    keep(tmp_path, of_side("first", "scores"))
    cuts(tmp_path).keep(of_side("again", "scores"))
    refused(tmp_path, of_side("second", "labels"))


def test_rows_joined_by_another_identifier_have_other_cuts(tmp_path: Path) -> None:
    """Two identifiers agree but for a few rows: the same cuts by either would tell of these."""

    def by(id: str, column: str, form: str = "text-nfkc") -> Study:
        own = replace(BY, column=column, form=form)
        metrics = ("accuracy:at=0.5",)
        return study(id=id, metrics=metrics, rule=ROOM, least_join=20, extra=(own,))

    keep(tmp_path, by("first", "insurance number"))
    cuts(tmp_path).keep(by("again", "insurance number"))
    refused(tmp_path, by("second", "telephone"))
    refused(tmp_path, by("third", "insurance number", "number"))
