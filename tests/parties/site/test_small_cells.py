"""A default policy lets no study through whose numbers tell the labels one by one.

The attacker knows the scores of everybody, so the order of the samples and how many lie between two
cuts, and reads the released texts.
"""

from __future__ import annotations

import re
from dataclasses import replace
from decimal import Decimal, localcontext
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from ppaurora.parties.columns.group import GroupBy
from ppaurora.parties.errors import PolicyRefusal
from ppaurora.parties.site.policy import check_study, with_enough_samples
from ppaurora.parties.site.site import Policy
from ppaurora.parties.study.study import Rule, Study
from ppaurora.protocols.disclosure.cells import Cells
from ppaurora.protocols.disclosure.ledger import ledger
from ppaurora.protocols.options import Options
from ppaurora.protocols.statistics.signed_difference import error_digits
from tests.parties.sample import study
from tests.protocols import studies

OF_THREE = replace(study().participants[1], name="cat", public=study().participants[2].public)
RANKS = "/".join(map(str, range(1, 61)))
CUTS = [Fraction(place, 64) for place in range(2, 62)]


def at(places: list[Fraction]) -> str:
    return "/".join(str(float(place)) for place in places)


def asking(
    *metrics: str, grid: bool = False, rule: Rule | None = None, least_cell: int = 1
) -> Study:
    """A study of three owners by the rule that a study has where nothing is said."""
    resolution = "bins:1024" if grid else "full"
    options = Options(metrics=metrics, resolution=resolution, least_cell=least_cell)
    ann, ben, _ = study().participants
    return study(options=options, rule=rule or Rule(), participants=(ann, ben, OF_THREE))


def rows(results: dict[str, str], text: str) -> list[dict[str, str]]:
    """The rows of a released table, by their columns."""
    return [
        {cell.split()[0]: cell.split()[1] for cell in row.split(", ")}
        for row in results[text].split("; ")
    ]


def three_lists(seed: int) -> tuple[studies.Owner, ...]:
    """20 samples each, scored apart on a grid of 64 bins, their labels drawn by fair coins."""
    rng = np.random.default_rng(seed)
    scores = rng.permutation(np.arange(2, 62) + 0.5) / 64
    labels = rng.integers(0, 2, 60)
    labels[:2] = 0, 1
    return tuple(
        studies.Owner(scores[place : place + 20].tolist(), labels[place : place + 20].tolist())
        for place in (0, 20, 40)
    )


def in_order(of: tuple[studies.Owner, ...]) -> list[int]:
    """The labels, the highest score first."""
    both = [pair for one in of for pair in zip(one.scores, one.labels, strict=True)]
    return [label for _, label in sorted(both, reverse=True)]


def differences(counts: list[int]) -> list[int]:
    return [after - before for before, after in zip([0, *counts], counts, strict=False)]


@pytest.mark.parametrize("name", ["precision_at_top", "recall_at_top"])
def test_ratios_at_every_rank_tell_every_label_and_are_refused(name: str) -> None:
    text, of = f"{name}:k={RANKS}", three_lists(1)
    told = rows(
        studies.run(studies.Study(of, Options(metrics=(text,), least_cell=1))).results, text
    )
    P = sum(in_order(of))
    if name == "precision_at_top":
        found = [round(float(row["precision"]) * int(row["k"])) for row in told]
    else:
        found = [round(float(row["recall"]) * P) for row in told]
    assert differences(found) == in_order(of)
    with pytest.raises(PolicyRefusal, match=r"61 parts .* label of every sample") as caught:
        check_study(Policy(), asking(text))
    assert "Nothing was sent" in str(caught.value)
    assert "name each of the study's metrics" in str(caught.value)
    check_study(Policy(metrics=(name,)), asking(text))


def test_counts_at_every_cut_tell_every_label_also_by_several_statistics_together() -> None:
    """Each of them by itself has cuts for half of the labels only."""
    of, first, second = three_lists(2), CUTS[::2], CUTS[1::2]
    texts = (f"confusion:at={at(first)}", f"ppv:at={at(second)}")
    results = studies.run(
        studies.Study(of, Options(metrics=texts, resolution="bins:64", least_cell=1))
    ).results
    above = {Fraction(row["threshold"]): int(row["tp"]) for row in rows(results, texts[0])}
    for row in rows(results, texts[1]):
        cut = Fraction(row["threshold"])
        called = sum(score >= cut for one in of for score in one.scores)
        above[cut] = round(float(row["ppv"]) * called)
    assert differences([above[cut] for cut in sorted(above, reverse=True)]) == in_order(of)
    with pytest.raises(PolicyRefusal, match="about 61 parts"):
        check_study(Policy(), asking(*texts, grid=True))


def test_a_curve_without_a_least_cell_is_refused_and_with_it_passes() -> None:
    text = "roc_curve:points=64"
    of = three_lists(3)
    options = Options(metrics=(text,), resolution="bins:64", least_cell=1)
    told = rows(studies.run(studies.Study(of, options)).results, text)
    P = sum(in_order(of))
    found = differences([round(float(row["tpr"]) * P) for row in reversed(told)])
    assert found[2:-1] == in_order(of)
    for few, least in (("roc_curve:points=1024", 1), ("roc_curve:points=1024", 4), (text, 1)):
        with pytest.raises(PolicyRefusal, match="label of every sample"):
            check_study(Policy(), asking(few, grid=True, least_cell=least))
    check_study(Policy(), asking("roc_curve:points=1024", grid=True, least_cell=5))


@pytest.mark.parametrize(
    ("metrics", "grid"),
    [
        (("auroc", "aupr", "average_precision", "auroc_ci", "youden_max"), False),
        (("auroc", "sensitivity:at_specificity=0.9/0.95", "pauc:max_fpr=0.1"), False),
        (("rocglm",), False),
        (("confusion:at=0.5",), True),
        (("confusion:at=0.25/0.5/0.75", "ppv:at=0.25/0.5", "npv:at=0.75"), True),
        (("auroc", "roc_curve", "pr_curve", "confusion:at=0.125/0.25/0.5/0.75"), True),
        (("calibration", "calibration_slope", "net_benefit:at=0.25/0.5"), True),
        (("calibration", "brier", "ece", "net_benefit:at=0.25/0.5"), True),
        (("histogram_dp:epsilon=1,bins=64",), True),
    ],
)
def test_usual_studies_pass(metrics: tuple[str, ...], grid: bool) -> None:
    check_study(Policy(), asking(*metrics, grid=grid, least_cell=5))


@pytest.mark.parametrize(
    "metrics",
    [
        ("pauc:max_fpr=0.1", "pauc:max_fpr=0.2", "pauc:max_fpr=0.3", "pauc:max_fpr=0.4"),
        ("sensitivity:at_specificity=0.9/0.95", "specificity:at_sensitivity=0.9/0.95"),
        ("precision_at_recall:recall=0.5/0.6", "precision_at_top:k=10", "recall_at_top:k=20"),
        ("auroc_ci:level=0.9", "auroc_ci:level=0.95", "tpauc:min_tpr=0.5,max_fpr=0.25",
         "aucnpr:min_recall=0.25"),
    ],
)  # fmt: skip
def test_readings_of_several_statistics_count_together(metrics: tuple[str, ...]) -> None:
    with pytest.raises(PolicyRefusal, match="parts of the samples"):
        check_study(Policy(), asking(*metrics))
    for one in metrics[:-1]:
        check_study(Policy(), asking(one))


def test_the_same_cut_counts_once_and_larger_lists_have_room_for_more() -> None:
    ranks = ("precision_at_top:k=1/2/3", "recall_at_top:k=1/2/3")
    check_study(Policy(), asking(*ranks))
    more = ("precision_at_top:k=1/2/3/4", "recall_at_top:k=1/2/3/4")
    with pytest.raises(PolicyRefusal, match="with 40 samples beside the largest owner's"):
        check_study(Policy(), asking(*more))
    check_study(Policy(), asking(*more, rule=Rule(least_list=25)))
    check_study(Policy(), asking(*more, rule=Rule(least_samples=250)))


def test_a_rule_that_allows_an_almost_lone_owner_has_room_for_none() -> None:
    rule = Rule(least_samples=1000, least_list=1, most_share=1.0)
    with pytest.raises(PolicyRefusal, match="with 2 samples beside"):
        check_study(Policy(), asking("confusion:at=0.5", grid=True, rule=rule))


def test_what_the_receivers_hold_counts_against_most_decimals() -> None:
    """The words of aupr_binormal hold four decimals more than the number that is shown."""
    one = asking("aupr_binormal", grid=True)
    with pytest.raises(PolicyRefusal, match=r"at most 7 decimals, and the receivers .* to 8"):
        check_study(Policy(most_decimals=7), one)
    check_study(Policy(most_decimals=8), one)
    check_study(Policy(most_decimals=4), asking("auroc", grid=True))


def test_the_ledger_warns_of_small_cells_and_of_decimals_that_are_not_shown() -> None:
    text = f"recall_at_top:k={RANKS}"
    told = ledger(Options(metrics=(text,)), [20, 20, 20])
    assert "the label of that sample" in told.learns.receivers[0]
    assert any("every label of the 40 samples" in one for one in told.warnings)
    many = ledger(Options(metrics=(text,)), [1000] * 3)
    assert not any("parts of the samples" in one for one in many.warnings)
    binormal = ledger(Options(metrics=("aupr_binormal",), resolution="bins:4096"), [1000] * 3)
    assert "to 8 decimals" in binormal.learns.receivers[0]
    assert any("8 decimals, of which 4 are shown" in one for one in binormal.warnings)


# -- decimals --------------------------------------------------------------------------------------


def labels_that_fit(loss: Decimal, decimals: int, scores: list[float]) -> list[list[int]]:
    """Every set of labels whose logarithmic loss rounds to this one: sums of two halves meet."""
    with localcontext() as context:
        context.prec = 50
        exact = [Decimal(score) for score in scores]
        positive = [-score.ln() for score in exact]
        negative = [-(1 - score).ln() for score in exact]
        target = float(loss * len(scores) - sum(negative))
        more = np.array([float(p - n) for p, n in zip(positive, negative, strict=True)])
    near = float(Decimal(len(scores)).scaleb(-decimals)) / 2 + 1e-13 * len(scores)
    half = len(scores) // 2
    first, second = (sums_of_subsets(part) for part in (more[:half], more[half:]))
    order = np.argsort(second)
    low, high = (np.searchsorted(second[order], target - first + edge) for edge in (-near, near))
    return [
        [place >> k & 1 for k in range(half)]
        + [int(order[other]) >> k & 1 for k in range(len(scores) - half)]
        for place in np.flatnonzero(high > low)
        for other in range(low[place], high[place])
    ]


def sums_of_subsets(numbers: np.ndarray) -> np.ndarray:
    sums = np.zeros(1)
    for one in numbers:
        sums = np.concatenate([sums, sums + one])
    return sums


@pytest.mark.parametrize("seed", range(3))
def test_one_loss_of_many_decimals_tells_every_label_and_is_refused(seed: int) -> None:
    """24 labels from the released text, of scores that the reader knows, and no other set."""
    rng = np.random.default_rng(seed)
    scores, labels = rng.random(24), rng.integers(0, 2, 24)
    of = tuple(
        studies.Owner(scores[place : place + 8].tolist(), labels[place : place + 8].tolist())
        for place in (0, 8, 16)
    )
    options = Options(metrics=("log_loss",), decimals=15, resolution="bins:64")
    told = Decimal(studies.run(studies.Study(of, options)).results["log_loss"])
    assert labels_that_fit(told, 15, scores.tolist()) == [labels.tolist()]
    # of four decimals hundreds of sets are left, and hardly a label is the same in all
    few = labels_that_fit(round(told, 4), 4, scores.tolist())
    assert len(few) > 100
    asked = replace(asking("log_loss", grid=True), options=options)
    with pytest.raises(PolicyRefusal, match=r"15 decimals in all .* 40 samples beside"):
        check_study(Policy(), asked)
    check_study(Policy(metrics=("log_loss",)), asked)
    assert any("15 decimals are released" in one for one in ledger(options, [60, 20, 20]).warnings)


def test_decimals_of_several_numbers_add_up() -> None:
    """Eleven decimals are few for 40 labels; counts and areas under ROC curves have few values."""
    check_study(Policy(), asking("average_precision", "auroc", "auroc_ci", "youden_max"))
    check_study(Policy(), asking("log_loss", "brier", "observed_expected", grid=True))
    with pytest.raises(PolicyRefusal, match="12 decimals in all"):
        check_study(Policy(), asking("log_loss", "brier", "ece", grid=True))
    many = Rule(least_samples=200, least_list=25)
    check_study(Policy(), asking("log_loss", "brier", "ece", grid=True, rule=many))


# -- standard errors -------------------------------------------------------------------------------


def every_set(labels: int) -> np.ndarray:
    """Every set of labels with at least two of each class, a row each, by the ranks."""
    sets = np.arange(1 << labels)[:, None] >> np.arange(labels) & 1
    positives = sets.sum(axis=1)
    kept: np.ndarray = sets[(positives > 1) & (positives < labels - 1)]
    return kept


def areas_and_errors(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The AUROC and DeLong's error of every set of labels, the highest score last."""
    P, N = (one.sum(axis=1, keepdims=True) for one in (y, 1 - y))
    below, above = (1 - y).cumsum(axis=1) / N, 1 - y.cumsum(axis=1) / P
    area = (y * below).sum(axis=1, keepdims=True) / P
    variance = (y * (below - area) ** 2).sum(axis=1, keepdims=True) / (P * (P - 1))
    variance += ((1 - y) * (above - area) ** 2).sum(axis=1, keepdims=True) / (N * (N - 1))
    return area[:, 0], np.sqrt(variance[:, 0])


def values(*numbers: np.ndarray, decimals: int) -> int:
    """The number of different rows that are released."""
    return len(np.unique(np.round(np.stack(numbers, axis=1), decimals), axis=0))


def test_an_error_beside_the_area_tells_far_more_of_labels_than_the_area() -> None:
    """14 labels of known ranks; the released error is that of the attacker's formula."""
    sets = every_set(14)
    area, error = areas_and_errors(sets)
    assert values(area, decimals=4) < 200
    assert values(area, error, decimals=4) > 4700
    labels, ranks = sets[5000].tolist(), [(rank + 1) / 16 for rank in range(14)]
    lists = tuple(studies.Owner(ranks[at::3], labels[at::3]) for at in range(3))
    told = studies.run(studies.Study(lists, Options(metrics=("auroc", "auroc_se")))).results
    assert float(told["auroc"]) == pytest.approx(area[5000], abs=6e-5)
    assert float(told["auroc_se"]) == pytest.approx(error[5000], abs=6e-5)


def steps(*numbers: np.ndarray) -> int:
    """Count of places where any of these changes from one place to the next, and one."""
    rows = np.column_stack(numbers)
    return int((np.diff(rows, axis=0) != 0).any(axis=1).sum()) + 1


@pytest.mark.parametrize("decimals", [1, 2, 3, 4])
def test_limits_and_z_beside_a_known_number_take_as_many_values_as_their_digits_say(
    decimals: int,
) -> None:
    """All follow from one error: together no more values than one after the other."""
    error = np.linspace(1e-4, 0.5, 200_000)
    for number in np.random.default_rng(decimals).uniform(0.001, 0.999, 3):
        for level in (0.5, 1.96, 4):
            limits = np.stack([number - level * error, number + level * error], axis=1)
            limits = np.round(limits.clip(0, 1), decimals)
            assert steps(limits) <= 10**decimals + 2
            z = np.round(np.minimum(number / error, 100), 3)
            assert steps(limits, z) <= steps(limits) + steps(z)
            assert steps(limits, z) < 2 * 10 ** error_digits(decimals)


@pytest.mark.parametrize(
    ("metrics", "against", "digits"),
    [
        (("auroc_ci",), (), 0),
        (("auroc_ci:method=delong",), (), 4),
        (("auroc_ci:method=logit",), (), 4),
        (("auroc_se",), (), 4),
        (("auroc_within_ci",), (), 4),
        (("auroc_models",), ("b",), 2 * 4),
        (("auroc_models",), ("b", "c"), 3 * 4 + 3 * 4),
        (("auroc_difference",), ("b",), 5),
        (("auroc_contrasts",), ("b", "c"), 3 * 4 + 3 * 5),
        (("auroc_equal",), ("b", "c"), 7),
        (("auroc_differs",), ("b",), 0),
        (("bootstrap:of=auroc",), (), 4),
        (("bootstrap:of=average_precision",), (), 8),
        (("bootstrap:of=ppv:at=0.5",), (), 0),
        (("tpauc_difference:min_tpr=0.5,max_fpr=0.5",), ("b",), 5),
    ],
)  # fmt: skip
def test_each_error_counts_once(
    metrics: tuple[str, ...], against: tuple[str, ...], digits: int
) -> None:
    resolution = "decimals:2" if metrics[0].startswith(("boot", "tpauc")) else "full"
    options = Options(metrics=metrics, against=against, resolution=resolution)
    assert Cells.of(options).label_digits == digits


def test_an_error_of_a_group_counts_in_both_groups_that_are_compared() -> None:
    for name, digits in (("auroc_groups", 5), ("auroc_groups_equal", 7)):
        options = Options(metrics=(name,), groups=("f", "m"))
        assert [Cells.of(options, group).label_digits for group in ("f", "m")] == [digits] * 2
        assert Cells.of(options).label_digits == digits


@pytest.mark.parametrize(
    ("metric", "digits"),
    [
        ("auroc_folds", 4),
        ("average_precision_folds", 8),
        ("mean_folds:of=brier", 8),
        ("mean_folds:of=accuracy:at=0.5", 0),
    ],
)
def test_an_error_over_folds_counts_beside_the_mean(metric: str, digits: int) -> None:
    assert Cells.of(Options(metrics=(metric,), folds=5)).label_digits == digits


def test_a_curve_of_three_parts_has_thresholds_that_are_no_decimals() -> None:
    """Nobody reads of them in a traceback, and they are one cut in whatever asks for them."""
    thirds = frozenset({"1/3", "2/3"})
    for name in ("roc_curve:points", "calibration:bins", "calibration_errors_binned:bins"):
        assert Cells.of(Options(metrics=(f"{name}=3",))).thresholds == thirds
        six = Cells.of(Options(metrics=(f"{name}=6",))).thresholds
        assert six == thirds | {"1/6", "0.5", "5/6"}
        many = Rule(least_samples=200, least_list=25)
        check_study(Policy(), asking(f"{name}=3", rule=many, least_cell=5))


def test_errors_of_few_unknown_labels_are_refused_and_of_more_pass() -> None:
    lone = Rule(least_samples=60, least_list=8, most_share=1.0)
    few = asking("auroc_se", "auroc", rule=lone)
    assert sum(few.least_sizes) - max(few.least_sizes) == 16
    with pytest.raises(PolicyRefusal, match=r"4 decimals in all .* standard errors.* 16 samples"):
        check_study(Policy(), few)
    check_study(Policy(), asking("auroc_se", "auroc", rule=replace(lone, least_list=9)))
    check_study(Policy(), asking("auroc_ci", "auroc", rule=lone))
    warned = ledger(few.options, few.least_sizes).warnings
    assert any("4 decimals are released of numbers" in one for one in warned)


# -- from how many samples on ----------------------------------------------------------------------

NEEDED = {
    ("validation", 1): 70,
    ("comparison", 2): 60,
    ("comparison", 3): 210,
    ("comparison", 8): 2821,
    ("joined", 1): 17,
    ("cross-validation", 1): 44,
    ("monitoring", 1): 0,
}
"""docs/THREATS.md has the numbers of unknown labels from which each analysis passes."""


@pytest.mark.parametrize("asked", NEEDED)
def test_an_analysis_passes_from_so_many_unknown_labels_on(asked: tuple[str, int]) -> None:
    name, models = asked
    folds = 5 if name == "cross-validation" else 0
    options = Options(
        analysis=name, against=tuple("bcdefgh"[: models - 1]), least_cell=5, folds=folds
    )
    cells = Cells.of(options)
    assert (cells.needed, cells.small) == (NEEDED[asked], 0)
    assert not cells.digits_tell(cells.needed)
    assert not cells.needed or cells.digits_tell(cells.needed - 1)
    told = Path("docs/THREATS.md").read_text(encoding="utf-8")
    assert re.search(
        rf"\| `{name}`[^|]*\| {models} \|[^|]*\|[^|]*\| {cells.needed or 'any'} \|", told
    )


@pytest.mark.parametrize("name", ["validation", "comparison", "subgroups", "monitoring"])
def test_a_study_of_an_analysis_gets_a_rule_that_a_default_policy_accepts(name: str) -> None:
    of_groups = name == "subgroups"
    options = Options(analysis=name, groups=("f", "m") if of_groups else (), least_cell=5)
    plain = replace(
        asking("auroc"), options=options, extra=(GroupBy(column="sex"),) if of_groups else ()
    )
    enough = with_enough_samples(plain)
    check_study(Policy(), enough)
    if enough.rule.least_list > plain.rule.least_list:
        less = replace(enough.rule, least_list=enough.rule.least_list - 1)
        with pytest.raises(PolicyRefusal, match="decimals in all"):
            check_study(Policy(), replace(enough, rule=less))
    assert with_enough_samples(enough) == enough
