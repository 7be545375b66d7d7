"""`ppaurora study diff`: what two study files say differently."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ppaurora.parties.commands.accept import diff
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
