"""A difference between two groups is of both, and counts in both."""

from __future__ import annotations

from ppaurora.mpc.cost import Cost
from ppaurora.protocols.disclosure.cells import Cells
from ppaurora.protocols.options import Options
from ppaurora.protocols.statistics.auroc_groups_equal import EqualAreas
from ppaurora.protocols.statistics.between_groups import BetweenGroups, GroupDifference
from ppaurora.protocols.statistics.registry import statistic, statistics

KINDS = [kind for kind in statistics().values() if issubclass(kind, GroupDifference)]


def test_it_is_asked_for_by_the_names_of_both_groups() -> None:
    one = statistic("auroc_groups:level=0.9@over 65@under 65")
    assert one == BetweenGroups(statistic("auroc_groups:level=0.9"), "over 65", "under 65")
    assert one.text == "auroc_groups:level=0.9@over 65@under 65"
    assert one.groups == ("over 65", "under 65")
    assert one.title.endswith(", of group over 65 less group under 65")


def test_all_of_them_compare_groups_and_cost_nothing_without_one() -> None:
    assert KINDS
    for kind in statistics().values():
        assert kind.compares_groups == issubclass(kind, (GroupDifference, EqualAreas))
    one = BetweenGroups(statistic("auroc_groups"), "b", "a")
    assert one.cost_of((0, 10), 4) == one.cost_of((10, 0), 4) == Cost()
    words = one.plaintext_words((None, None), 4)
    assert one.decode(words, 4).undefined


def test_it_counts_in_each_of_its_groups_and_in_no_other() -> None:
    options = Options(
        metrics=("auroc_groups", "auroc_groups:level=0.9"), groups=("a", "b", "c"), least_cell=1
    )
    # two settings of one number, in each pair that the group is in
    settings = {group: len(Cells.of(options, group).settings) for group in options.groups}
    assert settings == {"a": 4, "b": 2, "c": 2}
