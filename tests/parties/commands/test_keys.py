"""`ppaurora keys`: what is asked, what is shown, and what never is."""

from __future__ import annotations

import getpass
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from ppaurora.mpc.errors import AuroraError
from ppaurora.mpc.keys import fingerprint, spelt
from ppaurora.parties.commands.keys import app
from ppaurora.parties.errors import ConfigurationError, KeyFault
from ppaurora.parties.site.key_files import (
    create_identity,
    is_locked,
    load_identity,
    read_public,
)
from ppaurora.parties.site.locked_key import LEAST_COST
from ppaurora.parties.study.key_statements import KeyChange, load_statement, revoked

WORDS = "anchor lemon gravel seven"
Typing = Callable[..., list[str]]


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, [*map(str, arguments)])


def fault(*arguments: str | Path) -> AuroraError:
    error = run(*arguments).exception
    assert isinstance(error, AuroraError)
    return error


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> Typing:
    """Say what will be typed where the terminal does not show it; gives the questions."""

    def typing(*answers: str) -> list[str]:
        left, questions = list(answers), []

        def answer(question: str) -> str:
            questions.append(question)
            return left.pop(0)

        monkeypatch.setattr(getpass, "getpass", answer)
        return questions

    return typing


def test_a_new_key_is_locked_with_what_is_typed_twice(tmp_path: Path, typed: Typing) -> None:
    questions = typed(WORDS, WORDS)
    done = run("new", tmp_path / "ann.key", "--passphrase", "--valid", "2y")
    assert done.exit_code == 0
    assert len(questions) == 2
    opened = load_identity(tmp_path / "ann.key", lambda _: WORDS)
    assert fingerprint(opened.public) in done.stdout
    assert opened.public.good_until is not None
    assert str(opened.public.good_until) in done.stdout
    shown = run("show", tmp_path / "ann.key")
    assert fingerprint(opened.public) in shown.stdout
    assert len(questions) == 2, "the public half is shown without the passphrase"


def test_passphrases_that_differ_or_are_short_make_no_key(tmp_path: Path, typed: Typing) -> None:
    typed(WORDS, "another one altogether")
    assert "differ" in str(fault("new", tmp_path / "ann.key", "--passphrase"))
    typed("short")
    assert "5 letters" in str(fault("new", tmp_path / "ann.key", "--passphrase"))
    assert not list(tmp_path.iterdir())


def test_a_script_gives_passphrases_in_files_that_are_closed(tmp_path: Path) -> None:
    key, file = tmp_path / "ann.key", tmp_path / "words"
    create_identity(key)
    file.write_text(WORDS)
    file.chmod(0o644)
    assert "can be read by others" in str(fault("passphrase", key, "--passphrase-file", file))
    file.chmod(0o600)
    assert run("passphrase", key, "--passphrase-file", file).exit_code == 0
    assert load_identity(key, lambda _: WORDS).public == read_public(f"{key}.pub")
    assert run("passphrase", key, "--remove", "--old-passphrase-file", file).exit_code == 0
    assert load_identity(key).public == read_public(f"{key}.pub")
    both = fault("passphrase", key, "--remove", "--passphrase-file", file)
    assert isinstance(both, ConfigurationError)


def test_without_a_terminal_nothing_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_terminal(_: str) -> str:
        warnings.warn("echoes", getpass.GetPassWarning, stacklevel=1)
        raise AssertionError("a passphrase is read although it would be shown")

    monkeypatch.setattr(getpass, "getpass", no_terminal)
    error = fault("new", tmp_path / "ann.key", "--passphrase")
    assert isinstance(error, KeyFault)
    assert "no terminal" in str(error)


def test_a_fingerprint_is_spelt_group_by_group(tmp_path: Path) -> None:
    public = create_identity(tmp_path / "ann.key").public
    shown = run("show", tmp_path / "ann.key.pub", "--spell").stdout
    first = spelt(fingerprint(public))
    assert len(first) == 5
    assert all(words in shown for words in first)


def test_a_change_is_made_beside_the_new_key_and_shown_with_both_fingerprints(
    tmp_path: Path,
) -> None:
    old = create_identity(tmp_path / "ann.key")
    new, change = tmp_path / "new.key", tmp_path / "new.key.change.toml"
    assert "at most 366" in str(fault("rotate", tmp_path / "ann.key", new, "--overlap", "367"))
    assert not new.exists()
    assert run("rotate", tmp_path / "ann.key", new, "--overlap", "5").exit_code == 0
    made = load_statement(change)
    assert isinstance(made, KeyChange)
    assert (made.old, made.new) == (old.public, load_identity(new).public)
    shown = run("show", change, "--spell").stdout
    for public in (made.old, made.new):
        assert fingerprint(public) in shown
        assert spelt(fingerprint(public))[-1] in shown
    assert "exists already" in str(fault("rotate", tmp_path / "ann.key", new))
    change.write_text(change.read_text().replace(str(made.old_until), str(made.made)))
    assert "is not the signature of" in str(fault("show", change))


def test_a_revocation_is_private_until_it_is_given_to_others(tmp_path: Path) -> None:
    made = create_identity(tmp_path / "ann.key")
    assert run("revoke", tmp_path / "ann.key").exit_code == 0
    path = tmp_path / "ann.key.revoked.toml"
    assert path.stat().st_mode & 0o077 == 0
    assert load_statement(path) == revoked(made)
    assert "is revoked by its holder" in run("show", path).stdout
    assert "exists already" in str(fault("revoke", tmp_path / "ann.key"))


def test_the_key_that_takes_the_place_of_a_locked_one_is_locked(
    tmp_path: Path, typed: Typing
) -> None:
    create_identity(tmp_path / "ann.key", None, WORDS, LEAST_COST)
    typed(WORDS, "quite other words", "quite other words")
    assert run("rotate", tmp_path / "ann.key", tmp_path / "new.key").exit_code == 0
    assert is_locked(tmp_path / "new.key")
