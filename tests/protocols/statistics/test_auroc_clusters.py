"""The AUROC of clustered samples: Obuchowski's interval against her definition, pair by pair."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from math import isqrt
from typing import Any

import numpy as np
import pytest

from ppaurora.mpc.local import run_local
from ppaurora.mpc.party import Party
from ppaurora.mpc.shares import Shared, share
from ppaurora.protocols.arithmetic.normal import scaled_quantile
from ppaurora.protocols.cost import phase_estimates
from ppaurora.protocols.disclosure.ledger import ledger
from ppaurora.protocols.evaluate import evaluate, most_samples
from ppaurora.protocols.options import Options
from tests.protocols.statistics.drawn import SIZES
from tests.protocols.studies import Owner, Study, interval, run, run_all, upload_of

NAME = "auroc_clusters"
LEVELS = (NAME, f"{NAME}:level=0.5")
PLAIN = Options(metrics=LEVELS, merge="network")
DIGITS = 60

Row = tuple[float, int, tuple[int, int]]


def rows_of(study: Study) -> list[Row]:
    """Score, label and cluster of each row: clusters of two owners are two."""
    sign = 1 if study.direction == "higher" else -1
    found = []
    for place, one in enumerate(study.owners):
        parts = [k // 2 for k in range(len(one.scores))] if one.parts is None else one.parts
        for score, label, part in zip(one.scores, one.labels, parts, strict=True):
            found.append((sign * score, int(label), (place, int(part))))
    return found


def by_pairs(rows: Sequence[Row]) -> tuple[Fraction, Fraction] | None:
    """AUROC and variance, as Obuchowski prints them."""
    X = [(s, c) for s, y, c in rows if y]
    Y = [(s, c) for s, y, c in rows if not y]
    of_X, of_Y, every = {c for _, c in X}, {c for _, c in Y}, {c for *_, c in rows}
    if len(of_X) < 2 or len(of_Y) < 2:
        return None

    def psi(x: float, y: float) -> Fraction:
        return Fraction(x > y) + Fraction(x == y, 2)

    V10: dict[tuple[int, int], Fraction] = dict.fromkeys(every, Fraction(0))
    V01 = dict(V10)
    m, l = dict.fromkeys(every, 0), dict.fromkeys(every, 0)  # noqa: E741
    for x, c in X:
        V10[c] += sum(psi(x, y) for y, _ in Y) / len(Y)
        m[c] += 1
    for y, c in Y:
        V01[c] += sum(psi(x, y) for x, _ in X) / len(X)
        l[c] += 1
    A = sum(V10.values(), Fraction(0)) / len(X)
    I10, I01, I = len(of_X), len(of_Y), len(every)  # noqa: E741
    S10 = Fraction(I10, (I10 - 1) * len(X)) * sum((V10[c] - m[c] * A) ** 2 for c in of_X)
    S01 = Fraction(I01, (I01 - 1) * len(Y)) * sum((V01[c] - l[c] * A) ** 2 for c in of_Y)
    S11 = Fraction(I, I - 1) * sum((V10[c] - m[c] * A) * (V01[c] - l[c] * A) for c in every)
    return A, S10 / len(X) + S01 / len(Y) + 2 * S11 / (len(X) * len(Y))


def expected(study: Study, level: Fraction) -> str:
    """The released text."""
    found = by_pairs(rows_of(study))
    if found is None:
        return "undefined: a class is in fewer than two clusters"
    A, variance = found
    root = Fraction(isqrt(int(variance * 10 ** (2 * DIGITS))), 10**DIGITS)
    half = root * Fraction(scaled_quantile((1 - level) / 2, DIGITS), 10**DIGITS)
    d = study.options.decimals
    values = []
    for value in (A, max(A - half, Fraction(0)), min(A + half, Fraction(1))):
        word = (2 * value * 10**d + 1) // 2
        values.append(f"{word // 10**d}.{word % 10**d:0{d}d}")
    return interval(*values)


def check(study: Study, results: dict[str, str]) -> bool:
    """True if there is a number; every result has to be that of the definition."""
    for text, value in results.items():
        level = Fraction(1, 2) if "level" in text else Fraction(19, 20)
        wanted, found = expected(study, level), value
        # an interval without width says so at length
        found = found.split(", no width")[0] + (")" if ", no width" in found else "")
        wanted = wanted.split(", no width")[0] + (")" if ", no width" in wanted else "")
        assert found == wanted, text
    return "undefined" not in next(iter(results.values()))


def drawn(count: int, seed: int, most: int = 60) -> list[Study]:
    """Studies of 1 to 5 owners with clusters of all sizes, ties and separated classes."""
    rng = np.random.default_rng(seed)
    sizes = [size for size in SIZES if size <= most]
    studies = []
    for place in range(count):
        n = sizes[place % len(sizes)]
        labels = (rng.random(n) < rng.choice([0.2, 0.5, 0.8])).astype(int)
        match rng.integers(0, 4):
            case 0:
                scores = rng.integers(0, 4, n) / 4
            case 1:
                scores = np.clip(0.4 * labels + 0.5 * rng.random(n), 0, 1)
            case 2:
                scores = labels / 2 + rng.random(n) / 4
            case _:
                scores = rng.random(n)
        clusters = rng.integers(0, int(rng.choice([1, 2, max(2, n // 3), 2 * n])), n)
        if rng.random() < 0.2:
            clusters = labels  # each class is one cluster
        cuts = [0, *np.sort(rng.integers(0, n + 1, int(rng.integers(0, 5)))), n]
        owners = tuple(
            Owner(scores[a:b].tolist(), labels[a:b].tolist(), parts=clusters[a:b].tolist())
            for a, b in pairwise(cuts)
        )
        options = replace(
            PLAIN,
            decimals=int(rng.integers(1, 9)),
            merge=str(rng.choice(["network", "shuffled", "delta"])),
            ties=str(rng.choice(["compare", "helper"])),
        )
        studies.append(Study(owners, options, str(rng.choice(["higher", "lower"]))))
    return studies


SCORES = [0.9, 0.8, 0.8, 0.7, 0.6, 0.6, 0.4, 0.3, 0.2, 0.1]
LABELS = [1, 1, 0, 1, 0, 1, 0, 0, 1, 0]
CLUSTERS = [1, 2, 2, 1, 3, 3, 3, 4, 4, 5]


def one(clusters: Sequence[int] = CLUSTERS, **options: Any) -> Study:
    owners = (
        Owner(SCORES[:6], LABELS[:6], parts=clusters[:6]),
        Owner([], [], parts=[]),
        Owner(SCORES[6:], LABELS[6:], parts=clusters[6:]),
    )
    return Study(owners, replace(PLAIN, **options))


def test_the_interval_is_that_of_the_definition() -> None:
    assert check(one(), run(one()).results)


def test_clusters_of_one_row_have_delongs_interval() -> None:
    results = run(one(range(10), metrics=(NAME, "auroc_ci:method=delong", "auroc"))).results
    assert results[NAME] == results["auroc_ci:method=delong"]
    assert results[NAME].startswith(results["auroc"])


def test_rows_given_twice_as_clusters_have_the_interval_of_once() -> None:
    """The variance of means of clusters does not shrink because each row stands there twice."""
    rng = np.random.default_rng(3)
    labels = rng.integers(0, 2, 40)
    scores = np.clip(0.3 * labels + rng.random(40) / 2, 0, 1)
    rows = zip(scores.tolist(), labels.tolist(), strict=True)
    once = [(score, label, (0, k)) for k, (score, label) in enumerate(rows)]
    found, twice = by_pairs(once), by_pairs(once + once)
    assert found is not None
    assert found == twice


@pytest.mark.parametrize(
    ("sizes", "choices"),
    [((1,), {}), ((2,), {}), ((4, 3), {}), ((8, 5), {}), ((0, 31), {}), ((9, 9), {"narrow": 1})],
)
def test_the_predicted_cost_is_the_measured_cost(
    sizes: tuple[int, ...], choices: dict[str, int]
) -> None:
    rng = np.random.default_rng(6)
    owners = tuple(
        Owner(rng.random(n).round(3).tolist(), rng.integers(0, 2, n).tolist()) for n in sizes
    )
    options = replace(PLAIN, metrics=(NAME,))
    if choices:
        options = replace(options, resolution="decimals:3", table="sorted")
    measured = run(Study(owners, options))
    predicted = phase_estimates(options, sizes)
    assert sum(one.spent.payload for one in predicted) == measured.payload
    assert sum(one.spent.hops for one in predicted) == measured.hops


def refused(change: Callable[[np.ndarray[Any, Any]], None]) -> tuple[int, ...]:
    """The uploads that are refused where the first one is changed."""
    study = one(metrics=(NAME,))
    uploads = [upload_of(owner, study.options) for owner in study.owners]
    change(uploads[0])

    def program(party: Party, *own: Shared) -> tuple[int, ...]:
        return evaluate(party, study.options, own, sizes=study.sizes).refused

    return run_local(program, *map(share, uploads))[0]


@pytest.mark.parametrize(
    ("place", "word"),
    [
        (0, 1),
        (6, 1),
        (6, 9),
        pytest.param(12, 2, marks=pytest.mark.weekly),
        (12, (1 << 64) - 1),
        (17, 0),
        (17, 2),
    ],
)
def test_an_upload_whose_rows_are_not_in_clusters_is_refused(place: int, word: int) -> None:
    """Of six rows: a key out of order, a place twice or beyond, a flag that is none."""

    def change(words: np.ndarray[Any, Any]) -> None:
        words[place] = word

    assert refused(change) == (0,)


def test_an_upload_as_it_is_made_is_not_refused() -> None:
    assert refused(lambda words: None) == ()


def test_an_upload_does_not_tell_the_order_of_its_rows_or_clusters() -> None:
    study = one()
    owner = study.owners[0]
    rng = np.random.default_rng(1)
    for _ in range(9):
        order = rng.permutation(6)
        turned = Owner(
            *([column[k] for k in order] for column in (owner.scores, owner.labels)),
            parts=[owner.parts[k] for k in order],  # type: ignore[index]
        )
        assert (upload_of(owner, study.options) == upload_of(turned, study.options)).all()


def test_few_clusters_of_a_class_have_no_interval() -> None:
    for clusters in ([0] * 10, LABELS, [y * k for k, y in enumerate(LABELS)]):
        results = run(one(clusters, metrics=(NAME,))).results
        study = one(clusters, metrics=(NAME,))
        assert check(study, results) == ("undefined" not in results[NAME])


def test_as_many_samples_are_held_as_stated() -> None:
    assert most_samples(Options(metrics=(NAME,))) == 77_935


def test_the_ledger_says_that_rows_are_in_clusters() -> None:
    told = ledger(Options(metrics=(NAME, "auroc"), merge="network"), [1000, 1000, 1000])
    assert "with every row in one cluster" in str(told.learns.P0)
    assert "nothing is claimed" in told.deviation


def test_drawn_studies_have_the_interval_of_their_pairs() -> None:
    studies = drawn(7, 2, most=24)
    outcomes = run_all(studies)
    assert sum(check(s, o.results) for s, o in zip(studies, outcomes, strict=True)) > 2


@pytest.mark.soak
@pytest.mark.parametrize("part", range(5))
def test_a_hundred_studies_have_the_interval_of_their_pairs(part: int) -> None:
    studies = drawn(100, 10 + part)
    outcomes = run_all(studies)
    found = sum(check(s, o.results) for s, o in zip(studies, outcomes, strict=True))
    print(f"part {part}: {len(studies)} studies, {found} intervals")
    assert found > 30
