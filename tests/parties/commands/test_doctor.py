"""First steps of a newcomer: files made by questions, a check-up with advice, servers to try."""

from __future__ import annotations

import json
import os
import shlex
import stat
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from ppaurora.mpc.keys import Identity
from ppaurora.mpc.role import Role
from ppaurora.parties.build import build
from ppaurora.parties.commands.main import main
from ppaurora.parties.participant.checkup import Verdict, _server
from ppaurora.parties.requests.status import State, Status
from ppaurora.parties.simulation.processes import environment
from ppaurora.parties.site.key_files import PRIVATE_PREFIX
from ppaurora.parties.site.private_line import create_private
from ppaurora.parties.site.site import Site
from ppaurora.parties.study.writing import study_text
from tests import forked
from tests.parties.sample import study
from tests.parties.world import World
from tests.until import SECONDS


def left_with(*arguments: str) -> int:
    with pytest.raises(SystemExit) as leaving:
        main(list(arguments))
    return int(leaving.value.code or 0)


# -- init ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("part", ["owner", "receiver", "server"])
def test_a_newcomer_gets_a_key_a_site_and_the_next_steps(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], part: str
) -> None:
    assert left_with("init", "ann", f"--as={part}", f"--folder={tmp_path}") == 0
    told = capsys.readouterr()
    assert told.out.splitlines()[0] == (tmp_path / "ann.key.pub").read_text().strip()
    assert stat.S_IMODE((tmp_path / "ann.key").stat().st_mode) == 0o600
    site = Site.load(tmp_path / "site.toml")
    assert site.key == tmp_path / "ann.key"
    assert site.studies == (tmp_path / "study.toml",)
    assert "ann.key.pub" in told.err
    if part == "owner":
        assert (site.policy.least_own_samples, site.policy.least_other_owners) == (50, 2)
        assert "ppaurora outsource" in told.err


def test_what_exists_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert left_with("init", "ann", f"--folder={tmp_path}") == 0
    first = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    again = left_with("init", "ann", f"--folder={tmp_path}", "--least-own-samples=7")
    assert again == 0
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == first
    assert capsys.readouterr().err.count("exists already, and is kept") == 2


def init_in(folder: Path, *arguments: str) -> int:
    return left_with("init", *arguments, f"--folder={folder}")


def private_keys(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("*.key"))


def test_the_key_of_the_first_step_is_taken_whatever_name_is_given(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As STUDIES.md has it: step 1 makes site.key, step 3 the site file."""
    assert left_with("keys", "new", str(tmp_path / "site.key")) == 0
    (tmp_path / "folds.key").write_text("ppaurora-folds-1:00\n")
    assert init_in(tmp_path, "dora", "--as=owner") == 0
    assert private_keys(tmp_path) == ["folds.key", "site.key"]
    assert Site.load(tmp_path / "site.toml").key == tmp_path / "site.key"
    assert "site.key exists already, and is kept" in " ".join(capsys.readouterr().err.split())


def test_a_locked_key_is_taken_as_well_and_stays_locked(tmp_path: Path) -> None:
    (tmp_path / "passphrase").write_text("correct horse battery staple\n")
    (tmp_path / "passphrase").chmod(0o600)
    lock = f"--passphrase-file={tmp_path / 'passphrase'}"
    assert left_with("keys", "new", str(tmp_path / "site.key"), lock) == 0
    before = (tmp_path / "site.key").read_bytes()
    assert init_in(tmp_path, "dora") == 0
    assert private_keys(tmp_path) == ["site.key"]
    assert (tmp_path / "site.key").read_bytes() == before


@pytest.mark.parametrize(
    ("place", "part", "says"),
    [(1, "server", "[server]"), (3, "owner", "[policy]"), (5, "receiver", "")],
)
def test_a_key_and_a_study_beside_each_other_say_what_there_is_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], place: int, part: str, says: str
) -> None:
    sample = study()
    publics = [one.public for one in (*sample.servers, *sample.participants)]
    for name, private in (("mine", bytes([place + 1]) * 64), ("other", bytes([99]) * 64)):
        identity = Identity.from_private(private)
        create_private(tmp_path / f"{name}.key", f"{PRIVATE_PREFIX}{private.hex()}", "")
        assert (identity.public in publics) == (name == "mine")
    (tmp_path / "sepsis.toml").write_text(study_text(sample), encoding="utf-8")
    assert init_in(tmp_path) == 0
    text = (tmp_path / "site.toml").read_text()
    site = Site.load(tmp_path / "site.toml")
    assert (site.key.name, site.studies) == ("mine.key", (tmp_path / "sepsis.toml",))
    assert says in text
    told = " ".join(capsys.readouterr().err.split())
    assert f"this is the key of {'an' if part == 'owner' else 'a'} {part}" in told
    assert "to the study's author" not in told
    assert "Put the study's file here" not in told
    (tmp_path / "site.toml").unlink()
    wrong = "owner" if part == "server" else "server"
    assert init_in(tmp_path, f"--as={wrong}") == 2
    assert not (tmp_path / "site.toml").exists()


def test_a_key_that_is_not_in_the_study_beside_it_is_told_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "study.toml").write_text(study_text(study()), encoding="utf-8")
    assert init_in(tmp_path, "ann") == 0
    told = " ".join(capsys.readouterr().err.split())
    assert "study.toml is there, and this key is not in it yet" in told
    assert "ann.key.pub to the study's author" in told
    assert "Put the study's file here" not in told


def test_of_several_keys_one_has_to_be_named_and_none_is_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("a", "b"):
        assert left_with("keys", "new", str(tmp_path / f"{name}.key")) == 0
    assert init_in(tmp_path, "dora") == 2
    assert "Several private keys lie in" in capsys.readouterr().err
    assert private_keys(tmp_path) == ["a.key", "b.key"]
    assert init_in(tmp_path, "b") == 0
    assert Site.load(tmp_path / "site.toml").key.name == "b.key"


def test_an_unsafe_key_is_refused_and_not_passed_over(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert left_with("keys", "new", str(tmp_path / "site.key")) == 0
    (tmp_path / "site.key").chmod(0o644)
    assert init_in(tmp_path, "dora") == 5
    assert "can be read by others" in capsys.readouterr().err
    assert private_keys(tmp_path) == ["site.key"]


def test_at_a_terminal_what_is_not_given_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = iter(["ben", "owner", "70", "4"])
    monkeypatch.setattr("builtins.input", lambda *_: next(answers))
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    assert left_with("init", f"--folder={tmp_path}") == 0
    policy = Site.load(tmp_path / "site.toml").policy
    assert (policy.least_own_samples, policy.least_other_owners) == (70, 4)
    assert (tmp_path / "ben.key").exists()
    assert next(answers, None) is None


# -- doctor ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module", name="world")
def _world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with World(tmp_path_factory.mktemp("doctor")) as made:
        made.start()
        yield made


def told(world: World, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.chdir(world.folder)
    return left_with("doctor", *arguments)


@pytest.mark.zeromq
def test_a_site_that_is_ready_is_told_so(
    world: World, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert told(world, monkeypatch, "ann.csv", "--site=ann.toml") == 0
    shown = capsys.readouterr().out
    assert all(line.startswith("fine ") for line in shown.splitlines())
    for part in (
        "you are ann in trial",
        "P0: waiting",
        "helper: ready",
        "40 samples",
        "may be sent",
    ):
        assert part in shown
    assert told(world, monkeypatch, "--site=P0.toml", "--format=json") == 0
    found = json.loads(capsys.readouterr().out)
    assert {one["verdict"] for one in found} == {"fine"}
    helper = world.study.server(Role.HELPER)
    assert f"out to helper: {helper.address}" in [
        one["seen"] for one in found if one["about"] == "firewall"
    ]
    with world.owner("ann") as owner:
        assert owner.status()["P0"].uploads == ()


@pytest.mark.zeromq
def test_everything_that_is_wrong_is_told_at_once_with_what_to_do(
    world: World, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (world.folder / "bad.csv").write_text("score,label\n0.5,1\n7,0\n")
    world.write_site("ben", more="[policy]\nleast_other_owners = 9\n")
    world.kill(Role.HELPER)
    try:
        assert told(world, monkeypatch, "bad.csv", "--site=ben.toml") == 4
    finally:
        world.start(Role.HELPER)
        world.write_site("ben")
    wrong = [one for one in capsys.readouterr().out.splitlines() if one.startswith("wrong ")]
    assert len(wrong) == 3
    assert "at least 9 other owners" in wrong[0]
    assert "helper of study trial" in wrong[1]
    assert "ask its operator" in wrong[1]
    assert "row 2 (line 3)" in wrong[2]


@pytest.mark.zeromq
def test_a_key_that_others_can_read_and_a_site_that_others_can_change_are_wrong(
    world: World, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    key, site = world.folder / "cleo.key", world.site("cleo")
    key.chmod(0o644)
    site.chmod(0o666)
    try:
        assert told(world, monkeypatch, "--site=cleo.toml") == 2
    finally:
        key.chmod(0o600)
        site.chmod(0o600)
    shown = capsys.readouterr().out
    assert "can be changed by others" in shown
    assert "can be read by others" in shown
    assert told(world, monkeypatch, "--site=absent.toml") == 2
    assert "There is no file absent.toml" in capsys.readouterr().out


def test_another_version_and_another_clock_are_noted() -> None:
    now = datetime.now(UTC)
    fine = Status("t", "", "P0", State.READY, "", (), None, "", (), build(), now)
    assert [one.verdict for one in _server("P0", fine)] == [Verdict.FINE]
    late = replace(fine, software="0.0.1", at=now - timedelta(hours=3))
    texts = [one.seen for one in _server("P0", late) if one.verdict is Verdict.NOTE]
    assert f"runs ppaurora 0.0.1, this is {build()}" in texts[0]
    assert "differs from this one by 10800 s" in texts[1]


# -- demo --serve ----------------------------------------------------------------------------------


@pytest.mark.zeromq
def test_a_demo_serves_until_it_is_ended_and_leaves_nothing() -> None:
    theirs, mine = os.pipe()
    serving = forked.start(("demo", "--serve"), stdout=mine, stderr=2)
    os.close(mine)
    with os.fdopen(theirs) as told:
        lines = [told.readline().strip() for _ in range(6)]
        try:
            folder = Path(lines[0].removeprefix("cd "))
            done = subprocess.run(
                # as it is printed, in another shell
                [*shlex.split(lines[1]), "--yes"],
                cwd=folder,
                env=environment(),
                capture_output=True,
                text=True,
                timeout=SECONDS,
                check=False,
            )
            assert done.returncode == 0, done.stderr
            assert "Stored by both proxies" in done.stderr
        finally:
            serving.terminate()
        assert serving.wait(SECONDS) == 0
    assert not folder.exists()
