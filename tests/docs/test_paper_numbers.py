"""The numbers of docs/PAPERS.md, computed again: those that show an erratum, and those to hold."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import combinations, pairwise, product
from math import exp, log, sqrt
from statistics import NormalDist

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import quad
from scipy.stats import beta, norm
from sklearn.metrics import auc, average_precision_score, precision_recall_curve, roc_auc_score

from ppaurora.mpc.primitives import divide
from ppaurora.mpc.primitives.carry import carry_hops
from tests.docs.tree import page

PAGE = page("docs/PAPERS.md")
Φ, Φ_inverse = NormalDist().cdf, NormalDist().inv_cdf
Z = Φ_inverse(0.975)
TABLE_4_1 = [1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]
DRAWS = 200_000


def stands(text: str, value: float, *, section: str = "", off: float = 0.5) -> None:
    """The page prints `text`, and it is `value` within `off` units of its last digit."""
    place = PAGE if not section else PAGE.partition(f"\n### {section}")[2].partition("\n##")[0]
    assert re.search(rf"(?<![\d.]){re.escape(text)}(?![\d])", place), text
    decimals = len(text.partition(".")[2])
    assert abs(float(text) - value) <= off * 10**-decimals + 1e-12


# -- ppAURORA --------------------------------------------------------------------------------------


def algorithm_4(labels: Sequence[int], axis: Sequence[int]) -> float:
    """The trapezoids of Algorithm 4 along `axis`, without ties."""
    TP = np.cumsum(labels).tolist()
    precisions = [1.0, *(t / j for j, t in enumerate(TP, 1))]
    steps = [b - a for a, b in pairwise([0, *axis])]
    heights = [(a + b) / 2 for a, b in pairwise(precisions)]
    return sum(w * h for w, h in zip(steps, heights, strict=True)) / TP[-1]


def trapezoid(labels: Sequence[int]) -> float:
    precision, recall, _ = precision_recall_curve(labels, range(len(labels), 0, -1))
    return float(auc(recall, precision))


def test_algorithm_4_is_an_area_along_the_recall_only() -> None:
    labels = [1, 0, 1, 0]
    along_the_recall = algorithm_4(labels, np.cumsum(labels).tolist())
    assert along_the_recall == pytest.approx(trapezoid(labels))
    stands("1.4583", algorithm_4(labels, [1, 2, 3, 4]), section="[ppAURORA, erratum 1]")
    stands("0.7917", along_the_recall, section="[ppAURORA, erratum 1]")


def test_what_dividing_a_whole_vector_would_take() -> None:
    cost = divide.cost(digits=4)
    stands("26.1", cost.payload(8000) / 1e6, section="[ppAURORA, erratum 2]")
    stands("18", cost.hops(8000), section="[ppAURORA, erratum 2]")


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ("2.0", 1, 1),
        ("2.0", 1 << 30, 1 << 30),
        ("4.0", (1 << 30) - 1, (1 << 30) - 1),
        ("7.0", 1 << 10, (1 << 11) - 1),
        ("17.0", 1 << 30, (1 << 31) - 1),
        ("32.3", 1 << 62, (1 << 63) - 1),
    ],
)
def test_the_weight_that_the_helper_of_algorithm_3_sees(text: str, least: int, most: int) -> None:
    rng = np.random.default_rng(3)
    d = rng.integers(least, most, DRAWS, np.uint64, endpoint=True)
    stands(text, mean_weight(rng, d), section="[ppAURORA, erratum 3]", off=0.9)


def test_the_weight_of_a_step_between_two_scores() -> None:
    d = 2 * (np.array(0.70).view(np.uint64) - np.array(0.69).view(np.uint64))
    weight = mean_weight(np.random.default_rng(3), np.full(DRAWS, d, np.uint64))
    stands("25.3", weight, section="[ppAURORA, erratum 3]", off=0.9)


def mean_weight(rng: np.random.Generator, d: NDArray[np.uint64]) -> float:
    """The mean number of ones in u xor (u + d)."""
    u = rng.integers(0, 1 << 64, d.size, np.uint64)
    seen = (u ^ (u + d)).view(np.uint8)
    return float(np.unpackbits(seen).sum() / d.size)


@pytest.mark.parametrize(
    ("delta", "views", "left"), [(1, "1", "924"), (3, "15", "241"), (5, "20", "117")]
)
def test_how_much_a_larger_delta_opens(delta: int, views: str, left: str) -> None:
    counts: dict[tuple[bool, ...], int] = {}
    for chosen in combinations(range(12), 6):
        first = sorted(chosen, reverse=True)
        second = sorted({*range(12)} - {*chosen}, reverse=True)
        view = tuple(opened(first, second, delta))
        counts[view] = counts.get(view, 0) + 1
    at_worst = "924" if delta == 1 else "2"
    assert f"| {delta} | {views} | {left} | {at_worst} |" in PAGE
    assert (len(counts), min(counts.values())) == (int(views), int(at_worst))
    assert round(sum(count**2 for count in counts.values()) / 924) == int(left)


def opened(L1: list[int], L2: list[int], delta: int) -> Iterator[bool]:
    """The comparisons of tops that a merge with this δ opens: Lemma 5's rules."""
    while L1 and L2:
        if len(L2) > len(L1):
            L1, L2 = L2, L1
        delta = min(delta, len(L2) - 1 + len(L2) % 2)
        for place, (a, b) in enumerate(zip(L1, L2, strict=False)):
            L1[place], L2[place] = max(a, b), min(a, b)
        L1.pop(0)
        for _ in range(delta - 1):
            if not L1:
                break
            of_second = L2[0] > L1[0]
            yield of_second
            (L2 if of_second else L1).pop(0)
            if of_second and len(L2) == 1:
                break


def test_the_rounds_of_a_scan() -> None:
    stands("24", carry_hops(8000), section="[ppAURORA, erratum 5]")
    stands("41", (1404.6 - 1074.87) / 8000 * 1000, section="[ppAURORA, erratum 5]")


# -- Thesis ----------------------------------------------------------------------------------------


def true_aucpr(
    π: float, threshold: Callable[[float], float], F0: Callable[[float], float]
) -> float:
    """The area under the precision over the recall t, from the law of the negatives."""
    value, _ = quad(lambda t: π * t / (π * t + (1 - π) * F0(threshold(t))), 0, 1, limit=500)
    return float(value)


def test_true_areas_under_precision_recall_curves() -> None:
    binormal = true_aucpr(0.1, lambda t: norm.isf(t, 1), norm.sf)
    stands(".292836", binormal)
    stands("0.2928", binormal, section="[Thesis, erratum 4]")
    stands(".809587", true_aucpr(0.1, lambda t: beta.isf(t, 5, 2), lambda c: beta.sf(c, 2, 5)))
    stands(".657905", true_aucpr(0.1, lambda t: 1.5 - t, lambda c: max(0.0, 1 - c)))


def test_equation_4_11_as_printed() -> None:
    printed = true_aucpr(0.1, norm.ppf, lambda z: norm.cdf(1 + z))
    stands("0.0607", printed, section="[Thesis, erratum 4]")


def test_least_areas_under_precision_recall_curves() -> None:
    for π, text in ((0.01, ".00502"), (0.1, ".05176"), (0.5, ".30685")):
        stands(text, 1 + (1 - π) * log(1 - π) / π)


def test_table_4_1() -> None:
    order = range(20, 0, -1)
    stands(".706667", float(roc_auc_score(TABLE_4_1, order)))
    stands(".558824", float(average_precision_score(TABLE_4_1, order)))
    stands(".521078", trapezoid(TABLE_4_1))
    assert (sum(TABLE_4_1), len(TABLE_4_1)) == (5, 20)


def theorem_5_3(n: int) -> float:
    """The printed bound (Eq. 5.20), not capped."""
    step = log(n + 1) / n
    return max(step, (9 + log(n - 1)) / (4 * (n - 1))) + max(step, (9 + log(n)) / (4 * n))


def sharp(P: int) -> float:
    return (sum(1 / i for i in range(1, P + 1)) - 1) / (P - 1)


def test_theorem_5_3_as_printed() -> None:
    for n, text in ((2, "3.46"), (3, "2.05"), (4, "1.49"), (5, "1.18")):
        stands(text, theorem_5_3(n), section="[Thesis, erratum 7]")
    for n, printed, small in ((10, "0.5936", "0.2143"), (100, "0.0923", "0.0423")):
        stands(printed, theorem_5_3(n), section="[Thesis, erratum 8]")
        stands(small, sharp(n), section="[Thesis, erratum 8]")
    stands("0.01382", theorem_5_3(1000), section="[Thesis, erratum 8]")
    stands("0.00649", sharp(1000), section="[Thesis, erratum 8]")


def test_average_precision_that_is_shrunk_where_positives_are_few() -> None:
    moves = sum(1 / i for i in range(1, 501)) / 500
    stands("0.01359", moves, section="[Thesis, erratum 8]")


def left_over(ε: float, δ: float) -> float:
    """The chance by which Laplace's law, stretched by e^β, exceeds e^(ε/2) times itself."""
    β = ε / (2 * log(2 / δ))
    # where h(z) = e^(ε/2)·e^β·h(e^β·z)
    z = (ε / 2 + β) / (exp(β) - 1)
    return exp(-z) - exp(ε / 2 - exp(β) * z)


def test_the_proof_for_laplace_noise_needs_a_small_epsilon() -> None:
    stands("0.173", left_over(10, 0.1), section="[Thesis, erratum 10]")
    assert left_over(10, 0.1) > 0.1 / 2
    for δ in (1e-12, 1e-5, 0.01, 0.1):
        assert left_over(3, δ) < δ / 2


@cache
def average_precision(labels: tuple[int, ...]) -> float:
    TP = np.cumsum(labels).tolist()
    return sum(t / j for j, (t, y) in enumerate(zip(TP, labels, strict=True), 1) if y) / TP[-1]


@pytest.mark.parametrize("n", [4, 5, 6, 7])
def test_no_replacement_of_a_row_moves_average_precision_beyond_the_sharp_bound(n: int) -> None:
    for labels in product((0, 1), repeat=n):
        P = sum(labels)
        bounds = {2: 7 / 12, 3: 19 / 45}
        bound = 1 if P <= 1 else bounds.get(P, sharp(P))
        for gone, place, new in product(range(n), range(n), (0, 1)):
            rest = labels[:gone] + labels[gone + 1 :]
            other = (*rest[:place], new, *rest[place:])
            if P and sum(other):
                moved = abs(average_precision(labels) - average_precision(other))
                assert moved <= bound + 1e-12, (labels, other)


def smooth(LS: Callable[[int], float], n: int, m: int, β: float) -> float:
    return max(LS(i) * exp(-β * abs(i - n)) for i in range(n + m + 1))


def test_smooth_sensitivities() -> None:
    n = m = 1000
    of_auroc = smooth(lambda i: 1 / min(i, n + m - i) if 1 < i < n + m - 1 else 1.0, n, m, 1 / 6)
    of_ap = smooth(lambda i: min(1.0, theorem_5_3(i)) if i > 1 else 1.0, n, m, 1 / 6)
    stands(".001", of_auroc)
    stands(".0138175", of_ap)


def test_equation_4_9_near_a_equal_to_zero() -> None:
    b, r1, r2 = 0.5, 0.2, 0.4

    def printed(a: float) -> float:
        return (a * r2 - b * log(a * r2 + b) - a * r1 + b * log(a * r1 + b)) / a**2

    stands("0.12", (r2**2 - r1**2) / (2 * b), section="[Thesis, erratum 3]")
    stands("0.1221", printed(1e-7), section="[Thesis, erratum 3]")
    stands("0.555", printed(1e-8), section="[Thesis, erratum 3]")


def test_the_logit_interval_as_printed() -> None:
    stands("0.835", Φ(0.975), section="[Thesis, erratum 5]")
    stands("1.960", Z, section="[Thesis, erratum 5]")
    stands("60", 100 * (2 * Φ(Φ(0.975)) - 1), section="[Thesis, erratum 5]")


def test_an_interval_gives_the_number_of_positives() -> None:
    def limits(P: int) -> tuple[str, str]:
        half = Z * sqrt(0.8 * 0.2 / P)
        return f"{0.8 - half:.4f}", f"{0.8 + half:.4f}"

    assert limits(137) == ("0.7330", "0.8670")
    assert "0.7330 and 0.8670" in PAGE
    assert [P for P in range(1, 2001) if limits(P) == limits(137)] == [137]


# -- tpAUC and ROC-GLM -----------------------------------------------------------------------------


def test_the_interval_of_equation_34_as_printed() -> None:
    stands("0.139", Z / sqrt(200), section="[tpAUC, erratum 1]")
    stands("11", 100 * (2 * Φ(Z / sqrt(200)) - 1), section="[tpAUC, erratum 1]")


def area_above(points: Sequence[tuple[float, float]], least: float) -> float:
    """The area under a curve of steps, between the horizontal positions `least` and 1."""
    return sum(max(0.0, x1 - max(x0, least)) * y0 for (x0, y0), (x1, _) in pairwise(points))


def test_equation_19_where_the_curve_misses_the_region() -> None:
    # false positive rate, true positive rate of the labels 0, 0, 0, 1; both bounds 0.6
    roc = [(0.0, 0.0), (1 / 3, 0.0), (2 / 3, 0.0), (1.0, 0.0), (1.0, 1.0)]
    whole = area_above(roc, 0.0)
    pAUC_sp = whole - area_above(roc, 0.4)
    # by sensitivity: what lies to the right of the curve
    turned = [(y, 1 - x) for x, y in roc]
    pAUC_se = area_above(turned, 0.6)
    assert whole == pAUC_sp == 0
    stands("0.36", pAUC_sp + pAUC_se - (whole - 0.6 * 0.6), section="[tpAUC, erratum 3]")


def test_the_two_way_partial_area_of_the_binormal_example() -> None:
    def roc(t: float) -> float:
        return Φ((2 + Φ_inverse(t)) / 1.5) if t > 0 else 0.0

    crossing = Φ(-(2 - 1.5 * Φ_inverse(0.6)))
    area, _ = quad(lambda t: roc(t) - 0.6, crossing, 0.4)
    stands(".0628228", area)


def test_the_auc_of_the_breast_cancer_example() -> None:
    stands(".697", Φ(0.79 / sqrt(1 + 1.16**2)))


def test_the_noise_of_the_gaussian_mechanism() -> None:
    def δ(τ: float, ε: float = 5, Δ: float = 0.178) -> float:
        return Φ(Δ / (2 * τ) - ε * τ / Δ) - exp(ε) * Φ(-Δ / (2 * τ) - ε * τ / Δ)

    low, high = 0.01, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if δ(middle) > 0.01 else (low, middle)
    stands("0.101", high, section="[ROC-GLM, erratum 5]")
