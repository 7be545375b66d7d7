"""What people see: tables and progress on stderr or a terminal, results on stdout."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator, Mapping

from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn
from rich.status import Status as RichStatus
from rich.table import Table
from rich.text import Text

from ppaurora.mpc.keys import PublicKey, fingerprint
from ppaurora.mpc.printable import printable
from ppaurora.mpc.role import Role
from ppaurora.parties.reports.console import err, out
from ppaurora.parties.reports.files import page_of_text
from ppaurora.parties.reports.model import Bullets, Page, Paragraph, Piece, Sheet
from ppaurora.parties.reports.result import Result
from ppaurora.parties.requests.status import State, Status
from ppaurora.parties.study.study import Study
from ppaurora.protocols.disclosure.ledger import ledger
from ppaurora.protocols.lists.outsourcing import Share
from ppaurora.protocols.release.values import Released

__all__ = [
    "computing_progress",
    "show_page",
    "show_plan",
    "show_result",
    "show_status",
    "show_study",
    "upload_progress",
]

SHOWN_LETTERS = 500
FINGERPRINT_WIDTH = len(fingerprint(PublicKey(bytes(32), bytes(32))))


def show_result(result: Result, pooled: Mapping[str, Released] | None = None) -> None:
    """The values as a table, and the public facts below it."""
    show_page(page_of_text(result.to_json(), pooled))


def show_page(page: Page) -> None:
    """What is brief in a report goes to stdout, what else is alarming to stderr."""
    for section in page.sections:
        for piece in section.pieces:
            if piece.brief:
                _show_piece(piece)
            elif section.alarming and isinstance(piece, Bullets):
                for text in piece.items:
                    err().print(f"note: {text}")


def _show_piece(piece: Piece) -> None:
    if isinstance(piece, Sheet):
        table = Table(title=piece.caption, min_width=40)
        for at, name in enumerate(piece.columns):
            number = at in piece.numbers
            table.add_column(name, justify="right" if number else "left", overflow="fold")
        for row in piece.rows:
            table.add_row(*map(Text, row))
        out().print(table)
    elif isinstance(piece, Paragraph):
        out().print(piece.text)
    elif isinstance(piece, Bullets):
        for text in piece.items:
            out().print(text)


def show_study(study: Study) -> None:
    """The study with its hash, the keys' fingerprints, and what each party will learn."""
    console = out()
    console.print(f"study {study.id}  {study.title}")
    console.print(f"hash  {study.hash.hex()}")
    table = Table(show_header=False)
    options, rule = study.options, study.rule
    starts = "all have uploaded" if rule.start == "complete" else "somebody asks"
    for name, text in (
        ("metrics", ", ".join(options.metrics)),
        ("decimals", str(options.decimals)),
        ("scores", f"{options.code}, {study.scores.direction} means positive"),
        *_second_scores(study),
        *_folds(study),
        ("labels", f"positive {study.scores.positive}, negative {study.scores.negative}"),
        ("mode", options.mode),
        *((name, str(value)) for name, value in options.protocol.items() if name != "mode"),
        ("rule", f"{rule.least_owners} owners, {rule.least_samples} samples; starts when {starts}"),
        ("lists", f"{rule.least_list} samples or more, {rule.most_share:.0%} of all or less"),
        ("kept for", f"{rule.keep_days:g} days"),
    ):
        table.add_row(name, text)
    console.print(table)
    keys = Table("who", "does", "address")
    keys.add_column("fingerprint", no_wrap=True, min_width=FINGERPRINT_WIDTH)
    for server in study.servers:
        keys.add_row(server.operator, str(server.role), server.address, fingerprint(server.public))
    for one in study.participants:
        does = ", ".join(
            verb for verb, true in (("uploads", one.uploads), ("receives", one.receives)) if true
        )
        keys.add_row(one.name, does, "", fingerprint(one.public))
    console.print(keys)
    console.print("What each learns, beyond its own input and the result:")
    learned = ledger(study.options, study.least_sizes)
    for who, texts in learned.learns.items():
        for text in texts:
            console.print(f"  {who}: {text}")
    console.print(f"This holds where {learned.assumption}.")


def _second_scores(study: Study) -> list[tuple[str, str]]:
    """What is said of a study that compares two scores."""
    if not study.scores.against:
        return []
    return [
        (
            "against",
            f'the second scores, in column "{study.scores.against}"; metrics of one score are of '
            "the first",
        )
    ]


def _folds(study: Study) -> list[tuple[str, str]]:
    """What is said of a study of folds."""
    by = study.fold_by
    if by is None:
        return []
    how = f"cut at {', '.join(by.cuts)}" if by.cuts else f"key {by.key[:16]}"
    return [
        (
            "folds",
            f'{study.options.folds}, by column "{by.column}" as {by.form}, {how}; '
            f"{by.least} samples or more in each",
        )
    ]


def show_plan(study: Study, name: str, samples: int, shares: Mapping[Role, Share]) -> None:
    """What an owner is about to send, and to whom."""
    console = err()
    console.print(f"study {study.id} ({study.hash.hex()[:16]}): {', '.join(study.options.metrics)}")
    console.print(f"you are {name}; your list has {samples} samples, which all parties will know")
    for option, text in _second_scores(study):
        console.print(f"{option}: {text}")
    for role, share in shares.items():
        server = study.server(role)
        console.print(
            f"  to {role} ({server.operator}, {server.address}, "
            f"{fingerprint(server.public)}): {share.described}"
        )


def show_status(status: Mapping[str, Status]) -> None:
    """How the study stands at each server, by the server's name."""
    console = out()
    table = Table("server", "state")
    for name, told in status.items():
        table.add_row(name, _shown(_progress_text(told) or told.sentence))
    console.print(table)
    parts: dict[str, dict[str, str]] = {}
    samples: dict[str, int] = {}
    for name, told in status.items():
        for upload in told.uploads:
            share = "stored" if upload.stored else f"{upload.received} of {upload.size} B"
            parts.setdefault(upload.owner, {})[name] = share
            samples[upload.owner] = upload.samples
    if parts:
        uploads = Table("owner", "samples", "P0", "P1")
        for owner, where in sorted(parts.items()):
            held = (where.get(str(role), "nothing") for role in (Role.P0, Role.P1))
            uploads.add_row(_shown(owner), str(samples[owner]), *held)
        console.print(uploads)
    for name, told in status.items():
        if told.last_problem:
            console.print(f"{name}, last problem: {_shown(told.last_problem)}")
        for note in told.notes:
            console.print(f"{name}, {note.at.isoformat(timespec='seconds')}: {_shown(note.text)}")


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
    """What a waiting receiver sees: a living line on a terminal, else a line for each new state."""
    console = err()
    if console.is_terminal:
        with contextlib.ExitStack() as stack:
            # not before there is something to wait for: what others print would run into it
            spinner: list[RichStatus] = []

            def live(told: Status) -> None:
                if not spinner:
                    spinner.append(stack.enter_context(console.status("")))
                spinner[0].update(Text(_shown(_state_text(told))))

            yield live
        return
    seen = [""]

    def report(told: Status) -> None:
        state = f"computing: {told.progress.phase}" if told.progress else _state_text(told)
        if state != seen[0]:
            seen[0] = state
            console.print(_shown(state))

    yield report


def _state_text(told: Status) -> str:
    """How the study stands, in one line; of a session that runs, how far it is."""
    if told.state is State.NOT_ANSWERING:
        return f"{told.server} {told.sentence}"
    return _progress_text(told) or told.sentence


def _progress_text(told: Status) -> str:
    """How far a session is that runs at this moment; empty if none does."""
    progress = told.progress
    if progress is None:
        return ""
    return (
        f"computing: {progress.phase} (phase {progress.step} of {progress.steps}), "
        f"{progress.seconds:.0f} s so far, about {progress.seconds_left:.0f} s left"
    )


def _shown(text: str) -> str:
    """A server's text as a terminal may show it."""
    return printable(text, SHOWN_LETTERS)
