"""A statistic of one group is that of all samples, over the group's data."""

from __future__ import annotations

import pytest

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.errors import RemoteProtocolError
from ppaurora.protocols.statistics.in_group import InGroup
from ppaurora.protocols.statistics.registry import statistic, statistics


def test_it_is_asked_for_by_the_name_of_its_group() -> None:
    one = statistic("auroc_ci:level=0.9@over 65")
    assert one == InGroup(statistic("auroc_ci:level=0.9"), "over 65")
    assert (one.text, one.group, one.name) == ("auroc_ci:level=0.9@over 65", "over 65", "auroc_ci")
    assert one.title.endswith(", in group over 65")


def test_it_is_what_its_statistic_is_for_every_statistic() -> None:
    for kind in statistics().values():
        if kind.usage() != kind.name:
            continue
        of = statistic(kind.name)
        one = InGroup(of, "a")
        for name in ("kind", "pipeline", "inputs", "undefined", "topic", "reference", "source"):
            assert getattr(one, name) == getattr(of, name)
        assert one.words(4) == 1 + of.words(4)
        assert one.label_digits(4) == of.label_digits(4)
        assert one.privacy(4) == of.privacy(4)
        assert str(one.value_without_samples()) == str(of.value_without_samples())


def test_a_group_without_samples_has_no_number_and_costs_nothing() -> None:
    for text in ("auroc@a", "observed_expected@a", "confusion:at=0.5@a"):
        one = statistic(text)
        assert one.decode(one.plaintext_words(None, 4), 4) == one.value_without_samples()
        assert one.cost(0, 4) == Cost()
    with pytest.raises(RemoteProtocolError):
        one.decode([2, *[0] * (one.words(4) - 1)], 4)


def test_its_readings_are_of_its_group() -> None:
    of, one = (statistic(text) for text in ("recall_at_top:k=1/2", "recall_at_top:k=1/2@a"))
    assert of.readings()
    assert one.readings().isdisjoint(of.readings())
