"""The bootstrap in private against plain statistics of every replicate, and in a study."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import ceil

import numpy as np
import pytest

from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.options import Options
from ppaurora.protocols.statistics.bootstrap import Bootstrap, resampled_names
from ppaurora.protocols.statistics.registry import statistic
from ppaurora.protocols.statistics.statistic import MOST_SAMPLES
from tests.protocols import pooled
from tests.protocols.statistics.drawn import drawn_studies
from tests.protocols.statistics.test_tpauc import region
from tests.protocols.studies import Owner, Study, run, run_all, upload_of

AUROC = "bootstrap:replicates=20,level=0.7,strata=none,bins=4"
PPV = "bootstrap:replicates=21,strata=class,of=ppv:at=0.5/0.25"
NET = "bootstrap:replicates=22,level=0.5,of=net_benefit:at=0.25"
PRECISION = "bootstrap:replicates=20,strata=class,bins=4,of=average_precision"
TWO_WAY = "bootstrap:replicates=21,level=0.5,bins=8,of=tpauc:min_tpr=0.25,max_fpr=0.5"
TURNS = ((AUROC, "brier", PPV, NET), ("brier", PRECISION, TWO_WAY))
"""Asked for in the order in which their replicates stand in an upload."""
MIRRORED = ((AUROC, "brier"), TURNS[1])
"""Those that mean the same of mirrored scores."""
SUMMED = 3
"""The words of the Brier score, between the counts and the replicates."""

Counts = np.ndarray
"""The positives and the negatives of each part, the highest part first."""
Plain = Callable[[Counts], list[Fraction | None]]


def rows_of(counts: Counts) -> tuple[list[int], list[int]]:
    """Scores and labels of samples of which so many are of each part and class."""
    places = np.arange(counts.shape[1], 0, -1)
    scores = np.concatenate([np.repeat(places, of_class) for of_class in counts])
    return scores.tolist(), np.repeat([1, 0], counts.sum(axis=1)).tolist()


def auroc(counts: Counts) -> list[Fraction | None]:
    return [pooled.auroc(*rows_of(counts))]


def average_precision(counts: Counts) -> list[Fraction | None]:
    return [pooled.average_precision(*rows_of(counts))]


def two_way(counts: Counts) -> list[Fraction | None]:
    if not counts.sum(axis=1).all():
        return [None]
    P, N = map(int, counts.sum(axis=1))
    corners = [(0, 0), *zip(counts[1].cumsum().tolist(), counts[0].cumsum().tolist(), strict=True)]
    points = [(Fraction(fp, N), Fraction(tp, P)) for fp, tp in corners]
    return [region(points, Fraction(1, 4), Fraction(1, 2))]


def ppv(counts: Counts) -> list[Fraction | None]:
    # as asked for, 0.5 comes before 0.25
    found = []
    for parts in (1, 2):
        tp, fp = counts[:, :parts].sum(axis=1).tolist()
        found.append(Fraction(tp, tp + fp) if tp + fp else None)
    return found


def net_benefit(counts: Counts) -> list[Fraction | None]:
    tp, fp = counts[:, :1].sum(axis=1).tolist()
    return [(tp - Fraction(fp, 3)) / int(counts.sum())]


PLAIN: dict[str, Plain] = {
    AUROC: auroc,
    PPV: ppv,
    NET: net_benefit,
    PRECISION: average_precision,
    TWO_WAY: two_way,
}


def in_words(value: Fraction | None, decimals: int) -> str:
    if value is None:
        return "undefined"
    # halves up, of negative numbers as well
    word = (2 * value * 10**decimals + 1) // 2
    size = abs(word)
    return f"{'-' * (word < 0)}{size // 10**decimals}.{size % 10**decimals:0{decimals}d}"


def expected(one: Bootstrap, value: Counts, drawn: Sequence[Counts], decimals: int) -> list[str]:
    """Value, lower and upper limit of each row, by sorting what the replicates give."""
    plain = PLAIN[one.text]
    told = []
    found = [plain(counts) for counts in drawn]
    for row, number in enumerate(plain(value)):
        ordered = [of_replicate[row] for of_replicate in found]
        tail = (1 - one.level) / 2
        limits: list[Fraction | None] = [None, None]
        if None not in ordered:
            ranked = sorted(one for one in ordered if one is not None)
            limits = [ranked[ceil(len(ranked) * share) - 1] for share in (tail, 1 - tail)]
        told += [in_words(one, decimals) for one in (number, *limits)]
    return told


def parted(counts: Counts, study: Study, one: Bootstrap) -> Counts:
    """The counts between all thresholds of the study, between those of one statistic."""
    everywhere = sorted(
        {float(at) for text in study.options.asked if hasattr(text, "thresholds")
         for at in text.thresholds()}
    )  # fmt: skip
    ends = [len(everywhere) - everywhere.index(float(at)) for at in sorted(one.thresholds())[::-1]]
    return np.add.reduceat(counts, [0, *ends], axis=1)


def check_all(studies: list[Study]) -> int:
    defined = 0
    for study, outcome in zip(studies, run_all(studies), strict=True):
        words = sum(upload_of(owner, study.options).astype(np.int64) for owner in study.owners)
        asked = [one for one in study.options.asked if isinstance(one, Bootstrap)]
        cells = len({at for one in asked for at in one.thresholds()}) + 1
        counts, start = np.array(words[: 2 * cells]).reshape(2, -1), 2 * cells + SUMMED
        for one in asked:
            size = one.replicates * 2 * (len(one.thresholds()) + 1)
            drawn = np.array(words[start : start + size]).reshape(one.replicates, 2, -1)
            start += size
            wanted = expected(one, parted(counts, study, one), drawn, study.options.decimals)
            told = outcome.results[one.text]
            if told.startswith("undefined"):
                assert wanted[0] == "undefined"
                continue
            cells_told = [
                cell.split()[-1]
                for row in told.split("; ")
                if not row.startswith("undefined:")
                for cell in row.split(", ")
                if not cell.startswith("threshold")
            ]
            assert cells_told == wanted, (one.text, study)
            defined += "undefined" not in wanted
        assert start == len(words)
    return defined


def test_drawn_studies_have_the_order_statistics_of_their_replicates() -> None:
    studies = [*drawn_studies(5, 111, TURNS[:1], 6), *drawn_studies(6, 112, TURNS[1:], 6)[4:]]
    assert check_all(studies) > 3


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(113, 118))
def test_a_hundred_studies_have_the_order_statistics_of_their_replicates(seed: int) -> None:
    assert check_all(drawn_studies(100, seed, TURNS, 8)) > 100


def test_the_limits_are_about_as_wide_as_delongs() -> None:
    rng = np.random.default_rng(10)
    labels = rng.integers(0, 2, 900)
    owner = Owner(np.clip(rng.normal(0.4 + 0.15 * labels, 0.2), 0, 1), labels)
    texts = "bootstrap:replicates=100,bins=64", "auroc_ci:method=delong"
    options = Options(metrics=texts, decimals=6, resolution="bins:64")
    results = run(Study((owner,), options)).results
    value, low, high = (float(one.split()[1]) for one in results[texts[0]].split(", "))
    delong = results[texts[1]]
    delong_low, delong_high = (float(one) for one in delong.split("(")[1][:-1].split(" to "))
    assert high - low == pytest.approx(delong_high - delong_low, rel=0.3)
    assert f"{value:.6f}" == delong.split()[0]


def test_scores_of_few_decimals_are_not_binned() -> None:
    labels = [1, 0, 1, 0, 0, 1, 0, 0]
    scores = [0.91, 0.9, 0.9, 0.3, 0.2, 0.2, 0.1, 0.0]
    for direction in ("higher", "lower"):
        ranked = scores if direction == "higher" else [-one for one in scores]
        options = Options(metrics=("bootstrap:replicates=20,bins=2",), resolution="decimals:2")
        study = Study((Owner(scores, labels),), options, direction)
        exact = pooled.auroc(ranked, labels)
        assert exact is not None
        [told] = run(study).results.values()
        assert told.split(", ")[0] == f"auroc {pooled.rounded(exact, 4)}"


def test_a_threshold_that_is_withheld_has_no_limits() -> None:
    rng = np.random.default_rng(3)
    owner = Owner([*rng.random(79) * 0.99, 0.9999], rng.integers(0, 2, 80))
    text = "bootstrap:replicates=20,of=ppv:at=0.5/0.999"
    shown, withheld = run(Study((owner,), Options(metrics=(text,)))).results[text].split("; ")[:2]
    assert "withheld" not in shown
    assert [cell.split()[-1] for cell in withheld.split(", ")[1:]] == ["withheld"] * 3


def test_a_metric_without_a_bootstrap_is_refused_by_name() -> None:
    for of in ("auroc_ci", "brier", "confusion:at=0.5", "ppv:at=0.5,level=0.9", "auroc_folds"):
        with pytest.raises(OptionRefused, match=f"bootstrap of {of}"):
            statistic(f"bootstrap:of={of}")
    with pytest.raises(OptionRefused, match="20 is not within"):
        Options(metrics=("bootstrap:of=ppv:at=20",))
    assert {"auroc", "average_precision", "tpauc", "ppv", "mcc"} <= set(resampled_names())


def test_a_text_means_one_statistic_however_the_other_is_written() -> None:
    assert statistic("bootstrap:of=precision:at=0.50").text == "bootstrap:of=ppv:at=0.5"
    assert statistic("bootstrap:of=auroc").text == "bootstrap"


def test_the_older_name_is_refused_with_the_line_that_replaces_it() -> None:
    with pytest.raises(OptionRefused) as refused:
        statistic("auroc_bootstrap:replicates=100")
    assert "bootstrap:of=auroc" in refused.value.advice


def test_more_samples_than_it_holds_are_refused_beforehand() -> None:
    fixed, varying = statistic("bootstrap"), statistic("bootstrap:strata=none")
    assert fixed.fits(MOST_SAMPLES, 15)
    assert varying.fits(MOST_SAMPLES // 66, 15)
    assert not varying.fits(MOST_SAMPLES // 66 + 1, 15)
