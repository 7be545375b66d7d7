"""The AUROC within sites: against pairs one by one, and where hospitals differ as a whole."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from ppaurora.mpc.local import run_local
from ppaurora.mpc.shares import share
from ppaurora.protocols.cost import total_cost
from ppaurora.protocols.disclosure.ledger import ledger
from ppaurora.protocols.evaluate import evaluate
from ppaurora.protocols.options import MOST_DECIMALS, Options
from ppaurora.protocols.statistics.statistic import MOST_SAMPLES
from tests.protocols.statistics.drawn import drawn_studies
from tests.protocols.studies import Owner, Study, checked, owners_of, released, run

TEXT = "auroc_within"
RANGES: tuple[dict[str, Any], ...] = (
    {},
    {"range": ("any",)},
    {"resolution": "bins:8"},
    {"resolution": "float32"},
)
SAMPLE, ALL = 10, 500


def won_of(owner: Owner, higher: bool) -> tuple[Fraction, int]:
    """The pairs won by one owner, ties counted half, and all of its pairs."""
    sign = 1 if higher else -1
    rows = [
        (sign * Fraction(float(score)), label)
        for score, label in zip(owner.scores, owner.labels, strict=True)
    ]
    won, pairs = Fraction(0), 0
    for x, y in rows:
        for z, other in rows:
            if y and not other:
                won += 1 if x > z else Fraction(1, 2) if x == z else 0
                pairs += 1
    return won, pairs


def by_definition(study: Study) -> str:
    counted = [won_of(owner, study.direction == "higher") for owner in study.owners]
    won, pairs = (sum(part, Fraction(0)) for part in zip(*counted, strict=True))
    if not pairs:
        return "undefined: no owner has both classes"
    decimals = study.options.decimals
    word = (2 * won * 10**decimals / pairs + 1) // 2
    return f"{word // 10**decimals}.{word % 10**decimals:0{decimals}d}"


def studies(count: int, seed: int) -> list[Study]:
    """Rows of one to fifty owners in both directions, in every resolution that sums can have."""
    rng, found = np.random.default_rng(seed), []
    for place, one in enumerate(drawn_studies(count, seed, [[TEXT]], MOST_DECIMALS)):
        more = RANGES[place % len(RANGES)]
        scores = np.array([float(score) for owner in one.owners for score in owner.scores])
        if "float32" in more.values():
            scores = scores.astype(np.float32).astype(float)
        n = len(scores)
        order = rng.permutation(n)
        labels = np.array(one.labels)[order].tolist()
        cuts = np.sort(rng.integers(0, n + 1, int(rng.choice([1, 2, 3, 9, 50])) - 1))
        owners = owners_of(scores[order].tolist(), labels, np.diff([0, *cuts, n]).tolist())
        options = Options(metrics=(TEXT,), decimals=one.options.decimals, **more)
        found.append(Study(owners, options, ("higher", "lower")[place // 4 % 2]))
    return found


def check(study: Study, results: dict[str, str]) -> bool:
    """Compare the value with that of all pairs; True if there is one."""
    expected = by_definition(study)
    assert results == {TEXT: expected}, study
    return not expected.startswith("undefined")


def agree(count: int, seed: int) -> int:
    """The number of studies with a value; all have that of the definition."""
    return checked(studies(count, seed), check)


def test_a_few_studies_have_the_value_of_their_pairs() -> None:
    assert agree(SAMPLE, 1) > SAMPLE // 3


@pytest.mark.soak
def test_five_hundred_studies_have_the_value_of_their_pairs() -> None:
    assert agree(ALL, 2) > ALL // 3


def hospitals(shifts: Sequence[float], prevalences: Sequence[float]) -> tuple[Owner, ...]:
    """One model in hospitals whose scores are shifted as a whole."""
    rng = np.random.default_rng(8)
    found = []
    for shift, prevalence in zip(shifts, prevalences, strict=True):
        labels = (rng.random(60) < prevalence).astype(int)
        scores = np.clip(rng.normal(0.3 + shift + 0.1 * labels, 0.05), 0, 1)
        found.append(Owner(scores.tolist(), labels.tolist()))
    return tuple(found)


def test_hospitals_that_differ_as_a_whole_move_the_pooled_area_and_not_this_one() -> None:
    prevalences = (0.6, 0.3, 0.1)
    options = Options(metrics=("auroc", TEXT), merge="network")
    same = run(Study(hospitals((0, 0, 0), prevalences), options)).results
    shifted = run(Study(hospitals((0, 0.15, 0.3), prevalences), options)).results
    assert same[TEXT] == shifted[TEXT]
    assert float(same["auroc"]) > 0.9 > 0.7 > float(shifted["auroc"])


def test_of_one_hospital_it_is_the_auroc() -> None:
    rng = np.random.default_rng(2)
    only = Owner(rng.random(40).round(1).tolist(), rng.integers(0, 2, 40).tolist())
    options = Options(metrics=("auroc", TEXT), decimals=9)
    found = run(Study((only, Owner([0.5, 0.6], [1, 1])), options)).results
    alone = run(Study((only,), options)).results
    assert found[TEXT] == alone[TEXT] == alone["auroc"]


def test_the_most_samples_are_exact_to_the_last_decimal() -> None:
    """Two hospitals of a billion rows: 2·P·N of both is nearly 2^60, one pair in 2^59 lost."""
    options = Options(metrics=(TEXT,), decimals=MOST_DECIMALS)
    [one] = options.statistics
    assert one.fits(MOST_SAMPLES, MOST_DECIMALS)
    half = MOST_SAMPLES // 4
    uploads = [[half, half, 2 * half * half - 1100], [half, half, 0]]
    at = run_local(
        lambda party, *own: evaluate(party, options, own, sizes=[2 * half, 2 * half]),
        *(share(np.array(words, np.uint64)) for words in uploads),
    )
    value = Fraction(2 * half * half - 1100, 4 * half * half)
    expected = (2 * value * 10**MOST_DECIMALS + 1) // 2
    assert released(options, at).results == {TEXT: f"0.{expected:015d}"}


def test_eight_hospitals_of_a_thousand_take_few_hops_and_bytes() -> None:
    """The same for eight of ten million."""
    options = Options(metrics=(TEXT,))
    cost = total_cost(options, [1000] * 8)
    assert cost == total_cost(options, [10**7] * 8)
    assert (cost.hops, cost.payload) == (22, 86776)


def test_the_ledger_says_who_learns_the_last_hospitals_area() -> None:
    told = ledger(Options(metrics=(TEXT,)), [1000] * 4).learns
    assert told.receivers == (
        "auroc_within: the released decimals, from which all owners but one together learn the "
        "AUROC of the last one's rows if they know its class counts, and whether the metric is "
        "undefined: no owner has both classes",
    )
    assert told.P0[1] == (
        "for each list one bit: whether it is of class counts that add up to the stated number of "
        "samples, and numbers that such a list can have"
    )


def test_all_hospitals_but_one_learn_the_last_ones_area_as_the_ledger_says() -> None:
    owners = hospitals((0, 0.1, 0.2), (0.5, 0.4, 0.3))
    [text] = run(Study(owners, Options(metrics=(TEXT,), decimals=9))).results.values()
    *known, (won, pairs) = [won_of(owner, True) for owner in owners]
    total = sum(own for _, own in known) + pairs
    solved = Fraction(text) * total - sum((own for own, _ in known), Fraction(0))
    assert abs(solved - won) < Fraction(1, 100)
