"""Rates at thresholds and along curves, against scikit-learn and fractions of counted rows."""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

import numpy as np
import pytest
import sklearn.metrics
from numpy.typing import NDArray

from ppaurora.mpc.local import run_local
from ppaurora.mpc.shares import share
from ppaurora.protocols.disclosure.ledger import LEAST_CELL_HOLDS, ledger
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.evaluate import evaluate
from ppaurora.protocols.options import MOST_DECIMALS, Options
from ppaurora.protocols.statistics.statistic import MOST_SAMPLES
from ppaurora.protocols.statistics.thresholds import OF_TWO
from tests.protocols.statistics.drawn import drawn_studies
from tests.protocols.studies import Owner, Study, released, run, run_all

AT = (Fraction(1, 4), Fraction(1, 2), Fraction(15, 16))
Labels = NDArray[np.int64]


def ratio(part: int, whole: int) -> Fraction | None:
    return Fraction(part, whole) if whole else None


def mean(first: Fraction | None, second: Fraction | None) -> Fraction | None:
    return None if first is None or second is None else (first + second) / 2


RATES: dict[str, Callable[[int, int, int, int, Fraction], Fraction | None]] = {
    "ppv": lambda tp, fp, fn, tn, t: ratio(tp, tp + fp),
    "npv": lambda tp, fp, fn, tn, t: ratio(tn, tn + fn),
    "f1": lambda tp, fp, fn, tn, t: ratio(2 * tp, 2 * tp + fp + fn),
    "accuracy": lambda tp, fp, fn, tn, t: ratio(tp + tn, tp + fp + fn + tn),
    "balanced_accuracy": lambda tp, fp, fn, tn, t: mean(ratio(tp, tp + fn), ratio(tn, tn + fp)),
    "youden": lambda tp, fp, fn, tn, t: (
        None if (half := mean(ratio(tp, tp + fn), ratio(tn, tn + fp))) is None else 2 * half - 1
    ),
    "net_benefit": lambda tp, fp, fn, tn, t: (tp - fp * t / (1 - t)) / (tp + fp + fn + tn),
}
PEERS: dict[str, Callable[[Labels, Labels], float]] = {
    "ppv": sklearn.metrics.precision_score,
    "npv": lambda y, called: sklearn.metrics.precision_score(1 - y, 1 - called),
    "f1": sklearn.metrics.f1_score,
    "accuracy": sklearn.metrics.accuracy_score,
    "balanced_accuracy": sklearn.metrics.balanced_accuracy_score,
    "mcc": sklearn.metrics.matthews_corrcoef,
}
AT_TEXT = ":at=0.25/0.5/0.9375"
BY_TURNS = [
    tuple(name + AT_TEXT for name in names.split())
    for names in ("confusion mcc ppv", "npv f1 net_benefit", "accuracy balanced_accuracy youden")
]
ASKED = [tuple(text for texts in BY_TURNS for text in texts)]


def decimals_of(value: Fraction, decimals: int) -> str:
    """Rounded half up, whatever the sign."""
    word = (2 * value * 10**decimals + 1) // 2
    whole, rest = divmod(abs(word), 10**decimals)
    return f"{'-' * (word < 0)}{whole}.{rest:0{decimals}d}"


def shown(value: Fraction | None, decimals: int) -> str:
    return "undefined" if value is None else decimals_of(value, decimals)


def root_of(square: int, whole: int, negative: bool, decimals: int) -> str:
    """The root of a ratio by Python's decimals, with far more digits than are released."""
    root = (Decimal(square) / whole).sqrt()
    text = f"{root.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP):f}"
    return f"-{text}" if negative and Decimal(text) else text


def rows_of(told: str) -> list[list[str]]:
    """The numbers of a table that was shown as one line."""
    rows = (row for row in told.split("; ") if not row.startswith(("undefined:", "withheld:")))
    return [[cell.split()[-1] for cell in row.split(", ")] for row in rows]


def check_all(studies: list[Study]) -> None:
    for study, outcome in zip(studies, run_all(studies), strict=True):
        y, x, d = np.array(study.labels), np.array(study.scores), study.options.decimals
        tables = {text.partition(":")[0]: rows_of(t) for text, t in outcome.results.items()}
        for place, threshold in enumerate(AT):
            called = (x >= float(threshold)).astype(int)
            tp, fp = int((y & called).sum()), int((1 - y) @ called)
            fn, tn = int(y.sum()) - tp, int((1 - y).sum()) - fp
            rates = [ratio(tp, tp + fn), ratio(tn, tn + fp)]
            margins = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
            excess = tp * tn - fp * fn
            expected = {
                "confusion": [*map(str, (tp, fp, fn, tn)), *(shown(one, d) for one in rates)],
                "mcc": [root_of(excess**2, margins, excess < 0, d) if margins else "undefined"],
                **{n: [shown(rate(tp, fp, fn, tn, threshold), d)] for n, rate in RATES.items()},
            }
            for name, rows in tables.items():
                told = rows[place][1:]
                assert told == expected[name], name
                if name in PEERS and told != ["undefined"]:
                    assert abs(float(told[0]) - PEERS[name](y, called)) <= 0.5 * 10**-d + 1e-12


def test_drawn_studies_have_the_rates_of_their_rows() -> None:
    check_all(drawn_studies(21, 31, BY_TURNS, 4, (16, 256)))


@pytest.mark.soak
def test_five_hundred_studies_have_the_rates_of_their_rows() -> None:
    check_all(drawn_studies(500, 32, ASKED, 12, (16, 256, 4096)))


@pytest.mark.parametrize("decimals", [1, 6])
def test_two_thousand_million_samples_are_exact(decimals: int) -> None:
    """The most samples in all: margins of MCC reach 2^120, Youden's denominators 2^60."""
    texts = tuple(text.partition(":")[0] + ":at=0.5" for text in ASKED[0])
    options = Options(metrics=texts, decimals=decimals, resolution="bins:2", least_cell=1)
    assert all(one.fits(MOST_SAMPLES, MOST_DECIMALS) for one in options.statistics)
    tp, fn, fp = 536_870_911, 3, 536_870_000
    tn = MOST_SAMPLES - tp - fn - fp
    at = run_local(
        lambda party, own: evaluate(party, options, [own], sizes=[MOST_SAMPLES]),
        share(np.array([tp, fn, fp, tn], np.uint64)),
    )
    told = {
        text.partition(":")[0]: rows_of(t)[0] for text, t in released(options, at).results.items()
    }
    assert told["confusion"][1:5] == [str(count) for count in (tp, fp, fn, tn)]
    for name, rate in RATES.items():
        exact = rate(tp, fp, fn, tn, Fraction(1, 2))
        assert exact is not None
        assert told[name][1] == decimals_of(exact, decimals)
    margins = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    assert told["mcc"][1] == root_of((tp * tn - fp * fn) ** 2, margins, False, decimals)


@pytest.mark.parametrize(
    "text",
    ["f1", "f1:at=-0.1", "f1:at=1.1", "mcc:at=0.5/0.5", "pr_curve:points=1"],
)
def test_what_is_no_threshold_is_refused(text: str) -> None:
    with pytest.raises(OptionRefused):
        Options(metrics=(text,), resolution="bins:4096")


def test_a_curve_has_the_rates_of_scikit_learn_at_its_points() -> None:
    rng = np.random.default_rng(5)
    x, y = rng.random(400).round(3), rng.integers(0, 2, 400)
    owners = tuple(Owner(x[k::4], y[k::4]) for k in range(4))
    options = Options(
        metrics=("roc_curve:points=8", "pr_curve:points=8"), decimals=9, resolution="bins:64"
    )
    roc, pr = (rows_of(told) for told in run(Study(owners, options)).results.values())
    fpr, tpr, at = sklearn.metrics.roc_curve(y, x, drop_intermediate=False)
    for row, curve in zip(roc, pr, strict=True):
        last = np.flatnonzero(at >= float(row[0]))[-1]
        assert abs(float(row[1]) - fpr[last]) < 1e-9
        assert abs(float(row[2]) - tpr[last]) < 1e-9
        assert abs(float(curve[1]) - tpr[last]) < 1e-9
        called = (x >= float(row[0])).astype(int)
        assert abs(float(curve[2]) - sklearn.metrics.precision_score(y, called)) < 1e-9
    assert [row[0] for row in roc] == [str(k / 8) for k in range(1, 8)]


def test_lower_scores_are_called_positive_at_the_threshold_and_below() -> None:
    owners = (Owner([0.1, 0.24, 0.25, 0.9], [1, 1, 1, 0]),)
    options = Options(metrics=("confusion:at=0.25",), decimals=1, least_cell=1)
    told = run(Study(owners, options, "lower")).results["confusion:at=0.25"]
    assert rows_of(told)[0] == ["0.25", "3", "0", "0", "1", "1.0", "1.0"]


def test_the_ledger_says_what_counts_tell() -> None:
    options = Options(metrics=("confusion:at=0.5", "ppv:at=0.5"), resolution="bins:4096")
    told = ledger(options, [1000] * 4)
    assert told.learns.receivers == (
        "confusion:at=0.5: for each threshold, a score of that or higher being called positive, "
        "the four counts, and so how many positives there are in all, and whether it is withheld, "
        f"because the least cell of the study is not reached; {OF_TWO}",
        "ppv:at=0.5: for each threshold, a score of that or higher being called positive, the "
        "released decimals, whether they are undefined (nobody is called positive), and whether it "
        f"is withheld, because the least cell of the study is not reached; {OF_TWO}",
    )
    assert told.warnings == (
        "confusion:at=0.5: tells how many samples of each class there are, exactly",
        "ppv:at=0.5: to 4 decimals a rate among 4000 samples tells the counts",
        "several metrics of the same samples tell more together than each by itself",
        LEAST_CELL_HOLDS.format(least=5),
    )
