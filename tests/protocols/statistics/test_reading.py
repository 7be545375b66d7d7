"""Readings by rank and rate under a study's least cell, through three parties and in the clear."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from ppaurora.parties.simulation.pooled import pooled_values
from ppaurora.protocols.cost import phase_estimates
from ppaurora.protocols.disclosure.ledger import ledger
from ppaurora.protocols.options import Options
from ppaurora.protocols.prepared import READINGS_PHASE
from tests.protocols.pipelines import test_groups as groups
from tests.protocols.pooled import rounded
from tests.protocols.studies import Owner, Study, run, run_all, sizes_of, upload_of

AT = ("0.2", "0.3", "0.5", "0.8")
THRESHOLDS = f"confusion:at={'/'.join(AT)}"
TOP, RECALL = "precision_at_top:k=4/20/40", "precision_at_recall:recall=0.5/0.8"
SENSITIVITY, SPECIFICITY = "sensitivity:at_specificity=0.7/0.9", "specificity:at_sensitivity=0.8"
READINGS = (TOP, SENSITIVITY, RECALL, SPECIFICITY)
ASKED = ((THRESHOLDS, *READINGS), READINGS, ("auroc", SENSITIVITY), (TOP, THRESHOLDS))
Cut = tuple[int, int]


def drawn(seed: int) -> Study:
    rng = np.random.default_rng(seed)
    owners = []
    decimals = int(rng.integers(1, 4))
    for _ in range(int(rng.integers(1, 5))):
        size = int(rng.choice([0, 1, 30, 100]))
        labels = rng.random(size) < rng.choice([0.1, 0.4])
        scores = np.clip(rng.normal(0.35 + 0.25 * labels, 0.2), 0, 1).round(decimals)
        owners.append(Owner(scores.tolist(), labels.astype(int).tolist()))
    options = Options(
        metrics=ASKED[seed % len(ASKED)],
        least_cell=int(rng.integers(2, 8)),
        resolution=str(rng.choice(["full", f"decimals:{decimals}"])),
        merge=str(rng.choice(["network", "shuffled"])),
    )
    return Study(tuple(owners), options)


def cut_of(text: str, given: str, rows: list[tuple[float, int]]) -> Cut | None:
    """The cut that a reading is about, by trying all of them; None where it has none."""
    P = sum(label for _, label in rows)
    N = len(rows) - P
    ordered = sorted(rows, key=lambda row: (-row[0], -row[1]))
    if text.startswith("precision_at_top"):
        first = [label for _, label in ordered[: int(given)]]
        return sum(first), len(first) - sum(first)
    corners = [(0, 0)]
    for at in sorted({score for score, _ in rows}, reverse=True):
        called = [label for score, label in rows if score >= at]
        corners.append((sum(called), len(called) - sum(called)))
    rate = Fraction(given)
    if P * N == 0:
        return None
    match text.split(":")[0]:
        case "sensitivity":
            return max((T, F) for T, F in corners if rate * N <= N - F)
        case _:
            return min((T, F) for T, F in corners if rate * P <= T)


def value_of(text: str, cut: Cut, P: int, N: int) -> Fraction:
    T, F = cut
    match text.split(":")[0]:
        case "sensitivity":
            return Fraction(T, P)
        case "specificity":
            return Fraction(N - F, N)
        case _:
            return Fraction(T, T + F)


def far(one: Cut, other: Cut, least: int) -> bool:
    return all(abs(a - b) >= least for a, b in zip(one, other, strict=True))


def cells_of(told: str) -> list[tuple[str, str]]:
    """Each row of a table with two columns: the rank or rate, and what is told of it."""
    rows = [row.split(", ") for row in told.split("; ") if " " in row and "withheld:" not in row]
    return [(one.split()[-1], other.split()[-1]) for one, other in rows]


def check(studies: list[Study]) -> int:
    """Subtract everything that is released from everything; return how many readings are shown."""
    found = 0
    for study, outcome in zip(studies, run_all(studies), strict=True):
        rows = list(zip(study.scores, study.labels, strict=True))
        least, P = study.options.least_cell, sum(study.labels)
        N = len(rows) - P
        if not rows:
            continue
        uploads = [upload_of(one, study.options) for one in study.owners]
        plainly = pooled_values(study.options, uploads, [len(one.scores) for one in study.owners])
        assert outcome.results == {text: str(value) for text, value in plainly.items()}
        ends = [(0, 0), (P, N)]
        thresholds, shown, withheld = [], [], []
        for at, row in zip(AT, outcome.results.get(THRESHOLDS, "").split("; "), strict=False):
            if row and "withheld" not in row:
                called = [label for score, label in rows if score >= float(at)]
                thresholds.append((sum(called), len(called) - sum(called)))
        for text in set(READINGS) & set(outcome.results):
            for given, told in cells_of(outcome.results[text]):
                cut = cut_of(text, given, rows)
                if told == "withheld":
                    withheld.append(cut)
                    continue
                assert cut is not None
                assert told == rounded(value_of(text, cut, P, N), study.options.decimals)
                shown.append(cut)
        for one, other in combinations({*ends, *thresholds, *shown} if shown else (), 2):
            assert far(one, other, least)
        read = [cut for cut in shown + withheld if cut]
        for cut in filter(None, withheld):
            beside = {*ends, *thresholds, *read} - {cut}
            assert cut in ends or any(not far(cut, other, least) for other in beside)
        found += len(shown)
    return found


def test_no_small_cell_lies_between_readings_and_thresholds_that_are_shown() -> None:
    assert check([drawn(seed) for seed in range(16)]) > 10


@pytest.mark.soak
def test_five_hundred_studies_show_no_small_cell_by_ranks_and_rates() -> None:
    print(f"{check([drawn(seed) for seed in range(1000, 1500)])} readings shown")


def rows(count: int, seed: int) -> tuple[Owner, ...]:
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 2, count)
    scores = np.clip(rng.normal(0.4 + 0.2 * labels, 0.15), 0, 1).round(4)
    thirds = np.array_split(np.arange(count), 3)
    return tuple(Owner(scores[own].tolist(), labels[own].tolist()) for own in thirds)


def test_few_positives_at_the_top_are_withheld_and_say_so() -> None:
    study = Study(rows(60, 3), Options(metrics=("precision_at_top:k=2/30",), least_cell=5))
    [told] = run(study).results.values()
    assert told.startswith("k 2, precision withheld; k 30, precision 0.")
    assert told.endswith("withheld: fewer than 5 of a class between this cut and another")


def test_two_ranks_that_are_near_do_not_tell_the_samples_between() -> None:
    texts = ("precision_at_top:k=60/63", "recall_at_top:k=61")
    study = Study(rows(120, 4), Options(metrics=texts, least_cell=5))
    first, second = run(study).results.values()
    assert "k 60, precision 0" in first
    assert "k 63, precision withheld" in first
    assert "k 61, recall withheld" in second


def test_without_a_least_cell_nothing_is_withheld_and_no_hop_is_added() -> None:
    options = Options(metrics=(TOP, SENSITIVITY), merge="network")
    phases = [one.phase for one in phase_estimates(options, [30, 30])]
    assert READINGS_PHASE in phases
    plain = replace(options, least_cell=1)
    assert READINGS_PHASE not in [one.phase for one in phase_estimates(plain, [30, 30])]
    assert "withheld" not in " ".join(run(Study(rows(9, 5), plain)).results.values())


@pytest.mark.parametrize("seed", [0, *(pytest.param(n, marks=pytest.mark.weekly) for n in (1, 2))])
def test_a_reading_kept_back_in_a_group_is_kept_back_in_all(seed: int) -> None:
    """Else the whole less the other groups would tell what the group does not."""
    options = replace(groups.SORTED, metrics=READINGS, least_cell=3)
    owners = groups.drawn(seed, most=90)
    found = run(Study(owners, options)).results
    alone = {"": groups.plainly(options, owners)}
    for place, name in enumerate(options.groups):
        if own := groups.only(owners, place):
            alone[f"@{name}"] = groups.plainly(options, own)
    for text in READINGS:
        told = {name: cells_of(found[f"{text}{name}"]) for name in alone}
        of_itself = {name: cells_of(values[text]) for name, values in alone.items()}
        for row in range(len(told[""])):
            fine = all(of[row][1] != "withheld" for of in of_itself.values())
            for name, cells in told.items():
                assert cells[row][1] == (of_itself[name][row][1] if fine else "withheld")


@pytest.mark.parametrize(
    ("of", "metrics"),
    [
        pytest.param(
            of,
            metrics,
            id=f"{'groups' if of else 'all'}, {' '.join(metrics)}",
            marks=[pytest.mark.weekly] * ((place + bool(of)) % 2),
        )
        for place, metrics in enumerate(ASKED)
        for of in ((), groups.GROUPS)
    ],
)
def test_the_cost_is_the_predicted_one(of: tuple[str, ...], metrics: tuple[str, ...]) -> None:
    owners = groups.drawn(5, most=60)
    options = Options(metrics=metrics, groups=of, merge="network")
    measured = run(Study(owners, options))
    predicted = phase_estimates(options, sizes_of(owners, options))
    assert [one.phase for one in predicted] == [phase.name for phase in measured.phases[0]]
    assert sum(one.spent.hops for one in predicted) == measured.hops
    assert sum(one.spent.payload for one in predicted) == measured.payload


def test_the_ledger_says_that_owners_eyes_are_not_held() -> None:
    told = ledger(Options(metrics=(SENSITIVITY,)), [300, 300])
    assert "which of them are withheld" in told.learns.receivers[0]
    assert "in the counts of all owners together" in told.learns.receivers[0]
