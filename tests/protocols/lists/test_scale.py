"""Scales: what fits, one canonical score for key, cell, threshold and sum, and what is refused."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from ppaurora.protocols.errors import DataRefused, OptionRefused
from ppaurora.protocols.grid.grid import Thresholds
from ppaurora.protocols.lists.scale import PROBABILITIES, Scale, encode, narrowest
from ppaurora.protocols.options import Options

DIRECTIONS = ("higher", "lower")


def canonical(resolution: str, x: np.ndarray, *bounds: float) -> np.ndarray:
    scale = Scale.of(resolution, bounds or (0, 1))
    return scale.scores(scale.codes(x))


@pytest.mark.parametrize("d", range(7))
def test_every_score_of_up_to_six_decimals_fits_and_keeps_its_place(d: int) -> None:
    x = np.array([k / 10**d for k in range(10**d + 1)])
    scale = Scale.of(f"decimals:{d}")
    assert scale.within(x).all()
    assert scale.fits(x).all()
    assert np.array_equal(scale.codes(x), np.arange(10**d + 1))
    assert np.array_equal(scale.scores(scale.codes(x)), x)
    single = Scale.of("float32")
    assert single.fits(x).all()
    assert (np.diff(single.codes(x).astype(np.int64)) > 0).all()


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("d", range(5))
def test_a_score_of_few_decimals_has_a_cell_of_its_own_beside_its_threshold(
    d: int, direction: str
) -> None:
    scale = Scale.of(f"decimals:{d}", (-1, 2), direction)
    k = np.arange(-(10**d), 2 * 10**d + 1)
    x = k / 10**d
    places = scale.cells.places(x)
    assert len(scale.cells) == k.size
    assert np.array_equal(places, np.arange(k.size)[:: -1 if direction == "higher" else 1])
    for one, place in zip(k.tolist(), places.tolist(), strict=True):
        # called positive at its own value
        assert scale.cells.cut(Fraction(one, 10**d)) == place + 1


@pytest.mark.parametrize("resolution", ["full", "float32", "decimals:2", "decimals:6"])
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_every_hundredth_is_called_positive_at_its_own_threshold(
    resolution: str, direction: str
) -> None:
    scale = Scale.of(resolution, (0, 1), direction)
    hundredths = tuple(Fraction(k, 100) for k in range(1, 100))
    grid = Thresholds(hundredths, scale.single, direction=direction)
    x = canonical(resolution, np.array([float(one) for one in hundredths]))
    for one, place in zip(hundredths, grid.places(x).tolist(), strict=True):
        cut = grid.cut(one)
        assert cut is not None
        assert place == cut - 1


def test_a_float32_is_told_by_how_it_is_written() -> None:
    near = float(np.float32(0.7))
    scale = Scale.of("float32")
    assert scale.fits(np.array([0.7, near, 0.5, 0.123456])).all()
    assert canonical("float32", np.array([0.7, near])).tolist() == [near, near]
    assert not scale.fits(np.array([0.123456789012, 1 / 3, np.nextafter(0.7, 1)])).any()
    rng = np.random.default_rng(1)
    drawn = rng.random(2000).astype(np.float32)
    for written in (drawn.astype(float), np.array([float(str(one)) for one in drawn])):
        assert scale.fits(written).all()
        assert np.array_equal(canonical("float32", written), drawn.astype(float))


def test_fifteen_digits_of_doubles_are_refused_as_float32() -> None:
    x = np.array([float(f"{one:.15g}") for one in np.random.default_rng(2).random(1000)])
    assert Scale.of("float32").fits(x).mean() < 0.1


def test_a_column_of_float32_has_few_decimals_and_a_text_of_its_digits_has_not() -> None:
    x = np.array([0.7, 0.25], np.float32)
    scale = Scale.of("decimals:2")
    assert np.array_equal(encode(x, [1, 0], scale), encode([0.7, 0.25], [1, 0], scale))
    with pytest.raises(DataRefused, match="with more than 2 decimals in row 1"):
        encode(x.astype(float), [1, 0], scale)


@pytest.mark.parametrize(
    ("resolution", "bounds", "option", "what"),
    [
        ("single", (0, 1), "resolution", 'is "single"'),
        ("decimals", (0, 1), "resolution", 'is "decimals"'),
        ("decimals:x", (0, 1), "resolution", 'is "decimals:x"'),
        ("full:3", (0, 1), "resolution", 'is "full:3"'),
        ("decimals:16", (0, 1), "resolution", "more than 15"),
        ("decimals:15", (0, 20), "resolution", "finer than doubles"),
        ("bins:1", (0, 1), "resolution", "2 to 1048576 bins"),
        ("bins:1048577", (0, 1), "resolution", "2 to 1048576 bins"),
        ("bins:10", ("any",), "range", "needs its ends"),
        ("decimals:2", ("any",), "range", "needs its ends"),
        ("decimals:2", (0, 0.125), "range", "more than 2 decimals"),
        ("full", (1, 1), "range", "not above its beginning"),
        ("full", (0,), "range", "is not two numbers"),
    ],
)
def test_a_scale_that_means_nothing_is_refused(
    resolution: str, bounds: tuple[float | str, ...], option: str, what: str
) -> None:
    with pytest.raises(OptionRefused, match=what) as caught:
        Scale.of(resolution, bounds)
    assert caught.value.option == option


def test_the_narrowest_resolution_that_holds_all_is_proposed() -> None:
    assert narrowest(np.array([0.0, 1.0]), PROBABILITIES) == "decimals:0"
    assert narrowest(np.array([0.25, 0.5]), PROBABILITIES) == "decimals:2"
    assert narrowest(np.array([0.123456, 0.5]), PROBABILITIES) == "decimals:6"
    assert narrowest(np.array([0.12345678, 0.5]), PROBABILITIES) == "float32"
    assert narrowest(np.array([1 / 3]), PROBABILITIES) == "full"


def test_statistics_of_probabilities_need_probabilities() -> None:
    for metric in ("brier", "calibration", "calibration_slope", "net_benefit:at=0.5"):
        with pytest.raises(OptionRefused, match="probabilities"):
            Options(metrics=(metric,), range=(0, 20))
    for metric in ("net_benefit:at=0.5/1", "net_benefit:at=0"):
        with pytest.raises(OptionRefused, match="between 0 and 1"):
            Options(metrics=(metric,))


def test_thresholds_lie_in_the_range_and_equal_parts_need_one() -> None:
    beyond = "6.5 and -1 is not within the scores' range, from 0 to 1"
    with pytest.raises(OptionRefused, match=beyond):
        Options(metrics=("confusion:at=0.5/6.5/-1",))
    assert Options(metrics=("confusion:at=6.5",), range=(0, 20)).statistics
    assert Options(metrics=("confusion:at=6.5/-1000",), range=("any",)).statistics
    with pytest.raises(OptionRefused, match="this study's has no ends"):
        Options(metrics=("roc_curve",), range=("any",))


def test_a_range_may_be_written_as_a_list_or_a_word() -> None:
    assert Options(range=[0, 1.0]) == Options(range=(0, 1)) == Options()
    assert Options(range="any").range == ("any",)
    for wrong in ("all", (0, 1, 2), ("0", "1"), 3):
        with pytest.raises(OptionRefused) as caught:
            Options(range=wrong)
        assert caught.value.option == "range"
