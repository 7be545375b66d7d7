"""A study of folds says by what records come into them; its rule counts every fold."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ppaurora.parties.errors import ConfigurationError
from ppaurora.parties.study.parts import FoldBy
from ppaurora.parties.study.rule import breaks_rule, folds_refused
from ppaurora.parties.study.stored_upload import StoredUpload
from ppaurora.parties.study.study import Rule, Study
from ppaurora.parties.study.writing import study_text
from ppaurora.protocols.lists.folds import TEXT
from tests.parties.sample import study

BY = FoldBy("patient", "date", "ab" * 32)
FOLDED: dict[str, object] = {"metrics": ("auroc_folds",), "folds": 3, "fold_by": BY}


def parse(**changes: object) -> Study:
    return Study.parse(study_text(study(**{**FOLDED, **changes})), "study.toml")


def refused(**changes: object) -> str:
    with pytest.raises(ConfigurationError) as caught:
        parse(**changes)
    assert caught.value.advice
    return str(caught.value)


def test_folds_are_part_of_the_study_and_of_its_hash() -> None:
    asked = study(**FOLDED)
    assert parse() == asked
    others = (
        {"folds": 4},
        {"fold_by": replace(BY, column="born")},
        {"fold_by": replace(BY, form=TEXT)},
        {"fold_by": replace(BY, key="cd" * 32)},
        {"fold_by": replace(BY, least=11)},
        {"fold_by": replace(BY, key="", cuts=("1950-01-01", "1970-01-01"))},
    )
    hashes = {parse(**changes).hash for changes in others}
    assert len(hashes | {asked.hash}) == len(others) + 1


def test_a_study_without_folds_says_nothing_of_them() -> None:
    plain = Study.parse(study_text(study()), "study.toml")
    assert plain.fold_by is None
    assert "folds" not in str(plain.content())


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"fold_by": replace(BY, key="")}, "folds.key or folds.cuts must be there"),
        ({"fold_by": replace(BY, key="ppaurora-folds-1:00")}, "never the key itself"),
        ({"fold_by": replace(BY, form="words")}, "folds.form"),
        ({"fold_by": replace(BY, column=" ")}, "folds.by must name the column"),
        ({"fold_by": replace(BY, least=-1)}, "folds.least"),
        ({"fold_by": replace(BY, key="", cuts=("1950-01-01",))}, "2 rising points"),
        ({"fold_by": replace(BY, key="", cuts=("1970-01-01", "1950-01-01"))}, "2 rising points"),
        ({"fold_by": replace(BY, key="", cuts=("1.1.1950", "1.1.1970"))}, "2 rising points"),
        ({"fold_by": FoldBy("name", TEXT, cuts=("k", "s"))}, "of the form date or number"),
        ({"fold_by": None}, "are missing: a metric is the mean over folds"),
    ],
)
def test_what_makes_no_folds_is_refused(changes: dict[str, object], says: str) -> None:
    assert says in refused(**changes)


def test_a_key_beside_cut_points_is_refused() -> None:
    text = study_text(study(**FOLDED)).replace("\nleast = 10", '\ncuts = ["1", "2"]\nleast = 10')
    with pytest.raises(ConfigurationError, match="not both"):
        Study.parse(text, "study.toml")


def stored_uploads(*folds: tuple[int, ...]) -> list[StoredUpload]:
    return [
        StoredUpload(owner, owner.encode(), sum(own), own)
        for owner, own in zip(("ann", "ben"), folds, strict=True)
    ]


def test_a_fold_of_too_few_samples_in_all_keeps_the_study_waiting() -> None:
    asked = replace(study(**FOLDED), rule=Rule(2, 50, least_list=1, most_share=1.0))
    enough = stored_uploads((30, 4, 40), (1, 6, 0))
    assert breaks_rule(asked, enough) == folds_refused(asked, enough) == ""
    few = stored_uploads((30, 4, 40), (1, 5, 1))
    assert breaks_rule(asked, few) == "fold 1 has 9 of at least 10 samples"
    assert folds_refused(study(), [StoredUpload("ann", b"a", 5)]) == ""


def test_the_least_sizes_of_a_study_are_spread_over_its_folds() -> None:
    plain, folded = study().least_sizes, study(**FOLDED).least_sizes
    assert [sum(folded[at : at + 3]) for at in range(0, len(folded), 3)] == plain
    assert max(folded[:3]) - min(folded[:3]) <= 1
