"""Options are checked when made, and say what is wrong."""

from dataclasses import FrozenInstanceError

import pytest

from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.options import Options


@pytest.mark.parametrize(
    ("option", "wrong"),
    [
        ("metrics", ()),
        ("metrics", ("auroc", "f1")),
        ("metrics", ("auroc", "auroc")),
        ("decimals", 0),
        ("decimals", 16),
        ("decimals", True),
        ("merge", "bubble"),
        ("ties", "none"),
        ("code", "float"),
    ],
)
def test_a_wrong_option_is_refused_by_name(option, wrong):
    with pytest.raises(OptionRefused) as caught:
        Options(**{option: wrong})
    assert caught.value.option == option


@pytest.mark.parametrize("delta", [0, 2, -1, 2.0])
def test_delta_is_odd_and_positive(delta):
    with pytest.raises(OptionRefused, match="odd"):
        Options(merge="delta", delta=delta)


def test_delta_belongs_to_its_merge():
    with pytest.raises(OptionRefused):
        Options(merge="network", delta=3)


def test_two_texts_that_mean_the_same_are_refused():
    with pytest.raises(OptionRefused, match="twice"):
        Options(metrics=("auroc", "auroc"))


def test_what_is_close_is_offered():
    with pytest.raises(OptionRefused, match='Did you mean "network"'):
        Options(merge="netwrok")
    with pytest.raises(OptionRefused, match='Did you mean "average_precision"'):
        Options(metrics=("averageprecision",))


def test_the_usual_options_leak_nothing_but_the_result():
    options = Options()
    assert (options.merge, options.ties, options.decimals) == ("network", "compare", 4)


def test_options_are_frozen():
    with pytest.raises(FrozenInstanceError):
        Options().decimals = 5
