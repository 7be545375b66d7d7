"""The whole computation: from outsourced lists to the shares of each released number.

[ppAURORA, section 4]: check the uploads, prepare what the statistics are computed from (merge the
lists, find the ties), compute every statistic. Every role runs this same program; what several
statistics need is prepared once, and they share their hops. What waits neither for a sort nor for
ties runs beside these (`ppaurora.protocols.prepared`). Results stay shared until the receivers put
them together.

Limits of the exact arithmetic: studies whose sizes exceed them are refused before they run.

Words live mod 2^64 and comparisons need |x| < 2^63. Every statistic states what it holds; the
runtime itself holds positions below 2^31.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from ppaurora.mpc.committed import HelperProgram
from ppaurora.mpc.errors import BoundExceeded
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import undefined
from ppaurora.mpc.role import Role
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.side_by_side import side_by_side
from ppaurora.protocols.cost import STATISTICS_PHASE
from ppaurora.protocols.errors import ListsRefused
from ppaurora.protocols.lists.verdicts import Findings, Verdicts, judged
from ppaurora.protocols.options import Options
from ppaurora.protocols.prepared import Branch, branches, data_of
from ppaurora.protocols.statistics.registry import AnyStatistic
from ppaurora.protocols.statistics.statistic import MOST_SAMPLES

STREAM = "released"


def freshly_shared(party: Party, x: Shared) -> Shared:
    """The same secret words in new shares; call it once for each vector that is released.

    A share of a result that a proxy has computed still depends on what it was computed from: P0's
    is a sum of terms e + (1 - 2e)·λ0 whose λ0 the helper dealt. The helper and a receiver, who sees
    both shares, would read the digits before their carry from it. So P0 adds and P1 subtracts a
    stream that only they share: what leaves them is uniformly random but for its sum. No message.
    """
    party.step()
    if party.is_helper:
        return x
    mask = party.common(party.unique_name(STREAM)).words(len(x))
    words = x.words + mask if party.role is Role.P0 else x.words - mask
    return Shared.from_words(party.role, words)


NOTHING_KNOWN = Verdicts({})


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The output at one party: a share of each result, and the indices of refused lists.

    `results` has the released words of each statistic, shared, by the text that asked for it;
    `refused` the indices of uploads that were not sound, and are in no result; `samples` the public
    number of samples that are.
    """

    results: dict[str, Shared]
    refused: tuple[int, ...]
    samples: int


def evaluate(
    party: Party,
    options: Options,
    uploads: Sequence[Shared],
    *,
    sizes: Sequence[int] | None = None,
    check: bool = True,
    verdicts: Verdicts = NOTHING_KNOWN,
) -> Evaluation:
    """Every statistic of `options` over all uploads together.

    `sizes` are the public numbers of samples, list by list: in a study of folds an upload is made
    of several. Without them an upload is one list, with one word a sample.
    `verdicts` are those of sessions before, and keep what is found; see `judged`.
    `check=False` leaves out the check of the uploads, where the servers made them themselves.
    A covert computation is of sound lists only, and raises `ListsRefused` where one is not.
    """
    sizes = [len(upload) for upload in uploads] if sizes is None else sizes
    check_bounds(options, sizes)
    pipeline = options.pipeline
    by_upload = pipeline.of_uploads(sizes)

    def findings(places: Sequence[int]) -> Findings:
        own = [size for place in places for size in by_upload[place]]
        return pipeline.check(party, [uploads[place] for place in places], own)

    sound = [True] * len(uploads)
    with party.phase("check"):
        uploads = pipeline.lifted(party, uploads, sizes)
        if check:
            sound = judged(party, uploads, findings, verdicts)
    accepted = [upload for upload, is_sound in zip(uploads, sound, strict=True) if is_sound]
    counted = [
        size for own, is_sound in zip(by_upload, sound, strict=True) if is_sound for size in own
    ]
    refused = tuple(index for index, is_sound in enumerate(sound) if not is_sound)
    if refused and options.covert:
        raise ListsRefused(refused)
    samples = sum(counted)
    if samples == 0:
        return Evaluation(_nothing(party, options), refused, 0)
    found = _computed(party, options, accepted, counted)
    fresh = [freshly_shared(party, found[one]) for one in options.statistics]
    return Evaluation(dict(zip(options.texts, fresh, strict=True)), refused, samples)


def _computed(
    party: Party, options: Options, uploads: Sequence[Shared], sizes: Sequence[int]
) -> dict[AnyStatistic, Shared]:
    """The words of each statistic, branch beside branch; the first one names the phases."""
    first, *others = branches(options)
    found: dict[AnyStatistic, Shared] = {}

    def compute(own: Party, branch: Branch, data: Sequence[Any]) -> None:
        programs: list[Callable[[Party], Shared]] = [
            partial(one.private, data=of, decimals=options.decimals)
            for one, of in zip(branch.statistics, data, strict=True)
        ]
        found.update(zip(branch.statistics, side_by_side(own, programs), strict=True))

    def prepared(own: Party, branch: Branch) -> Any:
        return branch.pipeline.prepare(own, uploads, sizes, branch.inputs)

    def leading(own: Party) -> None:
        data = data_of(own, options, first, prepared(own, first))
        with own.phase(STATISTICS_PHASE):
            compute(own, first, data)
            while len(found) < len(options.statistics):
                own.end_round()

    def beside(own: Party, branch: Branch) -> None:
        compute(own, branch, branch.data(prepared(own, branch)))

    programs: list[Callable[[Party], None]] = [leading]
    programs += [partial(beside, branch=branch) for branch in others]
    side_by_side(party, programs, led=True)
    return found


def helpers_part(
    options: Options,
    lengths: Sequence[int],
    *,
    sizes: Sequence[int],
    check: bool = True,
    verdicts: Verdicts = NOTHING_KNOWN,
) -> HelperProgram:
    """`evaluate` as the helper runs it, for uploads of so many words: what a dealing follows from.

    It needs no share, so every server can run it to see what the helper must have dealt.
    """

    def program(party: Party) -> Evaluation:
        uploads = [*map(Shared.absent, lengths)]
        return evaluate(party, options, uploads, sizes=sizes, check=check, verdicts=verdicts)

    return program


def _nothing(party: Party, options: Options) -> dict[str, Shared]:
    """Words in place of results, where there are no samples."""
    word = undefined(options.decimals)
    return {
        text: Shared.public(party.role, [word] * one.words(options.decimals))
        for text, one in zip(options.texts, options.statistics, strict=True)
    }


def most_samples(options: Options) -> int:
    """The most samples for which every statistic of the study holds.

    >>> most_samples(Options(metrics=("auroc",)))
    937238701
    """
    most = min(statistic.most_samples(options.decimals) for statistic in options.asked)
    return min(most, MOST_SAMPLES) // options.largest_weight


def check_bounds(options: Options, sizes: Sequence[int]) -> None:
    """Refuse sizes that the options cannot hold, naming the bound."""
    if any(size < 0 for size in sizes):
        raise BoundExceeded("a list has a negative size")
    n = sum(sizes)
    if n * options.largest_weight > MOST_SAMPLES and options.weighted:
        raise BoundExceeded(
            f"{n} samples with weights of up to {options.largest_weight} steps may weigh "
            f"{n * options.largest_weight} steps in all, more than the {MOST_SAMPLES} that the "
            "arithmetic holds",
            advice="Take a larger step or a smaller largest weight, or evaluate fewer samples.",
        )
    if n > MOST_SAMPLES:
        raise BoundExceeded(
            f"{n} samples in all are more than the {MOST_SAMPLES} that the runtime holds",
            advice="Evaluate fewer samples.",
        )
    options.pipeline.check_sizes(sizes)
    for statistic in options.asked:
        if n and not statistic.fits(n * options.largest_weight, options.decimals):
            most = statistic.most_samples(options.decimals) // options.largest_weight
            raise BoundExceeded(
                f"{n} samples in all are more than the {most} for which {statistic.text} can be "
                f"released correctly to {options.decimals} decimals",
                advice="Release fewer decimals, leave this metric out, or evaluate fewer samples.",
            )
