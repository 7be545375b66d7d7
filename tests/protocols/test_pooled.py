"""Private equals pooled, to the last released decimal, for generated studies."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.metrics import auc, average_precision_score, precision_recall_curve, roc_auc_score

from ppaurora.protocols.options import Options
from tests.protocols import pooled
from tests.protocols.studies import ALL_METRICS, Owner, Study, owners_of, run_all

QUIET = settings(
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
BATCH = 10

HALF_BITS = 0x3FE0000000000000
last_bit = st.integers(0, 3).map(lambda step: float(np.uint64(HALF_BITS + step).view(float)))
unit_scores = st.one_of(
    st.floats(0, 1),
    st.sampled_from([0.0, -0.0, 0.25, 0.5, 1.0, 5e-324, 2.0**-1022]),
    last_bit,
)
real_scores = st.one_of(
    st.floats(2.0**-255, 2.0**255).flatmap(lambda x: st.sampled_from([x, -x])),
    st.sampled_from([0.0, -0.0, 1.0, -1.0, 2.0**-255, -(2.0**-255), 1.5 * 2.0**255, -(2.0**255)]),
    last_bit,
)


@st.composite
def options(draw, bounds):
    merge = draw(st.sampled_from(["network", "network", "delta"]))
    return Options(
        metrics=ALL_METRICS,
        decimals=draw(st.sampled_from([4, 6, 9])),
        merge=merge,
        delta=draw(st.sampled_from([1, 3, 5])) if merge == "delta" else 1,
        ties=draw(st.sampled_from(["compare", "helper"])),
        range=bounds,
    )


@st.composite
def small_studies(draw):
    """A few samples whose every score and label is drawn, so that a failure shrinks."""
    bounds = draw(st.sampled_from([(0, 1), ("any",)]))
    score = unit_scores if bounds == (0, 1) else real_scores
    rows = st.lists(st.tuples(score, st.integers(0, 1)), max_size=5)
    owners = tuple(
        Owner([score for score, _ in one], [label for _, label in one])
        for one in draw(st.lists(rows, min_size=1, max_size=4))
    )
    return Study(owners, draw(options(bounds)), draw(st.sampled_from(["higher", "lower"])))


def scores_of(kind, rng, labels):
    """Scores in [0, 1] with ties of the given kind."""
    n = labels.size
    match kind:
        case "no ties":
            return rng.permutation(n) / max(n, 1)
        case "all tied":
            return np.full(n, 0.5)
        case "heavy ties":
            return rng.integers(0, 4, n) / 4
        case "perfect":
            return np.where(labels == 1, 0.6, 0.1) + rng.random(n) / 4
        case "inverted":
            return np.where(labels == 1, 0.1, 0.6) + rng.random(n) / 4
        case "last bit":
            return (HALF_BITS + rng.integers(0, 5, n)).view(float)
        case _:
            return np.clip(rng.normal(0.4 + 0.2 * labels, 0.2).round(2), 0, 1)


@st.composite
def large_studies(draw):
    """Up to 50 owners and some hundred samples, from a drawn seed."""
    kind = draw(
        st.sampled_from(
            ["no ties", "all tied", "heavy ties", "perfect", "inverted", "last bit", "model"]
        )
    )
    count = draw(st.sampled_from([1, 2, 3, 5, 8, 50]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    sizes = rng.integers(0, draw(st.sampled_from([2, 4, 12, 40])), count)
    n = int(sizes.sum())
    positives = draw(st.sampled_from(["one", "few", "half", "most", "all but one", "all"]))
    P = {"one": 1, "few": n // 20, "half": n // 2, "most": n - n // 20, "all but one": n - 1}
    labels = np.zeros(n, int)
    labels[: min(n, max(0, P.get(positives, n)))] = 1
    rng.shuffle(labels)
    scores = scores_of(kind, rng, labels)
    bounds = draw(st.sampled_from([(0, 1), ("any",)]))
    if bounds == ("any",):
        scores = (scores - 0.5) * 2.0 ** draw(st.sampled_from([-200, 0, 200]))
    return Study(
        owners_of(scores, labels, sizes),
        draw(options(bounds)),
        draw(st.sampled_from(["higher", "lower"])),
    )


def agree(studies):
    """Every study releases what its pooled data give, and so does scikit-learn."""
    for study, outcome in zip(studies, run_all(studies), strict=True):
        assert outcome.results == study.expected(), study
        assert_scikit_learn_agrees(study)


def assert_scikit_learn_agrees(study):
    scores, labels = np.array(study.scores), np.array(study.labels)
    if not 0 < labels.sum() < labels.size:
        return
    precision, recall, _ = precision_recall_curve(labels, scores)
    theirs = {
        "auroc": roc_auc_score(labels, scores),
        "aupr": auc(recall, precision),
        "average_precision": average_precision_score(labels, scores),
    }
    for name, value in theirs.items():
        exact = pooled.METRICS[name](study.scores, study.labels)
        assert float(exact) == pytest.approx(value, abs=1e-12)


def count_agreeing(studies, examples):
    """Run a property over batches of studies; how many studies it saw."""
    seen = 0

    @settings(QUIET, max_examples=examples)
    @given(st.lists(studies, min_size=BATCH, max_size=BATCH))
    def every_batch_agrees(batch):
        nonlocal seen
        seen += len(batch)
        agree(batch)

    every_batch_agrees()
    return seen


@pytest.mark.parametrize(
    ("studies", "batches"),
    [
        *((small_studies(), 2), (large_studies(), 1)),
        pytest.param(small_studies(), 3, marks=pytest.mark.weekly),
        pytest.param(large_studies(), 3, marks=pytest.mark.weekly),
    ],
    ids=["small", "large", "more small", "more large"],
)
def test_private_equals_pooled(studies, batches):
    assert count_agreeing(studies, batches) >= batches * BATCH


@pytest.mark.soak
@pytest.mark.parametrize("studies", [small_studies(), large_studies()], ids=["small", "large"])
def test_private_equals_pooled_a_thousand_times(studies):
    assert count_agreeing(studies, 110) >= 1000


@pytest.mark.parametrize("all_pairs", [False, pytest.param(True, marks=pytest.mark.weekly)])
def test_both_merges_and_both_tie_detections_agree_everywhere(all_pairs):
    """In CI every merge meets each detection of ties by some kind of scores."""
    rng = np.random.default_rng(7)
    studies = []
    for number, kind in enumerate(("no ties", "all tied", "heavy ties")):
        sizes = rng.integers(0, 30, 5)
        labels = rng.integers(0, 2, sizes.sum())
        scores = scores_of(kind, rng, labels)
        for turn, ties in enumerate(("compare", "helper")):
            for place, (merge, delta) in enumerate(
                (("network", 1), ("delta", 1), ("delta", 3), ("delta", 7))
            ):
                if not all_pairs and (number + turn + place) % 2:
                    continue
                options = Options(
                    metrics=ALL_METRICS, decimals=6, merge=merge, delta=delta, ties=ties
                )
                studies.append(Study(owners_of(scores, labels, sizes), options))
    agree(studies)


def test_an_exact_half_is_rounded_up():
    # 1/32 = 0.03125: one positive, at the 32nd place of 32 distinct scores
    owner = Owner([(32 - place) / 64 for place in range(32)], [0] * 31 + [1])
    study = Study((owner,), Options(metrics=("average_precision",), decimals=4))
    assert run_all([study])[0].results == {"average_precision": "0.0313"}


@pytest.mark.parametrize("decimals", [1, 2, 12])
def test_perfect_separation_is_exactly_one(decimals):
    # what is divided lies a hair above 1 here, and must not show
    owners = (Owner([0.9, 0.8, 0.1], [1, 1, 0]), Owner([0.7, 0.2], [1, 0]))
    study = Study(owners, Options(metrics=ALL_METRICS, decimals=decimals))
    assert set(run_all([study])[0].results.values()) == {"1." + "0" * decimals}


def test_one_class_only_is_undefined_in_words():
    options = Options(metrics=ALL_METRICS)
    only = [Study((Owner([0.1, 0.9], [label] * 2),), options) for label in (0, 1)]
    alone = Study((Owner([0.3], [1]),), Options(metrics=("auroc", "auroc_no_ties")))
    assert set(run_all([alone])[0].results.values()) == {"undefined: a class is missing"}
    none = Study((Owner([], []), Owner([], [])), options)
    negatives, positives, nothing = (outcome.results for outcome in run_all([*only, none]))
    assert negatives["auroc"] == "undefined: a class is missing"
    assert negatives["aupr"] == "undefined: there are no positives"
    assert positives["auroc"] == "undefined: a class is missing"
    assert positives["aupr"] == positives["average_precision"] == "1.0000"
    assert set(nothing.values()) == {"undefined: there are no samples"}
