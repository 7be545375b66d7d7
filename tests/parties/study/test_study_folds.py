"""A study of folds says by what records come into them; its rule counts every fold."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from ppaurora.parties.columns.fold import FoldBy
from ppaurora.parties.errors import ConfigurationError
from ppaurora.parties.study.rule import StoredUpload, breaks_rule, lists_refused
from ppaurora.parties.study.study import Rule, Study
from ppaurora.parties.study.writing import study_text
from ppaurora.protocols.lists.folds import TEXT
from tests.parties.sample import study

BY = FoldBy(column="patient", form="date", key="ab" * 32)
FOLDED: dict[str, object] = {"metrics": ("auroc_folds",), "folds": 3, "extra": (BY,)}


def parse(**changes: object) -> Study:
    return Study.parse(study_text(study(**{**FOLDED, **changes})), "study.toml")


def refused(text: str) -> str:
    with pytest.raises(ConfigurationError) as caught:
        Study.parse(text, "study.toml")
    assert caught.value.advice
    return str(caught.value)


def test_folds_are_part_of_the_study_and_of_its_hash() -> None:
    asked = study(**FOLDED)
    assert parse() == asked
    others = (
        {"folds": 4},
        {"extra": (replace(BY, column="born"),)},
        {"extra": (replace(BY, form=TEXT),)},
        {"extra": (replace(BY, key="cd" * 32),)},
        {"extra": (replace(BY, least=11),)},
        {"extra": (replace(BY, key="", cuts=("1950-01-01", "1970-01-01")),)},
    )
    hashes = {parse(**changes).hash for changes in others}
    assert len(hashes | {asked.hash}) == len(others) + 1


def test_a_study_without_folds_says_nothing_of_them() -> None:
    plain = Study.parse(study_text(study()), "study.toml")
    assert plain.extra == ()
    assert "folds" not in str(plain.content())


@pytest.mark.parametrize(
    ("key", "written", "says"),
    [
        ("key", '""', "folds.key or folds.cuts must be there"),
        ("key", '"ppaurora-folds-1:00"', "never the key itself"),
        ("form", '"words"', "folds.form"),
        ("by", '" "', "folds.by must name the column"),
        ("least", "-1", "folds.least"),
        ("count", "0", "folds.by says by what records come into folds, but not into how many"),
    ],
)
def test_what_makes_no_folds_is_refused(key: str, written: str, says: str) -> None:
    before, folds = study_text(study(**FOLDED)).split("[folds]")
    folds = re.sub(rf"(?m)^{key} = \S+", f"{key} = {written}", folds, count=1)
    if key == "count":
        before = before.replace('["auroc_folds"]', '["auroc"]')
    text = f"{before}[folds]{folds}"
    assert says in refused(text)


@pytest.mark.parametrize(
    ("by", "says"),
    [
        (replace(BY, key="", cuts=("1950-01-01",)), "2 rising points"),
        (replace(BY, key="", cuts=("1970-01-01", "1950-01-01")), "2 rising points"),
        (replace(BY, key="", cuts=("1.1.1950", "1.1.1970")), "2 rising points"),
        (FoldBy(column="name", form=TEXT, cuts=("k", "s")), "of the form date or number"),
        (FoldBy(), "folds.by must name the column of the identifiers"),
    ],
)
def test_cuts_that_make_no_folds_are_refused(by: FoldBy, says: str) -> None:
    assert says in refused(study_text(study(**{**FOLDED, "extra": (by,)})))


def test_a_key_beside_cut_points_is_refused() -> None:
    text = study_text(study(**FOLDED)).replace("[folds]", '[folds]\ncuts = ["1", "2"]')
    with pytest.raises(ConfigurationError, match="key and cuts are both there"):
        Study.parse(text, "study.toml")


def stored_uploads(*folds: tuple[int, ...]) -> list[StoredUpload]:
    return [
        StoredUpload(owner, owner.encode(), sum(own), own)
        for owner, own in zip(("ann", "ben"), folds, strict=True)
    ]


def test_a_fold_of_too_few_samples_in_all_keeps_the_study_waiting() -> None:
    asked = replace(
        study(**FOLDED), rule=Rule(least_owners=2, least_samples=50, least_list=1, most_share=1.0)
    )
    enough = stored_uploads((30, 4, 40), (1, 6, 0))
    assert breaks_rule(asked, enough) == lists_refused(asked, enough) == ""
    few = stored_uploads((30, 4, 40), (1, 5, 1))
    assert breaks_rule(asked, few) == "fold 1 has 9 of at least 10 samples"
    assert lists_refused(study(), [StoredUpload("ann", b"a", 5)]) == ""


def test_the_least_sizes_of_a_study_are_spread_over_its_folds() -> None:
    plain, folded = study().least_sizes, study(**FOLDED).least_sizes
    assert [sum(folded[at : at + 3]) for at in range(0, len(folded), 3)] == plain
    assert max(folded[:3]) - min(folded[:3]) <= 1
