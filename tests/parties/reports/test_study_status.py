"""The state of a study as it is shown: every text that a server sent is made printable."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from ppaurora.parties.reports.study_status import computing_progress, show_status
from ppaurora.parties.requests.status import Computing, Note, State, Status, UploadStatus
from tests.parties.sample import study

STUDY = study()
THEN = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)
NASTY = "\x1b[2J[bold]gone[/bold]"
SAFE = "?[2J[bold]gone[/bold]"


def status(state: State = State.WAITING, detail: str = "", **more: object) -> Status:
    fields = {"uploads": (), "progress": None, "last_problem": "", "notes": ()} | more
    return Status("trial", "00", "P0", state, detail, **fields)  # type: ignore[arg-type]


def test_a_status_is_shown_with_uploads_problem_and_notes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    told = status(
        detail="1 of at least 2 owners has uploaded",
        uploads=(UploadStatus("ann", 60, True, 32, 32, THEN),),
        last_problem="P1 is silent",
        notes=(Note(THEN, "ben withdrew its upload"),),
    )
    silent = status(State.NOT_ANSWERING, "no route")
    show_status({"P0": told, "P1": silent}, STUDY)
    shown = capsys.readouterr().out
    assert "waiting: 1 of at least 2 owners has uploaded" in shown
    assert "gives no status: no route" in shown
    assert "P0, last problem: P1 is silent" in shown
    assert "P0, 2026-03-04T05:06:07+00:00: ben withdrew its upload" in shown
    ann = next(line for line in shown.splitlines() if "ann" in line)
    assert "stored" in ann
    assert "unknown" in ann
    assert "nothing" not in shown


def test_no_text_of_a_server_rewrites_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    upload = UploadStatus(NASTY, 60, False, 1, 32, THEN)
    told = status(detail=NASTY, uploads=(upload,), last_problem=NASTY, notes=(Note(THEN, NASTY),))
    show_status({"P0": told}, STUDY)
    with computing_progress() as watch:
        watch(told)
        watch(status(State.COMPUTING, progress=Computing("", NASTY, 1, 2, 0.0, 1.0)))
    shown = capsys.readouterr()
    assert "\x1b" not in shown.out + shown.err
    assert shown.out.count(SAFE) == 4
    assert shown.err.splitlines() == [f"waiting: {SAFE}", f"computing: {SAFE}"]


def test_a_new_state_is_one_line_and_the_same_again_is_none(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with computing_progress() as watch:
        for told in (status(), status(), status(State.STARTING), status(State.NOT_ANSWERING)):
            watch(told)
    lines = capsys.readouterr().err.splitlines()
    assert lines == ["waiting", "about to be computed", "P0 gives no status"]


def test_a_helper_is_not_said_to_wait_when_the_proxies_have_computed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    show_status({"P0": status(State.COMPUTED), "helper": status(State.READY)}, STUDY)
    assert "ready, with nothing to do" in capsys.readouterr().out
    show_status({"P0": status(), "helper": status(State.READY)}, STUDY)
    assert "ready, waiting for P0 to begin" in capsys.readouterr().out


def uploaded(owner: str, *, stored: bool = True) -> UploadStatus:
    return UploadStatus(owner, 60, stored, 32 if stored else 8, 32, THEN)


def not_yet(capsys: pytest.CaptureFixture[str], *told: Status, **changes: object) -> list[str]:
    """The lines that name who is missing, when the servers in their order tell this."""
    show_status(dict(zip(("P0", "P1", "helper"), told, strict=True)), study(**changes))
    return [line for line in capsys.readouterr().out.splitlines() if line.startswith("not yet")]


def test_who_has_yet_to_upload_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    ann = status(uploads=(uploaded("ann"),))
    half = status(uploads=(uploaded("ann"), uploaded("ben", stored=False)))
    both = status(uploads=(uploaded("ann"), uploaded("ben")))
    silent, idle = status(State.NOT_ANSWERING, "no route"), status(State.READY)
    assert not_yet(capsys, status(), status(), idle) == ["not yet: ann, ben"]
    assert not_yet(capsys, ann, both, idle) == ["not yet: ben"]
    assert not_yet(capsys, half, both, idle) == ["not yet: ben"]
    assert not_yet(capsys, both, both, idle) == []
    # a silent server may have everything, or nothing
    assert not_yet(capsys, both, silent, idle) == []
    assert not_yet(capsys, ann, silent, idle) == ["not yet: ben"]
    assert not_yet(capsys, silent, silent, idle) == []
    # what has been computed is deleted
    assert not_yet(capsys, status(State.COMPUTED), status(State.COMPUTED), idle) == []
    # in a covert study the helper holds shares as well
    assert not_yet(capsys, both, both, ann, assurance="covert") == ["not yet: ben"]
    assert not_yet(capsys, both, both, silent, assurance="covert") == []


def test_a_helper_that_does_not_answer_is_unknown_where_it_holds_shares(
    capsys: pytest.CaptureFixture[str],
) -> None:
    both = status(uploads=(uploaded("ann"), uploaded("ben")))
    silent = status(State.NOT_ANSWERING, "no route")
    told = {"P0": both, "P1": both, "helper": silent}
    show_status(told, study())
    assert "unknown" not in capsys.readouterr().out
    show_status(told, study(assurance="covert"))
    assert capsys.readouterr().out.count("unknown") == 2


def test_servers_of_different_builds_are_told_with_both(capsys: pytest.CaptureFixture[str]) -> None:
    mine, theirs = status(software="0.1.0+aaaa"), status(software="0.1.0+bbbb")
    silent = status(State.NOT_ANSWERING, "no route")
    show_status({"P0": mine, "P1": mine, "helper": silent}, STUDY)
    assert "builds" not in capsys.readouterr().out
    show_status({"P0": mine, "P1": mine, "helper": theirs}, STUDY)
    shown = " ".join(capsys.readouterr().out.split())
    assert "P0 runs 0.1.0+aaaa, P1 runs 0.1.0+aaaa, helper runs 0.1.0+bbbb" in shown
