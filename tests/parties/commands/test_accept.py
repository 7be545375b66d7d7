"""`ppaurora study extend` and `diff`: a version with more owners, and what it changes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ppaurora.parties.commands.accept import diff
from ppaurora.parties.commands.study import extend
from ppaurora.parties.errors import ConfigurationError
from ppaurora.parties.study.public_keys import public_text
from ppaurora.parties.study.study import ParticipantEntry, Study
from ppaurora.parties.study.writing import study_text
from tests.parties.sample import KEYS, study


def shown(folder: Path, capsys: pytest.CaptureFixture[str], old: Study, new: Study) -> str:
    for name, one in (("old.toml", old), ("new.toml", new)):
        (folder / name).write_text(study_text(one), encoding="utf-8")
    diff(folder / "old.toml", folder / "new.toml")
    return " ".join(capsys.readouterr().out.split())


def test_a_version_that_adds_owners_is_told_from_one_that_does_more(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old = study()
    people = (*old.participants, ParticipantEntry("dora", KEYS[6]))
    new = replace(old, participants=people, follows=old.hash.hex())
    assert "Nothing differs." in shown(tmp_path, capsys, old, old)
    told = shown(tmp_path, capsys, old, new)
    assert "participant dora is added: uploads and receives" in told
    assert "and may follow it" in told
    told = shown(tmp_path, capsys, old, replace(new, title="another"))
    assert "title may not change" in told
    assert "may not follow" in told


def test_a_version_with_more_owners_is_written_from_the_one_before(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old, new = tmp_path / "old.toml", tmp_path / "new.toml"
    old.write_text(study_text(study()), encoding="utf-8")
    extend(old, new, [f"dora={public_text(KEYS[6])}"])
    written = Study.load(new)
    assert capsys.readouterr().out.strip() == written.hash.hex()
    assert written.follows == study().hash.hex()
    assert [one.name for one in written.owners] == ["ann", "ben", "dora"]
    with pytest.raises(ConfigurationError, match="exists already"):
        extend(old, new, [f"eve={public_text(KEYS[6])}"])
