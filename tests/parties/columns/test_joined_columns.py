"""Groups and weights of joined rows, from the owners' files to the numbers."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from jsonschema import Draft202012Validator
from sklearn.metrics import roc_auc_score

from ppaurora.mpc.role import Role
from ppaurora.parties.columns.fold import FoldBy
from ppaurora.parties.columns.group import GroupBy
from ppaurora.parties.columns.tag import JoinBy
from ppaurora.parties.columns.weight import WeightBy
from ppaurora.parties.commands.main import main
from ppaurora.parties.errors import ConfigurationError, DataError
from ppaurora.parties.participant.participant import Participant
from ppaurora.parties.reports.schema import result_schema
from ppaurora.parties.site.fold_key import create_fold_key, load_fold_key
from ppaurora.parties.study.rule import StoredUpload, breaks_rule
from ppaurora.parties.study.study import Rule, Study
from ppaurora.parties.study.writing import study_text
from ppaurora.protocols.lists.folds import key_commitment
from ppaurora.protocols.lists.tags import tag_of
from tests.parties.columns.test_tag import LABELS, PEOPLE, SCORES, words
from tests.parties.participant.test_participant import ANN
from tests.parties.sample import study

SEXES = ["f", " M"] * 25
OF_GROUPS: dict[str, object] = {
    "metrics": ("auroc",), "least_join": 20, "groups": ("f", "m"), "groups_from": "labels",
}  # fmt: skip
OF_WEIGHTS: dict[str, object] = {
    "metrics": ("auroc",), "least_join": 20, "most_weight": 3.0, "weights_from": "labels",
}  # fmt: skip
BY = JoinBy(column="patient", key=64 * "a")
SEX, OFTEN = GroupBy(column="sex", least=20), WeightBy(column="often")


@pytest.fixture
def key(tmp_path: Path) -> Path:
    create_fold_key(tmp_path / "owners.key")
    return tmp_path / "owners.key"


def owner(key: Path, asked: dict[str, object], *extra: object) -> Participant:
    by = replace(BY, key=key_commitment(load_fold_key(key)))
    return Participant(ANN, study(**asked, extra=(*extra, by)), fold_key=key)


def refused(**changes: object) -> str:
    with pytest.raises(ConfigurationError) as caught:
        Study.parse(study_text(study(**changes)), "study.toml")
    return " ".join(str(caught.value).split())


def test_the_side_that_has_the_column_is_part_of_the_study_and_of_no_other() -> None:
    asked = study(**OF_GROUPS, extra=(SEX, BY))
    assert Study.parse(study_text(asked), "study.toml") == asked
    assert asked.content()["groups"] == {
        "values": ["f", "m"], "from": "labels", "by": "sex", "least": 20,
    }  # fmt: skip
    weighed = study(**OF_WEIGHTS, extra=(OFTEN, BY))
    assert Study.parse(study_text(weighed), "study.toml") == weighed
    assert weighed.content()["weights"]["from"] == "labels"
    plain = study(metrics=("auroc",), groups=("f", "m"), extra=(SEX,))
    assert "from" not in plain.content()["groups"]
    # where lists are joined it is said, whichever side it is
    scored = study(**{**OF_GROUPS, "groups_from": "scores"}, extra=(SEX, BY))
    assert scored.content()["groups"]["from"] == "scores"


def test_a_side_in_a_study_that_joins_none_is_refused() -> None:
    plain = {name: value for name, value in OF_GROUPS.items() if name != "least_join"}
    told = refused(**plain, extra=(SEX,))
    assert "only lists of labels have" in told
    assert "joins none" in told
    plain = {name: value for name, value in OF_WEIGHTS.items() if name != "least_join"}
    assert "only lists of labels have" in refused(**plain, extra=(OFTEN,))


def test_a_group_may_not_ask_for_more_rows_than_nobody_can_count() -> None:
    told = refused(**OF_GROUPS, extra=(replace(SEX, least=21), BY))
    assert "groups.least is 21" in told
    assert "join.least, 20" in told
    assert "--group-least" in told


def test_only_the_lists_of_that_side_have_the_column(key: Path) -> None:
    own = load_fold_key(key)
    tags = {tag_of(one, "text-nfkc", own, "sepsis-1"): place for place, one in enumerate(PEOPLE)}
    by_tag = [tags[tag] for tag in sorted(tags, reverse=True)]
    often = [str(place % 4) for place in range(50)]
    for asked, extra, name, values, numbers in (
        (OF_GROUPS, SEX, "sex", SEXES, [place % 2 for place in range(50)]),
        (OF_WEIGHTS, OFTEN, "often", often, [place % 4 for place in range(50)]),
    ):
        one = owner(key, asked, extra)
        registry = replace(LABELS, extra={"patient": PEOPLE, name: values})
        found = words(one.prepare(registry))
        assert found[100:] == [numbers[place] for place in by_tag]
        # the other side has none, and zeros stand there
        assert words(one.prepare(SCORES))[100:] == [0] * 50
        assert one.prepare(registry).folds == (0, 50, 0)
        with pytest.raises(DataError, match=f'takes the column "{name}"'):
            one.prepare(LABELS)
        with pytest.raises(DataError, match=f'takes no column "{name}"'):
            one.prepare(replace(SCORES, extra={"patient": PEOPLE, name: values}))
        sent = b"".join(share.to_bytes() for share in one.prepare(registry).shares.values())
        assert own not in sent
        assert set(one.prepare(registry).shares) >= {Role.P0, Role.P1}


def test_folds_may_be_those_of_the_identifier_by_which_rows_are_joined(key: Path) -> None:
    own = load_fold_key(key)
    rule = FoldBy(column="patient", key=key_commitment(own), least=20)
    asked = {"metrics": ("auroc_folds",), "least_join": 20, "folds": 3}
    for side, table, other in (("scores", SCORES, LABELS), ("labels", LABELS, SCORES)):
        one = owner(key, {**asked, "folds_from": side}, rule)
        text = study_text(one.study)
        assert Study.parse(text, "study.toml").content()["folds"]["from"] == side
        found = dict(
            zip(words(one.prepare(table))[:50], words(one.prepare(table))[100:], strict=True)
        )
        folds = rule.rule(3).assigned(PEOPLE, own, column="patient").tolist()
        tags = [tag_of(person, "text-nfkc", own, "sepsis-1") for person in PEOPLE]
        assert found == dict(zip(tags, folds, strict=True))
        assert words(one.prepare(other))[100:] == [0] * 50
    told = refused(**asked, extra=(replace(rule, least=21, key=64 * "a"), BY))
    assert "folds.least is 21" in told


def test_values_that_the_study_has_not_are_refused_with_their_rows(key: Path) -> None:
    one = owner(key, OF_GROUPS, SEX)
    other = replace(LABELS, extra={"patient": PEOPLE, "sex": [*SEXES[:49], "x"]})
    with pytest.raises(DataError, match="none of the study's in row 50"):
        one.prepare(other)
    heavy = replace(LABELS, extra={"patient": PEOPLE, "often": [*["1"] * 49, "4"]})
    with pytest.raises(DataError, match="more than the study's largest in row 50"):
        owner(key, OF_WEIGHTS, OFTEN).prepare(heavy)


def test_a_column_of_groups_may_follow_from_labels_where_no_sizes_are_told(key: Path) -> None:
    labels = ["f" if label else "m" for label in LABELS.labels]
    table = replace(LABELS, extra={"patient": PEOPLE, "sex": labels})
    assert owner(key, OF_GROUPS, SEX).prepare(table).samples == 50


def test_sizes_of_groups_keep_no_joined_study_waiting() -> None:
    rule = Rule(least_owners=2, least_samples=10, least_list=1, most_share=1.0)
    asked = replace(study(**OF_GROUPS, extra=(SEX, BY)), rule=rule)
    roster = [
        StoredUpload("ann", b"a", 30, (30, 0, 0)),
        StoredUpload("ben", b"b", 20, (0, 20, 0)),
    ]
    assert breaks_rule(asked, roster) == ""
    assert asked.least_groups == [(group, asked.least_groups[0][1]) for group in ("f", "m")]


# -- on one machine --------------------------------------------------------------------------------


def files(folder: Path) -> tuple[list[str], pd.DataFrame]:
    """A hospital's scores and a registry's labels with sexes, and the rows that both have."""
    rng = np.random.default_rng(8)
    world = pd.DataFrame({"id": [f"u-{place}" for place in range(160)]})
    world["label"] = rng.integers(0, 2, 160)
    world["score"] = [round(float(rng.beta(2 + label, 3)), 3) for label in world["label"]]
    world["sex"] = np.array(["f", "m"])[rng.integers(0, 2, 160)]
    hospital, registry = (world.sample(120, random_state=seed) for seed in (1, 2))
    hospital[["id", "score"]].to_csv(folder / "a.csv", index=False)
    registry[["sex", "id", "label"]].to_csv(folder / "b.csv", index=False)
    both = hospital[["id", "score"]].merge(registry[["sex", "id", "label"]], on="id")
    return [str(folder / "a.csv"), str(folder / "b.csv")], both


@pytest.mark.slow
@pytest.mark.zeromq
def test_groups_of_a_registry_are_those_of_the_hospitals_scores_on_one_machine(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (scores, labels), both = files(tmp_path)
    with pytest.raises(SystemExit) as left:
        main(
            [
                "simulate", "--scores", scores, "--labels", labels, "--join-by", "id",
                "--group-by=sex", "--group-from=labels", "--resolution=decimals:3",
                "--metric=auroc", "--least-join=20", "--format=json", "--decimals=6",
            ]
        )  # fmt: skip
    assert left.value.code == 0
    result = json.loads(capsys.readouterr().out)
    Draft202012Validator(result_schema()).validate(result)
    parts = {"auroc": both} | {f"auroc@{sex}": both[both["sex"] == sex] for sex in ("f", "m")}
    for text, own in parts.items():
        expected = roc_auc_score(own["label"], own["score"])
        assert result["values"][text]["value"] == f"{expected:.6f}"
    assert result["ledger"]["public"]["fold_sizes"] == [[120, 0, 0], [0, 120, 0]]
