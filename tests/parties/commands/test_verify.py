"""`ppaurora verify` accepts a server's changed key with the change, and warns of a revoked one."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from ppaurora.mpc.keys import Identity, fingerprint
from ppaurora.mpc.role import Role
from ppaurora.parties.commands.main import main
from ppaurora.parties.reports.result import combine
from ppaurora.parties.study.key_statements import changed, revoked
from ppaurora.parties.study.keys_in_force import KeysInForce, KeyStatements
from ppaurora.parties.study.writing import study_text
from tests.parties.evidence import session
from tests.parties.sample import study

STUDY = study(metrics=("auroc",))
P1, NEW = session.SERVERS[Role.P1], Identity.generate()
CHANGE = changed(P1, NEW, date(2026, 11, 22), 30)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A result that P1 has signed with its new key, its study, and the statements about keys."""
    monkeypatch.setitem(session.SERVERS, Role.P1, NEW)
    keys = KeysInForce(KeyStatements.of([CHANGE]))
    parts = (session.part(STUDY, role) for role in (Role.P0, Role.P1))
    result = combine(STUDY, *parts, keys=keys.ever_of_servers(STUDY))
    (tmp_path / "result.json").write_text(result.to_json())
    (tmp_path / "study.toml").write_text(study_text(STUDY), encoding="utf-8")
    (tmp_path / "change.toml").write_text(CHANGE.text)
    (tmp_path / "revoked.toml").write_text(revoked(NEW).text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def verify(*options: str) -> int:
    with pytest.raises(SystemExit) as leaving:
        main(["verify", "result.json", "--study=study.toml", *options])
    return int(leaving.value.code or 0)


def test_a_result_under_a_changed_key_needs_the_change(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert verify() != 0
    assert "its key had changed" in capsys.readouterr().err
    assert verify("--change=change.toml") == 0
    told = capsys.readouterr()
    assert f"P1: {fingerprint(NEW.public)}" in told.out
    assert "warning" not in told.err


def test_a_result_under_a_revoked_key_stays_verifiable_with_a_warning(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert verify("--change=change.toml", "--change=revoked.toml") == 0
    assert "this key of P1 is revoked" in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize("text", ["score,label\n0.5,1\n", "[]", '{"a": 1, "a": 2}', "[" * 100_000])
def test_a_file_that_is_no_result_is_named_with_what_to_give(
    folder: Path, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "result.json").write_text(text)
    assert verify("--change=change.toml") == 3
    told = capsys.readouterr().err
    assert "result.json is no saved result (A document that is not" in told
    assert "Give the file that `ppaurora result` saved." in told


def test_a_result_of_another_study_is_no_matter_of_the_file(folder: Path) -> None:
    (folder / "study.toml").write_text(study_text(study(id="another")), encoding="utf-8")
    assert verify("--change=change.toml") == 6
