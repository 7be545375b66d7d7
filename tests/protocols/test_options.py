"""Options are checked when made, and say what is wrong."""

import re
from dataclasses import FrozenInstanceError, replace

import pytest
import sklearn.metrics

from ppaurora.parties.study.parts import OPTION_SETS
from ppaurora.protocols.disclosure.ledger import ledger
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.options import Options
from ppaurora.protocols.pipelines.sorted_list import Input
from ppaurora.protocols.statistics.registry import statistics


@pytest.mark.parametrize(
    ("option", "wrong"),
    [
        ("metrics", ("auroc", "f1")),
        ("metrics", ("auroc", "auroc")),
        ("decimals", 0),
        ("decimals", 16),
        ("decimals", True),
        ("merge", "bubble"),
        ("ties", "none"),
        ("resolution", "double"),
        ("range", (0,)),
        ("table", "tree"),
    ],
)
def test_a_wrong_option_is_refused_by_name(option, wrong):
    with pytest.raises(OptionRefused) as caught:
        Options(**{option: wrong})
    assert caught.value.option == option


@pytest.mark.parametrize("delta", [0, 2, -1, 2.0, True])
def test_delta_is_odd_and_positive(delta):
    with pytest.raises(
        OptionRefused, match=r"must be an odd|must be a whole number, 1 or more"
    ) as caught:
        Options(merge="delta", delta=delta)
    assert caught.value.option == "delta"


def test_delta_belongs_to_its_merge():
    with pytest.raises(OptionRefused, match='belongs to the merge "delta" only') as caught:
        Options(merge="network", delta=3)
    assert caught.value.option == "delta"
    assert Options(merge="delta", delta=3).delta == 3


BINNED = Options(resolution="bins:64")


def of_protocol(options):
    return {one.key: value for one, value in options.chosen if one.table == "protocol"}


@pytest.mark.parametrize("option", [{"merge": "network"}, {"delta": 3}, {"ties": "helper"}])
def test_an_option_of_the_sort_is_refused_where_nothing_is_sorted(option):
    for more in ({"metrics": ("brier",)}, {"metrics": ("auroc",), "resolution": "bins:64"}):
        with pytest.raises(OptionRefused, match="has no meaning in this study") as caught:
            Options(**more, **option)
        assert caught.value.option in option


def test_the_table_is_chosen_for_scores_of_few_decimals_only():
    with pytest.raises(OptionRefused, match="has no meaning in this study"):
        Options(table="counted")
    counted = Options(resolution="decimals:2", table="counted")
    assert of_protocol(counted) == {"table": "counted", "assurance": "semi-honest"}


@pytest.mark.parametrize(
    ("metrics", "more", "counted"),
    [
        (("auroc", "brier"), {"resolution": "decimals:3"}, True),
        (("auroc", "brier"), {"resolution": "decimals:4"}, False),
        (("auroc", "aupr"), {"resolution": "decimals:3"}, False),
        (("auroc",), {"resolution": "decimals:0", "range": (0, 20)}, True),
        (("auroc_ci:method=delong",), {"resolution": "decimals:1"}, True),
    ],
)
def test_few_scores_are_counted_where_all_metrics_can_be(metrics, more, counted):
    options = Options(metrics=metrics, **more)
    assert options.counted is counted
    assert options.with_table.table == ("counted" if counted else "sorted")
    assert options.with_table.parts == options.parts
    assert Options(metrics=("auroc",)).with_table == Options(metrics=("auroc",))


def test_two_texts_that_mean_the_same_are_refused():
    with pytest.raises(OptionRefused, match="twice"):
        Options(metrics=("auroc", "auroc"))


def test_what_is_close_is_offered():
    with pytest.raises(OptionRefused, match='Did you mean "network"'):
        Options(merge="netwrok")
    with pytest.raises(OptionRefused, match='Did you mean "average_precision"'):
        Options(metrics=("averageprecision",))


@pytest.mark.parametrize("choice", [{"merge": "delta", "delta": 3}, {"ties": "helper"}, {}])
def test_the_network_and_comparisons_show_less_than_any_other_choice(choice):
    least, other = (
        {who: set(texts) for who, texts in ledger(options, [100] * 3).learns.items()}
        for options in (Options(merge="network"), Options(**choice))
    )
    assert all(least[who] <= other[who] for who in least)
    assert least != other


def test_options_are_frozen():
    with pytest.raises(FrozenInstanceError):
        Options().decimals = 5


def test_the_groups_of_ties_are_asked_for_if_any_metric_needs_them():
    assert Options(metrics=("auroc_no_ties",)).inputs == {Input.TIES}
    assert Options(metrics=("auroc_no_ties", "auroc")).inputs == {Input.TIES, Input.GROUPS}
    assert not Options(metrics=("recall_at_top:k=1",)).inputs


@pytest.mark.parametrize("name", statistics())
def test_the_names_that_scikit_learn_has_for_a_metric_are_functions_there(name):
    known_as = statistics()[name].known_as
    if "scikit-learn" in known_as:
        named = re.findall(
            r"\bauc\b|\w+_score\b|\w+_curve\b|\w+_loss\b|matthews_corrcoef|confusion_matrix",
            known_as.split(", pROC")[0],
        )
        assert named
        assert all(callable(getattr(sklearn.metrics, function)) for function in named)


def test_every_metric_has_a_title_of_its_own():
    assert len({one.title for one in statistics().values()}) == len(statistics())


@pytest.mark.parametrize("dealings", [1, 65, 0, -1, True, 4.0])
def test_dealings_are_from_2_to_64(dealings):
    with pytest.raises(OptionRefused, match="whole number from 2 to 64") as caught:
        Options(assurance="covert", dealings=dealings)
    assert caught.value.option == "dealings"


def test_dealings_belong_to_a_covert_study():
    with pytest.raises(OptionRefused, match="has no meaning in this study") as caught:
        Options(dealings=8)
    assert 'assurance = "covert"' in caught.value.advice


def test_the_assurance_is_one_of_two():
    with pytest.raises(OptionRefused, match='Did you mean "covert"') as caught:
        Options(assurance="cover")
    assert caught.value.option == "assurance"


def test_only_a_covert_study_has_dealings():
    assured = {"assurance": "covert", "dealings": 8}
    for plain, covert in ((Options(), Options(**assured)), (BINNED, replace(BINNED, **assured))):
        assert "dealings" not in of_protocol(plain)
        assert of_protocol(covert) == {**of_protocol(plain), **assured}


def test_a_list_of_texts_may_be_any_sequence_and_nothing_else():
    assert Options(metrics=["auroc", "aupr"]).metrics == ("auroc", "aupr")
    for wrong in (3, ("auroc", 3), {"auroc"}):
        with pytest.raises(OptionRefused, match="must be a list of texts"):
            Options(metrics=wrong)


def test_options_are_given_by_name():
    with pytest.raises(TypeError, match="positional"):
        Options(("auroc",))


@pytest.mark.parametrize("kind", OPTION_SETS)
def test_every_declaration_stands_alone(kind):
    for one in kind.options().values():
        assert one.checked(one.default) == one.default
        assert one.title[0].islower() or one.title[0].isdigit()
        assert one.help.endswith(".")
        assert one.help[0].isupper()
        assert one.schema["description"] == one.title


def test_no_two_options_have_one_place_or_one_flag():
    declared = [one for kind in OPTION_SETS for one in kind.options().values()]
    assert len({(one.table, one.key) for one in declared}) == len(declared)
    assert len({one.flag for one in declared}) == len(declared)


def test_one_text_in_place_of_a_list_is_refused_with_the_list():
    with pytest.raises(OptionRefused, match=r'Write \("auroc",\)'):
        Options(metrics="auroc")
