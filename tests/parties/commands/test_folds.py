"""`ppaurora folds` and folded studies from the command line to the result."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from ppaurora.parties.columns.fold import FoldBy
from ppaurora.parties.commands.main import main
from ppaurora.parties.reports.schema import result_schema
from ppaurora.parties.site.fold_key import load_fold_key
from ppaurora.parties.site.key_files import create_identity
from ppaurora.parties.study.study import Study
from ppaurora.protocols.lists.folds import TEXT, FoldRule, key_commitment

Out = pytest.CaptureFixture[str]


def told(capsys: Out, *arguments: object, code: int = 0) -> tuple[str, str]:
    """The texts that the command prints to stdout and stderr, run to its end."""
    with pytest.raises(SystemExit) as left:
        main([*map(str, arguments)])
    captured = capsys.readouterr()
    assert left.value.code == code, captured.err
    return captured.out, re.sub(r"\s+", " ", captured.err)


@pytest.fixture(name="key")
def _key(tmp_path: Path, capsys: Out) -> Path:
    file = tmp_path / "folds.key"
    out, err = told(capsys, "keys", "owners", file)
    assert out.strip() == key_commitment(load_fold_key(file))
    assert load_fold_key(file).hex() not in out + err
    assert file.stat().st_mode & 0o077 == 0
    return file


def test_the_older_command_says_which_one_makes_the_key(tmp_path: Path, capsys: Out) -> None:
    file = tmp_path / "owners.key"
    _, err = told(capsys, "folds", "key", file, code=2)
    assert "ppaurora keys owners" in err
    assert not file.exists()


def write(path: Path, rows: list[tuple[object, ...]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)
    return path


def test_a_file_gets_a_column_of_folds_and_keeps_its_own(
    tmp_path: Path, key: Path, capsys: Out
) -> None:
    rows = [("name", "score", "label"), ("Zoë, M.", "0.10", 1), (" ZOE\u0308,  m. ", ".5", 0)]
    own = write(tmp_path / "own.csv", rows)
    new = tmp_path / "new.csv"
    command = ("folds", "assign", own, "--out", new, "--fold-by=name", "--folds=7", "--key", key)
    _, err = told(capsys, *command)
    with new.open(newline="", encoding="utf-8") as file:
        header, first, second = csv.reader(file)
    fold = FoldRule(7, TEXT).fold_of("Zoë, M.", load_fold_key(key))
    assert header == ["name", "score", "label", "fold"]
    assert first == ["Zoë, M.", "0.10", "1", str(fold)]
    assert second[1:] == [".5", "0", str(fold)]
    assert "rows in each of 7 folds" in err
    assert new.stat().st_mode & 0o077 == 0
    assert "exists already" in told(capsys, *command, code=2)[1]
    assert (
        'has a column "fold" already'
        in told(capsys, "folds", "assign", new, "--out", tmp_path / "x.csv", *command[5:], code=3)[
            1
        ]
    )


def test_rows_without_a_canonical_identifier_are_told_by_row(
    tmp_path: Path, key: Path, capsys: Out
) -> None:
    own = write(tmp_path / "own.csv", [("born", "score"), ("1950-01-02", 1), ("2.1.1950", 0)])
    _, err = told(
        capsys, "folds", "assign", own, "--out", tmp_path / "new.csv", "--fold-by=born",
        "--folds=2", "--fold-form=date", "--key", key, code=3,
    )  # fmt: skip
    assert "not written as YYYY-MM-DD in row 2" in err
    assert "2.1.1950" not in err
    assert not (tmp_path / "new.csv").exists()


def test_two_owners_compare_a_code_that_their_files_do_not_touch(
    tmp_path: Path, key: Path, capsys: Out
) -> None:
    other = tmp_path / "other.key"
    told(capsys, "keys", "owners", other)
    codes = [
        told(capsys, "folds", "check", f"--key={file}", f"--folds={k}", f"--fold-form={form}")[0]
        for file, k, form in ((key, 5, "date"), (key, 5, TEXT), (key, 6, "date"),
                              (other, 5, "date"))
    ]  # fmt: skip
    assert len(set(codes)) == 4
    copy = tmp_path / "copy.key"
    copy.write_bytes(key.read_bytes())
    copy.chmod(0o600)
    again = told(capsys, "folds", "check", f"--key={copy}", "--folds=5", "--fold-form=date")
    assert again[0] == codes[0]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("check",), "not said how folds are assigned"),
        (("check", "--folds=5"), "not said how folds are assigned"),
        (("check", "--folds=5", "--fold-form=words"), 'names "words"'),
        (("check", "--folds=3", "--fold-form=date", "--fold-cuts=1950-1-1/1970"), "rising points"),
    ],
)
def test_what_is_not_said_is_asked_for(capsys: Out, arguments: tuple[str, ...], says: str) -> None:
    assert says in told(capsys, "folds", *arguments, code=2)[1]


def test_a_new_study_of_folds_is_written_with_the_commitment_to_the_key(
    tmp_path: Path, key: Path, capsys: Out
) -> None:
    publics = {}
    for name in ("p0", "p1", "helper", "ann", "ben"):
        create_identity(tmp_path / f"{name}.key")
        publics[name] = tmp_path / f"{name}.key.pub"
    file = tmp_path / "study.toml"
    commitment = key_commitment(load_fold_key(key))
    command = (
        "study", "new", file, "--id=cv", "--least-owners=2", "--metric=auroc_folds:empty=skip",
        *(f"--{name}=127.0.0.1:{7100 + 10 * at}={publics[name]}"
          for at, name in enumerate(("p0", "p1", "helper"))),
        *(f"--owner={name}={publics[name]}" for name in ("ann", "ben")),
    )  # fmt: skip
    assert "are missing" in told(capsys, *command, code=2)[1]
    assert "must name the column" in told(capsys, *command, "--folds=5", code=2)[1]
    folds = ("--folds=5", "--fold-by=born", "--fold-form=date", "--fold-least=30")
    assert "folds.key or folds.cuts" in told(capsys, *command, *folds, code=2)[1]
    told(capsys, *command, *folds, f"--fold-key={commitment}")
    study = Study.load(file)
    assert study.options.folds == 5
    assert study.extra == (FoldBy(column="born", form="date", key=commitment, least=30),)
    _, err = told(capsys, "study", "check", file, "--explain")
    assert "the smallest fold has 20 samples" in err


def test_three_hospitals_with_patients_in_common_by_three_real_servers(
    tmp_path: Path, capsys: Out
) -> None:
    rng = np.random.default_rng(6)
    files = []
    for number, write_name in enumerate((str.upper, str.lower, lambda name: f" {name} ")):
        rows: list[tuple[object, ...]] = [("Patient", "score", "label")]
        # patients 20 to 39 are in all three hospitals
        for patient in [*range(20, 40), *range(100 * number + 100, 100 * number + 130)]:
            label = int(rng.random() < 0.4)
            score = round(float(rng.beta(2 + label, 3)), 2)
            rows.append((write_name(f"Patiënt-{patient}"), score, label))
        files.append(write(tmp_path / f"{number}.csv", rows))
    keep = tmp_path / "kept"
    out, _ = told(
        capsys, "simulate", *files, "--metric=auroc_folds", "--metric=aucnpr_folds:empty=skip",
        "--folds=3", "--fold-by=patient", "--format=json", "--keep", keep,
    )  # fmt: skip
    result = json.loads(out)
    Draft202012Validator(result_schema()).validate(result)
    key = load_fold_key(keep / "folds.key")
    rule = FoldRule(3, TEXT)
    expected = [
        np.bincount(
            [rule.fold_of(row["Patient"], key) for row in csv.DictReader(file.open())], minlength=3
        ).tolist()
        for file in files
    ]
    assert result["ledger"]["public"]["fold_sizes"] == expected
    assert result["options"]["folds"]["key"] == key_commitment(key)
    assert result["values"]["aucnpr_folds:empty=skip"]["skipped"] == 0
    assert float(result["values"]["auroc_folds"]["lower"]) < 1
    site, study = keep / "owner-1.toml", keep / "study.toml"
    assert "the column of identifiers" in told(capsys, "study", "show", study)[0]
    code = told(capsys, "folds", "check", "--site", site)[0]
    assert code == told(capsys, "folds", "check", "--site", keep / "owner-2.toml")[0]
    told(capsys, "folds", "assign", files[0], "--out", tmp_path / "with.csv", "--site", site)
    with (tmp_path / "with.csv").open() as file:
        folds = [int(row["fold"]) for row in csv.DictReader(file)]
    assert np.bincount(folds, minlength=3).tolist() == expected[0]
    # an owner with another key is refused before anything is sent
    (keep / "folds.key").unlink()
    told(capsys, "keys", "owners", keep / "folds.key")
    _, err = told(capsys, "outsource", files[0], "--site", site, "--check-only", code=5)
    assert "is not the one by which this study assigns folds" in err
