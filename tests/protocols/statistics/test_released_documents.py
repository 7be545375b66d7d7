"""Whatever a statistic releases keeps the published schema and is read back, to any decimals."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from ppaurora.mpc.errors import RemoteProtocolError
from ppaurora.mpc.primitives import undefined
from ppaurora.parties.reports.saved import SavedResult
from ppaurora.parties.reports.schema import result_schema
from ppaurora.protocols.options import MOST_DECIMALS, Options
from ppaurora.protocols.prepared import data_of_plaintext
from ppaurora.protocols.release.values import Released
from ppaurora.protocols.statistics.registry import AnyStatistic
from tests.parties.reports.documents import document
from tests.protocols.statistics.test_every_statistic import (
    CASES,
    KINDS,
    options_for,
    owners,
    sizes_of,
)
from tests.protocols.studies import Owner, Study, run, upload_of

SCHEMA = result_schema()
VALUE = Draft202012Validator(
    {"$defs": SCHEMA["$defs"], **SCHEMA["properties"]["values"]["additionalProperties"]}
)
each = pytest.mark.parametrize(("text", "table"), CASES)
SMALL = (9, 7)
ONE_POSITIVE = (
    Owner([0.9, 0.5, 0.5, 0.1], [0, 0, 1, 0], [0.5, 0.4, 0.9, 0.1], classes=[0, 0, 1, 0]),
)
ONE = (Owner([0.5], [1], [0.5], classes=[1]),)


def keeps_the_schema(text: str, value: Released) -> None:
    entry = json.loads(json.dumps(value.to_json()))
    VALUE.validate(entry)
    whole = document()
    whole["values"] = {text: entry}
    assert SavedResult.of(whole).values[text] == value


@cache
def some(text: str, table: str) -> list[tuple[Options, AnyStatistic]]:
    """The statistic in studies of a few numbers of decimals that its arithmetic holds.

    The least is among them, then come the others; all statistics together have every number.
    """
    found = []
    first = 1 + CASES.index((text, table)) % 4
    for decimals in dict.fromkeys([1, *range(first, MOST_DECIMALS + 1, 4)]):
        options = options_for((text, table), decimals=decimals)
        [one] = options.statistics
        if one.fits(max(map(sum, (SMALL, (4,)))), decimals):
            found.append((options, one))
    assert found
    return found


def two_of(text: str, table: str) -> list[tuple[Options, AnyStatistic]]:
    """The least number of decimals and by turns one of the others."""
    least, *others = some(text, table)
    return [least, others[CASES.index((text, table)) // 4 % len(others)]] if others else [least]


@each
def test_what_the_pooled_data_give_keeps_the_schema(text: str, table: str) -> None:
    check(text, two_of(text, table))


@pytest.mark.weekly
@each
def test_to_any_decimals_what_the_pooled_data_give_keeps_the_schema(text: str, table: str) -> None:
    """To two of them in `test_what_the_pooled_data_give_keeps_the_schema`."""
    check(text, some(text, table))


def test_all_statistics_together_have_every_number_of_decimals() -> None:
    tried = {options.decimals for case in CASES for options, _ in two_of(*case)}
    assert tried == {*range(1, MOST_DECIMALS + 1)}


def check(text: str, studies: Iterable[tuple[Options, AnyStatistic]]) -> None:
    for options, one in studies:
        keeps_the_schema(text, one.value_without_samples())
        lists = [owners(7, SMALL, kind=kind) for kind in KINDS]
        for of in (*lists, ONE_POSITIVE, ONE):
            pipeline = options.pipeline
            uploads = [upload_of(owner, options) for owner in of]
            pooled = pipeline.plaintext(uploads, sizes_of(of, options))
            [data] = data_of_plaintext(options, pooled)
            words = one.plaintext_words(data, options.decimals)
            keeps_the_schema(text, one.decode(words, options.decimals))


@each
@settings(max_examples=10)
@given(data=st.data())
def test_what_any_words_say_keeps_the_schema(text: str, table: str, data: st.DataObject) -> None:
    options, one = data.draw(st.sampled_from(some(text, table)))
    top = 10**options.decimals
    missing = [undefined(options.decimals + tens) + more for tens in range(3) for more in (0, 1)]
    word = st.one_of(
        st.sampled_from([0, 1, top // 2, top - 1, top, 2 * top, 2**64 - 1, *missing]),
        st.integers(0, 3 * top),
    )
    count = one.words(options.decimals)
    words = (
        [data.draw(word)] * count
        if count > 8
        else data.draw(st.lists(word, min_size=count, max_size=count))
    )
    try:
        value = one.decode(words, options.decimals)
    except RemoteProtocolError:
        return
    keeps_the_schema(text, value)


@pytest.mark.parametrize("decimals", [7, MOST_DECIMALS])
@pytest.mark.parametrize("name", ["aupr_interpolated_mean", "aupr_interpolated_median"])
def test_an_area_of_one_recall_is_a_zero_with_its_decimals(name: str, decimals: int) -> None:
    """All positives are tied: there is no piece of the curve, and the area is 0."""
    text = f"{name}:samples=64"
    study = Study(ONE_POSITIVE, Options(metrics=(text,), decimals=decimals, least_cell=1))
    assert run(study).results == {text: "0." + decimals * "0"}
