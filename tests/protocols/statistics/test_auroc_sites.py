"""The AUROC across hospitals: against its definition, row by row, in fifty digits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from math import floor

import numpy as np
import pytest
from scipy.stats import t

from ppaurora.mpc.errors import BoundExceeded, RemoteProtocolError
from ppaurora.mpc.local import run_local
from ppaurora.mpc.party import Party
from ppaurora.mpc.shares import Shared, share
from ppaurora.protocols.cost import total_cost
from ppaurora.protocols.disclosure.ledger import ledger
from ppaurora.protocols.lists.site_estimate import MOST_SITES
from ppaurora.protocols.options import Options
from ppaurora.protocols.statistics.across_sites import MOST_DECIMALS
from ppaurora.protocols.statistics.registry import statistic
from tests.protocols.studies import Owner, Study, checked, run, upload_of

TEXT = "auroc_sites"
SAMPLE, ALL = 8, 500
LEVELS = ("0.5", "0.9", "0.95", "0.99")
ASKED = tuple(
    f"{TEXT}{':' * bool(rest)}{','.join(rest)}"
    for level in LEVELS
    for more in (False, True)
    for rest in [
        [f"level={level}"] * (level != "0.95") + ["heterogeneity=true"] * more
    ]
)  # fmt: skip
COLUMNS = ("auroc", "lower", "upper", "prediction_lower", "prediction_upper", "tau2", "i2")
TOO_FEW = "undefined: fewer than five owners have an AUROC between 0 and 1 with a standard error"
DIGITS = 50


def own_estimate(owner: Owner, higher: bool) -> tuple[Decimal, Decimal] | None:
    """logit AUROC and its variance, from the placement of each row among the other class."""
    sign = 1 if higher else -1
    of_class: tuple[list[Fraction], list[Fraction]] = ([], [])
    for score, label in zip(owner.scores, owner.labels, strict=True):
        of_class[label].append(sign * Fraction(float(score)))
    negatives, positives = of_class
    if len(positives) < 2 or len(negatives) < 2:
        return None

    def ψ(x: Fraction, y: Fraction) -> Fraction:
        return Fraction(1) if y < x else Fraction(1, 2) if y == x else Fraction(0)

    V10 = [sum((ψ(x, y) for y in negatives), Fraction(0)) / len(negatives) for x in positives]
    V01 = [sum((ψ(x, y) for x in positives), Fraction(0)) / len(positives) for y in negatives]
    area = sum(V10, Fraction(0)) / len(V10)
    variance = sum(
        sum(((one - area) ** 2 for one in V), Fraction(0)) / (len(V) - 1) / len(V)
        for V in (V10, V01)
    )
    if area in (0, 1) or not variance:
        return None
    odds, v = area / (1 - area), Fraction(variance) / (area * (1 - area)) ** 2
    return (Decimal(odds.numerator) / odds.denominator).ln(), Decimal(v.numerator) / v.denominator


def total(numbers: Sequence[Decimal]) -> Decimal:
    return sum(numbers, Decimal(0))


def by_definition(study: Study) -> str:
    with localcontext() as context:
        context.prec = DIGITS
        found = [own_estimate(owner, study.direction == "higher") for owner in study.owners]
    texts = summarised(study, found, lambda η: 1 / (1 + (-η).exp()))
    return TOO_FEW if texts is None else texts


def summarised(
    study: Study,
    found: Sequence[tuple[Decimal, Decimal] | None],
    back: Callable[[Decimal], Decimal],
    columns: Sequence[str] = COLUMNS,
) -> str | None:
    """The released text of these estimates and variances; None of too few."""
    [one] = study.options.statistics
    decimals = study.options.decimals
    tail = float((1 - one.level) / 2)
    there = [own for own in found if own is not None]
    k = len(there)
    if k < 5:
        return None
    with localcontext() as context:
        context.prec = DIGITS
        w = [1 / v for _, v in there]
        S1, S2 = total(w), total([own**2 for own in w])
        linear = total([own * θ for own, (θ, _) in zip(w, there, strict=True)])
        squares = total([own * θ**2 for own, (θ, _) in zip(w, there, strict=True)])
        Q = squares - linear**2 / S1
        between = max(Decimal(0), (Q - (k - 1)) / (S1 - S2 / S1))
        w = [1 / (v + between) for _, v in there]
        μ = total([own * θ for own, (θ, _) in zip(w, there, strict=True)]) / total(w)
        around = total([own * (θ - μ) ** 2 for own, (θ, _) in zip(w, there, strict=True)])
        s2 = around / ((k - 1) * total(w))
        inner = Decimal(float(t.isf(tail, k - 1))) * s2.sqrt()
        outer = Decimal(float(t.isf(tail, k - 2))) * (between + s2).sqrt()
        numbers = [back(η) for η in (μ, μ - inner, μ + inner, μ - outer, μ + outer)]
        if one.heterogeneity:
            numbers += [between, max(Decimal(0), (Q - (k - 1)) / Q) if Q else Decimal(0)]
        texts = [
            f"{Decimal(rounded).scaleb(-decimals):.{decimals}f}"
            for rounded in (floor(one * 10**decimals + Decimal("0.5")) for one in numbers)
        ]
    cells = [f"{name} {text}" for name, text in zip(columns, texts, strict=False)]
    return ", ".join([*cells, f"left_out {len(found) - k}"])


def drawn_owner(rng: np.random.Generator, middle: float) -> Owner:
    n = int(rng.integers(2, 41))
    labels = (rng.random(n) < rng.choice([0.2, 0.5, 0.8])).astype(int)
    match rng.integers(0, 12):
        case 0:
            scores = np.full(n, 0.5)
        case 1:
            scores = labels / 2 + 0.2
        case 2 | 3:
            scores = rng.integers(0, 4, n) / 4
        case _:
            scores = np.clip(rng.normal(0.4 + middle * labels, 0.2), 0, 1).round(2)
    return Owner(scores.tolist(), labels.tolist())


def studies(count: int, seed: int) -> list[Study]:
    """Two to twelve hospitals of the same or of different areas; some of them without one."""
    rng, found = np.random.default_rng(seed), []
    for place in range(count):
        spread = rng.choice([0.0, 0.1, 0.3])
        owners = tuple(
            drawn_owner(rng, 0.15 + rng.normal(0, spread)) for _ in range(rng.integers(4, 13))
        )
        options = Options(
            metrics=(ASKED[place % len(ASKED)],),
            decimals=int(rng.integers(1, MOST_DECIMALS + 1)),
            least_cell=1,
        )
        found.append(Study(owners, options, str(rng.choice(["higher", "lower"]))))
    return found


def check(study: Study, results: dict[str, str]) -> bool:
    """Compare the values with the definition; True if there are any."""
    [found] = results.values()
    assert found == by_definition(study), study
    return not found.startswith("undefined")


def agree(count: int, seed: int) -> int:
    """The number of studies with values; all have those of the definition."""
    return checked(studies(count, seed), check)


def test_a_few_studies_have_the_values_of_their_rows() -> None:
    assert agree(SAMPLE, 1) > SAMPLE // 2


@pytest.mark.soak
def test_five_hundred_studies_have_the_values_of_their_rows() -> None:
    assert agree(ALL, 2) > ALL // 2


def hospitals(count: int, size: int = 40) -> tuple[Owner, ...]:
    rng = np.random.default_rng(5)
    found = []
    for _ in range(count):
        labels = rng.integers(0, 2, size)
        scores = np.clip(rng.normal(0.4 + 0.2 * labels, 0.2), 0, 1)
        found.append(Owner(scores.tolist(), labels.tolist()))
    return tuple(found)


SEPARATED, TIED = Owner([0.9, 0.8, 0.1, 0.2], [1, 1, 0, 0]), Owner([0.5] * 4, [1, 1, 0, 0])
ONE_CLASS, SINGLE = Owner([0.9, 0.8], [1, 1]), Owner([0.9, 0.2, 0.95], [1, 0, 0])


def test_hospitals_without_an_estimate_are_left_out_and_counted() -> None:
    options = Options(metrics=(TEXT,), decimals=6)
    without = (SEPARATED, TIED, ONE_CLASS, SINGLE, Owner([], []))
    [five] = run(Study(hospitals(5), options)).results.values()
    [ten] = run(Study((*hospitals(5), *without), options)).results.values()
    assert five.endswith("left_out 0")
    assert ten == five.replace("left_out 0", "left_out 5")


def test_four_estimates_are_too_few_however_many_hospitals_there_are() -> None:
    options = Options(metrics=(TEXT,))
    for owners in (hospitals(4), (*hospitals(4), SEPARATED, TIED)):
        assert run(Study(owners, options)).results == {TEXT: TOO_FEW}


def test_it_stands_beside_other_statistics_of_the_same_rows() -> None:
    metrics = (TEXT, "auroc_within", "auroc", "brier")
    options = Options(metrics=metrics, merge="network")
    together = run(Study(hospitals(5), options))
    alone = run(Study(hospitals(5), Options(metrics=(TEXT,))))
    assert together.results[TEXT] == alone.results[TEXT]
    cost = total_cost(options, [40] * 5)
    assert (together.hops, together.payload) == (cost.hops, cost.payload)


def test_eight_hospitals_take_as_many_hops_and_bytes_at_any_size() -> None:
    options = Options(metrics=(TEXT,))
    cost = total_cost(options, [1000] * 8)
    assert cost == total_cost(options, [10**7] * 8)
    assert cost.hops == 236
    assert cost.payload < 7_500_000


def test_more_uploads_than_sums_hold_are_refused() -> None:
    options = Options(metrics=(TEXT,))
    one, pipeline = upload_of(hospitals(1)[0], options), options.pipeline

    def program(party: Party, own: Shared) -> object:
        return pipeline.check(party, [own] * (MOST_SITES + 1), [40] * (MOST_SITES + 1))

    with pytest.raises(BoundExceeded, match="512 uploads, of which 511"):
        run_local(program, share(one))


def test_words_that_no_study_gives_are_refused() -> None:
    one = statistic(TEXT)
    for words in ([5000] * 5 + [0], [11000] * 5 + [1], [5000] * 5 + [MOST_SITES + 1], [10001] * 6):
        with pytest.raises(RemoteProtocolError):
            one.decode(words, 4)


@pytest.mark.parametrize(
    ("text", "numbers", "others"), [(TEXT, "three", "one"), (ASKED[5], "four", "two")]
)
def test_the_ledger_says_who_can_solve_for_whom(text: str, numbers: str, others: str) -> None:
    """Tried in tests/protocols/statistics/test_across_sites.py."""
    [told] = ledger(Options(metrics=(text,)), [1000] * 8).learns.receivers
    assert f"which come to {numbers} numbers" in told
    assert "one owner alone cannot solve them for another's estimate" in told
    assert f"all owners but {others} together can" in told
