"""Brier score, logarithmic loss, calibration: against exact fractions of the scores and sklearn."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
import sklearn.metrics
from hypothesis import given
from hypothesis import strategies as st
from sklearn.calibration import calibration_curve

from ppaurora.mpc.errors import BoundExceeded
from ppaurora.mpc.local import run_local
from ppaurora.mpc.party import Party
from ppaurora.mpc.shares import Shared, share
from ppaurora.protocols.disclosure.ledger import ledger
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.evaluate import evaluate
from ppaurora.protocols.grid.sums import (
    HIGH_BITS,
    LOW_BITS,
    MOST_UPLOADS,
    SCALE,
    Sum,
    real,
    sums_of,
    to_words,
)
from ppaurora.protocols.options import MOST_DECIMALS, Options
from ppaurora.protocols.statistics.registry import statistic
from ppaurora.protocols.statistics.statistic import MOST_SAMPLES
from tests.protocols.statistics.drawn import drawn_studies
from tests.protocols.studies import Owner, Study, released, run, run_all, upload_of

PARTS = 4
SLACK = Fraction(1, 2**128)
BY_TURNS = [
    ("brier", "scaled_brier", "log_loss"),
    ("observed_expected", f"ece:bins={PARTS}", f"calibration:bins={PARTS}"),
]
ASKED = [tuple(text for texts in BY_TURNS for text in texts)]


def rounded(value: Fraction, decimals: int) -> str:
    word = (2 * value * 10**decimals + 1) // 2
    whole, rest = divmod(abs(word), 10**decimals)
    return f"{'-' * (word < 0)}{whole}.{rest:0{decimals}d}"


def assert_certified(told: str, exact: Fraction, decimals: int, slack: Fraction) -> None:
    """The rounded value, or its neighbour where the exact one lies at a rounding boundary."""
    least, most = (Fraction(rounded(one, decimals)) for one in (exact - slack, exact + slack))
    assert least <= Fraction(told) <= most


def check_all(studies: list[Study]) -> None:
    for study, outcome in zip(studies, run_all(studies), strict=True):
        told = {text.partition(":")[0]: value for text, value in outcome.results.items()}
        for check in (check_losses, check_calibration):
            check(told, study)


def check_losses(told: dict[str, str], study: Study) -> None:
    if "brier" not in told:
        return
    y, n, P, d = study.labels, len(study.labels), sum(study.labels), study.options.decimals
    S = sum((label - Fraction(x)) ** 2 for label, x in zip(y, study.scores, strict=True))
    assert_certified(told["brier"], S / n, d, SLACK)
    if 0 < P < n:
        peer = sklearn.metrics.brier_score_loss(y, study.scores)
        assert abs(float(told["brier"]) - peer) <= 0.5 * 10**-d + 1e-12
        scaled = max(1 - n * S / (P * (n - P)), Fraction(-1))
        assert_certified(told["scaled_brier"], scaled, d, n * SLACK)
    else:
        assert told["scaled_brier"] == "undefined: a class is missing"
    loss = sklearn.metrics.log_loss(y, study.scores, labels=[0, 1])
    assert abs(float(told["log_loss"]) - loss) <= 0.5 * 10**-d + 1e-12 * (1 + loss)


def check_calibration(told: dict[str, str], study: Study) -> None:
    if "ece" not in told:
        return
    f, y, d = [Fraction(x) for x in study.scores], study.labels, study.options.decimals
    expected = sum(f)
    if expected:
        ratio = min(sum(y) / expected, Fraction(100))
        assert_certified(told["observed_expected"], ratio, d, 100 * SLACK)
    else:
        assert told["observed_expected"] == "undefined: all scores are 0"
    places = [min(int(x * PARTS), PARTS - 1) for x in f]
    inside = [[k for k in range(len(y)) if places[k] == part] for part in range(PARTS)]
    gaps = (abs(sum(y[k] - f[k] for k in rows)) for rows in inside)
    assert_certified(told["ece"], sum(gaps, Fraction(0)) / len(y), d, PARTS * SLACK)
    shown = [row.split(", ") for row in told["calibration"].split("; ")]
    filled = [rows for rows in inside if rows]
    assert len(shown) == len(filled)
    for row, rows in zip(shown, filled, strict=True):
        predicted, observed = row[2].split()[1], row[3].split()[1]
        assert_certified(predicted, sum(f[k] for k in rows) / len(rows), d, SLACK)
        assert observed == rounded(Fraction(sum(y[k] for k in rows), len(rows)), d)


def test_drawn_studies_have_the_losses_and_the_calibration_of_their_rows() -> None:
    check_all(drawn_studies(20, 41, BY_TURNS, 5, (4, 64)))


@pytest.mark.soak
def test_five_hundred_studies_have_the_losses_and_the_calibration_of_their_rows() -> None:
    check_all(drawn_studies(500, 42, ASKED, 12, (4, 64, 4096)))


def test_parts_that_nobody_merges_are_those_of_scikit_learn() -> None:
    rng = np.random.default_rng(3)
    x, y = rng.random(300), rng.integers(0, 2, 300)
    options = Options(metrics=("calibration:bins=8",), decimals=10, least_cell=1)
    told = run(Study((Owner(x[:100], y[:100]), Owner(x[100:], y[100:])), options)).results
    rows = [row.split(", ") for row in next(iter(told.values())).split("; ")]
    observed, predicted = calibration_curve(y, x, n_bins=8)
    assert np.allclose([float(row[2].split()[1]) for row in rows], predicted, atol=1e-10)
    assert np.allclose([float(row[3].split()[1]) for row in rows], observed, atol=1e-10)
    assert [row[0] for row in rows] == [f"from {k / 8:g}" for k in range(8)]


def test_empty_parts_at_either_end_are_in_the_row_beside_them() -> None:
    text = "calibration:bins=4"
    options = Options(metrics=(text,), decimals=3, least_cell=1)
    of = (Owner([0.3, 0.375, 0.6], [0, 1, 1]),)
    assert run(Study(of, options)).results[text] == (
        "from 0, to 0.5, predicted 0.337, observed 0.500; "
        "from 0.5, to 1, predicted 0.600, observed 1.000"
    )
    assert run(Study(of, options, "lower")).results[text] == (
        "from 0, to 0.5, predicted 0.663, observed 0.500; "
        "from 0.5, to 1, predicted 0.400, observed 1.000"
    )


def test_neighbouring_parts_are_one_row_where_an_owner_sees_too_few_of_a_class() -> None:
    owners = tuple(Owner([0.05, 0.3, 0.3, 0.6, 0.6, 0.95], [0, 0, 1, 1, 0, 1]) for _ in range(3))
    text = "calibration:bins=4"
    options = Options(metrics=(text,), decimals=3, least_cell=2)
    # in the parts an owner sees 0, 2, 2 and 2 positives of the others, and 2, 2, 2 and 0 negatives
    assert run(Study(owners, options)).results[text] == (
        "from 0, to 0.5, predicted 0.217, observed 0.333; "
        "from 0.5, to 1, predicted 0.717, observed 0.667"
    )
    few = run(Study(owners[:2], options)).results[text]
    assert few == "from 0, to 1, predicted 0.467, observed 0.500"
    alone = replace(options, least_cell=4)
    [told] = run(Study(owners[:1], alone)).results.values()
    assert told == "withheld: fewer than 4 of a class in all, in some owner's eyes"


def mirrored(start: str, end: str) -> list[str]:
    """The same part in scores of the other direction."""
    return [f"{word} {1 - float(at.split()[1]):g}" for word, at in (("from", end), ("to", start))]


@pytest.mark.parametrize("text", [text for texts in ASKED for text in texts])
def test_lower_scores_are_the_probabilities_of_the_other_class(text: str) -> None:
    rng = np.random.default_rng(9)
    x, y = rng.integers(0, 65, 90) / 64, rng.integers(0, 2, 90)
    x[:2] = 0, 1
    options = Options(metrics=(text,), decimals=8, resolution="bins:64")
    # dyadic scores: 1 - score is exact
    [lower] = run(Study((Owner(x, y),), options, "lower")).results.values()
    [higher] = run(Study((Owner(1 - x, y),), options)).results.values()
    if text.startswith("calibration"):
        rows = [row.split(", ") for row in higher.split("; ")]
        higher = "; ".join(", ".join([*mirrored(*row[:2]), *row[2:]]) for row in reversed(rows))
    assert lower == higher


def test_nothing_is_lost_by_cancellation() -> None:
    """Scores so near their labels that Σf² - 2·Σf + P in doubles would leave no digit."""
    x = 1 - np.arange(1, 400) * 2.0**-40
    y = np.ones(x.size, np.uint64)
    exact = sum((1 - Fraction(one)) ** 2 for one in x.tolist())
    [found] = sums_of(Sum.SQUARES, x, y, np.zeros(x.size, np.int64), 1, True)
    assert found == exact
    assert float((x * x).sum() - 2 * x.sum() + x.size) != found


@pytest.mark.parametrize("value", [0.0, 1.0, 2.0**-134, 0.1, 12345.678, float(MOST_SAMPLES)])
def test_sums_travel_as_three_words_and_come_back(value: float) -> None:
    words = to_words([Fraction(value), Fraction(3)])
    assert max(words) < 1 << 63
    assert [
        abs(back - Fraction(one)) <= Fraction(1, 2 * SCALE)
        for back, one in zip(real(words), (value, 3), strict=True)
    ] == [True, True]


HALVES = (
    # as found: rounding the sum once as a double gave .474638
    ("brier", 6, [0.53, 0.2, 0.14, 0.9, 0.75, 0.21, 0.7, 0.5], "00100100", "0.474637"),
    ("brier", 2, [0.49999999999999994, 0, 0.5, 1], "0110", "0.62"),
)


@pytest.mark.parametrize(("text", "decimals", "scores", "labels", "value"), HALVES)
def test_a_value_beside_a_half_is_rounded_as_the_scores_are(
    text: str, decimals: int, scores: list[float], labels: str, value: str
) -> None:
    y = [int(one) for one in labels]
    exact = sum((one - Fraction(x)) ** 2 for one, x in zip(y, scores, strict=True)) / len(y)
    assert rounded(exact, decimals) == value
    for cut in (0, 3):
        owners = Owner(scores[:cut], y[:cut]), Owner(scores[cut:], y[cut:])
        options = Options(metrics=(text,), decimals=decimals, resolution="bins:16")
        assert run(Study(owners, options)).results == {text: value}


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(0, 1)), max_size=20), st.booleans())
def test_sums_of_any_scores_are_those_of_their_fractions(
    rows: list[tuple[float, int]], higher: bool
) -> None:
    x = np.array([score for score, _ in rows])
    y = np.array([label for _, label in rows], np.uint64)
    parts = np.arange(x.size) % 3
    f = [Fraction(score) if higher else 1 - Fraction(score) for score, _ in rows]
    expected = [sum(f[place::3], Fraction(0)) for place in range(3)]
    assert sums_of(Sum.SCORES, x, y, parts, 3, higher) == expected
    squares = sum(
        ((label - one) ** 2 for one, (_, label) in zip(f, rows, strict=True)), Fraction(0)
    )
    assert sums_of(Sum.SQUARES, x, y, parts, 1, higher) == [squares]


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(0, 1)), max_size=200), st.booleans())
def test_a_sum_of_logarithms_is_right_far_below_its_last_digit(
    rows: list[tuple[float, int]], higher: bool
) -> None:
    x = np.array([score for score, _ in rows])
    y = np.array([label for _, label in rows], np.uint64)
    [found] = sums_of(Sum.LOGS, x, y, np.zeros(x.size, np.int64), 1, higher)
    least, total = Fraction(1, 2**52), Decimal(0)
    with localcontext() as context:
        context.prec = 80
        for score, label in rows:
            f = min(max(Fraction(score), least), 1 - least)
            one = f if bool(label) == higher else 1 - f
            total -= (Decimal(one.numerator) / one.denominator).ln()
    assert abs(found - Fraction(total)) < Fraction(1, 2**150)


def test_the_sums_of_a_pooled_list_are_those_of_its_owners_however_it_is_cut() -> None:
    rng = np.random.default_rng(17)
    x, y = rng.random(3 << 20), rng.integers(0, 2, 3 << 20).astype(np.uint64)
    parts = np.zeros(x.size, np.int64)
    for which in (Sum.SCORES, Sum.SQUARES):
        [whole] = sums_of(which, x, y, parts, 1, True)
        pieces = [
            sums_of(which, x[rows], y[rows], parts[rows], 1, True)[0]
            for rows in (slice(0, 1000), slice(1000, 2 << 20), slice(2 << 20, None))
        ]
        assert sum(pieces, Fraction(0)) == whole


LIES = {
    "a squared error larger than the samples": (Sum.SQUARES, 0, (3 << HIGH_BITS) + 1),
    "a negative squared error": (Sum.SQUARES, 0, 2**64 - 1),
    "a middle word as large as a high one": (Sum.SQUARES, 1, 1 << LOW_BITS),
    "a low word as large as a middle one": (Sum.SQUARES, 2, 1 << LOW_BITS),
    "a loss that no score has": (Sum.LOGS, 0, (3 * 37 << HIGH_BITS) + 1),
    "a sum of scores larger than the samples": (Sum.SCORES, 0, (3 << HIGH_BITS) + 1),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_sum_that_no_list_has_is_refused(lie: str) -> None:
    options = Options(metrics=("brier", "log_loss", "observed_expected"))
    honest = upload_of(Owner([0.25, 0.5, 1.0], [1, 0, 1]), options)
    which, place, word = LIES[lie]
    start = 2 + 3 * list(Sum).index(which)
    liar = honest.copy()
    liar[start + place] = word
    at = run_local(
        lambda party, *own: evaluate(party, options, own, sizes=[3, 3]),
        share(honest),
        share(liar),
    )
    outcome = released(options, at)
    assert outcome.refused == (1,)
    # (9/16 + 1/4 + 0) / 3
    assert outcome.results["brier"] == "0.2708"


def test_the_largest_sums_are_exact() -> None:
    """2^31 - 1 samples, all as wrong as can be: the sums' words reach 2^62."""
    options = Options(metrics=("brier", "log_loss", "observed_expected"), decimals=9)
    assert all(one.fits(MOST_SAMPLES, MOST_DECIMALS) for one in options.statistics)
    high = [MOST_SAMPLES << HIGH_BITS, MOST_SAMPLES << HIGH_BITS, 36 * MOST_SAMPLES << HIGH_BITS]
    words = [0, MOST_SAMPLES, *(word for one in high for word in (one, 0, 0))]
    at = run_local(
        lambda party, own: evaluate(party, options, [own], sizes=[MOST_SAMPLES]),
        share(np.array(words, np.uint64)),
    )
    assert released(options, at).results == {
        "brier": "1.000000000",
        "log_loss": "36.000000000",
        "observed_expected": "0.000000000",
    }


def test_numbers_without_an_end_stop_at_the_one_that_is_stated() -> None:
    options = Options(
        metrics=("scaled_brier", "observed_expected"), decimals=3, resolution="bins:8"
    )
    wrong = Study((Owner([0.0, 0.001, 1.0, 1.0], [1, 1, 0, 0]),), options)
    assert run(wrong).results == {"scaled_brier": "-1.000", "observed_expected": "1.000"}
    far = Study((Owner([0.0, 0.001, 0.0, 0.001], [1, 1, 0, 0]),), options)
    assert run(far).results["observed_expected"] == "100.000"


def test_more_uploads_than_low_words_can_be_added_are_refused() -> None:
    """511 low words of 54 bits add up to less than 2^63."""
    options = Options(metrics=("brier",), resolution="bins:2")
    one = upload_of(Owner([0.7], [1]), options)
    pipeline = options.pipeline

    def program(party: Party, own: Shared) -> object:
        return pipeline.check(party, [own] * MOST_UPLOADS + [own], [1] * (MOST_UPLOADS + 1))

    assert MOST_UPLOADS * ((1 << LOW_BITS) - 1) < 1 << 63 <= (MOST_UPLOADS + 1) << LOW_BITS
    with pytest.raises(BoundExceeded, match="sums of scores of 512 uploads, of which 511"):
        run_local(program, share(one))


def test_an_upload_has_only_the_sums_that_are_asked_for() -> None:
    def words(*metrics: str) -> int:
        return Options(metrics=metrics).pipeline.words(1000)

    assert words("confusion:at=0.3") == 4
    assert words("brier") == words("scaled_brier", "brier") == 2 + 3
    assert words("brier", "log_loss") == 2 + 6
    assert words("observed_expected") == 2 + 3
    assert words("calibration:bins=8") == 16 + 24
    # a threshold that lies between two parts divides counts, and no sum of scores
    assert words("calibration:bins=8", "ppv:at=0.125/0.3") == 18 + 24


def test_the_ledger_says_what_the_curve_tells() -> None:
    told = ledger(Options(metrics=("calibration", "brier"), resolution="bins:4096"), [1000] * 4)
    assert told.learns.receivers == (
        "calibration: which neighbouring parts are one row, and for each row the released decimals "
        "of the mean predicted probability and of the rate of positives",
        "brier: the released decimals, and whether the metric is undefined: never",
    )
    assert "fewer than 10000 samples tells its counts" in told.warnings[0]


@pytest.mark.parametrize("text", ["calibration:bins=1", "ece:bins=1025", "calibration:least=5"])
def test_parts_that_no_study_has_are_refused(text: str) -> None:
    with pytest.raises(OptionRefused):
        statistic(text)
