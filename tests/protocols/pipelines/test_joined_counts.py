"""Counts and sums of joined rows: those of the rows that have both, by dicts and fractions."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import cycle, pairwise, product

import numpy as np
import pytest
from sklearn.metrics import (
    accuracy_score,
    average_precision_score,
    balanced_accuracy_score,
    brier_score_loss,
    f1_score,
    matthews_corrcoef,
    precision_score,
    roc_auc_score,
)
from sklearn.metrics import log_loss as sklearn_log_loss

from ppaurora.mpc.errors import BoundExceeded
from ppaurora.mpc.local import run_local
from ppaurora.protocols.arithmetic.rounding import half_up
from ppaurora.protocols.cost import phase_estimates
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.evaluate import check_bounds, evaluate
from ppaurora.protocols.lists.outsourcing import split
from ppaurora.protocols.lists.scale import Resolution
from ppaurora.protocols.lists.tags import Side
from ppaurora.protocols.options import Options
from ppaurora.protocols.pipelines.joined import Joined
from ppaurora.protocols.pipelines.joined_counts import LARGEST_SUM, MOST_STEP_DECIMALS, JoinedCounts
from tests.further import some_of
from tests.protocols.joins import Holder, drawn, joined
from tests.protocols.pipelines.test_joined import (
    NARROW,
    SHAPES,
    SORTS,
    holder,
    study,
    wanted,
)
from tests.protocols.studies import run, run_all, sizes_of, upload_of

SCORES, LABELS, BOTH = Side
RATES = (
    *("accuracy:at=0.3/0.5", "balanced_accuracy:at=0.5", "ppv:at=0.4", "npv:at=0.5,level=0.9"),
    *("f_beta:at=0.5", "f1:at=0.5", "mcc:at=0.5", "youden:at=0.4/0.6", "net_benefit:at=0.2/0.5"),
    *("roc_curve:points=5", "pr_curve:points=4"),
)
SUMS = ("brier", "scaled_brier", "observed_expected", "ece:bins=4", "calibration:bins=4")
LOSSES = ("log_loss", "spiegelhalter_z")
LINES = ("calibration_slope:bins=10", "calibration_in_the_large:bins=10")
COUNTED = replace(NARROW, metrics=(*RATES, *SUMS), decimals=6, least_cell=1)


def thresholded(text: str) -> Callable[[Sequence[int], np.ndarray], float] | None:
    """scikit-learn's function of labels and of what is called positive."""
    by_name: dict[str, Callable[..., float]] = {
        "accuracy": accuracy_score,
        "balanced_accuracy": balanced_accuracy_score,
        "f1": f1_score,
        "mcc": matthews_corrcoef,
        "ppv": precision_score,
    }
    return by_name.get(text.partition(":")[0])


def as_fractions(scores: Sequence[float], options: Options) -> list[Fraction]:
    """The scores as they are summed: few decimals as written, others as they are stored."""
    scale = options.scale
    if scale.kind is Resolution.DECIMALS and scale.number <= MOST_STEP_DECIMALS:
        places = 10**scale.number
        f = [Fraction(round(score * places), places) for score in scores]
    elif scale.kind is Resolution.FLOAT32:
        f = [Fraction(float(np.float32(score))) for score in scores]
    else:
        f = [*map(Fraction, scores)]
    return f if options.direction == "higher" else [1 - one for one in f]


def logarithmic(
    scores: Sequence[float], labels: Sequence[int], counts: Iterable[int], options: Options
) -> Fraction:
    """The sum of the logarithmic losses, of the scores as they are stored."""
    least, total = Fraction(1, 1 << 52), Decimal(0)
    if options.scale.kind is Resolution.FLOAT32:
        scores = [float(np.float32(score)) for score in scores]
    with localcontext() as context:
        context.prec = 50
        for score, label, count in zip(scores, labels, counts, strict=True):
            f = min(max(Fraction(score), least), 1 - least)
            right = f if (label == 1) == (options.direction == "higher") else 1 - f
            total -= count * (Decimal(right.numerator) / Decimal(right.denominator)).ln()
        return Fraction(total)


def sums(
    scores: Sequence[float],
    labels: Sequence[int],
    options: Options,
    counts: Sequence[int] | None = None,
) -> dict[str, str]:
    """The released numbers of the sums, by fractions of the scores as a study has them.

    `counts` say how often each row counts, once unless they are given.
    """
    w = [1] * len(labels) if counts is None else counts
    f = as_fractions(scores, options)
    n, P = sum(w), sum(y * one for y, one in zip(labels, w, strict=True))

    def text(number: Fraction | None, undefined: str) -> str:
        if number is None:
            return f"undefined: {undefined}"
        word = half_up(number * 10**options.decimals)
        sign = "-" if word < 0 else ""
        whole, rest = divmod(abs(word), 10**options.decimals)
        return f"{sign}{whole}.{rest:0{options.decimals}d}"

    squares = sum(c * (y - one) ** 2 for one, y, c in zip(f, labels, w, strict=True))
    # equal parts, closed below: at the end of the range the last one is closed
    parts: list[list[int]] = [[] for _ in range(4)]
    for place, one in enumerate(f):
        parts[min(3, int(one * 4))].append(place)
    apart = sum(abs(sum(w[one] * (labels[one] - f[one]) for one in part)) for part in parts)
    expected = sum(c * one for one, c in zip(f, w, strict=True))
    losses = logarithmic(scores, labels, w, options)
    return {
        "log_loss": text(losses / n if n else None, "no sample counts"),
        "brier": text(squares / n if n else None, "no sample counts"),
        "scaled_brier": text(
            max(Fraction(-1), 1 - n * squares / (P * (n - P))) if 0 < P < n else None,
            "a class is missing",
        ),
        "observed_expected": text(
            min(Fraction(P) / expected, Fraction(100)) if expected else None, "all scores are 0"
        ),
        "ece:bins=4": text(Fraction(apart) / n if n else None, "no sample counts"),
    }


def check_all(studies: Sequence[tuple[Sequence[Holder], Options]]) -> None:
    """Many in one session, each against one list in the clear, fractions and scikit-learn."""
    filled = [one for one in studies if any(holder.people for holder in one[0])]
    outcomes = run_all([study(holders, options) for holders, options in filled])
    for (holders, options), found in zip(filled, outcomes, strict=True):
        assert not found.refused
        scores, labels = joined(holders, options.least_join)
        expected = sums(scores, labels, options) if options.scale.probabilities else {}
        plain = replace(options, metrics=tuple(m for m in options.metrics if m not in expected))
        by_list = wanted(holders, plain) if scores else {}
        for text, value in found.results.items():
            if text in expected:
                assert value == expected[text], (text, holders)
            elif not scores:
                assert "undefined" in value or "no sample" in value, text
            elif not text.startswith("calibration:") or not few_decimals(options):
                assert value == by_list[text], (text, holders)
            if (function := thresholded(text)) and scores:
                check_first_row(
                    value,
                    function,
                    float(text.partition("=")[2].split("/")[0]),
                    (
                        scores,
                        labels,
                        options.direction,
                    ),
                )
        if not scores:
            continue
        turned = scores if options.direction == "higher" else [1 - one for one in scores]
        if "brier" in found.results:
            given = float(found.results["brier"])
            assert abs(given - brier_score_loss(labels, turned)) < 0.6 / 10**options.decimals
        if "log_loss" in found.results:
            given = float(found.results["log_loss"])
            loss = sklearn_log_loss(labels, turned, labels=[0, 1])
            assert abs(given - loss) < 0.6 / 10**options.decimals + 1e-6 * loss
        for text, function in AREAS.items():
            if text in found.results and 0 < sum(labels) < len(labels):
                sign = 1 if options.direction == "higher" else -1
                given = float(found.results[text])
                other = function(labels, [sign * one for one in scores])
                assert abs(given - other) < 0.6 / 10**options.decimals


def check_first_row(
    value: str,
    function: Callable[..., float],
    at: float,
    rows: tuple[Sequence[float], Sequence[int], str],
) -> None:
    scores, labels, direction = rows
    given = value.split(";")[0].split(" ")[-1]
    called = [score >= at if direction == "higher" else score <= at for score in scores]
    if given.replace(".", "").isdigit() and len(set(labels)) == 2:
        assert abs(float(given) - function(labels, np.array(called, int))) < 0.6 / 10 ** len(
            given.partition(".")[2]
        )


def few_decimals(options: Options) -> bool:
    """True if sums are of decimals as they are written, and not of the doubles next to them."""
    scale = options.scale
    return scale.kind is Resolution.DECIMALS and scale.number <= MOST_STEP_DECIMALS


AREAS: dict[str, Callable[..., float]] = {
    "auroc": roc_auc_score,
    "average_precision": average_precision_score,
}
ASKED = (
    *(*RATES, *SUMS, *LOSSES, *AREAS, "auroc_ci", "auroc_se", "auroc_above:than=0.6"),
    *("pauc:max_fpr=0.4", "tpauc:min_tpr=0.3,max_fpr=0.6"),
)
"""All that joins can be asked for but fits, which take a hundred times longer."""


def few_asked(rng: random.Random) -> tuple[str, ...]:
    """Three of these."""
    return tuple(rng.sample(ASKED, 3))


def generated(seeds: Sequence[int]) -> list[tuple[list[Holder], Options]]:
    """A few of all statistics, in every resolution, with scores of few and of many decimals."""
    found = []
    for seed in seeds:
        rng = random.Random(f"joined counts {seed}")
        metrics = few_asked(rng)
        resolution = ("full", "float32", "decimals:2", "decimals:6", "decimals:9")[seed % 5]
        decimals = {"full": rng.choice([2, 15]), "decimals:9": 9}.get(resolution, 2)
        found.append(
            (
                drawn(seed, decimals=decimals),
                replace(
                    COUNTED,
                    metrics=metrics,
                    merge=rng.choice(SORTS),
                    resolution=resolution,
                    least_join=rng.choice((1, 1, 2, 5)),
                    direction=rng.choice(("higher", "lower")),
                    decimals=rng.choice((2, 4)),
                ),
            )
        )
    return found


@pytest.mark.parametrize("seeds", some_of([range(2, 6), range(6, 10)], in_ci=[range(2, 6)]))
def test_generated_joins_have_the_counts_and_sums_of_the_rows_that_dicts_join(
    seeds: range,
) -> None:
    check_all(generated(seeds))


@pytest.mark.soak
@pytest.mark.parametrize("part", range(40))
def test_two_thousand_generated_joins_have_these_counts_and_sums(part: int) -> None:
    for seed in range(2000 + 50 * part, 2050 + 50 * part, 10):
        check_all(generated(range(seed, seed + 10)))


def test_each_statistic_is_asked_for_hundreds_of_times_in_two_thousand_joins() -> None:
    drawn_of = (few_asked(random.Random(f"joined counts {seed}")) for seed in range(2000, 4000))
    asked = Counter(text for few in drawn_of for text in few)
    assert set(asked) == set(ASKED)
    assert min(asked.values()) > 200


FEW = ("brier", "ece:bins=4", "observed_expected", "f1:at=0.5", "roc_curve:points=3")
OF_WORDS = replace(COUNTED, metrics=("brier", "log_loss"), resolution="full", decimals=4)


@pytest.mark.parametrize(
    ("shape", "counted"),
    some_of(product(SHAPES, [True, False]), in_ci=list(zip(SHAPES, cycle([True, False])))),
)
def test_lists_of_every_shape(shape: str, counted: bool) -> None:
    options = replace(COUNTED, metrics=FEW, decimals=4) if counted else OF_WORDS
    check_all([(SHAPES[shape], options)])


def test_a_calibration_curve_and_the_lines_are_those_of_one_list() -> None:
    holders = drawn(23, owners=5, people=60)
    options = replace(COUNTED, metrics=("calibration:bins=4", *LINES), decimals=5)
    assert run(study(holders, options)).results == wanted(holders, options)


def test_the_analysis_validation_is_of_joined_rows() -> None:
    holders = drawn(23, owners=5, people=60)
    options = Options(
        analysis="validation", least_join=20, resolution="decimals:2", decimals=4, least_cell=1
    )
    assert "class_counts" not in options.metrics
    assert "spiegelhalter_z" not in options.metrics
    assert "calibration_slope:bins=100" in options.metrics
    assert len(joined(holders, 20)[0]) > 20
    assert run(study(holders, options)).results == wanted(holders, options)


# -- the least cell --------------------------------------------------------------------------------


def between(holders: Sequence[Holder], edges: Sequence[float]) -> list[tuple[int, int]]:
    """Positives and negatives of the joined rows between scores."""
    scores, labels = joined(holders)
    return [
        tuple(
            sum(
                label == kind and low <= score < high
                for score, label in zip(scores, labels, strict=True)
            )
            for kind in (1, 0)
        )
        for low, high in pairwise([-1.0, *edges, 2.0])
    ]  # type: ignore[return-value]


def rows_of(scores: Sequence[float], labels: Sequence[int], first: int = 0) -> list[Holder]:
    names = tuple(str(first + place) for place in range(len(scores)))
    return [
        Holder(SCORES, names, tuple(scores), ()),
        Holder(LABELS, names, (), tuple(labels)),
    ]


@pytest.mark.parametrize("merge", ["network", "shuffled"])
def test_a_threshold_with_too_few_joined_rows_beside_it_is_withheld(merge: str) -> None:
    fine = [(0.1, 0)] * 5 + [(0.1, 1)] * 5 + [(0.9, 0)] * 5 + [(0.9, 1)] * 5
    options = replace(COUNTED, metrics=("accuracy:at=0.5",), least_cell=5, decimals=3, merge=merge)
    for rows, shown in ((fine, True), (fine[1:], False), (fine[:-1], False)):
        found = run(study(rows_of(*zip(*rows, strict=True)), options)).results["accuracy:at=0.5"]
        assert ("withheld" in found) != shown


def test_an_owner_with_both_sees_too_few_beside_its_own_rows() -> None:
    """Enough in all, but not without the rows that this owner knows; two such owners likewise."""
    fine = [(0.1, 0)] * 5 + [(0.1, 1)] * 5 + [(0.9, 0)] * 5 + [(0.9, 1)] * 5
    scores, labels = zip(*fine, strict=True)
    names = tuple(map(str, range(100, 120)))
    own = Holder(BOTH, names, scores, labels)
    options = replace(COUNTED, metrics=("accuracy:at=0.5",), least_cell=5, decimals=3)
    few = rows_of(scores[1:], labels[1:])

    def found(*holders: Holder) -> str:
        return run(study(holders, options)).results["accuracy:at=0.5"]

    assert "withheld" not in found(*rows_of(scores, labels), own)
    assert "withheld" in found(*few, own)
    assert "withheld" not in found(*few, own, replace(own, people=tuple(map(str, range(20)))))


# -- what is refused -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "class_counts",
        "confusion:at=0.5",
        "bootstrap:replicates=100,of=auroc",
        "histogram_dp:epsilon=1",
    ],
)
def test_what_tells_how_many_or_draws_rows_is_refused(text: str) -> None:
    with pytest.raises(OptionRefused, match=f"asks for {text.partition(':')[0]}"):
        replace(NARROW, metrics=(text,))


@pytest.mark.parametrize(
    ("resolution", "fit"), [("decimals:6", LARGEST_SUM // (2 * 10**6) ** 2), ("full", 1 << 21)]
)
def test_one_row_more_than_its_sums_hold_is_refused(resolution: str, fit: int) -> None:
    options = replace(NARROW, metrics=("brier",), resolution=resolution)
    check_bounds(options, [fit, 0, 0, 0, fit, 0])
    with pytest.raises(BoundExceeded, match=f"{fit + 1} joined rows, of which {fit} can be summed"):
        check_bounds(options, [fit + 1, 0, 0, 0, fit + 1, 0])
    # rates hold more
    check_bounds(replace(options, metrics=("f1:at=0.5",)), [fit + 1, 0, 0, 0, fit + 1, 0])


# -- words of sums ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("resolution", "metrics", "words"),
    [
        ("decimals:4", ("brier", "ece:bins=4"), 0),
        ("decimals:4", ("brier", "log_loss"), 6),
        ("full", ("observed_expected",), 3),
        ("float32", ("brier", "scaled_brier"), 6),
        ("full", ("brier", "calibration:bins=4", "log_loss"), 15),
        ("full", ("spiegelhalter_z",), 7),
        ("full", ("accuracy:at=0.5", "auroc"), 0),
    ],
)
def test_rows_have_words_for_the_sums_that_codes_do_not_make(
    resolution: str, metrics: tuple[str, ...], words: int
) -> None:
    pipeline = replace(COUNTED, metrics=metrics, resolution=resolution).pipeline
    assert isinstance(pipeline, Joined)
    assert pipeline.words(10) == 10 * (2 + words)


def of_one(options: Options, side: Side, change: Callable[[np.ndarray], None]) -> tuple[bool, str]:
    """True if an upload with other words is refused beside a sound one; and what is released."""
    own = [holder(SCORES, range(12)), holder(LABELS, range(12))]
    own.append(holder(BOTH, range(6)) if side is BOTH else holder(side, range(20, 26)))
    uploads = [upload_of(one.owner, options).copy() for one in own]
    change(uploads[-1])
    sizes = sizes_of([one.owner for one in own], options)
    shares = [(one[0].words(), one[1].words()) for one in map(split, uploads)]
    at = run_local(lambda party, *lists: evaluate(party, options, lists, sizes=sizes), *shares)
    words = (at[0].results["brier"].words + at[1].results["brier"].words).tolist()
    return at[0].refused == (2,), str(options.statistics[0].decode(words, options.decimals))


@pytest.mark.parametrize("side", Side)
def test_a_word_beyond_what_a_row_adds_is_refused_where_there_is_one(side: Side) -> None:
    options = replace(COUNTED, metrics=("brier",), resolution="full", least_join=1)
    counts, n = JoinedCounts.of(options, narrow=False), 6
    assert counts is not None
    limits = counts.row_limits
    assert limits == [1 << 36, *[(1 << 42) - 1] * 2] * 2
    plain = of_one(options, side, lambda upload: None)
    assert not plain[0]
    for place, most in ((0, limits[0]), (5, limits[5])):
        for value, lie in ((most, False), (most + 1, True), (-1, True)):

            def changed(upload: np.ndarray, at: int = place, value: int = value) -> None:
                upload[(2 + at) * n] = np.uint64(value % (1 << 64))

            found = of_one(options, side, changed)
            # rows of labels have no such words, and what stands there is not read
            assert found[0] == (lie and side is not LABELS)
            assert side is not LABELS or found == plain


def test_a_row_that_lies_about_its_error_adds_what_some_score_would() -> None:
    """Six of eighteen rows have both; whatever they say, an error lies between 0 and 1."""
    options = replace(COUNTED, metrics=("brier",), resolution="full", decimals=4)
    own = [holder(SCORES, range(12)), holder(LABELS, range(12))]
    honest = Fraction(run(study(own, options)).results["brier"])
    found = []
    for most in (0, 1):

        def lie(upload: np.ndarray, most: int = most) -> None:
            upload[2 * 6 :] = 0
            for kind in (0, 3):
                upload[(2 + kind) * 6 : (3 + kind) * 6] = most << 36

        refused, value = of_one(options, BOTH, lie)
        assert not refused
        found.append(Fraction(value))
    expected = [honest * 12 / 18, (honest * 12 + 6) / 18]
    assert all(abs(a - b) < Fraction(2, 10**4) for a, b in zip(found, expected, strict=True))


# -- what it costs and shows -----------------------------------------------------------------------


@pytest.mark.parametrize(("resolution", "least_cell"), [("decimals:2", 1), ("full", 5)])
def test_the_predicted_cost_is_that_which_is_measured(resolution: str, least_cell: int) -> None:
    metrics = ("accuracy:at=0.3/0.5", "roc_curve:points=5")
    metrics = (*metrics, *SUMS, *LOSSES)
    options = replace(
        COUNTED, metrics=metrics, resolution=resolution, least_cell=least_cell, decimals=2
    )
    whole = study(SHAPES["rows with both are nobody's partners"], options)
    estimates = phase_estimates(options, whole.sizes)
    found = run(whole)
    assert found.hops == sum(one.spent.hops for one in estimates)
    assert found.payload == sum(one.spent.payload for one in estimates)


def test_nothing_is_sorted_by_score_where_nothing_is_of_the_curve() -> None:
    pipeline = COUNTED.pipeline
    assert isinstance(pipeline, Joined)
    assert [one.phase for one in pipeline.preparing((4, 0, 0, 0, 4, 0), frozenset())] == [
        "join",
        "counts",
    ]


def test_fewer_joined_rows_than_the_least_look_like_none_to_everybody() -> None:
    metrics = ("accuracy:at=0.5", "brier", "calibration:bins=4", LINES[1])
    options = replace(COUNTED, metrics=metrics, least_join=6, decimals=2)
    found = []
    for common in (0, 5):
        holders = [holder(SCORES, range(10)), holder(LABELS, range(10 - common, 20 - common))]
        outcome = run(study(holders, options), keep_trace=True)
        assert all("undefined" in text or "no sample" in text for text in outcome.results.values())
        found.append((outcome.results, outcome.hops, outcome.bytes, outcome.traces))
    assert found[0] == found[1]
    enough = [holder(SCORES, range(10)), holder(LABELS, range(4, 14))]
    options = replace(options, metrics=("brier",))
    assert "undefined" not in run(study(enough, options)).results["brier"]


@pytest.mark.parametrize("known", [0, 4, 5])
def test_an_owner_that_adds_one_target_to_people_that_it_knows_to_be_there(known: int) -> None:
    """The attack on membership by rates and sums: no answer below the least."""
    options = replace(COUNTED, metrics=("accuracy:at=0.5", "brier"), least_join=6, decimals=3)
    registry = holder(LABELS, range(20))

    def released(target: int) -> dict[str, str]:
        own = holder(SCORES, [*range(known), target])
        return run(study([registry, own], options)).results

    assert (released(19) == released(99)) == (known + 1 < 6)
