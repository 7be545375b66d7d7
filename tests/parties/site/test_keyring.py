"""Statements about keys come as files, are read strictly, and stay in force."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from ppaurora.mpc.keys import Identity, fingerprint
from ppaurora.parties.errors import ConfigurationError
from ppaurora.parties.site.keyring import Keyring, KeySettings
from ppaurora.parties.site.site import Site
from ppaurora.parties.study.key_statements import changed, revoked
from tests.parties.sample import study

OLD, NEW, OTHER = (Identity.generate() for _ in range(3))
CHANGE = changed(OLD, NEW, date(2026, 11, 22), 30)
NOON = 1_763_800_000.0
STUDY = study()
ANN, BEN, _ = STUDY.participants


def settings(folder: Path, *changes: str) -> KeySettings:
    (folder / "changes").mkdir(exist_ok=True)
    return KeySettings(folder, changes=changes or ("changes/*.toml",))


def test_a_site_file_names_changes_and_keys_that_it_refuses(tmp_path: Path) -> None:
    name = fingerprint(OLD.public)
    path = tmp_path / "site.toml"
    path.write_text(
        f'key = "k"\nstudies = ["s"]\n[keys]\nchanges = ["changes/*.toml"]\nrevoked = ["{name}"]\n'
    )
    keys = Site.load(path).keys
    assert (keys.folder, keys.changes, keys.revoked) == (tmp_path, ("changes/*.toml",), (name,))
    path.write_text(path.read_text().replace(name, name.lower()))
    with pytest.raises(ConfigurationError, match="no fingerprint"):
        Site.load(path)


def test_files_that_come_later_are_read_and_stay_in_force_when_they_go(tmp_path: Path) -> None:
    ring = Keyring(settings(tmp_path), lambda: NOON)
    assert ring.in_force().accepted(OLD.public) == (OLD.public,)
    (tmp_path / "changes" / "one.toml").write_text(CHANGE.text)
    assert ring.refresh() == ([CHANGE], [])
    assert ring.refresh() == ([], [])
    assert ring.in_force().accepted(OLD.public) == (NEW.public, OLD.public)
    (tmp_path / "changes" / "one.toml").unlink()
    assert ring.refresh() == ([], [])
    assert ring.in_force().accepted(OLD.public) == (NEW.public, OLD.public)


def test_a_faulty_file_is_told_once_and_keeps_no_revocation_waiting(tmp_path: Path) -> None:
    (tmp_path / "changes").mkdir()
    (tmp_path / "changes" / "a.toml").write_text(CHANGE.text)
    ring = Keyring(settings(tmp_path), lambda: NOON)
    (tmp_path / "changes" / "b.toml").write_text(CHANGE.text.replace("2026-12-22", "2026-12-23"))
    contradiction = changed(OLD, OTHER, date(2026, 11, 22), 30)
    (tmp_path / "changes" / "c.toml").write_text(contradiction.text)
    (tmp_path / "changes" / "d.toml").write_text(revoked(OLD).text)
    new, faults = ring.refresh()
    assert new == [revoked(OLD)]
    assert "is not the signature" in str(faults[0])
    assert "contradict" in str(faults[1])
    assert ring.refresh() == ([], [])
    assert ring.in_force().accepted(OLD.public) == (NEW.public,)
    with pytest.raises(ConfigurationError, match="is not the signature"):
        Keyring(settings(tmp_path), lambda: NOON)


def test_a_faulty_file_holds_back_the_studies_whose_keys_it_names_and_no_other(
    tmp_path: Path,
) -> None:
    changes = tmp_path / "changes"
    changes.mkdir()
    of_ann = replace(STUDY, participants=(replace(ANN, public=OLD.public), BEN))
    of_others = replace(STUDY, id="others")
    (changes / "empty.toml").write_text("")
    (changes / "a.toml").write_text(CHANGE.text.replace("signed_by_old", "signed_by_odd"))
    ring = Keyring(settings(tmp_path), lambda: NOON, bears_faults=True)
    assert len(ring.faults) == 2
    assert "a.toml" in ring.holds_back(of_ann)
    assert ring.holds_back(of_others) == ""
    # half of the file is enough to know whom it is about
    (changes / "a.toml").write_text(CHANGE.text[: CHANGE.text.index("new = ")])
    ring.refresh()
    assert "a.toml" in ring.holds_back(of_ann)
    (changes / "a.toml").write_text(CHANGE.text)
    assert ring.refresh() == ([CHANGE], ring.faults)
    assert ring.holds_back(of_ann) == ""
    # what it said before stays in force, so nothing has to wait
    (changes / "a.toml").write_text("no TOML at all")
    assert len(ring.refresh()[1]) == 2
    assert ring.holds_back(of_ann) == ""
    assert ring.in_force().accepted(OLD.public) == (NEW.public, OLD.public)


def test_a_change_that_contradicts_another_holds_back_studies_with_their_key(
    tmp_path: Path,
) -> None:
    (tmp_path / "changes").mkdir()
    (tmp_path / "changes" / "a.toml").write_text(CHANGE.text)
    other = changed(OLD, OTHER, date(2026, 11, 22), 30)
    (tmp_path / "changes" / "b.toml").write_text(other.text)
    ring = Keyring(settings(tmp_path), lambda: NOON, bears_faults=True)
    [fault] = ring.faults
    assert "b.toml: Two changes of keys contradict each other" in str(fault)
    of_ann = replace(STUDY, participants=(replace(ANN, public=OLD.public), BEN))
    assert "b.toml" in ring.holds_back(of_ann)
    assert ring.holds_back(STUDY) == ""


def test_a_name_that_leads_nowhere_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="There is no folder"):
        Keyring(settings(tmp_path, "chnages/*.toml"))
    with pytest.raises(ConfigurationError, match="There is no file"):
        Keyring(settings(tmp_path, "changes/one.toml"))
