"""The plain reference: every metric on the pooled data, in exact fractions, by its definition."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby, pairwise

from ppaurora.protocols.release.values import NO_SAMPLES
from ppaurora.protocols.statistics.statistic import NO_CLASS, NO_POSITIVES

Scores = Sequence[float]
Labels = Sequence[int]


def groups(scores: Scores, labels: Labels) -> Iterator[tuple[int, int]]:
    """Positives and negatives of each distinct score, the highest first."""
    rows = sorted(zip(scores, labels, strict=True), key=lambda row: -row[0])
    for _, tied in groupby(rows, key=lambda row: row[0]):
        members = [label for _, label in tied]
        yield sum(members), len(members) - sum(members)


def auroc(scores: Scores, labels: Labels) -> Fraction | None:
    """The share of pairs in which the positive scores higher, ties counted half."""
    P, N, above, won = sum(labels), len(labels) - sum(labels), 0, Fraction(0)
    for positives, negatives in groups(scores, labels):
        won += negatives * (above + Fraction(positives, 2))
        above += positives
    return won / (P * N) if P * N else None


def auroc_no_ties(scores: Scores, labels: Labels) -> Fraction | None:
    """The same where no positive is tied with a negative."""
    return None if tied(scores, labels) else auroc(scores, labels)


def tied(scores: Scores, labels: Labels) -> bool:
    """Return whether any positive has the score of a negative."""
    of_class: dict[int, set[float]] = {0: set(), 1: set()}
    for score, label in zip(scores, labels, strict=True):
        of_class[label].add(score)
    return bool(of_class[0] & of_class[1])


def curve(scores: Scores, labels: Labels) -> list[tuple[Fraction, Fraction]]:
    """The points (recall, precision), beginning at (0, 1)."""
    points = [(Fraction(0), Fraction(1))]
    TP = FP = 0
    for positives, negatives in groups(scores, labels):
        TP, FP = TP + positives, FP + negatives
        points.append((Fraction(TP, sum(labels)), Fraction(TP, TP + FP)))
    return points


def aupr(scores: Scores, labels: Labels) -> Fraction | None:
    """The trapezoids under the precision-recall curve."""
    if not any(labels):
        return None
    points = curve(scores, labels)
    return sum(
        ((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in pairwise(points)),
        Fraction(0),
    )


def average_precision(scores: Scores, labels: Labels) -> Fraction | None:
    """The steps under the precision-recall curve."""
    if not any(labels):
        return None
    points = curve(scores, labels)
    return sum(((b[0] - a[0]) * b[1] for a, b in pairwise(points)), Fraction(0))


METRICS: dict[str, Callable[[Scores, Labels], Fraction | None]] = {
    "auroc": auroc,
    "auroc_no_ties": auroc_no_ties,
    "aupr": aupr,
    "average_precision": average_precision,
}
REASONS = {
    "auroc": NO_CLASS,
    "auroc_no_ties": NO_CLASS,
    "aupr": NO_POSITIVES,
    "average_precision": NO_POSITIVES,
}


@dataclass
class Halves:
    """A count of the values so far that lay half way between two decimals."""

    count: int = 0


HALVES = Halves()


def rounded(value: Fraction, decimals: int) -> str:
    """The decimal text, rounded half up."""
    HALVES.count += 10**decimals * value % 1 == Fraction(1, 2)
    word = (2 * value * 10**decimals + 1) // 2
    return f"{word // 10**decimals}.{word % 10**decimals:0{decimals}d}"


def released(metric: str, scores: Scores, labels: Labels, decimals: int) -> str:
    """The text that a study of the pooled data has to release."""
    if not len(labels):
        return f"undefined: {NO_SAMPLES}"
    value = METRICS[metric](scores, labels)
    if metric == "auroc_no_ties" and tied(scores, labels):
        return "undefined: a positive is tied with a negative"
    return f"undefined: {REASONS[metric]}" if value is None else rounded(value, decimals)
