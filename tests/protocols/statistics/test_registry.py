"""A text becomes a statistic: by the name of its file, by an alias, or not at all."""

from __future__ import annotations

import pytest

from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.statistics.registry import statistic, statistics


def test_every_statistic_lies_in_the_file_of_its_name() -> None:
    for name, one in statistics().items():
        assert one.__module__.rpartition(".")[2] == name


def test_an_alias_is_no_other_statistics_name() -> None:
    for kind in statistics().values():
        assert not set(kind.aliases) & set(statistics())


def test_a_name_gives_the_statistic_of_the_list() -> None:
    assert type(statistic("auroc")) is statistics()["auroc"]


@pytest.mark.parametrize("name", ["registry", "statistic", "__init__", "..options", "", "aurocs"])
def test_a_module_that_is_no_statistic_is_refused_as_any_unknown_name(name: str) -> None:
    with pytest.raises(OptionRefused, match="no statistic here"):
        statistic(name)
