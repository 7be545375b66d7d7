"""Errors of differentially private numbers: [Thesis, Figures 5.4 and 5.5].

The value before the noise is the exact one of this system, and a sample of it is computed by three
parties. Noise of this system is drawn by three parties as well, for all releases of a data set at
once, from keys that follow from the cell's seed. Cauchy noise, which this system does not offer, is
drawn in the clear at the printed scale.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from math import ceil, exp
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ppaurora.bench.errors import RunFailed
from ppaurora.bench.papers.drawing import ticks_at
from ppaurora.bench.papers.experiment import (
    ALSO_IN_PRIVATE,
    Cell,
    CellResult,
    Experiment,
    Planned,
    Results,
    ResultTable,
    Settings,
)
from ppaurora.bench.papers.laws import THESIS
from ppaurora.bench.papers.study import SimulatedStudy
from ppaurora.bench.papers.tally import Tally
from ppaurora.mpc.local import open_locally, run_local
from ppaurora.mpc.party import Party
from ppaurora.mpc.role import Role
from ppaurora.mpc.shares import Shared
from ppaurora.protocols.arithmetic.rounding import half_up
from ppaurora.protocols.lists.outsourcing import split
from ppaurora.protocols.options import Options
from ppaurora.protocols.ranking.ranked import Pooled
from ppaurora.protocols.release.mechanism import PublicScale
from ppaurora.protocols.release.sensitivity import UNIT, Table, smoothed
from ppaurora.protocols.release.smooth import SecretScale
from ppaurora.protocols.statistics.noisy_number import NoisyNumber

SIZES = (100, 500, 1000)
EPSILONS = ("0.1", "0.25", "0.5", "1", "2", "3")
DECIMALS = 6
CAUCHY = "Cauchy, as printed"
ERROR = "error"
PER_DATA_SET = 100


class PrivateError(Experiment):
    """The root of the mean square error against ε, by mechanism and size."""

    __slots__ = ()

    axes: ClassVar[tuple[str, ...]] = ("mechanism", "of each class", "epsilon")
    branches: ClassVar[tuple[str, ...]] = ("mechanism",)
    revision: ClassVar[int] = 2
    weight: ClassVar[float] = 0.002
    quick_runs: ClassVar[int] = 2
    exact: ClassVar[str]
    """The statistic without noise."""
    local: ClassVar[Table]
    """The sensitivity, as printed."""

    @abstractmethod
    def mechanisms(self, n: int) -> dict[str, str]:
        """The metric of each mechanism, for n samples of each class; {} stands for ε."""

    @property
    def names(self) -> tuple[str, ...]:
        return (CAUCHY, *self.mechanisms(SIZES[0]))

    def plan(self) -> Sequence[Planned]:
        return [
            Planned((name, n, float(epsilon)), 400, PER_DATA_SET)
            for name in self.names
            for n in SIZES
            for epsilon in EPSILONS
        ]

    def compute(self, cell: Cell, generator: np.random.Generator) -> CellResult:
        name, n, epsilon = str(cell.settings[0]), int(cell.settings[1]), float(cell.settings[2])
        scores, labels = THESIS["binormal"].drawn(generator, n, n)
        plain = SimulatedStudy(
            Options(metrics=(self.exact,), decimals=9, range=("any",)), scores, labels
        )
        [[word]] = plain.plaintext_words()
        true = word / 10**9
        if name == CAUCHY:
            noisy = true + self._cauchy(n, epsilon) * generator.standard_cauchy(cell.runs)
            tallies = {}
            if cell.part == 0:
                tallies[ALSO_IN_PRIVATE] = Tally.of([plain.agrees()])
        else:
            text = self.mechanisms(n)[name].format(f"{epsilon:g}")
            study = SimulatedStudy(
                Options(metrics=(text,), decimals=DECIMALS, range=("any",)), scores, labels
            )
            noisy = released(study, cell.runs, generator)
            tallies = {}
            if cell.part == 0:
                tallies[ALSO_IN_PRIVATE] = Tally.of([agrees_before_noise(study)])
        error = np.clip(noisy, 0, 1) - true
        squares = (error**2).tolist()
        return CellResult({ERROR: Tally.of(error.tolist()), "square": Tally.of(squares), **tallies})

    def _cauchy(self, n: int, epsilon: float) -> float:
        """6·S/ε with β = ε/6 [Thesis, Thm 2.9, 1]."""
        decay = ceil(exp(-epsilon / 6) * UNIT)
        return 6 * smoothed(type(self).local(2 * n), decay)[n] / UNIT / epsilon

    def sheets(self, results: Results) -> Sequence[ResultTable]:
        rows = []
        for n in SIZES:
            for epsilon in EPSILONS:
                found = [results.get((name, n, float(epsilon))) for name in self.names]
                if any(one is not None for one in found):
                    rows.append((f"{n:,}", epsilon, *map(root_mean_square, found)))
        columns = ("of each class", "ε", *self.names)
        return [
            ResultTable(
                "Root of the mean square error, cut off at 0 and 1, ± simulation error",
                columns,
                tuple(rows),
            )
        ]

    def draw(self, figure: Any, results: Results) -> None:
        panels = figure.subplots(1, len(self.names), sharey=True)
        for panel, name in zip(panels, self.names, strict=True):
            for n, colour in zip(SIZES, ("C0", "C1", "C2"), strict=True):
                found = [
                    (float(epsilon), results[name, n, float(epsilon)])
                    for epsilon in EPSILONS
                    if (name, n, float(epsilon)) in results
                ]
                if found:
                    places = [epsilon for epsilon, _ in found]
                    heights = [one[ERROR].root_mean_square for _, one in found]
                    bars = [1.96 * error_of_root(one) for _, one in found]
                    panel.errorbar(
                        places,
                        heights,
                        yerr=bars,
                        color=colour,
                        marker="o",
                        markersize=2.5,
                        label=f"{n:,} samples of each class" if panel is panels[0] else None,
                    )
            panel.set(xscale="log", yscale="log", xlabel="ε")
            panel.set_title(f"\n{name}", fontsize=7)
            ticks_at(panel, list(map(float, EPSILONS)), names=list(EPSILONS))
            panel.tick_params(axis="x", labelrotation=60)
        panels[0].set_ylabel("root mean square error")
        figure.legend(loc="outside lower center", ncols=len(SIZES), fontsize="small")


def root_mean_square(found: CellResult | None) -> str:
    """With its simulation error."""
    if found is None:
        return ""
    return f"{found[ERROR].root_mean_square:.5f} ± {error_of_root(found):.5f}"


def error_of_root(found: CellResult) -> float:
    """By the delta method: the error of the mean square over twice the root."""
    root = found[ERROR].root_mean_square
    return found["square"].error / (2 * root) if root else 0.0


def value_before_noise(one: NoisyNumber, data: Pooled) -> int:
    """In the clear, to the digits that the mechanism asks for."""
    noise = one.noise(DECIMALS)
    return half_up(one.exact(data, noise.least_class) * 10**noise.digits)


def released(
    study: SimulatedStudy, count: int, generator: np.random.Generator
) -> NDArray[np.float64]:
    """So many releases of one data set, each with noise that three parties draw."""
    one, data = _statistic(study), study.pooled()
    noise, value, P = one.noise(DECIMALS), value_before_noise(one, data), data.P

    def program(party: Party) -> Shared:
        if isinstance(noise, PublicScale):
            return noise.noise.drawn(party, one.text, count) + value
        assert isinstance(noise, SecretScale)
        positives = Shared.public(party.role, [P])
        drawn = noise.drawn(party, one.text, positives, data.n, count)
        return noise.rounded(party, drawn + value * noise.unit)

    keys = {role: generator.bytes(32) for role in Role}
    words = open_locally(run_local(program, lasting_keys=keys))
    found: NDArray[np.float64] = words.astype(np.float64) / 10**DECIMALS
    return found


def agrees_before_noise(study: SimulatedStudy) -> bool:
    """True where three parties find the same value before the noise."""
    one, options = _statistic(study), study.options
    noise, sizes = one.noise(DECIMALS), study.sizes

    def program(party: Party, *lists: Shared) -> Shared:
        data = options.pipeline.prepare(party, lists, sizes, options.inputs)
        return one.shrunk(party, data, noise.digits, noise.least_class)

    shares = [split(upload) for upload in study.uploads()]
    pairs = ((share[Role.P0].words(), share[Role.P1].words()) for share in shares)
    [found] = open_locally(run_local(program, *pairs)).tolist()
    if found != value_before_noise(one, study.pooled()):
        raise RunFailed(f"three parties found another value before the noise ({one.text})")
    return True


def _statistic(study: SimulatedStudy) -> NoisyNumber:
    [one] = study.options.statistics
    assert isinstance(one, NoisyNumber)
    return one


QUICK: Sequence[Settings] = ((CAUCHY, 100, 1.0), ("public scale", 100, 1.0))
