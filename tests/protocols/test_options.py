"""Options are checked when made, and say what is wrong."""

import re
from dataclasses import FrozenInstanceError

import pytest
import sklearn.metrics

from ppaurora.protocols.disclosure.ledger import ledger
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.options import Options
from ppaurora.protocols.statistics.registry import statistics


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


@pytest.mark.parametrize("delta", [0, 2, -1, 2.0, True])
def test_delta_is_odd_and_positive(delta):
    with pytest.raises(OptionRefused, match="odd") as caught:
        Options(merge="delta", delta=delta)
    assert caught.value.option == "delta"


def test_delta_belongs_to_its_merge():
    with pytest.raises(OptionRefused, match='belongs to the merge "delta" only') as caught:
        Options(merge="network", delta=3)
    assert caught.value.option == "delta"
    assert Options(merge="delta", delta=3).delta == 3


def test_two_texts_that_mean_the_same_are_refused():
    with pytest.raises(OptionRefused, match="twice"):
        Options(metrics=("auroc", "auroc"))


def test_what_is_close_is_offered():
    with pytest.raises(OptionRefused, match='Did you mean "network"'):
        Options(merge="netwrok")
    with pytest.raises(OptionRefused, match='Did you mean "average_precision"'):
        Options(metrics=("averageprecision",))


@pytest.mark.parametrize("choice", [{"merge": "delta", "delta": 3}, {"ties": "helper"}])
def test_the_network_shows_less_than_any_other_choice(choice):
    usual, other = (
        {who: set(texts) for who, texts in ledger(options, [100] * 3).learns.items()}
        for options in (Options(merge="network"), Options(**{"merge": "network", **choice}))
    )
    assert all(usual[who] <= other[who] for who in usual)
    assert usual != other


def test_options_are_frozen():
    with pytest.raises(FrozenInstanceError):
        Options().decimals = 5


def test_the_groups_of_ties_are_asked_for_if_any_metric_needs_them():
    assert not Options(("auroc_no_ties",)).inputs
    assert Options(("auroc_no_ties", "aupr")).inputs


@pytest.mark.parametrize("name", statistics())
def test_the_names_that_scikit_learn_has_for_a_metric_are_functions_there(name):
    known_as = statistics()[name].known_as
    if "scikit-learn" in known_as:
        named = re.findall(r"\bauc\b|\w+_score\b|\w+_curve\b", known_as.split(", pROC")[0])
        assert named
        assert all(callable(getattr(sklearn.metrics, function)) for function in named)


def test_every_metric_has_a_title_of_its_own():
    assert len({one.title for one in statistics().values()}) == len(statistics())
