"""Samples in groups by a public category, from the owners' lists to the numbers of each group."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from ppaurora.parties.columns.group import GroupBy
from ppaurora.parties.columns.other_scores import OtherScores
from ppaurora.parties.errors import ConfigurationError, DataError, PolicyRefusal
from ppaurora.parties.participant.cuts_sent import StudyCuts
from ppaurora.parties.participant.participant import Participant
from ppaurora.parties.reports.saved import SavedResult
from ppaurora.parties.reports.schema import result_schema
from ppaurora.parties.reports.section_methods import methods_section
from ppaurora.parties.simulation.simulate import simulate
from ppaurora.parties.site.policy import check_study
from ppaurora.parties.site.site import Policy
from ppaurora.parties.sources.labelled import Labelled
from ppaurora.parties.study.rule import StoredUpload, breaks_rule
from ppaurora.parties.study.study import Rule, Study
from ppaurora.parties.study.writing import study_text
from ppaurora.protocols.analyses.subgroups import Subgroups
from ppaurora.protocols.disclosure.ledger import ledger
from ppaurora.protocols.options import Options
from ppaurora.protocols.statistics.registry import statistic
from tests.parties.participant.test_participant import ANN, TABLE
from tests.parties.sample import study

BY = GroupBy(column="sex", least=20)
GROUPED: dict[str, object] = {"groups": ("female", "male"), "extra": (BY,), "metrics": ("auroc",)}
SEXES = ["Female", " male"] * 25


def refused(**changes: object) -> str:
    with pytest.raises(ConfigurationError) as caught:
        Study.parse(study_text(study(**{**GROUPED, **changes})), "study.toml")
    return str(caught.value)


def test_groups_are_part_of_the_study() -> None:
    asked = study(**GROUPED)
    assert Study.parse(study_text(asked), "study.toml") == asked
    assert asked.content()["groups"] == {"by": "sex", "values": ["female", "male"], "least": 20}
    assert "groups" not in study().content()


def test_groups_without_a_column_and_a_column_without_groups_are_refused() -> None:
    assert "groups.by must name the column of the groups" in refused(extra=(GroupBy(),))
    assert "groups.by says by what samples come into groups" in refused(groups=())


def test_an_upload_has_the_samples_of_each_group_and_no_value_of_the_column() -> None:
    table = replace(TABLE, extra={"sex": SEXES})
    prepared = Participant(ANN, study(**GROUPED)).prepare(table)
    assert (prepared.samples, prepared.folds) == (50, (25, 25))
    sent = b"".join(share.to_bytes() for share in prepared.shares.values())
    assert b"male" not in sent


def test_a_value_of_no_group_is_refused_with_its_rows_and_not_repeated() -> None:
    table = replace(TABLE, extra={"sex": [*SEXES[:3], "unknown-17", *SEXES[4:49], ""]})
    with pytest.raises(DataError, match="none of the study's in rows 4, 50") as caught:
        Participant(ANN, study(**GROUPED)).prepare(table)
    assert "unknown-17" not in str(caught.value)
    assert "female, male" in caught.value.advice


def test_a_faulty_row_is_told_as_the_source_counts_it() -> None:
    kept = np.ones(51, np.bool_)
    kept[1] = False
    table = replace(TABLE, extra={"sex": [*SEXES[:2], "x", *SEXES[3:]]}, kept=kept)
    with pytest.raises(DataError, match="none of the study's in row 4"):
        Participant(ANN, study(**GROUPED)).prepare(table)


def test_a_group_of_too_few_samples_in_all_keeps_the_study_waiting() -> None:
    asked = replace(
        study(**GROUPED), rule=Rule(least_owners=2, least_samples=50, least_list=1, most_share=1.0)
    )

    def roster(*own: tuple[int, int]) -> list[StoredUpload]:
        names = ("ann", "ben")
        return [
            StoredUpload(name, name.encode(), sum(sizes), sizes)
            for name, sizes in zip(names, own, strict=True)
        ]

    assert breaks_rule(asked, roster((40, 15), (30, 5))) == ""
    told = breaks_rule(asked, roster((40, 15), (30, 4)))
    assert told == 'group "male" has 19 of at least 20 samples'


def test_a_group_that_is_nearly_one_owners_keeps_the_study_waiting() -> None:
    rule = Rule(least_owners=2, least_samples=50, least_list=1, most_share=0.8)
    asked = replace(study(**GROUPED), rule=rule)
    names = ("ann", "ben")

    def told(*own: tuple[int, int]) -> str:
        roster = [
            StoredUpload(name, name.encode(), sum(sizes), sizes)
            for name, sizes in zip(names, own, strict=True)
        ]
        return breaks_rule(asked, roster)

    assert told((40, 20), (30, 80)) == ""
    assert told((40, 0), (30, 90)) == 'group "male" is in 1 of at least 2 lists'
    assert told((40, 19), (30, 80)) == 'one list has more than 80% of group "male"'


def test_a_site_holds_what_is_released_of_a_group_against_the_groups_own_samples() -> None:
    rule = Rule(least_owners=2, least_samples=2000, least_list=20)
    metrics = ("average_precision", "brier")

    def asked(least: int) -> Study:
        by = GroupBy(column="sex", least=least)
        return study(groups=("female", "male"), extra=(by,), metrics=metrics, rule=rule)

    for least in (0, 50, 100):
        with pytest.raises(PolicyRefusal) as refused:
            check_study(Policy(), asked(least))
        assert "under [groups]" in refused.value.advice
    check_study(Policy(), asked(300))


def test_a_site_that_sends_no_short_lists_sends_no_short_groups() -> None:
    table = replace(TABLE, extra={"sex": ["female"] * 30 + ["male"] * 20})
    assert Participant(ANN, study(**GROUPED), Policy(least_own_samples=20)).prepare(table).folds
    with pytest.raises(PolicyRefusal, match='at least 21 samples, or none, and "male" has 20'):
        Participant(ANN, study(**GROUPED), Policy(least_own_samples=21)).prepare(table)


def test_an_analysis_that_compares_groups_needs_some() -> None:
    asked = study(analysis="subgroups", metrics=())
    with pytest.raises(ConfigurationError, match="and the study has no groups"):
        Study.parse(study_text(asked), "study.toml")


def test_the_ledger_warns_of_a_group_that_few_numbers_tell() -> None:
    options = Options(metrics=("average_precision", "brier"), groups=("a", "b"))
    few = ledger(options, [200, 45, 200, 9, 200, 6])
    [told] = [text for text in few.warnings if "decimals are released" in text]
    assert told.startswith("in group b: ")
    assert "could work out labels of single samples" in few.summary
    enough = ledger(options, [200, 145, 200, 109, 200, 106])
    assert not [text for text in enough.warnings if "decimals are released" in text]
    two = ledger(options, [200, 145, 200, 109, 200, 0])
    assert any(text.startswith("in group b: with fewer than three lists") for text in two.warnings)


def test_the_same_cuts_by_another_column_are_others() -> None:
    by_sex, by_ward = (
        StudyCuts.of(
            study(groups=("1", "2"), extra=(GroupBy(column=name),), metrics=("confusion:at=0.3",))
        )
        for name in ("sex", "ward")
    )
    assert by_sex.allows(by_sex)
    assert not by_sex.allows(by_ward)


def test_groups_that_are_the_labels_are_refused() -> None:
    marks = ["male" if label else "female" for label in TABLE.labels.tolist()]
    with pytest.raises(DataError, match="says the class of every row of this list"):
        Participant(ANN, study(**GROUPED)).prepare(replace(TABLE, extra={"sex": marks}))


def test_one_column_is_not_of_two_kinds() -> None:
    metrics = ("auroc_difference",)
    twice = (OtherScores(names=("sex",)), BY)
    told = refused(metrics=metrics, against=("sex",), extra=twice)
    assert 'names the column "sex" for two purposes' in told


def test_more_owners_than_can_be_added_are_refused_when_the_study_is_checked() -> None:
    names = tuple("abcdefghijklmnopqrst")
    assert Options(metrics=("auroc",), groups=names).pipeline.most_uploads > 10**6
    for options, most in (
        (Options(metrics=("brier",)), 511),
        (Options(metrics=("brier", "auroc"), groups=names), 511 // 20),
        (Options(metrics=("auroc_sites", "auroc")), 511),
    ):
        assert options.pipeline.most_uploads == most


@pytest.mark.slow
@pytest.mark.zeromq
def test_a_simulation_of_groups_has_the_numbers_of_each_group_alone(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    lists, groups = [], ("north", "south")
    for place in range(3):
        labels = rng.integers(0, 2, 60)
        scores = rng.beta(2 + labels, 3).round(2)
        wards = rng.choice(groups, 60)
        rows = zip(scores.tolist(), labels.tolist(), wards.tolist(), strict=True)
        path = tmp_path / f"{place}.csv"
        path.write_text("score,label,ward\n" + "".join(f"{s},{y},{w}\n" for s, y, w in rows))
        lists.append((path, Labelled(scores, labels), wards))
    options = Options(analysis=Subgroups.name, groups=groups)
    done = simulate([path for path, *_ in lists], options, extra=(GroupBy(column="ward"),))
    assert done.equal
    Draft202012Validator(result_schema()).validate(json.loads(done.result.to_json()))
    # one group by itself, in a study without groups
    south = [
        Labelled(table.scores[wards == "south"], table.labels[wards == "south"])
        for _, table, wards in lists
    ]
    metrics = tuple(text for text in options.metrics if not statistic(text).compares_groups)
    alone = simulate(south, Options(metrics=metrics))
    for text, value in alone.result.values.items():
        assert done.result.values[f"{text}@south"] == value
    assert "how many of its samples are in each group" in str(done.result.ledger.learns.P0)
    assert "AUROC (95% CI), south" in repr(done)
    methods = str(methods_section(SavedResult.from_json(done.result.to_json())))
    assert "of those with ward north or south." in methods
    assert methods.count("AUROC (95% CI)") == 1
