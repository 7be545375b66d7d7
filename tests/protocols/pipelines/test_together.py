"""Several parts in one upload: one bit for all, equal positives in each, and every mixture."""

from __future__ import annotations

import numpy as np
import pytest

from ppaurora.mpc.local import run_local
from ppaurora.mpc.party import Party
from ppaurora.mpc.shares import Shared, share
from ppaurora.mpc.words import Words
from ppaurora.protocols.cost import total_cost
from ppaurora.protocols.disclosure.ledger import ledger
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.evaluate import evaluate
from ppaurora.protocols.lists.verdicts import Findings, Verdicts, judged
from ppaurora.protocols.options import Options
from ppaurora.protocols.pipelines.histogram import Histogram, OwnersSums
from ppaurora.protocols.pipelines.models import Models
from ppaurora.protocols.pipelines.sites import Sites
from ppaurora.protocols.pipelines.sorted_list import NegativesFirst, SortedList
from ppaurora.protocols.pipelines.together import Together
from tests.protocols.studies import Owner, Study, released, run, upload_of

METRICS = ("auroc_ci", "average_precision", "brier", "calibration:bins=4", "confusion:at=0.3")
OPTIONS = Options(metrics=METRICS, merge="network")
OWNERS = (
    Owner([0.9, 0.2, 0.4, 0.4, 0.6], [1, 0, 0, 1, 1]),
    Owner([], []),
    Owner([0.1, 0.7, 0.4, 0.8, 0.3], [0, 1, 1, 1, 0]),
)
PAIRED = tuple(Owner(one.scores, one.labels, one.scores[::-1]) for one in OWNERS)


def alone(study: Study) -> dict[str, str]:
    """The value of each statistic in a study of its own."""
    found: dict[str, str] = {}
    for text in study.options.metrics:
        sorts = Options(metrics=(text,)).pipeline.sorts
        options = Options(metrics=(text,), **({"merge": "network"} if sorts else {}))
        found |= run(Study(study.owners, options)).results
    return found


def test_all_parts_have_the_values_that_they_have_alone_at_the_predicted_cost() -> None:
    metrics = tuple(text for text in METRICS if not text.startswith("calibration"))
    study = Study(OWNERS, Options(metrics=metrics, merge="network"))
    outcome = run(study)
    assert outcome.results == alone(study)
    cost = total_cost(study.options, study.sizes)
    assert (outcome.hops, outcome.payload) == (cost.hops, cost.payload)


def test_two_models_stand_beside_the_sums_of_the_first() -> None:
    metrics = ("auroc_difference", "auroc", "brier", "net_benefit:at=0.25")
    options = Options(metrics=metrics, merge="network")
    assert options.parts == (Models, OwnersSums)
    outcome = run(Study(PAIRED, options))
    assert outcome.results == alone(Study(PAIRED, options))
    cost = total_cost(options, [5, 0, 5])
    assert (outcome.hops, outcome.payload) == (cost.hops, cost.payload)


@pytest.mark.parametrize(
    ("metrics", "more", "parts"),
    [
        (("auroc",), {}, (SortedList,)),
        (("brier",), {}, (OwnersSums,)),
        (("auroc", "brier"), {}, (SortedList, OwnersSums)),
        (("auroc", "brier"), {"resolution": "bins:8"}, (Histogram, OwnersSums)),
        (("auroc", "f1:at=0.5"), {"resolution": "decimals:4"}, (SortedList, OwnersSums)),
        (
            ("auroc", "f1:at=0.5"),
            {"resolution": "decimals:1", "table": "counted"},
            (Histogram, OwnersSums),
        ),
        (("auroc_difference", "aupr"), {}, (Models,)),
        (("auroc_within", "auroc", "brier"), {}, (SortedList, OwnersSums, Sites)),
        (("auroc_within",), {}, (Sites,)),
        (
            ("auroc_dp:epsilon=1,least_class=9", "histogram_dp:epsilon=1,bins=2"),
            {},
            (NegativesFirst, OwnersSums),
        ),
    ],
)
def test_an_upload_has_the_parts_that_are_needed(
    metrics: tuple[str, ...], more: dict[str, str], parts: tuple[type, ...]
) -> None:
    options = Options(metrics=metrics, **more)
    assert options.parts == parts
    assert isinstance(options.pipeline, Together if len(parts) > 1 else parts[0])


def test_folds_of_different_models_stand_beside_nothing() -> None:
    with pytest.raises(OptionRefused, match="lists of different kinds"):
        Options(metrics=("auroc_folds", "brier"), folds=2)


def verdicts(options: Options, uploads: list[Words], sizes: list[int]) -> list[bool]:
    def program(party: Party, *own: Shared) -> list[bool]:
        def findings(places: object) -> Findings:
            return options.pipeline.check(party, own, sizes)

        return judged(party, own, findings, Verdicts({}))

    by_role = run_local(program, *map(share, uploads))
    assert by_role[0] == by_role[1] == by_role[2]
    return by_role[0]


def lies(options: Options, owner: Owner) -> dict[str, Words]:
    """Uploads of which each part is sound by itself, or one is not."""
    n, honest = len(owner.scores), upload_of(owner, options)
    other = list(owner.labels)
    other[other.index(0)] = 1
    turned = upload_of(Owner(owner.scores, other), options)
    exchanged = [1 - label for label in owner.labels]
    swapped = upload_of(Owner(owner.scores, exchanged), options)
    moved = honest.copy()
    moved[n] += np.uint64(1)
    unsorted = honest.copy()
    unsorted[:2] = unsorted[1::-1]
    return {
        "one more positive in the list": np.concatenate([turned[:n], honest[n:]]),
        "one more positive in the sums": np.concatenate([honest[:n], turned[n:]]),
        "exchanged classes in the list": np.concatenate([swapped[:n], honest[n:]]),
        "one more sample in the sums": moved,
        "a list in the wrong order": unsorted,
    }


def test_a_lie_about_one_part_is_found_and_only_that_upload_is_refused() -> None:
    first, last = OWNERS[0], OWNERS[2]
    told = lies(OPTIONS, first)
    uploads = [upload_of(last, OPTIONS), *told.values(), upload_of(first, OPTIONS)]
    found = verdicts(OPTIONS, uploads, [5] * len(uploads))
    assert dict(zip(told, found[1:-1], strict=True)) == dict.fromkeys(told, False)
    assert found[0] is found[-1] is True


def test_the_study_goes_on_without_the_liars_and_says_so() -> None:
    told = lies(OPTIONS, OWNERS[0])
    uploads = [*map(upload_of, OWNERS, [OPTIONS] * 3), *told.values()]
    sizes = [5, 0, 5] + [5] * len(told)
    results = run_local(
        lambda party, *own: evaluate(party, OPTIONS, own, sizes=sizes), *map(share, uploads)
    )
    outcome = released(OPTIONS, results)
    assert outcome.refused == tuple(range(3, 3 + len(told)))
    assert outcome.results == run(Study(OWNERS, OPTIONS)).results


def test_one_bit_an_upload_is_opened_for_all_of_its_parts(opened_verdicts: list[object]) -> None:
    told = lies(OPTIONS, OWNERS[0])
    uploads = [upload_of(OWNERS[0], OPTIONS), told["one more positive in the sums"]]
    verdicts(OPTIONS, uploads, [5, 5])
    assert opened_verdicts == [[1, 0], [1, 0]]


def test_the_ledger_names_all_that_an_upload_must_be() -> None:
    [_, bit, *_] = ledger(OPTIONS, [100] * 3).learns.P0
    assert bit == (
        "for each list one bit: whether it is sorted and in range, made of counts that add up to "
        "the stated number of samples, with equally many positives in each of 2 parts"
    )
