"""Nobody who holds one key of one server makes another result that passes for a released one."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterable
from pathlib import Path

import pytest

from ppaurora.mpc.errors import RemoteProtocolError
from ppaurora.mpc.role import Role
from ppaurora.parties.commands.main import main
from ppaurora.parties.reports.verification import verified
from ppaurora.parties.site.key_files import set_passphrase
from ppaurora.parties.study.study import Study
from ppaurora.parties.study.writing import study_text
from tests.parties.evidence import forging
from tests.parties.evidence.forging import (
    CHANGES,
    COVERT,
    DOCUMENTS,
    FORGERS,
    KEYS,
    SEMI_HONEST,
    Document,
    Forger,
    forgeries,
)

SEED = 21
SAMPLE, MANY = 24, 300
REFUSED = 6


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The studies, the changes of keys, and the site of each server, with an audit log."""
    for name, of in (("semi", SEMI_HONEST), ("covert", COVERT)):
        (tmp_path / f"{name}.toml").write_text(study_text(of), encoding="utf-8")
    for number, change in enumerate(CHANGES):
        (tmp_path / f"change-{number}.toml").write_text(change.text)
    for role in Role:
        (tmp_path / f"{role}.key").touch(0o600)
        set_passphrase(tmp_path / f"{role}.key", forging.THIRD[role], "")
        (tmp_path / f"site-{role}.toml").write_text(
            f'key = "{role}.key"\nstudies = ["semi.toml"]\n'
            f'[keys]\nchanges = ["change-*.toml"]\n[server]\nstate = "state-{role}"\n'
        )
        (tmp_path / f"state-{role}").mkdir()
        (tmp_path / f"state-{role}" / "audit.jsonl").write_text("")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def ends_with(*arguments: str) -> int:
    with pytest.raises(SystemExit) as left:
        main([*arguments])
    return int(left.value.code or 0)


def codes(document: Document, of: Study, server: Role) -> list[int]:
    """The exit codes of `verify`, `report` and, at this server, `audit --result`."""
    Path("result.json").write_text(json.dumps(document))
    study = "--study=covert.toml" if of is COVERT else "--study=semi.toml"
    changes = [f"--change=change-{number}.toml" for number in range(len(CHANGES))]
    at = f"--site=site-{server}.toml"
    return [
        ends_with("verify", "result.json", study, *changes),
        ends_with("report", "result.json", study, *changes),
        ends_with("audit", at, "--result=result.json", study, "--no-show"),
    ]


def is_refused(document: Document, of: Study) -> bool:
    try:
        verified(json.dumps(document), of, KEYS.ever_of_servers(of))
    except RemoteProtocolError:
        return True
    return False


def check_refused(
    chosen: Iterable[tuple[str, Study, Forger, Document]], capsys: pytest.CaptureFixture[str]
) -> int:
    count = 0
    for name, of, forger, document in chosen:
        found = codes(document, of, forger.server)
        told = capsys.readouterr().err
        assert all(found), (name, found, told)
        assert "the line that" not in told, name  # not for what the empty log here does not hold
        count += 1
    return count


@pytest.mark.parametrize("of", [SEMI_HONEST, COVERT])
def test_the_honest_documents_pass_under_the_keys_of_the_session(
    folder: Path, of: Study, capsys: pytest.CaptureFixture[str]
) -> None:
    for role in Role:
        assert codes(DOCUMENTS[of.hash], of, role) == [0, 0, REFUSED]
        assert f"does not hold the line that {role} signed" in capsys.readouterr().err


def test_no_sampled_forgery_is_accepted(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    every = list(forgeries())
    kinds = {name.partition("(")[0].split("'s ")[0].split(",")[0] for name, *_ in every}
    assert len(kinds) > 8
    for way in forging.WAYS:
        one = random.Random(SEED).choice([*way(FORGERS[1], SEMI_HONEST)])
        check_refused([(one[0], SEMI_HONEST, FORGERS[1], one[1])], capsys)
    chosen = random.Random(SEED).sample(every, SAMPLE)
    assert check_refused(chosen, capsys) == SAMPLE


@pytest.mark.soak
def test_no_forgery_of_three_hundred_is_accepted(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    every = list(forgeries())
    rare = [one for one in every if not one[0].startswith(("statement's", "document's"))]
    usual = [one for one in every if one[0].startswith(("statement's", "document's"))]
    chosen = [*rare, *random.Random(SEED).sample(usual, max(0, MANY - len(rare)))]
    assert check_refused(chosen, capsys) >= MANY
    # what is left is held against `verify` alone
    for name, of, _, document in usual:
        assert is_refused(document, of), name


def test_a_rotated_out_key_and_a_later_one_are_refused_by_name_for_what_they_sign() -> None:
    """The statement stays as it is; only the key under it is another one of the same server."""
    for forger in FORGERS:
        document = copy.deepcopy(DOCUMENTS[SEMI_HONEST.hash])
        forger.sign_anew(document, SEMI_HONEST, lambda *_: None)
        keys = KEYS.ever_of_servers(SEMI_HONEST)
        if forger.which == "session's":
            assert verified(json.dumps(document), SEMI_HONEST, keys)
            continue
        with pytest.raises(RemoteProtocolError, match="had another one in that session"):
            verified(json.dumps(document), SEMI_HONEST, keys)


def test_what_a_server_says_of_its_own_log_changes_no_value_and_is_its_own_word() -> None:
    document = copy.deepcopy(DOCUMENTS[SEMI_HONEST.hash])
    forger = next(one for one in FORGERS if one.which == "session's")
    forger.sign_anew(document, SEMI_HONEST, lambda run, one, _: one.update(audit="another"))
    proof = verified(json.dumps(document), SEMI_HONEST, KEYS.ever_of_servers(SEMI_HONEST))
    assert str(proof.values["auroc"]) == "0.8250"
