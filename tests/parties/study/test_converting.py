"""Study files of an older version become files of this one, with the same meaning."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ppaurora.parties.errors import ConfigurationError
from ppaurora.parties.study.converting import converted
from ppaurora.parties.study.study import Study
from ppaurora.parties.study.writing import study_text
from ppaurora.protocols.options import Options
from tests.parties.commands.test_folds import told
from tests.parties.sample import study

PLAIN = {
    "exact": Options(metrics=("auroc", "aupr")),
    "real": Options(metrics=("auroc", "aupr"), range=("any",)),
    "grid": Options(
        metrics=("auroc", "auroc_ci:method=delong", "average_precision", "brier"),
        resolution="bins:64",
    ),
}


def older(options: Options, **lines: str) -> str:
    """The file as an older version wrote it."""
    text = study_text(study(options=options))
    kept = [
        line
        for line in text.splitlines()
        if not line.startswith(("resolution =", "range =", "table ="))
    ]
    at = kept.index("[scores]") + 1
    kept[at:at] = [f'code = "{lines["code"]}"']
    at = kept.index("[protocol]") + 1
    kept[at:at] = [
        f'mode = "{lines["mode"]}"',
        *([f"bins = {lines['bins']}"] if "bins" in lines else []),
    ]
    return "\n".join(kept) + "\n"


OLDER = {
    "exact": older(PLAIN["exact"], code="unit", mode="exact"),
    "real": older(PLAIN["real"], code="real", mode="exact"),
    "grid": older(PLAIN["grid"], code="unit", mode="grid", bins="64")
    .replace('"auroc",', '"auroc_bounds",')
    .replace('"auroc_ci:', '"auroc_ci_binned:')
    .replace('"average_precision"', '"average_precision_bounds"'),
}


@pytest.mark.parametrize("name", OLDER)
def test_an_older_file_is_refused_and_its_conversion_means_the_same(name: str) -> None:
    with pytest.raises(ConfigurationError, match="is of an older version"):
        Study.parse(OLDER[name], "study.toml")
    new = Study.parse(converted(OLDER[name], "study.toml"), "study.toml")
    assert new == study(options=PLAIN[name])
    assert new.hash == study(options=PLAIN[name]).hash


def test_what_needs_no_conversion_is_said_so() -> None:
    with pytest.raises(ConfigurationError, match="has no option of an older version"):
        converted(study_text(study()), "study.toml")
    with pytest.raises(ConfigurationError, match="is not valid TOML"):
        converted("code = ", "study.toml")


def test_the_command_writes_the_new_file_and_its_hash(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old, new = tmp_path / "old.toml", tmp_path / "new.toml"
    old.write_text(OLDER["grid"], encoding="utf-8")
    out, err = told(capsys, "study", "convert", old, new, code=0)
    assert out.strip() == study(options=PLAIN["grid"]).hash.hex() == Study.load(new).hash.hex()
    assert "Another study, with another hash" in err
    assert "exists already" in told(capsys, "study", "convert", old, new, code=2)[1]
    missing = tmp_path / "none.toml"
    assert "cannot be read" in told(capsys, "study", "convert", missing, tmp_path / "x", code=2)[1]


def test_least_counts_of_single_statistics_become_that_of_the_study() -> None:
    plain = Options(metrics=("roc_curve:points=8", "calibration", "pr_curve"), least_cell=7)
    text = re.sub(r"\[release\]\nleast_cell.*\n", "", study_text(study(options=plain)))
    older = text.replace('"roc_curve:points=8"', '"roc_curve:points=8,least=4"')
    older = older.replace('"calibration"', '"calibration:least=7,both_classes=true"')
    with pytest.raises(ConfigurationError, match=r"least_cell under \[release\]"):
        Study.parse(older, "study.toml")
    assert Study.parse(converted(older, "study.toml"), "study.toml") == study(options=plain)


def test_only_the_names_of_statistics_are_renamed() -> None:
    text = OLDER["grid"].replace('title = "', 'title = "auroc_binned, calibration:least=3; ', 1)
    study = Study.parse(converted(text, "study.toml"), "study.toml")
    assert study.title.startswith("auroc_binned, calibration:least=3; ")
    assert study.options == PLAIN["grid"]


@pytest.mark.parametrize("behind", ["", "  # the old score"])
def test_a_column_of_second_scores_becomes_a_list_of_columns(behind: str) -> None:
    asked = study(against=("rival",), metrics=("auroc_difference",))
    text = study_text(asked)
    older = text.replace('against = ["rival"]', f'against = "rival"{behind}')
    assert older != text
    assert Study.parse(converted(older, "study.toml"), "study.toml") == asked
    with pytest.raises(ConfigurationError, match="has no option of an older version"):
        converted(text, "study.toml")
