"""Joined lists, from the owners' files to the numbers: tags, sides, and what is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from jsonschema import Draft202012Validator
from sklearn.metrics import roc_auc_score

from ppaurora.mpc.role import Role
from ppaurora.parties.columns.tag import JoinBy
from ppaurora.parties.commands.main import main
from ppaurora.parties.errors import ConfigurationError, DataError, KeyFault
from ppaurora.parties.participant.participant import Participant
from ppaurora.parties.reports.schema import result_schema
from ppaurora.parties.site.fold_key import create_fold_key, load_fold_key
from ppaurora.parties.sources.labelled import Labelled
from ppaurora.parties.study.rule import StoredUpload, breaks_rule
from ppaurora.parties.study.study import Rule, Study
from ppaurora.parties.study.writing import study_text
from ppaurora.protocols.lists.folds import key_commitment
from ppaurora.protocols.lists.tags import Side, tag_of
from ppaurora.protocols.options import Options
from tests.parties.participant.test_participant import ANN, TABLE
from tests.parties.sample import study

JOINED: dict[str, object] = {
    "least_join": 20,
    "extra": (JoinBy(column="patient", key=64 * "a"),),
    "metrics": ("auroc",),
}
PEOPLE = [f"Patient {place}" for place in range(50)]
SCORES = Labelled(TABLE.scores, [], extra={"patient": PEOPLE}, holds="scores")
LABELS = Labelled([], TABLE.labels, extra={"patient": PEOPLE}, holds="labels")


@pytest.fixture
def key(tmp_path: Path) -> Path:
    create_fold_key(tmp_path / "owners.key")
    return tmp_path / "owners.key"


def keyed(key: Path, **changes: object) -> Study:
    by = JoinBy(column="patient", key=key_commitment(load_fold_key(key)))
    return study(**{**JOINED, "extra": (by,), **changes})


def owner(key: Path, **changes: object) -> Participant:
    return Participant(ANN, keyed(key, **changes), fold_key=key)


def words(prepared: object) -> list[int]:
    shares = prepared.shares  # type: ignore[attr-defined]
    with np.errstate(over="ignore"):
        found: list[int] = (shares[Role.P0].words() + shares[Role.P1].words()).tolist()
    return found


def refused(**changes: object) -> str:
    with pytest.raises(ConfigurationError) as caught:
        Study.parse(study_text(study(**{**JOINED, **changes})), "study.toml")
    return str(caught.value)


def test_the_join_is_part_of_the_study_and_of_no_other() -> None:
    asked = study(**JOINED)
    assert Study.parse(study_text(asked), "study.toml") == asked
    assert asked.content()["join"] == {
        "least": 20, "by": "patient", "form": "text-nfkc", "key": 64 * "a",
    }  # fmt: skip
    assert "join" not in study().content()


def test_a_join_without_a_column_or_a_least_is_refused_with_what_to_say() -> None:
    assert "join.by must name the column of the identifiers" in refused(extra=())
    told = refused(least_join=0, metrics=("auroc",))
    assert "join.by says by what lists are joined" in told
    assert "--least-join 20" in told
    assert "64 hexadecimal digits" in refused_key("folds")
    assert "join.key must be there" in refused(extra=(JoinBy(column="patient"),))


def refused_key(key: str) -> str:
    text = study_text(study(**JOINED)).replace(64 * "a", key)
    with pytest.raises(ConfigurationError) as caught:
        Study.parse(text, "study.toml")
    return str(caught.value)


def test_an_upload_has_the_tags_of_this_study_and_the_scores_or_the_labels(key: Path) -> None:
    own = load_fold_key(key)
    tags = {tag_of(one, "text-nfkc", own, "sepsis-1"): place for place, one in enumerate(PEOPLE)}
    by_tag = sorted(tags, reverse=True)
    for table, side in ((SCORES, Side.SCORES), (LABELS, Side.LABELS)):
        prepared = owner(key).prepare(table)
        assert prepared.samples == 50
        assert prepared.folds == tuple(50 * (side == one) for one in Side)
        found = words(prepared)
        assert found[:50] == by_tag
        if side is Side.LABELS:
            assert found[50:] == [int(TABLE.labels[tags[tag]]) for tag in by_tag]
        else:
            assert max(found[50:]) <= owner(key).study.options.pipeline.top
        sent = b"".join(share.to_bytes() for share in prepared.shares.values())
        assert b"atient" not in sent
        assert own not in sent


def test_what_an_owner_does_not_hold_makes_no_difference_to_its_upload(key: Path) -> None:
    """A list of labels may have any scores beside, even beyond the range, and the reverse."""
    labels = replace(LABELS, scores=np.full(50, 17.5))
    assert words(owner(key).prepare(labels)) == words(owner(key).prepare(LABELS))
    scores = replace(SCORES, labels=TABLE.labels)
    assert words(owner(key).prepare(scores)) == words(owner(key).prepare(SCORES))


def test_tags_of_two_studies_and_of_two_keys_have_nothing_in_common(
    key: Path, tmp_path: Path
) -> None:
    create_fold_key(tmp_path / "other.key")
    found = [
        set(words(one.prepare(SCORES))[:50])
        for one in (owner(key), owner(key, id="sepsis-2"), owner(tmp_path / "other.key"))
    ]
    assert len(set().union(*found)) == 150


def test_a_person_on_two_rows_is_refused_with_the_rows_and_not_named(key: Path) -> None:
    people = [*PEOPLE[:48], "  patient 7", "PATIENT 7"]
    table = Labelled(TABLE.scores, [], extra={"patient": people}, holds="scores")
    with pytest.raises(DataError, match="on several rows of this list in rows 8, 49, 50") as caught:
        owner(key).prepare(table)
    assert "patient 7" not in str(caught.value).casefold()


def test_another_key_and_no_key_are_refused(key: Path, tmp_path: Path) -> None:
    create_fold_key(tmp_path / "other.key")
    with pytest.raises(KeyFault, match="is not the one"):
        Participant(ANN, keyed(key), fold_key=tmp_path / "other.key").prepare(SCORES)
    with pytest.raises(KeyFault, match="this site has none"):
        Participant(ANN, keyed(key)).prepare(SCORES)


def test_a_list_of_one_side_is_refused_by_a_study_that_joins_none() -> None:
    for table, told in ((SCORES, "holds scores only"), (LABELS, "holds labels only")):
        with pytest.raises(DataError, match=told):
            Participant(ANN, study()).prepare(replace(table, extra={}))


def test_lists_that_cannot_have_enough_rows_in_common_keep_the_study_waiting() -> None:
    rule = Rule(least_owners=2, least_samples=10, least_list=1, most_share=1.0)
    asked = replace(study(**JOINED), rule=rule)

    def told(*own: tuple[int, int, int]) -> str:
        names = ("ann", "ben")
        roster = [
            StoredUpload(name, name.encode(), sum(sizes), sizes)
            for name, sizes in zip(names, own, strict=True)
        ]
        return breaks_rule(asked, roster)

    assert told((20, 0, 0), (0, 30, 0)) == ""
    assert told((15, 0, 0), (0, 15, 5)) == ""
    assert told((50, 0, 0), (40, 0, 0)) == (
        "of 90 rows with a score, 0 with a label and 0 with both at most 0 can be joined, and the "
        "study asks for 20"
    )


# -- on one machine --------------------------------------------------------------------------------


def files(folder: Path) -> tuple[list[str], list[tuple[float, int]]]:
    """A platform's scores and an advertiser's labels, and the rows that both have."""
    rng = np.random.default_rng(8)
    people = [f"u-{place}" for place in range(120)]
    labels = dict(zip(people, rng.integers(0, 2, 120).tolist(), strict=True))
    scores = {one: round(float(rng.beta(2 + labels[one], 3)), 3) for one in people}
    platform, advertiser = rng.permutation(people)[:90].tolist(), rng.permutation(people)[:70]
    shop = advertiser.tolist()
    (folder / "a.csv").write_text(
        "id,score\n" + "".join(f"{one},{scores[one]}\n" for one in platform)
    )
    (folder / "b.csv").write_text(
        "bought,id\n" + "".join(f"{['no', 'yes'][labels[one]]},{one.upper()} \n" for one in shop)
    )
    own = [(scores[one], labels[one]) for one in set(platform) & set(shop)]
    return [str(folder / "a.csv"), str(folder / "b.csv")], own


@pytest.mark.slow
@pytest.mark.zeromq
def test_scores_here_and_labels_there_are_joined_on_one_machine(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (scores, labels), rows = files(tmp_path)
    with pytest.raises(SystemExit) as left:
        main(
            [
                "simulate", "--scores", scores, "--labels", labels, "--join-by", "id",
                "--label=bought", "--positive=yes", "--negative=no", "--resolution=decimals:3",
                "--metric=auroc", "--least-join=20", "--format=json", "--decimals=6",
            ]
        )  # fmt: skip
    assert left.value.code == 0
    result = json.loads(capsys.readouterr().out)
    Draft202012Validator(result_schema()).validate(result)
    expected = roc_auc_score([label for _, label in rows], [score for score, _ in rows])
    assert result["values"]["auroc"]["value"] == f"{expected:.6f}"
    assert result["ledger"]["public"]["fold_sizes"] == [[90, 0, 0], [0, 70, 0]]


def test_a_command_without_any_list_says_how_lists_are_given(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit):
        main(["simulate", "--join-by", "id"])
    assert "--scores and" in " ".join(capsys.readouterr().err.split())


def test_options_of_a_join_need_a_least() -> None:
    assert Options(least_join=5, metrics=("auroc",)).pipeline.name == "joined lists"
