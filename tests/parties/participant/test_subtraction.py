"""No small part of the samples comes out of what an owner's data set released, whoever subtracts.

The attacker has every count that studies over the same lists released: at the cuts of all samples
and of each group, of each study that an owner's record of cuts let through. It knows the rows of
one owner. It subtracts everything from everything: a cut from a cut, a group from the whole or
from other groups, one study's counts from another's, and its own rows from what is left. No part
of 1 to least - 1 samples of a class may come out, nor one that has samples of one class alone.

Statistics of folds cut nowhere: there is nothing of folds to subtract.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from ppaurora.mpc.streams import KEY_BYTES
from ppaurora.mpc.words import Words
from ppaurora.parties.columns.fold import FoldBy
from ppaurora.parties.columns.group import GroupBy
from ppaurora.parties.participant.cuts_sent import StudyCuts
from ppaurora.parties.study.study import Study
from ppaurora.protocols.grid.cuts import Cutting
from ppaurora.protocols.lists.scale import encode
from ppaurora.protocols.options import Options
from ppaurora.protocols.pipelines.histogram import OwnersSums
from ppaurora.protocols.ranking.binned import PooledBins
from tests.parties.sample import study
from tests.protocols.studies import Owner

GROUPS = ("f", "m", "x")
HUNDREDTHS = 100
MOST = 150
Generator = np.random.Generator
STEPS = HUNDREDTHS + 1
Part = int
"""Cells of the samples, a bit for each group and step of the score."""


@dataclass(frozen=True)
class World:
    """The lists of all owners, and the groups of their rows."""

    owners: tuple[Owner, ...]
    groups: int

    @classmethod
    def drawn(cls, rng: Generator) -> World:
        groups = int(rng.choice([1, 1, 2, 3]))
        chances = rng.dirichlet(np.ones(groups) * rng.choice([1, 10]))
        steps = np.sort(rng.choice(HUNDREDTHS - 1, int(rng.integers(3, 20)), replace=False) + 1)
        # some of the steps have few samples of a class
        laws = rng.dirichlet(np.ones(len(steps)) * rng.choice([0.4, 2]), 2)
        lists = []
        for _ in range(int(rng.integers(1, 5))):
            n = int(rng.choice([10, 100, 400]))
            labels = (rng.random(n) < rng.choice([0.2, 0.5])).astype(int)
            drawn = [rng.choice(steps, n, p=law) for law in laws]
            scores = np.where(labels == 1, drawn[1], drawn[0]) / HUNDREDTHS
            parts = rng.choice(groups, n, p=chances)
            lists.append(Owner(scores.tolist(), labels.tolist(), parts=parts.tolist()))
        return cls(tuple(lists), groups)

    def counts(self, own: Owner) -> np.ndarray[Any, Any]:
        """The samples of an owner by class, group and step."""
        found = np.zeros((2, self.groups, STEPS), int)
        steps = np.rint(np.array(own.scores) * HUNDREDTHS).astype(int)
        np.add.at(found, (np.array(own.labels), np.array(own.parts), steps), 1)
        return found


def asked(rng: Generator, world: World, steps: list[int]) -> Options:
    """A study at some thresholds, named or of equal parts, of all samples or of groups too."""
    named = sorted(rng.choice(steps, int(rng.integers(1, min(6, len(steps)) + 1)), replace=False))
    at = "/".join(str(step / HUNDREDTHS) for step in named)
    texts = [f"{rng.choice(['confusion', 'ppv'])}:at={at}"]
    if rng.integers(2):
        texts.append(f"roc_curve:points={rng.choice([2, 4, 5, 10])}")
    if rng.integers(3) == 0:
        texts = texts[1:] or texts
    in_groups = world.groups > 1 and bool(rng.integers(3))
    return Options(
        metrics=(*texts, "class_counts"),
        resolution="decimals:2",
        least_cell=int(rng.integers(2, 7)),
        groups=GROUPS[: world.groups] if in_groups else (),
    )


def again(rng: Generator, world: World, first: Options) -> Options:
    """A later study: the same cuts by another way, fewer, more, or other groups."""
    places = {at for one in first.statistics if isinstance(one, Cutting) for at in one.thresholds()}
    named = "/".join(str(float(at)) for at in sorted(places))
    match int(rng.integers(4)):
        case 0:
            return replace(first, metrics=(f"confusion:at={named}", "class_counts"))
        case 1:
            fewer = (first.metrics[0], "class_counts")
            return replace(first, metrics=fewer)
        case 2:
            others = () if first.groups or world.groups == 1 else GROUPS[: world.groups]
            return replace(first, groups=others)
        case _:
            return replace(asked(rng, world, [*range(1, HUNDREDTHS)]), least_cell=first.least_cell)


def as_study(options: Options) -> Study:
    extra = (GroupBy(column="sex"),) if options.groups else ()
    return replace(study(), options=options, extra=extra)


def released(options: Options, world: World) -> Iterator[Part]:
    """The parts of the samples of which a study releases both counts."""
    pipeline = options.pipeline
    uploads: list[Words] = []
    sizes: list[int] = []
    for own in world.owners:
        keys = [encode(np.array(own.scores), np.array(own.labels), options.scale)]
        if options.groups:
            keys.append(np.array(own.parts, np.uint64))
        uploads.append(pipeline.repeatable(keys, bytes(KEY_BYTES)))
        sizes += pipeline.sizes(keys)
    pooled = pipeline.plaintext(uploads, sizes)
    cutting = [one for one in options.statistics if isinstance(one, Cutting)]
    for group in ("", *options.groups):
        data = pipeline.part(OwnersSums, pooled, group)
        if data is None:
            continue
        assert isinstance(data, PooledBins)
        inside = [GROUPS.index(group)] if group else [*range(world.groups)]
        for at in {at for one in cutting for at in one.thresholds()}:
            if data.above(at) is not None:
                yield part_above(inside, int(at * HUNDREDTHS))
        if len(data.positives) in data.shown:
            yield part_above(inside, 0)


def part_above(groups: list[int], lowest: int) -> Part:
    """The cells of some groups from a step on."""
    above = (1 << STEPS) - (1 << lowest)
    return sum(above << group * STEPS for group in groups)


def differences(told: set[Part]) -> set[Part]:
    """All that is told, each less each in it, and once more: a group's rest between cuts."""
    apart = {one for one in told if one}
    for _ in range(2):
        ordered = sorted(apart, key=int.bit_count)[:MOST]
        apart |= {
            large ^ small for small, large in combinations(ordered, 2) if small & large == small
        }
    return apart - {0}


def small_parts(world: World, told: set[Part], least: int) -> list[tuple[int, int]]:
    """The small parts that come out when everything is subtracted from everything."""
    tables = [world.counts(own).reshape(2, -1) for own in world.owners]
    together = sum(tables, np.zeros_like(tables[0]))
    eyes = [together, *(together - one for one in tables if len(tables) > 1)]
    apart = differences(told)
    cells = np.array([[part >> k & 1 for k in range(together.shape[1])] for part in apart])
    found = []
    for seen in eyes:
        negatives, positives = seen @ cells.T
        small = (np.minimum(negatives, positives) < least) & (negatives + positives > 0)
        found += [*zip(positives[small].tolist(), negatives[small].tolist(), strict=True)]
    return found


def attacked(seed: int, *, remembers: bool = True) -> tuple[int, int, int]:
    """Small parts, cuts shown, and later studies that were let through, of one drawn data set."""
    rng = np.random.default_rng(seed)
    world = World.drawn(rng)
    scores = {score for own in world.owners for score in own.scores}
    steps = sorted({max(1, min(HUNDREDTHS - 1, round(score * HUNDREDTHS))) for score in scores})
    first = asked(rng, world, steps)
    told = set(released(first, world))
    before, later = StudyCuts.of(as_study(first)), 0
    for _ in range(3):
        other = again(rng, world, first)
        if not remembers or before.allows(StudyCuts.of(as_study(other))):
            told |= set(released(other, world))
            later += 1
    small = len(small_parts(world, told, first.least_cell)) if told else 0
    return small, len(told), later


def check(seeds: range) -> None:
    found = [attacked(seed) for seed in seeds]
    small = [seed for seed, (parts, _, _) in zip(seeds, found, strict=True) if parts]
    assert not small
    assert sum(shown for _, shown, _ in found) > len(seeds)
    assert sum(later for *_, later in found) > len(seeds) // 2


def test_no_small_part_comes_out_of_a_sample_of_data_sets() -> None:
    check(range(60))


@pytest.mark.soak
@pytest.mark.parametrize("part", range(50))
def test_no_small_part_comes_out_of_five_thousand_data_sets(part: int) -> None:
    check(range(1000 + 100 * part, 1100 + 100 * part))


def test_small_parts_come_out_where_no_record_of_cuts_is_kept() -> None:
    """The attack finds what it looks for."""
    assert sum(attacked(seed, remembers=False)[0] > 0 for seed in range(25)) > 3


def test_counts_in_folds_are_others_than_those_of_all_rows_or_other_folds() -> None:
    """The least cell of folds holds in each of them, so that other cuts are withheld."""

    def cuts(folds: int, column: str = "patient") -> StudyCuts:
        metric = "mean_folds:of=accuracy:at=0.5" if folds else "accuracy:at=0.5"
        by = (FoldBy(column=column, key=64 * "a"),) if folds else ()
        return StudyCuts.of(study(options=Options(metrics=(metric,), folds=folds), extra=by))

    assert cuts(5).allows(cuts(5))
    for other in (cuts(0), cuts(4), cuts(5, "stay")):
        assert not cuts(5).allows(other)
        assert not other.allows(cuts(5))
