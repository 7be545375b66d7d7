"""Numbers at times with censoring weights: against weights from the estimate of censoring."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from tests.protocols.statistics.drawn_times import drawn_times
from tests.protocols.statistics.test_c_index import half_up, on_grid
from tests.protocols.studies import Study, checked

MOST = 9
Row = tuple[Fraction | int, Fraction | int, int]
Number = Callable[[Study, list[tuple[Row, Fraction]], list[tuple[Row, Fraction]]], Fraction | None]
"""A number of the cases and the controls at a time, each row with its weight."""


def censoring(rows: list[Row], time: Fraction | int, *, before: bool) -> Fraction:
    """The Kaplan-Meier estimate of being uncensored, one time after the other, events first."""
    G = Fraction(1)
    for at in sorted({one[1] for one in rows if not one[2]}):
        if at > time or (before and at == time):
            break
        gone = sum(not event and when == at for _, when, event in rows)
        at_risk = sum(when > at or (when == at and not event) for _, when, event in rows)
        G *= 1 - Fraction(gone, at_risk)
    return G


def weighed(
    study: Study, end: int
) -> tuple[list[tuple[Row, Fraction]], list[tuple[Row, Fraction]]]:
    """The cases by the end of a cell and who is followed for longer, with their weights."""
    rows = on_grid(study)
    at_end = censoring(rows, end, before=False)
    cases = [
        (row, 1 / censoring(rows, row[1], before=True)) for row in rows if row[2] and row[1] <= end
    ]
    return cases, [(row, 1 / at_end) for row in rows if row[1] > end]


def check(study: Study, results: dict[str, str], number: Number) -> int:
    """Compare each time with its definition; how many have a number."""
    [text] = results.values()
    found = 0
    for place, part in enumerate(text.split("; ")[: len(study.options.times.edges)]):
        told = part.split(", ")[1].rpartition(" ")[2]
        exact = number(study, *weighed(study, place))
        assert told == ("undefined" if exact is None else half_up(exact, study.options.decimals)), (
            study
        )
        found += exact is not None
    return found


def studies(count: int, seed: int, text: str, *resolutions: str) -> list[Study]:
    return drawn_times(count, seed, [text], resolutions=resolutions, most_decimals=MOST)


def agree(drawn: list[Study], number: Number) -> int:
    return checked(drawn, lambda study, results: check(study, results, number))


def test_weights_of_all_add_up_to_the_number_of_samples() -> None:
    for study in drawn_times(20, 7, ["kaplan_meier"], resolutions=("bins:4",)):
        for place in range(len(study.options.times.edges)):
            cases, controls = weighed(study, place)
            if controls:
                total = sum(weight for _, weight in (*cases, *controls))
                assert total == len(study.labels)
