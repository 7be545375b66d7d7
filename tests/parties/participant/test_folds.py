"""An owner in a study of folds prepares one upload of a list for each fold."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import duckdb
import numpy as np
import pytest

from ppaurora.mpc.role import Role
from ppaurora.parties.columns.fold import FoldBy
from ppaurora.parties.errors import DataError, KeyFault
from ppaurora.parties.participant.participant import Participant
from ppaurora.parties.participant.prepared import Prepared
from ppaurora.parties.site.fold_key import create_fold_key, load_fold_key
from ppaurora.parties.sources.labelled import Labelled
from ppaurora.parties.sources.query import Query
from ppaurora.parties.sources.reader import source_of
from ppaurora.parties.study.study import Study
from ppaurora.protocols.lists.folds import key_commitment
from ppaurora.protocols.lists.scale import PROBABILITIES, encode
from tests.parties.participant.test_participant import ANN, TABLE
from tests.parties.sample import study

IDS = [f"P{number % 45}" for number in range(len(TABLE))]
WITH = replace(TABLE, extra={"patient": IDS})


@pytest.fixture(name="key")
def _key(tmp_path: Path) -> Path:
    create_fold_key(tmp_path / "folds.key")
    return tmp_path / "folds.key"


def folded(key: Path, **changes: object) -> Study:
    by = FoldBy(column="patient", key=key_commitment(load_fold_key(key)))
    return study(metrics=("auroc_folds",), folds=4, extra=(replace(by, **changes),))


def prepared(key: Path, table: Labelled = WITH) -> Prepared:
    return Participant(ANN, folded(key), fold_key=key).prepare(table)


def test_the_shares_add_up_to_a_sorted_list_for_each_fold(key: Path) -> None:
    found = prepared(key)
    own = load_fold_key(key)
    rule = FoldBy(column="patient", key=key_commitment(own)).rule(4)
    folds = np.array([rule.fold_of(one.lower() + " ", own) for one in IDS])
    keys = encode(TABLE.scores, TABLE.labels, PROBABILITIES)
    lists = [np.sort(keys[folds == fold])[::-1] for fold in range(4)]
    words = found.shares[Role.P0].words() + found.shares[Role.P1].words()
    assert np.array_equal(words, np.concatenate(lists))
    assert found.folds == tuple(map(len, lists))
    assert found.samples == sum(found.folds) == len(TABLE)


def test_no_identifier_and_no_key_is_in_what_is_sent_or_shown(key: Path) -> None:
    found = prepared(key)
    sent = b"".join(share.to_bytes() for share in found.shares.values())
    assert load_fold_key(key) not in sent
    assert IDS[0].encode() not in sent
    assert "P1" not in repr(WITH)


def test_another_key_or_none_is_refused_before_anything_is_sent(key: Path, tmp_path: Path) -> None:
    create_fold_key(tmp_path / "other.key")
    for theirs, says in ((tmp_path / "other.key", "not the one"), (None, "this site has none")):
        with pytest.raises(KeyFault, match=says):
            Participant(ANN, folded(key), fold_key=theirs).prepare(WITH)


def test_public_cut_points_need_no_key(key: Path) -> None:
    by = FoldBy(column="row", form="number", cuts=("10", "20", "30"))
    cut = replace(folded(key), extra=(by,))
    numbers = replace(TABLE, extra={"row": [str(row) for row in range(len(TABLE))]})
    found = Participant(ANN, cut).prepare(numbers)
    assert found.folds == (10, 10, 10, len(TABLE) - 30)


def test_lists_without_identifiers_or_with_odd_ones_are_refused(key: Path) -> None:
    with pytest.raises(DataError, match='takes the column "patient"'):
        prepared(key, TABLE)
    with pytest.raises(DataError, match="patient identifier is empty in row 2") as refused:
        prepared(key, replace(TABLE, extra={"patient": [*IDS[:1], "", *IDS[2:]]}))
    assert refused.value.advice
    with pytest.raises(DataError, match='49 values of "patient" and 50 rows'):
        replace(TABLE, extra={"patient": IDS[1:]})


@pytest.mark.parametrize(
    "key_text", ["", "ppaurora-folds-1:", "ppaurora-folds-1:" + "0" * 63, "x" * 64, "é"]
)
def test_a_file_that_holds_no_fold_key_is_refused(tmp_path: Path, key_text: str) -> None:
    file = tmp_path / "folds.key"
    file.write_text(key_text)
    file.chmod(0o600)
    with pytest.raises(KeyFault, match="holds no fold key"):
        load_fold_key(file)


def test_a_fold_key_that_others_can_read_is_refused(key: Path) -> None:
    key.chmod(0o644)
    with pytest.raises(KeyFault, match="can be read by others"):
        load_fold_key(key)


def test_every_kind_of_file_gives_its_identifiers_as_texts(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('score,label,Born\n.1,1, 1967-03-09\n.2,0,"1950-01-01"\n')
    duckdb.execute(
        "COPY (SELECT score, label, CAST(born AS DATE) AS born FROM (VALUES (.1, 1, '1967-03-09'), "
        f"(.2, 0, NULL)) AS rows(score, label, born)) TO '{tmp_path / 'a.parquet'}'"
    )
    text = source_of(tmp_path / "a.csv").texts("born")
    typed = source_of(tmp_path / "a.parquet").texts("BORN ")
    assert (text, typed) == (["1967-03-09", "1950-01-01"], ["1967-03-09", ""])
    assert source_of(WITH).texts("patient") == IDS
    with pytest.raises(DataError, match='no column "name"') as missing:
        source_of(tmp_path / "a.csv").texts("name")
    assert "The study names this column" in missing.value.advice
    with pytest.raises(DataError, match='has no column "patient"'):
        Query("SELECT 1 AS score").texts("patient")
    with pytest.raises(DataError, match='has no column "patient"'):
        source_of(TABLE).texts("patient")
