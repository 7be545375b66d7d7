"""A released word as text: exactly the decimals, or a reason in words."""

import pytest

from ppaurora.mpc.errors import RemoteProtocolError
from ppaurora.mpc.primitives import undefined
from ppaurora.protocols.release.values import ratio_text
from ppaurora.protocols.statistics.registry import statistic


def text(word, decimals=4):
    return ratio_text("auroc", word, decimals)


def test_exactly_the_decimals_are_written():
    assert text(8250) == "0.8250"
    assert text(10_000) == "1.0000"
    assert text(0) == "0.0000"
    assert text(7, decimals=9) == "0.000000007"
    assert text(10, decimals=1) == "1.0"


@pytest.mark.parametrize("decimals", range(1, 16))
def test_undefined_is_no_value(decimals):
    word = undefined(decimals)
    assert word > 10**decimals
    assert text(word, decimals) is None
    assert str(statistic("aupr").decode([word], decimals)) == ("undefined: there are no positives")


def test_an_empty_study_says_so():
    assert str(statistic("auroc").value_without_samples()) == "undefined: there are no samples"


@pytest.mark.parametrize("word", [10_001, 2**63, 2**64 - 1])
def test_shares_of_different_runs_are_refused(word):
    with pytest.raises(RemoteProtocolError, match="auroc"):
        text(word)
