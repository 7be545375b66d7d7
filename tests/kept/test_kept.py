"""Files that released versions have left are read by this one, and servers finish what waited.

Each folder beside this file is what one version left (`tests/kept/make.py`); it is never changed.
"""

from __future__ import annotations

import contextlib
import json
import socket
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ppaurora.mpc.role import Role
from ppaurora.parties.commands.main import main
from ppaurora.parties.errors import PolicyRefusal
from ppaurora.parties.participant.releases_sent import ReleasesSent
from ppaurora.parties.reports.saved import SavedResult
from ppaurora.parties.server.keeping.database import DATABASE, FORM
from ppaurora.parties.simulation.processes import await_start, servers
from ppaurora.parties.simulation.signed_protocol import read_protocol
from ppaurora.parties.site.fold_key import load_fold_key
from ppaurora.parties.site.key_files import load_identity, public_of
from ppaurora.parties.site.site import Site
from ppaurora.parties.study.key_statements import KeyChange, Revocation, load_statement
from ppaurora.parties.study.study import Study
from tests.kept.make import (
    EXPECTED,
    FEBRUARY,
    FIRST_PORT,
    PASSPHRASE,
    PATIENTS,
    rows,
    unpack,
)
from tests.mutants.mutant import Tree
from tests.until import until

VERSIONS = sorted(path for path in Path(__file__).parent.glob("*.*.*") if path.is_dir())
THIS = "FORM: KeptForm[NewRows] = KeptForm(6)"
LATER = """FORM: KeptForm[NewRows] = KeptForm(
    6, ({"events": lambda row: (*row[:2], f"{row[2]} (as 0.2.0 noted)")},)
)"""
"""The form of a later version's records, which renews the text of each event."""


@pytest.fixture(params=VERSIONS, ids=lambda path: str(path.name))
def kept(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of what a version left, which is where one stands."""
    unpack(request.param, tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def ports() -> Iterator[None]:
    """The ports that the kept studies name; other tests that use them are waited for."""
    with socket.socket() as held:

        def is_ours() -> bool:
            with contextlib.suppress(OSError):
                held.bind(("127.0.0.1", FIRST_PORT + 9))
                return True
            return False

        until(is_ours)
        yield


def expected(kept: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((kept / EXPECTED).read_text())
    return content


def ends(*arguments: str) -> int:
    """The exit code of a command in this process."""
    with pytest.raises(SystemExit) as leaving:
        main(list(arguments))
    return int(leaving.value.code or 0)


def done(*arguments: str) -> None:
    """A command that has to succeed."""
    assert ends(*arguments) == 0


@contextlib.contextmanager
def served(kept: Path, program: Path | None = None) -> Iterator[None]:
    """The three servers on the kept states, run by this program or by the one in that folder."""
    sites = [kept / f"site-{role}.toml" for role in Role]
    entrances = [("env", f"PYTHONPATH={program}") if program else ()] * len(sites)
    with servers(sites, kept, entrances) as running:
        for process, site in zip(running, sites, strict=True):
            await_start(process, kept / f"{site.stem}.log")
        yield


def values(file: str, study: str) -> dict[str, Any]:
    """The values of a result that was saved, once the study has been found to be signed in it."""
    done("verify", file, f"--study={study}")
    saved = SavedResult.from_json(Path(file).read_text())
    return {name: json.loads(json.dumps(one.numbers())) for name, one in saved.values.items()}


def test_this_version_has_left_its_files() -> None:
    assert VERSIONS


def test_a_study_has_the_hash_that_its_parties_agreed_on(kept: Path) -> None:
    for name, hash in expected(kept)["hashes"].items():
        assert Study.load(kept / f"{name}.toml").hash.hex() == hash


def test_a_site_file_and_every_kind_of_key_and_statement_is_read(kept: Path) -> None:
    keys = {Site.load(path).key.name for path in kept.glob("site-*.toml")}
    assert len(keys) == 8
    for name in keys:
        assert load_identity(kept / name).public == public_of(kept / name)
    assert load_identity(kept / "locked.key", lambda _: PASSPHRASE)
    assert len(load_fold_key(kept / "owners.key")) == 32
    ben = public_of(kept / "ben.key")
    change = load_statement(kept / "ben.change.toml")
    assert isinstance(change, KeyChange)
    assert (change.old, change.new) == (ben, public_of(kept / "new-ben.key"))
    revocation = load_statement(kept / "ben.revoked.toml")
    assert isinstance(revocation, Revocation)
    assert revocation.key == ben
    _, signer = read_protocol((kept / "protocol.json").read_text())
    assert signer == public_of(kept / "ann.key")


def test_a_result_is_verified_and_reported(kept: Path) -> None:
    assert values("result.json", "finished.toml") == expected(kept)["values"]["finished"]
    done("report", "result.json", "--study=finished.toml")
    assert "0.6512" in (kept / "result.html").read_text()


@pytest.mark.parametrize(
    ("site", "study", "why"),
    [
        ("ann-noised", "noised-2", "does not hold this study: it costs 1, and 1 of 1.5 are spent"),
        ("ann", "other-cut", "this study has threshold 0.6"),
    ],
)
def test_an_owner_s_budget_and_cuts_still_hold(
    kept: Path, site: str, study: str, why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {path: path.read_bytes() for path in (kept / "state-ann").glob("*.json")}
    asked = ("--yes", f"--site=site-{site}.toml", f"--study={study}.toml")
    assert ends("outsource", "ann.csv", *asked) == 4
    assert why in " ".join(capsys.readouterr().err.split())
    assert {path: path.read_bytes() for path in before} == before


def test_a_list_that_is_nearly_one_of_a_release_before_is_still_refused(kept: Path) -> None:
    february = Study.load(kept / "monthly.toml").release(FEBRUARY)
    sent = ReleasesSent(kept / "state-ann", february, public_of(kept / "ann.key"))
    with pytest.raises(PolicyRefusal, match="fewer than 5 rows differ"):
        sent.check(rows(PATIENTS[2:]))
    sent.check(rows(PATIENTS[100:]))


def finish(kept: Path) -> None:
    """The last owner uploads, and the result is the number of all three lists."""
    done("outsource", "cleo.csv", "--site=site-cleo.toml", "--study=waiting.toml", "--yes")
    fetch = ("--wait=300", "--study=waiting.toml", "--output=now.json")
    done("result", "--site=site-rita.toml", *fetch)
    assert values("now.json", "waiting.toml") == expected(kept)["values"]["waiting"]


@pytest.mark.slow
@pytest.mark.zeromq
@pytest.mark.usefixtures("ports")
def test_servers_finish_the_study_that_waits_and_hand_out_the_one_that_is_finished(
    kept: Path,
) -> None:
    with served(kept):
        assert (
            ends("result", "--site=site-sam.toml", "--study=finished.toml", "--output=sam.json")
            == 0
        )
        assert values("sam.json", "finished.toml") == expected(kept)["values"]["finished"]
        # an upload that is stored, repeated by the secret that was kept, is the same upload
        assert (
            ends("outsource", "ann.csv", "--site=site-ann.toml", "--study=waiting.toml", "--yes")
            == 0
        )
        finish(kept)
    for role in Role:
        done("audit", f"--site=site-{role}.toml")


@pytest.mark.slow
@pytest.mark.zeromq
@pytest.mark.usefixtures("ports")
def test_a_later_version_renews_the_records_and_this_one_then_refuses_them_in_words(
    kept: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    later = Tree(kept / "later")
    path = later.home / "parties/server/keeping/database.py"
    assert THIS in path.read_text()
    path.write_text(path.read_text().replace(THIS, LATER))
    with served(kept, later.home):
        finish(kept)
    state = kept / "state-P0"
    with sqlite3.connect(state / DATABASE) as records:
        assert records.execute("PRAGMA user_version").fetchone() == (FORM.number + 1,)
        texts = [text for (text,) in records.execute("SELECT text FROM events ORDER BY rowid")]
    assert "computed; the shares of all uploads were deleted (as 0.2.0 noted)" in texts
    assert "computed; the shares of all uploads were deleted" in texts
    for arguments in (("server", "site-P0.toml"), ("audit", "--site=site-P0.toml")):
        capfd.readouterr()
        assert ends(*arguments) == 2
        told = capfd.readouterr().err
        assert "was written by a newer version of ppaurora" in told
        assert "Start that version again: it finishes the studies that wait here." in told
