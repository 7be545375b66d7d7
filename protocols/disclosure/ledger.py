"""The ledger: what each role and the receivers learn, for the chosen options and sizes.

Every result carries it. What is not listed here nobody learns, against one corrupted server that
follows the protocol, together with any number of data owners.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TypedDict

from ppaurora.protocols.disclosure.cells import Cells
from ppaurora.protocols.grid.cuts import Cutting
from ppaurora.protocols.options import Options
from ppaurora.protocols.pipelines.classes import CLASS
from ppaurora.protocols.pipelines.models import OTHER_SCORES
from ppaurora.protocols.release.class_counts import FEW_SAMPLES
from ppaurora.protocols.statistics.between_groups import GroupDifference
from ppaurora.protocols.statistics.noisy_number import NoisyNumber
from ppaurora.protocols.statistics.registry import AnyStatistic

ASSUMPTION = (
    "the three servers follow the protocol and at most one of them, together with any number of "
    "data owners, looks at what it sees"
)

DEVIATION = (
    "one server that sends anything it likes, together with any number of data owners, learns "
    "nothing of the other lists before the result is handed out but one bit of its choice about "
    "each upload{runs}, and one more about each in each of at most three sessions that it breaks "
    "off at the verdicts; what it makes of the result together with a receiver is not limited"
)
NO_CLAIM = "nothing is claimed against a server that sends anything it likes: {reasons}"
FIT_TURNED = (
    "{text} opens numbers at each step, and a proxy that steers the steps can make them other sums "
    "over the lists"
)
LEAST_CELL_HOLDS = (
    "at least {least} samples of each class lie between any two thresholds of this study at which "
    "something is released, in every owner's eyes; a threshold with fewer beside it is withheld"
)
STEPS_AGREE = 10
"""Decimals in which fits by opened steps agree, whatever was drawn on the way."""
SHOWN = (
    "if a receiver shows that the runs do not come to the same: both shares of the runs that it "
    "shows, so the released values of each"
)
STOPPED = "if it cheats: whether that stopped the computation, which may tell it one bit each time"


@dataclass(frozen=True, slots=True)
class Public:
    """The public facts: known to everybody before or after the session.

    `options` are those that have a meaning in the study; `fold_sizes` are the sizes of each list's
    folds.
    """

    samples: int
    sizes: tuple[int, ...]
    refused: tuple[int, ...]
    options: Mapping[str, object]
    fold_sizes: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Learns:
    """Sentences on what each party learns beyond its own input and the public facts.

    Onlookers see the encrypted links, or wait for the result; proxies, helper and receivers can be
    onlookers, too.
    """

    P0: tuple[str, ...]
    P1: tuple[str, ...]
    helper: tuple[str, ...]
    receivers: tuple[str, ...]
    owners: tuple[str, ...]
    onlookers: tuple[str, ...]

    def items(self) -> list[tuple[str, tuple[str, ...]]]:
        """Pairs of a party and its facts, in order."""
        return list(asdict(self).items())


class LedgerJson(TypedDict):
    """A ledger as it stands in a result document."""

    assumption: str
    deviation: str
    public: dict[str, object]
    learns: dict[str, list[str]]
    summary: str
    warnings: list[str]


@dataclass(frozen=True, slots=True)
class Ledger:
    """The whole statement; `summary` is a sentence of it for the person who decides."""

    assumption: str
    deviation: str
    public: Public
    learns: Learns
    summary: str
    warnings: tuple[str, ...]

    def to_json(self) -> LedgerJson:
        """The statement as plain lists, dicts and texts."""
        facts = asdict(self.public)
        facts |= facts.pop("options")
        folds = [list(size) for size in facts.pop("fold_sizes")]
        facts |= {"fold_sizes": folds} if folds else {}
        public: dict[str, object] = {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in facts.items()
        }
        return LedgerJson(
            assumption=self.assumption,
            deviation=self.deviation,
            public=public,
            learns={who: list(texts) for who, texts in self.learns.items()},
            summary=self.summary,
            warnings=list(self.warnings),
        )


def ledger(options: Options, sizes: Sequence[int], *, refused: Sequence[int] = ()) -> Ledger:
    """The statement for lists of these public sizes, of which some uploads may have been refused.

    >>> ledger(Options(), [1000, 1000, 1000]).learns.receivers
    ('auroc: the released decimals, and whether the metric is undefined: a class is missing',)
    """
    pipeline = options.pipeline
    uploads = pipeline.of_uploads(sizes)
    counted = [
        size for index, own in enumerate(uploads) if index not in set(refused) for size in own
    ]
    n = sum(counted)
    of_lists = (
        "the number of samples of each list",
        f"for each list one bit: whether it is {pipeline.sound}",
    )
    of_statistics = (
        f"{_named(options, statistic)}: {statistic.proxies_learn(options.decimals)}"
        for statistic in options.asked
        if statistic.proxies_learn(options.decimals)
    )
    proxies = (*of_lists, *pipeline.proxies_learn(), *of_statistics)
    helper = (*of_lists, *pipeline.helper_learns(n, options.inputs), *pipeline.helper_sees())
    if options.covert:
        # every server is each of the three in one of the runs
        proxies = helper = tuple(dict.fromkeys((*proxies, *helper, STOPPED, SHOWN)))
    return Ledger(
        ASSUMPTION,
        deviation(options),
        Public(
            samples=n,
            sizes=tuple(map(sum, uploads)),
            refused=tuple(refused),
            options={one.name: value for one, value in options.chosen},
            fold_sizes=tuple(uploads) if pipeline.folded else (),
        ),
        Learns(
            P0=proxies,
            P1=proxies,
            helper=helper,
            receivers=_receivers(options),
            owners=("which lists were refused",),
            onlookers=pipeline.onlookers_learn(),
        ),
        summary(options, counted),
        warnings(options, counted),
    )


def deviation(options: Options) -> str:
    """The gain of one server that departs from the protocol, or that nothing is claimed.

    The claim holds where nothing but the verdicts on uploads is opened or told: each message to a
    proxy is masked by words that its own do not touch (`ppaurora.protocols.lists.verdicts`,
    docs/THREATS.md).
    """
    fits = (
        FIT_TURNED.format(text=statistic.text)
        for statistic in options.asked
        if statistic.proxies_learn(options.decimals)
    )
    reasons = (*options.pipeline.can_be_turned(), *fits)
    if reasons:
        return NO_CLAIM.format(reasons="; ".join(reasons))
    return DEVIATION.format(runs=" in each of the three runs" if options.covert else "")


def _receivers(options: Options) -> tuple[str, ...]:
    told = [
        f"{_named(options, statistic)}: {statistic.leaks(options.decimals)}"
        for statistic in options.asked
    ]
    if options.privacy is not None and len(told) > 1:
        those = "of those with noise" if options.exact else "all of them together"
        told.append(f"{those}: {options.privacy}")
    return tuple(told)


def _named(options: Options, statistic: AnyStatistic) -> str:
    """The statistic's text, and of which scores and samples it is where there are several."""
    columns, own = options.pipeline.columns, statistic.pipeline.columns
    first = " of the first scores" if OTHER_SCORES in columns and not own else ""
    if CLASS in columns and not own:
        first = f" of {options.classes[0]} against the rest"
    grouped = ""
    if isinstance(statistic, GroupDifference):
        pairs = statistic.pairs_of(options.groups)
        grouped = ", of " + " and of ".join(f"{one} less {other}" for one, other in pairs)
    elif options.groups and statistic.by_group:
        grouped = ", of all samples and of each group"
    return f"{statistic.text}{first}{grouped}"


def _held_beyond(options: Options) -> list[str]:
    """The statistics whose receivers hold more decimals than they are shown."""
    held = [
        (statistic.text, statistic.decimals_held(options.decimals)) for statistic in options.asked
    ]
    return [
        f"{text}: the receivers hold numbers to {decimals} decimals, of which {options.decimals} "
        "are shown"
        for text, decimals in held
        if decimals > options.decimals
    ]


def _each(options: Options, sizes: Sequence[int]) -> list[tuple[str, Cells, list[int]]]:
    """The cells of the whole study and of each group alone, with each owner's samples in it."""
    pipeline = options.pipeline
    groups = [
        (f"in group {name}: ", Cells.of(options, name), pipeline.owners(sizes, name))
        for name in options.groups
    ]
    return [("", Cells.of(options), pipeline.owners(sizes)), *groups]


def _small_cells(cells: Cells, owners: Sequence[int]) -> list[str]:
    """The sentence that counts the released parts that may be small, if there are many."""
    small = cells.small
    if not any(owners) or small <= cells.few(owners):
        return []
    unknown = cells.unknown(owners)
    labels = "every label" if small >= unknown else f"up to {small} labels"
    return [
        f"numbers are released about {small} parts of the samples that may be as small as one: "
        f"they may tell {labels} of the {unknown} samples that are not the largest owner's"
    ]


def _many_digits(cells: Cells, owners: Sequence[int]) -> list[str]:
    """The warning that decimals alone reveal labels, where they are many for few samples."""
    unknown = cells.unknown(owners)
    if not any(owners) or not cells.digits_tell(unknown):
        return []
    return [
        f"{cells.label_digits} decimals are released of numbers that nearly every set of labels "
        f"changes: who knows all scores may compute labels of the {unknown} samples that are not "
        "the largest owner's"
    ]


def summary(options: Options, sizes: Sequence[int]) -> str:
    """A sentence on what the numbers tell beyond themselves, and what to change; or nothing.

    >>> summary(Options(metrics=("auroc_ci",)), [1000, 1000, 1000])
    'Receivers can work out how many samples of each class there are in all (by auroc_ci).'
    """
    owners = [sum(own) for own in options.pipeline.of_uploads(sizes)]
    there = sorted(size for size in owners if size)
    if not there:
        return ""
    if any(
        any(own) and (cells.small > cells.few(own) or cells.digits_tell(cells.unknown(own)))
        for _, cells, own in _each(options, sizes)
    ):
        return (
            "Whoever knows the scores could work out labels of single samples; fewer thresholds, "
            "ranks and decimals, or more samples of each owner, would prevent it."
        )
    if len(there) < 3:
        return (
            "With fewer than three lists, an owner who reads the result can relate it to the other "
            "list; a third owner would prevent it."
        )
    plain = [one for one in options.asked if one.privacy(options.decimals) is None]
    noisy = [one for one in options.asked if isinstance(one, NoisyNumber)]
    telling = [one for one in plain if one.warnings([sum(there)], options.decimals)]
    of_few = [one for one in plain if one.warnings(owners, options.decimals)]
    smallest = f"how many of the {there[0]} samples of the smallest list are positive"
    if telling:
        names = ", ".join(dict.fromkeys(one.name for one in telling))
        counts = "how many samples of each class there are"
        if options.weighted:
            counts = "what the samples of each class weigh"
        told = f"{counts} in all (by {names})"
        if of_few and there[0] < FEW_SAMPLES:
            told += f"; all other owners together could work out roughly {smallest}"
        return f"Receivers can work out {told}."
    if of_few:
        fewer = _decimals_that_tell_nothing(of_few, owners, options.decimals)
        remedy = f"{fewer} decimals" if fewer else "more samples"
        return (
            f"All other owners together could work out roughly {smallest}; {remedy} would "
            "prevent it."
        )
    errors = [one.error(sum(there), options.decimals) for one in noisy]
    return "".join(f"{error}. " for error in errors if error).rstrip()


def _decimals_that_tell_nothing(
    asked: Sequence[AnyStatistic], owners: Sequence[int], decimals: int
) -> int:
    """The most decimals at which none of these statistics warns; 0 if there are none."""
    fine = (d for d in range(decimals - 1, 0, -1) if not any(s.warnings(owners, d) for s in asked))
    return next(fine, 0)


def warnings(options: Options, sizes: Sequence[int]) -> tuple[str, ...]:
    """Warnings where the public sizes make a released number reveal more than it seems to.

    And, in a covert study, what its assurance is and is not.
    """
    pipeline = options.pipeline
    found = [
        text
        for statistic in options.statistics
        for text in statistic.warnings(pipeline.owners(sizes, statistic.group), options.decimals)
    ]
    if len(options.metrics) > 1 and found:
        found.append("several metrics of the same samples tell more together than each by itself")
    found += pipeline.warnings(sizes)
    cut = any(isinstance(one, Cutting) and one.shows_counts for one in options.asked)
    if cut and options.least_cell > 1:
        found.append(LEAST_CELL_HOLDS.format(least=options.least_cell))
    found += _held_beyond(options)
    for where, cells, owners in _each(options, sizes):
        told = _small_cells(cells, owners) + _many_digits(cells, owners)
        if 1 <= sum(size > 0 for size in owners) <= 2:
            told.append(
                "with fewer than three lists, an owner who reads the result can relate it to the "
                "rest"
            )
        found += [f"{where}{text}" for text in told]
    if options.covert:
        found.append(
            "a server that does not follow the protocol has a wrong number released with "
            f"probability 1/{options.dealings} at most; what it can learn is told by itself, and "
            "the receivers are not told which server it was"
        )
        found += [
            f"{statistic.text}: about one of 10^{STEPS_AGREE - options.decimals} computations "
            "stops though no server cheats, since the last digits of its steps depend on chance"
            for statistic in options.asked
            if statistic.steps_by_chance
        ]
    return tuple(found)
