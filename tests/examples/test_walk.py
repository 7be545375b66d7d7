"""The walk prints what six samples are at each step, and every value is that of plain integers."""

from __future__ import annotations

import re
import runpy
from fractions import Fraction
from typing import Any

import pytest

from ppaurora.mpc.errors import LocalProtocolError
from ppaurora.mpc.local import open_locally
from ppaurora.mpc.primitives import undefined
from tests.docs.tree import HOME

WALK = runpy.run_path(str(HOME / "examples" / "walk.py"))
MOST_LINES, MOST_COLUMNS = 100, 100

A, B = [19, 15, 8], [17, 14, 10]
KEYS = sorted(A + B, reverse=True)
SAMPLES = [divmod(key, 2) for key in KEYS]
SCORES = [score for score, _ in SAMPLES]
P, N = (sum(y == label for _, y in SAMPLES) for label in (1, 0))


def from_score(least: int) -> int:
    """The positives with at least this score."""
    return sum(y for score, y in SAMPLES if score >= least)


def next_lower(score: int) -> int:
    return max((other for other in SCORES if other < score), default=0)


def auroc() -> Fraction:
    """The pairs of a positive and a negative in the right order, those tied counted half."""
    pairs = [(p, n) for p, y in SAMPLES for n, z in SAMPLES if (y, z) == (1, 0)]
    return sum((Fraction((p > n) + (p >= n), 2) for p, n in pairs), Fraction(0)) / len(pairs)


def aupr() -> Fraction:
    """The trapezoids over the recall, one for each different score, from the point (0, 1)."""
    area, recall, precision = Fraction(0), Fraction(0), Fraction(1)
    for least in sorted(set(SCORES), reverse=True):
        called = sum(score >= least for score in SCORES)
        r, p = Fraction(from_score(least), P), Fraction(from_score(least), called)
        area, recall, precision = area + (r - recall) * (precision + p) / 2, r, p
    return area


def decimals(value: Fraction) -> int:
    """10000 times the value, half rounded up."""
    return int(10_000 * value + Fraction(1, 2))


LAST_OF_GROUP = [
    int(score != after) for score, after in zip(SCORES, [*SCORES[1:], None], strict=True)
]
UP_TO = [sum(y for _, y in SAMPLES[: j + 1]) for j in range(len(SAMPLES))]
ABOVE = [from_score(score + 1) for score in SCORES]
# E is TP at the first end of a group behind a place, which may be the end of its own group
NEXT = [
    from_score(next_lower(score) if last else score)
    for score, last in zip(SCORES, LAST_OF_GROUP, strict=True)
]
PLAIN = {
    "The owners' lists": {"a": A, "b": B},
    "MUL": {"a·b": [a * b for a, b in zip(A, B, strict=True)]},
    "CMP": {"a < b": [int(a < b) for a, b in zip(A, B, strict=True)]},
    "MUX": {"max": [max(pair) for pair in zip(A, B, strict=True)]},
    "DIV": {"ratio": [decimals(Fraction(min(pair), max(pair))) for pair in zip(A, B, strict=True)]},
    "The merge with delta = 1": {"keys": KEYS},
    "The labels": {"y": [y for _, y in SAMPLES], "TP": UP_TO},
    # one more than what a division by 0 gives: because of a tie
    "Algorithm 1": {"AUROC": [undefined(4) + 1]},
    "Algorithm 3": {"con": LAST_OF_GROUP},
    "Algorithm 2": {
        "B": ABOVE,
        "N, D": [auroc() * 2 * P * N, 2 * P * N],
        "AUROC": [decimals(auroc())],
    },
    "Algorithm 4": {
        "E": NEXT,
        "S": [
            con * TP * (E - above)
            for con, TP, E, above in zip(LAST_OF_GROUP, UP_TO, NEXT, ABOVE, strict=True)
        ],
        "AUPR": [decimals(aupr())],
    },
}


@pytest.fixture(scope="module")
def steps() -> list[tuple[Any, Any, Any]]:
    walked: list[tuple[Any, Any, Any]] = WALK["walk"]()
    return walked


def test_every_value_is_that_of_plain_integers(steps: list[tuple[Any, Any, Any]]) -> None:
    found = {
        p0.title.partition(":")[0]: {
            name: open_locally([x, p1.held[name]]).tolist() for name, x in p0.held.items()
        }
        for p0, p1, _ in steps
    }
    assert found == PLAIN


def test_the_helper_holds_no_word_of_any_vector(steps: list[tuple[Any, Any, Any]]) -> None:
    for p0, _, helper in steps:
        for name, x in helper.held.items():
            assert len(x) == len(p0.held[name])
            with pytest.raises(LocalProtocolError):
                _ = x.words


def test_every_file_that_is_named_exists(steps: list[tuple[Any, Any, Any]]) -> None:
    assert [p0.file for p0, *_ in steps if not (HOME / p0.file).is_file()] == []


def test_the_printed_shares_add_up_to_the_printed_values(
    capsys: pytest.CaptureFixture[str],
) -> None:
    WALK["main"]()
    text = capsys.readouterr().out
    lines = text.splitlines()
    assert len(lines) <= MOST_LINES
    assert max(map(len, lines)) <= MOST_COLUMNS
    vectors = re.findall(r"P0 +(.*)\n +P1 +(.*)\n +value +(.*)\n", text)
    assert len(vectors) == sum(len(named) for named in PLAIN.values())
    for first, second, values in vectors:
        for x0, x1, value in zip(first.split(), second.split(), values.split(), strict=True):
            assert (int(x0, 16) + int(x1, 16) - int(value)) % 0x10000 == 0
