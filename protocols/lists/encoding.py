"""Scores and labels as sortable keys: key = 2·code(score) + label.

The code is an order-preserving map of the scores of a study into [0, 2^62)
(`ppaurora.protocols.lists.scale`), so a key is below 2^63 and a difference of two keys has an exact
sign. The label rides in the lowest bit: the sort moves one word, and in a tie the positives come
first. What the study's scale does not hold is refused with its data rows. Runs at the data owner
alone: nothing leaks.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ppaurora.mpc.words import Words, blocks
from ppaurora.protocols.errors import DataRefused, Fault
from ppaurora.protocols.lists.scale import Scale

Doubles: TypeAlias = "NDArray[np.float64]"
Mask: TypeAlias = "NDArray[np.bool_]"


def encode(scores: ArrayLike, labels: ArrayLike, scale: Scale) -> Words:
    """The keys of one list of doubles and of labels 0 and 1, in the order of its rows.

    Nothing is guessed: what is not exactly that is refused.
    """
    single = np.asarray(scores).dtype == np.float32
    x, y = _doubles(scores), _labels(labels)
    if x.size != y.size:
        raise DataRefused(
            f"the list has {x.size} scores and {y.size} labels",
            advice="Give every score its label.",
        )
    faults = [*unheld_scores(x, scale, single=single), *_unknown_labels(y)]
    if faults:
        raise DataRefused(
            "the list cannot be encoded",
            faults=faults,
            advice="Correct these rows; nothing of the list was used.",
        )
    keys = np.empty(x.size, np.uint64)
    for rows in blocks(x.size):
        # key = 2·code + label
        keys[rows] = 2 * scale.codes(x[rows]) + y[rows].astype(np.uint64)
    return keys


def decode(keys: Words, scale: Scale) -> tuple[Doubles, Words]:
    """The canonical scores and the labels behind keys."""
    return scale.scores(keys >> np.uint64(1)), keys & np.uint64(1)


def _doubles(scores: ArrayLike) -> Doubles:
    """The scores as doubles, from any type of which a double holds every value."""
    array = _one_dimension("score", scores)
    kind, size = array.dtype.kind, array.dtype.itemsize
    if array.size and not (kind == "f" and size <= 8) and not (kind in "iu" and size < 8):
        raise DataRefused(
            f"the scores are of type {array.dtype}",
            advice="Give them as doubles (numpy's float64).",
        )
    return array.astype(np.float64, copy=False)


def _labels(labels: ArrayLike) -> NDArray[np.generic]:
    array = _one_dimension("label", labels)
    if array.size and array.dtype.kind not in "biuf":
        raise DataRefused(
            f"the labels are of type {array.dtype}",
            advice="Give 1 for the positive class and 0 for the negative one.",
        )
    return array


def _one_dimension(column: str, values: ArrayLike) -> NDArray[np.generic]:
    array = np.asarray(values)
    if array.ndim != 1:
        raise DataRefused(
            f"the {column}s have {array.ndim} dimensions", advice="Give one value for each row."
        )
    return array


def unheld_scores(x: Doubles, scale: Scale, *, single: bool = False) -> list[Fault]:
    """The scores that the scale does not hold, by kind; a row counts for its first kind only.

    `single` says that they come from a column of float32.
    """
    missing, infinite, outside, fine = (np.zeros(x.size, np.bool_) for _ in range(4))
    for rows in blocks(x.size):
        part = x[rows]
        with np.errstate(invalid="ignore", over="ignore"):
            held = scale.within(part)
        if not held.all():
            missing[rows], infinite[rows] = np.isnan(part), np.isinf(part)
            outside[rows] = ~held & ~missing[rows] & ~infinite[rows]
        fine[rows][held] = ~scale.fits(part[held], single=single)
    kinds = {
        "missing or not a number": missing,
        "infinite": infinite,
        scale.outside: outside,
        scale.too_fine: fine,
    }
    found = (Fault.found("score", what, faulty) for what, faulty in kinds.items())
    return [fault for fault in found if fault is not None]


def _unknown_labels(y: NDArray[np.generic]) -> list[Fault]:
    fault = Fault.found("label", "neither 0 nor 1", np.asarray((y != 0) & (y != 1), np.bool_))
    return [] if fault is None else [fault]
