"""A site's word on its own values is the same in every study of a data set."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest

from ppaurora.parties.errors import PolicyRefusal
from ppaurora.parties.participant.own_values_sent import OwnValuesSent
from ppaurora.parties.participant.participant import Participant
from ppaurora.parties.site.site import Policy
from ppaurora.parties.sources.labelled import Labelled
from ppaurora.parties.study.study import Study
from ppaurora.protocols.statistics.site_values import opens
from tests.parties.participant.test_cuts_sent import ANN, ROOM
from tests.parties.sample import study


def asking(id: str, least: int = 20, of: str = "area") -> Study:
    more = f"least_class={least}" if of == "area" else f"of={of},least_class={least}"
    return study(id=id, metrics=(f"site_values:{more}", "auroc"), rule=ROOM)


def word(state: Path, shows: bool, data_set: str = "icu") -> OwnValuesSent:
    """As a program that has just started has it."""
    return OwnValuesSent(state, data_set, shows=shows)


@pytest.mark.parametrize("shows", [False, True])
def test_another_word_than_in_the_first_study_is_refused_with_both(
    tmp_path: Path, shows: bool
) -> None:
    first = asking("first")
    word(tmp_path, shows).keep(first)
    for attempt in (word(tmp_path, not shows).check, word(tmp_path, not shows).keep):
        with pytest.raises(PolicyRefusal, match=r"the study first \([0-9a-f]{16}\)") as caught:
            attempt(asking("second"))
        assert f"Say own_values = {'true' if shows else 'false'}" in caught.value.advice
    # the same word in other studies, and studies without own values, pass
    word(tmp_path, shows).keep(asking("second", of="slope"))
    word(tmp_path, not shows).keep(study(id="third", metrics=("auroc",), rule=ROOM))
    word(tmp_path, not shows, "another").keep(asking("fourth"))


def test_another_least_class_is_refused_of_who_shows_its_values(tmp_path: Path) -> None:
    word(tmp_path, True).keep(asking("first"))
    with pytest.raises(PolicyRefusal, match="with a least class of 20, and this study's is 10"):
        word(tmp_path, True).check(asking("second", least=10))
    word(tmp_path, False, "hidden").keep(asking("first"))
    word(tmp_path, False, "hidden").keep(asking("second", least=10))


def test_a_participant_is_held_to_its_word_before_anything_is_sent(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    labels = rng.integers(0, 2, 600)
    rows = Labelled(np.clip(rng.normal(0.4 + 0.2 * labels, 0.2), 0, 1), labels)
    metrics = ("site_values", "auroc")
    shown, hidden = (Policy(own_values=shows, metrics=metrics) for shows in (True, False))
    with Participant(ANN, asking("first"), shown, tmp_path) as ann:
        ann.prepare(rows)
        ann.uploading.records.keep(bytes(16), None)
    with (
        Participant(ANN, asking("second"), hidden, tmp_path) as ann,
        pytest.raises(PolicyRefusal, match="would now send them not to be shown"),
    ):
        ann.prepare(rows)
    with Participant(ANN, asking("second"), shown, tmp_path) as ann:
        ann.prepare(rows)
    # who keeps nothing is not held to anything
    with Participant(ANN, asking("second"), hidden) as ann:
        ann.prepare(rows)


def test_two_studies_together_leave_nobody_to_be_solved_for_if_no_word_changes(
    tmp_path: Path,
) -> None:
    """Every word of seven hospitals in two studies; named is who is shown where the gate opens."""
    hospitals = 7
    for place, shows in product(range(hospitals), (False, True)):
        word(tmp_path, shows, f"{place} {shows}").keep(asking("first"))

    def allowed(place: int, before: bool, after: bool) -> bool:
        try:
            word(tmp_path, after, f"{place} {before}").check(asking("second"))
        except PolicyRefusal:
            return False
        return True

    passes = {
        (place, *words): allowed(place, *words)
        for place in range(hospitals)
        for words in product((False, True), repeat=2)
    }
    solved = {True: 0, False: 0}
    every = list(product((False, True), repeat=hospitals))
    for first, second in product(every, every):
        named = {
            place
            for words in (first, second)
            if opens(hospitals - sum(words))
            for place, shows in enumerate(words)
            if shows
        }
        pairs = enumerate(zip(first, second, strict=True))
        held = all(passes[place, before, after] for place, (before, after) in pairs)
        solved[held] += not opens(hospitals - len(named))
    assert not solved[True]
    assert solved[False] > 0
