"""Hospitals' own values: against their definitions, row by row; and who is shown at all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product
from math import floor

import numpy as np
import pytest
from scipy.stats import norm

from ppaurora.mpc.errors import BoundExceeded, RemoteProtocolError
from ppaurora.mpc.local import run_local
from ppaurora.mpc.party import Party
from ppaurora.mpc.shares import Shared, share
from ppaurora.mpc.words import Words
from ppaurora.protocols.cost import total_cost
from ppaurora.protocols.disclosure.ledger import ledger
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.options import Options
from ppaurora.protocols.pipelines.sites import MOST_SHOWN
from ppaurora.protocols.release.values import WITHHELD, Table
from ppaurora.protocols.statistics.registry import statistic
from ppaurora.protocols.statistics.site_values import KEPT, SHOWN, SiteValues
from tests.protocols.statistics import (
    test_auroc_sites,
    test_calibration_slope_sites,
    test_observed_expected_sites,
)
from tests.protocols.statistics.test_across_sites import AREAS, numbers_of, solved
from tests.protocols.statistics.test_auroc_sites import DIGITS, hospitals
from tests.protocols.studies import Owner, Study, checked, run, upload_of

TEXT = "site_values"
LEAST, DECIMALS = 4, 7
SAMPLE, ALL = 12, 500
Back = Callable[[Decimal], Decimal]
MODULES = {
    "area": (test_auroc_sites, "auroc", lambda η: 1 / (1 + (-η).exp())),
    "ratio": (
        test_observed_expected_sites,
        "observed_expected",
        lambda x: min(x.exp(), Decimal(100)),
    ),
    "slope": (
        test_calibration_slope_sites,
        "slope",
        lambda x: max(min(x, Decimal(50)), Decimal(-50)),
    ),
}
"""The own estimate of each value, its column, and the way back from its scale."""


def text_of(of: str, level: str = "0.95", least: int = LEAST) -> str:
    more = [f"of={of}"] * (of != "area") + [f"least_class={least}"] * (least != 20)
    more += [f"level={level}"] * (level != "0.95")
    return f"{TEXT}{':' * bool(more)}{','.join(more)}"


ASKED = tuple(text_of(of, level) for of in MODULES for level in ("0.95", "0.5"))


def by_definition(study: Study, text: str) -> list[tuple[str, ...]]:
    """The rows of this study."""
    one = statistic(text)
    assert isinstance(one, SiteValues)
    module, _, back = MODULES[one.of]
    classes = [(sum(own.labels), len(own.labels) - sum(own.labels)) for own in study.owners]
    there = [
        own.shows and min(counts) >= one.least_class
        for own, counts in zip(study.owners, classes, strict=True)
    ]
    kept = there.count(False)
    rows = []
    for place, (owner, shown) in enumerate(zip(study.owners, there, strict=True), 1):
        if not shown or 1 <= kept <= 4:
            rows.append((str(place), *[WITHHELD] * 3))
            continue
        with localcontext() as context:
            context.prec = DIGITS
            found = module.own_estimate(owner, study.direction == "higher")
            if found is None:
                rows.append((str(place), *["None"] * 3))
                continue
            θ, v = found
            half = Decimal(float(norm.isf(float((1 - one.level) / 2)))) * v.sqrt()
            numbers = [back(x) for x in (θ, θ - half, θ + half)]
            rows.append((str(place), *(rounded(x, study.options.decimals) for x in numbers)))
    return rows


def rounded(x: Decimal, decimals: int) -> str:
    # to the logit and back the last of its digits is lost: 17/40 is half of a hundredth's step
    up = floor(x * 10**decimals + Decimal("0.5") + Decimal(10) ** -(DIGITS // 2))
    return f"{Decimal(up).scaleb(-decimals):.{decimals}f}"


def table_text(study: Study, text: str) -> str:
    one = statistic(text)
    assert isinstance(one, SiteValues)
    rows = tuple(
        tuple(None if cell == "None" else cell for cell in row)
        for row in by_definition(study, text)
    )
    cells = {cell for row in rows for cell in row}
    return str(
        Table(
            one.columns,
            rows,
            undefined=one.undefined if None in cells else "",
            withheld=one.why if WITHHELD in cells else "",
        )
    )


def studies(count: int, seed: int) -> list[Study]:
    """Hospitals of which all show their values, a few do not, or many."""
    rng = np.random.default_rng([seed, 7])
    drawn = zip(
        test_auroc_sites.studies(count, seed),
        test_calibration_slope_sites.studies(count, seed),
        strict=True,
    )
    found = []
    for place, (of_areas, of_slopes) in enumerate(drawn):
        text = ASKED[place % len(ASKED)]
        one = of_slopes if "slope" in text else of_areas
        likely = rng.choice([0.3, 0.9, 1.0, 1.0])
        owners = tuple(replace(own, shows=bool(rng.random() < likely)) for own in one.owners)
        if rng.integers(4):
            # every list has samples enough
            owners = tuple(
                replace(
                    own,
                    scores=[*own.scores, *[0.25, 0.75, 0.5, 0.125] * 2],
                    labels=[*own.labels, *[1, 0] * 4],
                )
                for own in owners
            )
        decimals = int(rng.integers(1, DECIMALS + 1))
        options = replace(one.options, metrics=(text,), decimals=decimals)
        found.append(replace(one, owners=owners, options=options))
    return found


def check(study: Study, results: dict[str, str]) -> bool:
    """Compare the rows with the definition; True if any is shown."""
    [(text, found)] = results.items()
    assert found == table_text(study, text), study
    return any(row[1] not in (WITHHELD, "None") for row in by_definition(study, text))


def agree(count: int, seed: int) -> int:
    """The number of studies in which anybody is shown; all have the rows of the definition."""
    return checked(studies(count, seed), check)


def test_a_few_studies_have_the_values_of_their_rows() -> None:
    assert agree(SAMPLE, 1) > SAMPLE // 3


@pytest.mark.soak
@pytest.mark.parametrize("part", range(5))
def test_a_hundred_studies_have_the_values_of_their_rows(part: int) -> None:
    assert agree(ALL // 5, 2 + part) > ALL // 20


def shown_by(owners: Sequence[Owner], flags: Sequence[bool]) -> tuple[Owner, ...]:
    return tuple(replace(own, shows=flag) for own, flag in zip(owners, flags, strict=True))


def states(owners: Sequence[Owner], *more: str) -> list[bool]:
    """Flags of the rows that are shown."""
    options = Options(metrics=(text_of("area"), *more))
    words = run(Study(tuple(owners), options)).results[text_of("area")]
    return [WITHHELD not in row for row in words.split("; ") if row.startswith("site ")]


BESIDE = ("auroc_sites", "auroc_within")


@pytest.mark.parametrize(
    ("kept", "more"),
    [
        pytest.param(kept, more, marks=[] if kept in now else [pytest.mark.weekly])
        for more, now in (((), (0, 1, 4, 5, 7)), (BESIDE, (4, 5)))
        for kept in range(8)
    ],
)
def test_no_row_is_shown_where_one_to_four_hospitals_are_not(
    kept: int, more: tuple[str, ...]
) -> None:
    """The last of them would follow from the others, and a mean over all."""
    flags = [place >= kept for place in range(7)]
    wanted = flags if kept in (0, 5, 6, 7) else [False] * 7
    assert states(shown_by(hospitals(7), flags), *more) == wanted


def test_all_flags_of_six_hospitals_in_the_clear() -> None:
    one, options = statistic(text_of("area")), Options(metrics=(text_of("area"),))
    each = [
        [upload_of(replace(own, shows=flag), options) for flag in (False, True)]
        for own in hospitals(6)
    ]
    for flags in product([False, True], repeat=6):
        uploads = [own[flag] for own, flag in zip(each, flags, strict=True)]
        data = options.pipeline.plaintext(uploads, [40] * 6)
        found = list(one.plaintext_words(data, 4))[:6]
        kept = flags.count(False)
        opened = [KEPT + (flag and kept in (0, 5)) for flag in flags]
        assert found == opened


def test_few_samples_count_as_a_hospital_that_is_not_shown() -> None:
    few = Owner([0.9, 0.8, 0.7, 0.1, 0.2, 0.3, 0.4, 0.75], [1, 1, 1, 0, 0, 0, 0, 0], shows=True)
    rest = shown_by(hospitals(5), [True] * 5)
    assert states((*rest, few)) == [False] * 6
    enough = replace(few, scores=[*few.scores, 0.65], labels=[*few.labels, 1])
    assert states((*rest, enough)) == [True] * 6


def test_what_an_owner_does_not_show_is_in_none_of_its_words() -> None:
    options = Options(metrics=(text_of("area"),))
    [owner] = hospitals(1)
    assert (upload_of(owner, options)[2:] == 0).all()
    assert upload_of(replace(owner, shows=True), options)[2] == 1


def test_the_last_ones_value_follows_from_the_others_rows_and_a_mean() -> None:
    """So the gate is needed: beside k - 1 rows to four decimals it is found to .01."""
    θ, v = np.array([0.9, 1.3, 1.6, 1.1, 1.9]), np.array([0.02, 0.05, 0.03, 0.04, 0.06])
    half = norm.isf(0.025) * v**0.5
    rows = [np.round(AREAS.back(x), 4) for x in (θ[:-1], θ[:-1] - half[:-1], θ[:-1] + half[:-1])]
    middle, low, high = (AREAS.there(x) for x in rows)
    known = ((high - low) / 2 / norm.isf(0.025)) ** 2

    def of(x: np.ndarray) -> np.ndarray:
        return numbers_of(np.r_[middle, x[0]], np.r_[known, np.exp(x[1])])[:3]

    wanted = numbers_of(θ, v)[:3]
    tries = [solved(of, np.array([start, -3.3]), wanted) for start in np.linspace(-1, 3, 9)]
    best, _ = min(tries, key=lambda one: one[1])
    assert abs(AREAS.back(best[:1]) - AREAS.back(θ[-1:]))[0] < 0.01


def test_names_of_owners_take_the_place_of_their_numbers() -> None:
    one = statistic(text_of("area"))
    words = [SHOWN] * 2 + [0] * 62
    for own in (5000, 4000, 6000):
        words += [own] * 2 + [0] * 62
    value = one.decode(words, 4)
    named = one.of_owners(value, ["north", "south"])
    assert isinstance(named, Table)
    assert named.rows[1] == ("south", "0.5000", "0.4000", "0.6000")
    with pytest.raises(RemoteProtocolError):
        one.of_owners(value, ["north"])


def test_words_that_no_study_gives_are_refused() -> None:
    one = statistic(text_of("area"))
    good = [SHOWN] + [0] * 63 + ([5000] + [0] * 63) * 3
    assert len(good) == one.words(4)
    one.decode(good, 4)
    for place, word in ((0, 3), (0, KEPT), (0, 0), (1, 3), (64, 10_001), (65, 1), (64, 1 << 63)):
        bad = list(good)
        bad[place] = word
        with pytest.raises(RemoteProtocolError):
            one.decode(bad, 4)
    gap = [SHOWN, 0, SHOWN] + [0] * 61 + ([5000, 0, 5000] + [0] * 61) * 3
    with pytest.raises(RemoteProtocolError):
        one.decode(gap, 4)


def checked_upload(words: Words, options: Options, samples: int) -> bool:
    def program(party: Party, own: Shared) -> bool:
        faults = options.pipeline.check(party, [own], [samples]).faults
        return faults.words[0] if faults.present else 0

    p0, p1, _ = run_local(program, share(words))
    return (int(p0) + int(p1)) % (1 << 64) == 0


def test_an_upload_with_other_words_than_a_list_can_have_is_unsound() -> None:
    options = Options(metrics=(text_of("area"),))
    owner = replace(hospitals(1)[0], shows=True)
    words = upload_of(owner, options)
    assert checked_upload(words, options, 40)
    for place, word in ((2, 2), (2, 1 << 63), (3, 10**6), (5, (1 << 64) - 1)):
        bad = words.copy()
        bad[place] = word
        assert not checked_upload(bad, options, 40)


def test_eight_hospitals_take_as_many_hops_and_bytes_at_any_size() -> None:
    options = Options(metrics=(text_of("area"),))
    cost = total_cost(options, [1000] * 8)
    assert cost == total_cost(options, [10**7] * 8)
    outcome = run(Study(shown_by(hospitals(8), [True] * 8), options))
    assert (outcome.hops, outcome.payload) == (cost.hops, cost.payload)


def test_more_hospitals_than_rows_are_refused() -> None:
    options = Options(metrics=(text_of("area"),))
    assert options.pipeline.most_uploads == MOST_SHOWN == 64
    one, pipeline = upload_of(hospitals(1)[0], options), options.pipeline

    def program(party: Party, own: Shared) -> object:
        return pipeline.check(party, [own] * 65, [40] * 65)

    with pytest.raises(BoundExceeded, match="65 uploads, of which 64"):
        run_local(program, share(one))


def test_scores_that_are_no_probabilities_have_an_auroc_only() -> None:
    Options(metrics=(text_of("area"),), range=(0, 20))
    for of in ("ratio", "slope"):
        with pytest.raises(OptionRefused, match="takes scores as probabilities"):
            Options(metrics=(text_of(of),), range=(0, 20))


def test_groups_have_no_own_values() -> None:
    with pytest.raises(OptionRefused, match="cannot be released by group"):
        Options(metrics=(TEXT,), groups=("a", "b"))


def test_the_ledger_says_what_is_shown_and_what_follows() -> None:
    [told] = ledger(Options(metrics=(TEXT,)), [1000] * 8).learns.receivers
    assert "whose own policy lets them be shown" in told
    assert "at least 20 samples of each class" in told
    assert "none is shown where one to four owners are not" in told
    assert "tau² or I²" in told


def test_an_observed_over_expected_is_said_to_tell_the_class_counts() -> None:
    for of, told in (("area", "with them roughly how"), ("ratio", "with them nearly exactly")):
        [text] = ledger(Options(metrics=(text_of(of),)), [1000] * 8).learns.receivers
        assert told in text


def test_several_least_classes_would_tell_a_hospitals_own() -> None:
    asked = (f"{TEXT}:least_class=20", f"{TEXT}:of=ratio,least_class=21")
    with pytest.raises(OptionRefused, match="class counts in between") as caught:
        Options(metrics=asked)
    assert caught.value.advice
    Options(metrics=(TEXT, f"{TEXT}:of=ratio,least_class=20"))


def test_a_slope_counts_by_its_decimals_and_an_area_does_not() -> None:
    assert statistic(TEXT).label_digits(4) == 0
    assert statistic(f"{TEXT}:of=slope").label_digits(4) == 12


def test_the_value_is_the_exact_one_and_not_the_logits() -> None:
    """AUROCs at a half of the last decimal are rounded up, as they are elsewhere."""
    owner = Owner(
        [0.9] * 5 + [0.5] * 3 + [0.1] * 8, [1] * 5 + [0] * 3 + [1] * 3 + [0] * 5, shows=True
    )
    study = Study((owner,) * 5, Options(metrics=(text_of("area"),), decimals=1))
    [text] = run(study).results.values()
    won = Fraction(5 * 8 * 2 + 3 * 5, 2 * 8 * 8)
    assert text.startswith(f"site 1, auroc {rounded(Decimal(float(won)), 1)}")
