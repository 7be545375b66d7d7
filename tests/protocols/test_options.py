"""Options are checked when made, and say what is wrong."""

import re
from dataclasses import FrozenInstanceError

import pytest
import sklearn.metrics

from ppaurora.protocols.disclosure.ledger import ledger
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.options import Options
from ppaurora.protocols.statistics.catalogue import METRICS


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
    assert caught.value.exit_code == 2


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


@pytest.mark.parametrize("choice", [{"merge": "delta", "delta": 3}, {"ties": "helper"}])
def test_the_usual_options_show_less_than_any_other_choice(choice):
    usual, other = (
        {who: set(texts) for who, texts in ledger(options, [100] * 3)["learns"].items()}
        for options in (Options(), Options(**choice))
    )
    assert all(usual[who] <= other[who] for who in usual)
    assert usual != other


def test_options_are_frozen():
    with pytest.raises(FrozenInstanceError):
        Options().decimals = 5


def test_the_ties_are_looked_for_if_any_metric_needs_them():
    assert not Options(("auroc_no_ties",)).needs_ties
    assert Options(("auroc_no_ties", "aupr")).needs_ties


@pytest.mark.parametrize("name", METRICS)
def test_the_names_that_scikit_learn_has_for_a_metric_are_functions_there(name):
    named = re.findall(r"\bauc\b|\w+_score\b|\w+_curve\b", METRICS[name].scikit_learn)
    assert named
    assert all(callable(getattr(sklearn.metrics, function)) for function in named)


def test_every_metric_has_a_title_of_its_own():
    assert len({metric.title for metric in METRICS.values()}) == len(METRICS)
