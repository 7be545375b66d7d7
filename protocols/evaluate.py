"""The whole computation: from outsourced lists to the shares of each released number.

[ppAURORA, section 4]: check the lists, merge them, find the ties, compute each metric, divide.
Every role runs this same program; the sort, the ties and the scan run once, however many metrics
are asked for. What is released is shared until the receivers put it together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import divide, undefined
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.protocols.arithmetic.ratio import Ratio
from ppaurora.protocols.bounds import check_bounds
from ppaurora.protocols.lists.check import check_lists
from ppaurora.protocols.lists.encoding import code_named
from ppaurora.protocols.options import Options
from ppaurora.protocols.ranking.labels import Groups, groups, labels
from ppaurora.protocols.ranking.ties import ties
from ppaurora.protocols.sorting.delta import delta_sort
from ppaurora.protocols.sorting.network import network_sort
from ppaurora.protocols.statistics.catalogue import metrics_named


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What a party holds at the end: a share of each result, and which lists were refused.

    `results` has one released word for each metric, shared (see `release`); `refused` the indices
    of lists that were not sorted or out of range, and are in no result; `samples` the public number
    of samples that are.
    """

    results: dict[str, Shared]
    refused: tuple[int, ...]
    samples: int


def evaluate(
    party: Party, options: Options, lists: Sequence[Shared], *, check: bool = True
) -> Evaluation:
    """Every metric of `options` over all `lists` together; their sizes are public.

    `check=False` leaves out the check of the lists, where the servers made them themselves.
    """
    check_bounds(options, [len(keys) for keys in lists])
    fine = [True] * len(lists)
    if check:
        with party.phase("check"):
            fine = check_lists(party, lists, largest_key=code_named(options.code).largest_key)
    accepted = [keys for keys, is_fine in zip(lists, fine, strict=True) if is_fine]
    refused = tuple(index for index, is_fine in enumerate(fine) if not is_fine)
    samples = sum(map(len, accepted))
    if samples == 0:
        nothing = Shared.public(party.role, [undefined(options.decimals)])
        return Evaluation(dict.fromkeys(options.metrics, nothing), refused, 0)
    with party.phase("sort"):
        keys = sort(party, options, accepted)
    ratios = measure(party, options, keys)
    with party.phase("division"):
        results = released(party, ratios, options.decimals)
    return Evaluation(dict(zip(options.metrics, results, strict=True)), refused, samples)


def sort(party: Party, options: Options, lists: Sequence[Shared]) -> Shared:
    """All keys, descending, by the study's merge."""
    if options.merge == "network":
        return network_sort(party, lists)
    return delta_sort(party, lists, δ=options.delta)


def measure(party: Party, options: Options, keys: Shared) -> list[Ratio]:
    """The ratio of each metric on the sorted keys."""
    metrics = metrics_named(options.metrics)
    of: Groups | None = None
    with party.phase("ties"):
        marked = labels(party, keys)
        if options.needs_ties:
            con = ties(party, keys, marked.y, way=options.ties)
            of = groups(party, marked, con, both_ways=any(metric.needs_next for metric in metrics))
    ratios = []
    for metric in metrics:
        with party.phase(metric.name):
            ratios.append(metric.ratio(party, marked, of))
    return ratios


def released(party: Party, ratios: Sequence[Ratio], decimals: int) -> list[Shared]:
    """round_half_up(10^decimals · N/D) of each, by one division; `undefined` where D = 0."""
    quotients = divide(
        party,
        concatenate(ratio.N for ratio in ratios),
        concatenate(ratio.D for ratio in ratios),
        digits=decimals,
        bound=max(ratio.bound for ratio in ratios),
    )
    return [quotients[index : index + 1] for index in range(len(ratios))]
