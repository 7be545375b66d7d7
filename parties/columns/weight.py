"""The weight with which each sample counts: a number of steps, from 0 to a public largest one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ppaurora.mpc.words import Words
from ppaurora.parties.columns.column import ExtraColumn
from ppaurora.protocols.arithmetic.rounding import decimal
from ppaurora.protocols.errors import DataRefused, Fault
from ppaurora.protocols.option import option
from ppaurora.protocols.options import Options
from ppaurora.protocols.pipelines.weighted import WEIGHT

NUMBER = re.compile(r"[+-]?([0-9]{1,40}(\.[0-9]{0,40})?|\.[0-9]{1,40})([eE][+-]?[0-9]{1,3})?")
NO_NUMBER, NEGATIVE, BETWEEN, BEYOND = (
    "no number",
    "negative",
    "not a multiple of the study's step",
    "more than the study's largest",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightBy(ExtraColumn):
    """The weights of samples; how large they may be, and in which steps, are options.

    A weight never leaves its owner's machine but in two shares; a sample of weight 0 counts as
    none. Nothing is rounded: what is no multiple of the step is refused.

    >>> WeightBy(column="w").column
    'w'
    """

    name: ClassVar[str] = WEIGHT
    heading: ClassVar[str] = "Weights"
    numeric: ClassVar[bool] = False
    decimals: ClassVar[bool] = True
    analysis: ClassVar[str] = ""
    missing: ClassVar[tuple[str, str]] = (
        "must name the column of the weights",
        "Name it (weights.by, or --weight-by).",
    )
    unneeded: ClassVar[tuple[str, str]] = (
        "names the weights of samples, and not how large they may be",
        "Say the largest (weights.most, or --weight-most), and weights.step if they have decimals.",
    )

    column: str = option(
        "",
        "the column of weights; what it holds of a sample stays secret",
        table="weights",
        key="by",
        flag="weight-by",
        applies=lambda by: bool(by.column),
    )

    def check_study(self, options: Options) -> None:
        ExtraColumn.check_study(self, options)
        self._check_from(options.weights_from, options)

    def keys(
        self, values: Any, labels: NDArray[np.uint8], options: Options, shared_key: bytes
    ) -> Words:
        step, most = options.unit or Fraction(1), options.largest_weight
        texts = [str(value) for value in values]
        known = {text: steps_of(text, step, most) for text in set(texts)}
        faults = [
            fault
            for what in (NO_NUMBER, NEGATIVE, BETWEEN, BEYOND)
            if (
                fault := Fault.found(
                    WEIGHT, what, np.array([known[text] == what for text in texts], np.bool_)
                )
            )
        ]
        if faults:
            raise DataRefused(
                f'In column "{self.column}"',
                faults=faults,
                advice=f"Weights are multiples of {decimal(step)} from 0 to {decimal(most * step)} "
                "in this study. Correct these rows or leave them out; nothing is rounded, cut off "
                "or filled in here. If your weights are right, the study needs another step or "
                "largest weight under [weights].",
            )
        return np.array([known[text] for text in texts], np.uint64)


def steps_of(text: str, step: Fraction, most: int) -> int | str:
    """The weight in steps, or what is wrong with it.

    >>> steps_of("0.25", Fraction(1, 100), 1000), steps_of("1e-3", Fraction(1, 100), 1000)
    (25, "not a multiple of the study's step")
    """
    written = text.strip()
    if not NUMBER.fullmatch(written):
        return NO_NUMBER
    steps = Fraction(written) / step
    if steps < 0:
        return NEGATIVE
    if steps.denominator > 1:
        return BETWEEN
    return int(steps) if steps <= most else BEYOND
