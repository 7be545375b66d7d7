"""The integrated discrimination improvement, against means of fractions row by row."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from ppaurora.mpc.local import run_local
from ppaurora.mpc.shares import share
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.evaluate import most_samples
from ppaurora.protocols.lists.verdicts import Verdicts, judged
from ppaurora.protocols.options import Options
from tests.protocols.statistics.drawn_models import drawn_models, rows_of
from tests.protocols.statistics.test_contrasts import signed
from tests.protocols.studies import Owner, Study, run, run_all, upload_of

TEXT = "idi"
ASKED = [(TEXT, "auroc_models"), (TEXT, "auroc_contrasts", "brier")]
NONE = "undefined: a class is missing"


def improvement(first: list[float], other: list[float], labels: list[int]) -> Fraction | None:
    """The mean gain of the positives less that of the negatives."""
    rows = [*zip(first, other, labels, strict=True)]
    gains = [[Fraction(a) - Fraction(b) for a, b, y in rows if y == kind] for kind in (1, 0)]
    if not all(gains):
        return None
    up, down = (sum(one, Fraction(0)) / len(one) for one in gains)
    return up - down


def check(study: Study, results: dict[str, str]) -> None:
    names = study.options.against
    first = [float(score) for one in study.owners for score in one.scores]
    if len(set(study.labels)) < 2:
        assert results[TEXT] == NONE
        return
    rows = rows_of(results[TEXT])
    assert [(row["model"], row["against"]) for row in rows] == [("score", name) for name in names]
    for place, row in enumerate(rows):
        other = [float(score) for one in study.owners for score in one.against[place]]  # type: ignore[index,union-attr]
        exact = improvement(first, other, study.labels)
        assert exact is not None
        exact *= 1 if study.direction == "higher" else -1
        assert row["idi"] == signed(exact, study.options.decimals)


def check_all(studies: list[Study]) -> None:
    for study, outcome in zip(studies, run_all(studies), strict=True):
        check(study, outcome.results)


def test_a_few_studies_have_the_means_of_their_rows() -> None:
    check_all(drawn_models(6, 60, ASKED, 15, (2, 13, 60)))


@pytest.mark.soak
def test_five_hundred_studies_have_the_means_of_their_rows() -> None:
    drawn = drawn_models(500, 61, ASKED, 15)
    studies = [replace(one, options=alone(one.options)) for one in drawn]
    for start in range(0, len(studies), 10):
        check_all(studies[start : start + 10])


def alone(options: Options) -> Options:
    """The same question of the same models by itself, for which nothing is sorted."""
    return Options(metrics=(TEXT,), decimals=options.decimals, against=options.against)


ROWS = Owner([0.9, 0.25, 0.5, 0.75], [1, 0, 1, 0], [[0.5, 0.5, 0.25, 0.25], [0.9, 0.25, 0.5, 0.75]])


def test_lower_scores_that_are_positive_turn_its_sign() -> None:
    options = Options(metrics=(TEXT,), against=("old", "same"))
    higher = run(Study((ROWS,), options)).results[TEXT]
    assert [row["idi"] for row in rows_of(higher)] == ["0.2000", "0.0000"]
    lower = run(Study((ROWS,), options, direction="lower")).results[TEXT]
    assert [row["idi"] for row in rows_of(lower)] == ["-0.2000", "0.0000"]


def test_by_groups_it_is_that_of_the_rows_of_each() -> None:
    rows = Owner(ROWS.scores, ROWS.labels, ROWS.against, [0, 0, 1, 1])
    options = Options(metrics=(TEXT,), against=("old", "same"), groups=("a", "b"))
    found = run(Study((rows,), options)).results
    each = {name: [row["idi"] for row in rows_of(text)] for name, text in found.items()}
    assert each == {
        "idi": ["0.2000", "0.0000"],
        "idi@a": ["0.6500", "0.0000"],
        "idi@b": ["-0.2500", "0.0000"],
    }


def test_scores_that_are_no_probabilities_are_refused() -> None:
    with pytest.raises(OptionRefused, match="takes scores as probabilities"):
        Options(metrics=(TEXT,), against=("old",), range=(0, 20))


def test_any_number_of_samples_holds() -> None:
    assert most_samples(Options(metrics=(TEXT,), against=("old",))) == (1 << 31) - 1


@pytest.mark.parametrize(
    ("place", "more"), [(0, 1), (1, -3), (2, 1 << 40), (3, -(1 << 50)), (6, 1 << 60)]
)
def test_sums_that_no_rows_have_are_found(place: int, more: int) -> None:
    options = Options(metrics=(TEXT,), against=("old", "same"))
    good = upload_of(ROWS, options)
    bad = good.copy()
    bad[place] = (int(bad[place]) + more) % 2**64

    def program(party, *own):  # type: ignore[no-untyped-def]
        def findings(places):  # type: ignore[no-untyped-def]
            return options.pipeline.check(party, [own[at] for at in places], [4] * len(places))

        return judged(party, own, findings, Verdicts({}))

    found, _, _ = run_local(program, share(good), share(bad))
    assert found == [True, False]
