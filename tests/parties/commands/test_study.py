"""`ppaurora study new` says what its owners would refuse, and with which options they would not."""

from __future__ import annotations

from pathlib import Path

import pytest

from ppaurora.parties.commands.exit_codes import ExitCode
from ppaurora.parties.commands.main import main
from ppaurora.parties.errors import PolicyRefusal
from ppaurora.parties.site.policy import check_study
from ppaurora.parties.site.site import Policy
from ppaurora.parties.study.public_keys import public_text
from ppaurora.parties.study.study import Study
from tests.parties.sample import KEYS

PUBLIC = [public_text(one) for one in KEYS]
SERVERS = [
    f"--{name}={name}.example.org:7100={PUBLIC[at]}"
    for at, name in enumerate(("p0", "p1", "helper"))
]
OWNERS = [f"--owner={name}={PUBLIC[3 + at]}" for at, name in enumerate(("north", "south"))]
REFUSED = "every owner with the usual policy refuses it"


def made(
    file: Path, capsys: pytest.CaptureFixture[str], *more: str
) -> tuple[int | str | None, str]:
    """The exit code of `study new`, and what it tells."""
    with pytest.raises(SystemExit) as left:
        main(["study", "new", str(file), "--id=trial", *SERVERS, *OWNERS, *more])
    return left.value.code, " ".join(capsys.readouterr().err.split())


def test_a_study_that_the_usual_policy_refuses_is_told_with_what_would_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ("--least-owners=2", "--analysis=validation", "--least-samples=40")
    refused = tmp_path / "refused.toml"
    code, told = made(refused, capsys, *asked)
    assert code == ExitCode.DONE
    assert REFUSED in told
    with pytest.raises(PolicyRefusal):
        check_study(Policy(), Study.load(refused))
    would_do = told.partition("Its list would be sent with ")[2].partition(".")[0].split()
    assert would_do[0] == "--least-list"
    code, told = made(tmp_path / "allowed.toml", capsys, *asked, "=".join(would_do))
    assert code == ExitCode.DONE
    assert REFUSED not in told
    check_study(Policy(), Study.load(tmp_path / "allowed.toml"))
    # without sizes it is raised by itself
    code, told = made(tmp_path / "raised.toml", capsys, *asked[:2])
    assert code == ExitCode.DONE
    assert REFUSED not in told


def test_an_owner_is_not_named_again_as_a_receiver(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "study.toml"
    code, told = made(file, capsys, "--metric=auroc", f"--receiver=north={PUBLIC[3]}")
    assert code == ExitCode.USAGE
    assert "names north as an owner and again as a receiver" in told
    assert not file.exists()
