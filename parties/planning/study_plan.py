"""A study before there is data: widths, cost and disclosure for so many samples."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from ppaurora.parties.errors import ConfigurationError
from ppaurora.parties.planning.sample_size import Expected, Width
from ppaurora.parties.study.parts import Rule, content_of_options
from ppaurora.protocols.analyses.analysis import analyses
from ppaurora.protocols.cost import expected_seconds, total_cost
from ppaurora.protocols.disclosure.ledger import ledger
from ppaurora.protocols.evaluate import check_bounds
from ppaurora.protocols.options import Options

PROCESS_BYTES, BYTES_FOR_A_WORD = 60_000_000, 320
"""Memory of the largest party in measured studies with DeLong's interval (RESULTS.md), rounded up:
of its process, and for each word of the uploads. The AUROC alone takes half as much for a word."""


@dataclass(frozen=True, slots=True)
class StudyPlan:
    """All that is known of a study of so many samples, spread evenly over its owners.

    `merge` is the sort that suits sizes and network, None where nothing is sorted; `payload` are
    bytes on all links together, `memory` those of one server. `told` has what the receivers learn,
    `summary` the ledger's sentence for these sizes; by the `rule` no fewer samples are computed
    with.
    """

    samples: int
    positives: int
    sizes: tuple[int, ...]
    level: float
    widths: tuple[Width, ...]
    merge: str | None
    hops: int
    payload: int
    memory: int
    seconds: float
    told: tuple[str, ...]
    summary: str
    rule: Rule

    @classmethod
    def of(cls, expected: Expected, options: Options, samples: int, owners: int) -> StudyPlan:
        """The plan for these options, whose conditions are the network between the servers.

        >>> plan = StudyPlan.of(Expected(0.8, 0.1), Options(analysis="validation"), 1135, 8)
        >>> plan.sizes, plan.merge
        ((142, 142, 142, 142, 142, 142, 142, 141), 'shuffled')
        """
        positives, negatives = expected.classes(samples)
        if samples < owners or not positives or not negatives:
            why = f"fewer than the {owners} owners" if samples < owners else "all of one class"
            raise ConfigurationError(
                f"{samples} samples would be {why}", advice="Take more samples, or fewer owners."
            )
        sizes, pipeline = _even(samples, owners), options.pipeline
        lists = [one for size in sizes for one in _even(size, pipeline.lists_each)]
        check_bounds(options, lists)
        spent, disclosed = total_cost(options, lists), ledger(options, lists)
        analysis = analyses().get(options.analysis)
        return cls(
            samples,
            positives,
            sizes,
            expected.level,
            expected.widths(samples),
            pipeline.merge(lists),
            spent.hops,
            spent.payload,
            PROCESS_BYTES + BYTES_FOR_A_WORD * sum(map(pipeline.words, sizes)),
            expected_seconds(options, lists),
            (analysis.tells,) if analysis else disclosed.learns.receivers,
            disclosed.summary,
            Rule(
                least_owners=min(Rule().least_owners, owners),
                least_samples=samples,
                least_list=min(Rule().least_list, sizes[-1]),
            ),
        )

    def to_json(self) -> dict[str, Any]:
        """The plan as plain lists, dicts and texts; the rule as study.toml has it."""
        return asdict(self) | content_of_options([self.rule])


def _even(samples: int, parts: int) -> tuple[int, ...]:
    """So many samples in parts that differ by one at most, the larger ones first."""
    return tuple((samples + parts - 1 - part) // parts for part in range(parts))
