"""What people see: tables and progress on stderr or a terminal, results on stdout."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator, Mapping

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from ppaurora.mpc.keys import PublicKey, fingerprint
from ppaurora.mpc.printable import printable
from ppaurora.mpc.role import Role
from ppaurora.parties.reports.result import Result, SessionCost
from ppaurora.parties.requests.status import State, Status
from ppaurora.parties.study.rule import absent
from ppaurora.parties.study.study import Study
from ppaurora.protocols.disclosure.ledger import ledger
from ppaurora.protocols.lists.outsourcing import Share
from ppaurora.protocols.release.values import Released

__all__ = [
    "computing_progress",
    "err",
    "out",
    "show_plan",
    "show_result",
    "show_status",
    "show_study",
    "upload_progress",
]

WIDTH = 120
SHOWN_LETTERS = 500
FINGERPRINT_WIDTH = len(fingerprint(PublicKey(bytes(32), bytes(32))))


def out() -> Console:
    """stdout: results and answers only; as wide as it must be where it is no terminal."""
    width = None if sys.stdout.isatty() else WIDTH
    return Console(highlight=False, markup=False, emoji=False, soft_wrap=True, width=width)


def err() -> Console:
    """stderr: everything that goes on meanwhile."""
    return Console(stderr=True, highlight=False, markup=False, emoji=False, soft_wrap=True)


def show_result(result: Result, pooled: Mapping[str, Released] | None = None) -> None:
    """The values as a table, and the public facts below it."""
    study, agreed, cost = result.study, result.agreed, result.cost
    console = out()
    table = Table(title=study.title or study.id, min_width=40)
    table.add_column("metric")
    table.add_column("private", justify="right", style="bold")
    if pooled:
        table.add_column("pooled", justify="right")
        table.add_column("equal")
    for name, value in result.values.items():
        row = [name, str(value)]
        if pooled:
            row += [str(pooled[name]), "yes" if value == pooled[name] else "NO"]
        table.add_row(*row)
    console.print(table)
    counted = [name for name, _ in agreed.owners if name not in agreed.refused]
    console.print(
        f"{agreed.samples} samples of {len(counted)} owners: {', '.join(counted)}; "
        f"study {agreed.study[:16]}; {_cost_text(cost)}"
    )
    missing = absent(study, dict(agreed.owners))
    if missing:
        console.print(f"not in it, though in the study: {', '.join(missing)}")
    for name in agreed.refused:
        console.print(f"refused: the list of {name} was {study.options.pipeline.unsound}")
    for warning in result.ledger.warnings:
        err().print(f"note: {warning}")


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
        ("labels", f"positive {study.scores.positive}, negative {study.scores.negative}"),
        ("merge", f"{options.merge}, delta {options.delta}"),
        ("ties", options.ties),
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
        table.add_row(name, _shown(_state_text(told)))
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
        with console.status("waiting") as spinner:
            yield lambda told: spinner.update(Text(_shown(_state_text(told))))
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
    progress = told.progress
    if progress is None:
        return told.sentence
    return (
        f"computing: {progress.phase} (phase {progress.step} of {progress.steps}), "
        f"{progress.seconds:.0f} s so far, about {progress.seconds_left:.0f} s left"
    )


def _shown(text: str) -> str:
    """A server's text as a terminal may show it."""
    return printable(text, SHOWN_LETTERS)


def _cost_text(cost: SessionCost | None) -> str:
    if cost is None:
        return "bytes, hops and time not told: they depend on the data"
    return f"{_bytes(cost.bytes)}, {cost.hops} hops, {cost.seconds:.2f} s"


def _bytes(count: int) -> str:
    return f"{count / 1e6:.1f} MB" if count >= 100_000 else f"{count / 1e3:.1f} kB"
