"""The status of a study and its progress, for people who wait at a terminal."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator, Mapping

from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn
from rich.status import Status as RichStatus
from rich.text import Text

from ppaurora.mpc.printable import printable
from ppaurora.parties.reports.console import err, out, table_of
from ppaurora.parties.reports.model import Paragraph, Sheet
from ppaurora.parties.requests.status import State, Status
from ppaurora.parties.study.runs import holders
from ppaurora.parties.study.study import Study

SHOWN_LETTERS = 500
OVER = (State.UNSEALED, State.COMPUTED, State.OVER)
STORED = "stored"
NOTHING_TO_DO = "ready, with nothing to do"


def show_status(status: Mapping[str, Status], study: Study) -> None:
    """Print the study's status at each server, by the server's name, and who is missing."""
    for piece in status_pieces(status, study):
        if isinstance(piece, Sheet):
            show_sheet(piece)
        else:
            out().print(piece.text)


def show_sheet(sheet: Sheet) -> None:
    """Print a table without its caption."""
    table = table_of(*sheet.columns)
    for row in sheet.rows:
        table.add_row(*row)
    out().print(table)


def status_pieces(status: Mapping[str, Status], study: Study) -> Iterator[Sheet | Paragraph]:
    """The study's status at each server, what each has of the uploads, and who is missing."""
    done = any(answer.state in OVER for answer in status.values())
    rows = []
    for name, answer in status.items():
        idle = done and answer.state is State.READY
        sentence = NOTHING_TO_DO if idle else _progress_text(answer) or answer.sentence
        rows.append((name, _shown(sentence)))
    yield Sheet("servers", "Servers", ("server", "state"), tuple(rows))
    of_holders = {str(role): status[str(role)] for role in holders(study) if str(role) in status}
    samples = {
        upload.owner: upload.samples for answer in of_holders.values() for upload in answer.uploads
    }
    if samples:
        uploads = tuple(
            (
                _shown(owner),
                str(size),
                *(_share(owner, answer) for answer in of_holders.values()),
            )
            for owner, size in sorted(samples.items())
        )
        yield Sheet("uploads", "Uploads", ("owner", "samples", *of_holders), uploads)
    answering = [
        answer for answer in of_holders.values() if answer.state is not State.NOT_ANSWERING
    ]
    missing = [
        owner.name
        for owner in study.owners
        if any(_share(owner.name, answer) != STORED for answer in answering)
    ]
    if missing and not done:
        yield Paragraph(f"not yet: {_shown(', '.join(missing))}")
    builds = {name: answer.software for name, answer in status.items() if answer.software}
    if len({*builds.values()}) > 1:
        each = ", ".join(f"{name} runs {_shown(one)}" for name, one in builds.items())
        yield Paragraph(f"different builds, which refuse each other: {each}")
    for name, answer in status.items():
        if answer.last_problem:
            yield Paragraph(f"{name}, last problem: {_shown(answer.last_problem)}")
        for note in answer.notes:
            at = note.at.isoformat(timespec="seconds")
            yield Paragraph(f"{name}, {at}: {_shown(note.text)}")


def _share(owner: str, answer: Status) -> str:
    """The part of the owner's upload that the server has, in words; unknown if it is silent."""
    if answer.state is State.NOT_ANSWERING:
        return "unknown"
    for upload in answer.uploads:
        if upload.owner == owner:
            return STORED if upload.stored else f"{upload.received} of {upload.size} B"
    return "nothing"


@contextlib.contextmanager
def upload_progress() -> Iterator[Callable[[int, int], None] | None]:
    """A bar for the bytes of an upload, on a terminal only."""
    if not sys.stderr.isatty():
        yield None
        return
    columns = (TextColumn("sending"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=err(), transient=True) as progress:
        task = progress.add_task("sending", total=None)
        yield lambda sent, total: progress.update(task, completed=sent, total=total)


@contextlib.contextmanager
def computing_progress() -> Iterator[Callable[[Status], None]]:
    """Show progress to a waiting receiver: one live line on a terminal, else a line a state."""
    console = err()
    if console.is_terminal:
        with contextlib.ExitStack() as stack:
            # not before there is something to wait for: what others print would run into it
            spinner: list[RichStatus] = []

            def live(answer: Status) -> None:
                if not spinner:
                    spinner.append(stack.enter_context(console.status("")))
                spinner[0].update(Text(_shown(_state_text(answer))))

            yield live
        return
    seen = [""]

    def report(answer: Status) -> None:
        state = f"computing: {answer.progress.phase}" if answer.progress else _state_text(answer)
        if state != seen[0]:
            seen[0] = state
            console.print(_shown(state))

    yield report


def _state_text(answer: Status) -> str:
    """The study's status in one line, or the progress of a session that runs."""
    if answer.state is State.NOT_ANSWERING:
        return f"{answer.server} {answer.sentence}"
    return _progress_text(answer) or answer.sentence


def _progress_text(answer: Status) -> str:
    """The progress of the session that runs at this moment; empty if none does."""
    progress = answer.progress
    if progress is None:
        return ""
    return (
        f"computing: {progress.phase} (phase {progress.step} of {progress.steps}), "
        f"{progress.seconds:.0f} s so far, about {progress.seconds_left:.0f} s left"
    )


def _shown(text: str) -> str:
    """A server's text as a terminal may show it."""
    return printable(text, SHOWN_LETTERS)
