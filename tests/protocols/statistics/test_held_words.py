"""Receivers hold the numbers that they are shown, but where a statistic says otherwise."""

from __future__ import annotations

import re

import pytest

from ppaurora.mpc.errors import AuroraError
from ppaurora.protocols.options import Options
from ppaurora.protocols.prepared import data_of_plaintext
from tests.protocols.statistics.test_every_statistic import ASKED, owners, sizes_of, upload_of
from tests.protocols.statistics.test_every_statistic import options_for as options

DECIMALS = 3


def words_of(asked: Options) -> tuple[int, ...]:
    """The released words of some pooled lists."""
    of, [one] = owners(21), asked.statistics
    uploads = [upload_of(each, asked) for each in of]
    [data] = data_of_plaintext(asked, asked.pipeline.plaintext(uploads, sizes_of(of, asked)))
    return tuple(one.plaintext_words(data, asked.decimals))


@pytest.mark.parametrize("text", ASKED)
def test_other_words_are_another_text_or_none_unless_the_statistic_declares_more(text: str) -> None:
    asked = options(text, decimals=DECIMALS)
    [one] = asked.statistics
    words = words_of(asked)
    shown = str(one.decode(words, DECIMALS))
    hidden = []
    if shown.startswith("undefined"):
        return
    for place in range(len(words)):
        for step in (-1, 1):
            other = list(words)
            other[place] += step
            try:
                if str(one.decode(other, DECIMALS)) == shown:
                    hidden.append((place, step))
            except AuroraError:
                pass
    declared = one.decimals_held(DECIMALS) > DECIMALS
    if not (one.readings() and one.text.partition(":")[2].startswith("samples=")):
        assert not hidden or declared, hidden
    if declared:
        # those that are held beyond the usual ones are hidden, or all of them are shown
        shown_to = {len(part) for part in re.findall(r"\d\.(\d+)", shown)}
        assert hidden or shown_to == {one.decimals_held(DECIMALS)}
        assert f"to {one.decimals_held(DECIMALS)} decimals" in one.leaks(DECIMALS)
