"""A whole study on one machine, by three real server processes, beside the pooled values."""

from __future__ import annotations

import math
import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

from ppaurora.mpc.link.endpoint import free_ports
from ppaurora.mpc.role import Role
from ppaurora.parties.columns.column import Extras, column_kinds, in_study, of_list
from ppaurora.parties.columns.group import GroupBy, plain_group
from ppaurora.parties.columns.tag import JoinBy
from ppaurora.parties.columns.time import TimeColumn
from ppaurora.parties.errors import DataError, Unreachable
from ppaurora.parties.participant.participant import Participant
from ppaurora.parties.reports.result import Result
from ppaurora.parties.requests.status import Status
from ppaurora.parties.simulation.plain_reading import plain_keys, plain_left_out
from ppaurora.parties.simulation.pooled import pooled_values
from ppaurora.parties.simulation.processes import (
    await_start,
    check_lives,
    servers,
    start_seconds,
)
from ppaurora.parties.site.fold_key import write_fold_key
from ppaurora.parties.site.key_files import (
    create_identity,
)
from ppaurora.parties.sources.counted import Counted
from ppaurora.parties.sources.form import form_of, options_text
from ppaurora.parties.sources.frame import Frame
from ppaurora.parties.sources.glob_files import GlobFiles
from ppaurora.parties.sources.in_memory import InMemory
from ppaurora.parties.sources.labelled import Labelled
from ppaurora.parties.sources.reader import (
    file_source,
    holds_of,
    numbers_in,
    source_of,
    study_data,
)
from ppaurora.parties.sources.source import Columns, FileSource, Source
from ppaurora.parties.study.study import (
    ParticipantEntry,
    Rule,
    Scores,
    ServerEntry,
    Study,
)
from ppaurora.parties.study.writing import site_text, study_text
from ppaurora.protocols.analyses.validation import Validation
from ppaurora.protocols.arithmetic.rounding import decimal
from ppaurora.protocols.lists.folds import KEY_BYTES
from ppaurora.protocols.lists.scale import Resolution
from ppaurora.protocols.lists.tags import HOLDINGS
from ppaurora.protocols.options import MOST_GROUPS, Options
from ppaurora.protocols.release.values import Released

WAIT_SECONDS = 3600.0
MOST_STEPS = 50
"""Of a grid of times that a simulation finds."""
USUAL_BINS = 100
"""Of scores that a simulation counts by time."""
FOLD_KEY = "folds.key"
STUDY = "simulation"
_Processes = Mapping[Path, subprocess.Popen[bytes]]
"""The server that writes each log."""


@dataclass(frozen=True, slots=True, repr=False)
class Simulation:
    """The results of the three servers beside those of the pooled data.

    `empty` names the owners whose lists are empty: they uploaded nothing.

    `simulation` is of the lists in the example of `simulate`:

    >>> simulation.equal, str(simulation.pooled["auroc"])
    (True, '0.8125')
    """

    result: Result
    pooled: dict[str, Released]
    empty: tuple[str, ...] = ()

    @property
    def equal(self) -> bool:
        """Return whether every exact private value is the pooled one, to the last decimal."""
        exact = self.result.study.options.exact
        return all(self.result.values[text] == self.pooled[text] for text in exact)

    def __repr__(self) -> str:
        return self.result.brief_text(self.pooled)

    def _repr_html_(self) -> str:
        """The report as HTML, for notebooks: each number beside the pooled one."""
        return self.result.brief_html(self.pooled)


def simulate(
    lists: Sequence[Any],
    options: Options | None = None,
    *,
    scores: Scores | None = None,
    extra: Extras = (),
    score: str = "score",
    label: str = "label",
    delimiter: str = "",
    columns: Columns | None = None,
    folder: Path | None = None,
    on_message: Callable[[str], None] = lambda _: None,
    watch: Callable[[Status], None] | None = None,
) -> Simulation:
    """Run the study over these lists, one owner each: paths, data frames, `Labelled`.

    A file is read as it looks (`ppaurora check`), where `columns` does not say how; frames with the
    columns `score` and `label`, or those of `columns`, which stands instead of these. `extra` are
    the columns beside them: FoldBy(...) where the options have folds, for which a key is drawn.
    Columns of other models' scores are named by the options: against=(...). An owner with an empty
    list uploads nothing. The pooled side reads by other means.
    Rows are joined by a JoinBy(...), of lists that hold scores or labels only.
    Groups by a GroupBy(...) that the options do not name are those that the lists have.
    Without options it is the analysis `validation`, or that of the first `extra` column.
    `folder` keeps keys, study, logs and state for a later look; without it nothing remains.

    >>> first = Labelled([0.9, 0.8, 0.4, 0.3], [1, 0, 1, 0])
    >>> second = Labelled([0.7, 0.6, 0.2, 0.1], [1, 1, 0, 0])
    >>> simulation = simulate([first, second], Options(metrics=("auroc",)))
    >>> simulation.result.values == simulation.pooled
    True
    """
    scores = scores or Scores()
    columns = columns or Columns(score, label, delimiter)
    options = options or usual_options(lists, Options(), scores, extra, columns, on_message)
    sources = [
        _source(one, place, columns, scores, on_message) for place, one in enumerate(lists, start=1)
    ]
    if not options.least_join and any(isinstance(one, JoinBy) and one.column for one in extra):
        options = replace(options, least_join=1)
    by = next((one for one in extra if isinstance(one, GroupBy) and one.column), None)
    if by is not None and not options.groups:
        having = [one for one in sources if holds_of(one) in (options.groups_from, HOLDINGS[0])]
        options = replace(options, groups=_groups_in(having if options.least_join else sources, by))
        on_message(f'groups by "{by.column}": {", ".join(options.groups)}')
    options.check_compared()
    key = os.urandom(KEY_BYTES)
    declared = [one.simulated(key) if one.columns else one for one in extra]
    extra = tuple(one.simulated(key).of_study(STUDY) for one in in_study(declared, options))
    tables = [study_data(source, scores, options, extra) for source in sources]
    if not any(map(len, tables)):
        raise DataError(
            "All lists are empty", advice="Give at least one list with at least one sample."
        )
    for note in (note for table in tables for note in table.notes):
        on_message(f"note: {note}")
    with ExitStack() as stack:
        kept = folder is not None
        if folder is None:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ppaurora-")))
        sites = _set_up(folder, options, scores, tables, extra, key)
        on_message("starting P0, P1 and the helper as three processes")
        started = stack.enter_context(servers(sites[:3], logs=folder))
        processes = dict(zip((folder / f"{role}.log" for role in Role), started, strict=True))
        for log, process in processes.items():
            await_start(process, log, on_message=on_message, kept=kept)
        owners = [stack.enter_context(Participant.of(site)) for site in sites[3:]]
        empty = []
        for owner, table in zip(owners, tables, strict=True):
            if not len(table):
                on_message(f"{owner.name} has an empty list and uploads nothing")
                empty.append(owner.name)
                continue
            on_message(f"{owner.name} sends {len(table)} samples in two shares")
            _patiently(partial(owner.outsource, table), processes)
        on_message("every list is there")
        result = owners[0].result(wait=WAIT_SECONDS, watch=partial(_watched, processes, watch))
        secrets = [owner.uploading.drawing_secret for owner in owners]
    plainly = [
        _plainly(given, source, columns) for given, source in zip(lists, sources, strict=True)
    ]
    keys = [plain_keys(given, scores, own, options, extra, key) for given, own in plainly]
    pipeline = options.pipeline.showing(True)
    sent = [(one, secret) for one, secret in zip(keys, secrets, strict=True) if len(one[0])]
    left_out = [
        plain_left_out(given, scores, own, of_list(extra, options, own.holds))
        for (given, own), one in zip(plainly, keys, strict=True)
        if len(one[0])
    ]
    uploads = [
        pipeline.repeatable(one, secret, rows)
        for (one, secret), rows in zip(sent, left_out, strict=True)
    ]
    sizes = [size for one, _ in sent for size in pipeline.sizes(one)]
    there = [owner.name for owner in owners if owner.name not in empty]
    return Simulation(result, pooled_values(options, uploads, sizes, there), tuple(empty))


def _groups_in(sources: Sequence[Source], by: GroupBy) -> tuple[str, ...]:
    """The values of the column of groups in all lists, each once, in the order of the alphabet."""
    found = {plain_group(text): text.strip() for one in sources for text in one.texts(by.column)}
    if not 2 <= len(found) <= MOST_GROUPS:
        raise DataError(
            f'The column "{by.column}" has {len(found)} different values, and groups are 2 to '
            f"{MOST_GROUPS}",
            advice="Name a column of few values, or the groups with --group, one for each.",
        )
    return tuple(found[plain] for plain in sorted(found))


def usual_analysis(extra: Extras, options: Options) -> str:
    """The analysis of a simulation with these columns that asks for nothing else."""
    kinds = [one() for one in column_kinds().values() if one not in [*map(type, extra)]]
    declared = (one.in_options(options) for one in (*extra, *kinds))
    return next((one.analysis for one in declared if one.columns and one.analysis), Validation.name)


def usual_options(
    lists: Sequence[Any],
    options: Options,
    scores: Scores,
    extra: Extras,
    columns: Columns,
    on_message: Callable[[str], None],
) -> Options:
    """The options with the analysis of a simulation that names these columns and asks for nothing.

    A grid of times that they do not name follows from the lists' times, and with it scores that are
    not counted are counted in bins.
    """
    analysis = usual_analysis(extra, options)
    found: dict[str, Any] = {}
    time = next((one for one in extra if isinstance(one, TimeColumn) and one.column), None)
    if time is not None and not options.time_edges and not options.time_width:
        sources = [
            _source(one, place, columns, scores, lambda _: None)
            for place, one in enumerate(lists, start=1)
        ]
        read = [
            numbers_in(source, scores, time, tuple(one for one in extra if one.column))
            for source in sources
        ]
        found = time_steps([number for one in read for number in one.scores.tolist()])
        said = " ".join(f"--{name.replace('_', '-')}={value}" for name, value in found.items())
        on_message(f"times are counted with {said.replace('=True', '')}")
    if time is not None and options.scale.kind is Resolution.FULL and options.scale.bounded:
        found["resolution"] = f"{Resolution.BINS}:{USUAL_BINS}"
        on_message(f"scores are counted with --resolution {found['resolution']}")
    return replace(options, analysis=analysis, metrics=(), **found)


def time_steps(times: Sequence[float]) -> dict[str, Any]:
    """Equal steps for a grid of these times, at most fifty: 1, 2 or 5 times a power of ten.

    >>> time_steps([30.0, 2659.0])
    {'time_width': '100', 'time_horizon': '2700'}
    >>> time_steps([1.0, 12.0, 20.0])
    {'time_width': '1', 'time_horizon': '20', 'times_apart': True}
    """
    last = Fraction(max([0.0, *times])) or Fraction(1)
    whole = all(float(time).is_integer() for time in times)
    power = Fraction(10) ** (len(str(int(last))) - 4)
    steps = (power * 10**k * m for k in range(5) for m in (1, 2, 5))
    width = next(
        one for one in steps if last <= MOST_STEPS * one and not (whole and one.denominator > 1)
    )
    apart = {"times_apart": True} if whole and width == 1 else {}
    return {
        "time_width": decimal(width),
        "time_horizon": decimal(width * math.ceil(last / width)),
        **apart,
    }


def _patiently(action: Callable[[], object], processes: _Processes) -> None:
    """Call `action` until no server is unreachable; raises if one has ended or time is up."""
    until = time.monotonic() + start_seconds()
    while True:
        try:
            action()
            return
        except Unreachable:
            _watched(processes)
            if time.monotonic() > until:
                raise


def _watched(
    processes: _Processes, watch: Callable[[Status], None] | None = None, *statuses: Status
) -> None:
    """Raise the last words of a server that has ended; else `watch` hears what P0 tells."""
    for log, process in processes.items():
        check_lives(process, log)
    if watch is not None:
        watch(*statuses)


@contextmanager
def served(
    lists: Sequence[Labelled],
    options: Options,
    folder: Path,
    on_message: Callable[[str], None] = lambda _: None,
) -> Iterator[Sequence[subprocess.Popen[bytes]]]:
    """Three servers over a study for these lists, which lie in `folder` as CSV files, unsent.

    Each owner has its site file there: owner-1.toml for owner-1.csv.
    """
    sites = _set_up(folder, options, Scores(), lists)
    for site, table in zip(sites[len(Role) :], lists, strict=True):
        rows = zip(table.scores.tolist(), table.labels.tolist(), strict=True)
        text = "".join(f"{score!r},{label}\n" for score, label in rows)
        site.with_suffix(".csv").write_text(f"score,label\n{text}", encoding="utf-8")
    with servers(sites[: len(Role)], logs=folder) as processes:
        for process, site in zip(processes, sites, strict=False):
            await_start(process, folder / f"{site.stem}.log", on_message=on_message, kept=False)
        yield processes


def _source(
    given: object,
    place: int,
    columns: Columns,
    scores: Scores,
    on_message: Callable[[str], None],
) -> Source:
    if isinstance(given, Labelled):
        return InMemory(given, f"list {place}")
    if isinstance(given, GlobFiles | FileSource):
        return given
    if isinstance(given, str | os.PathLike):
        path = Path(given)
        form = form_of(path, columns, scores)
        if form != columns:
            on_message(f"{path} is read with {options_text(form)}")
        return file_source(path, form)
    if isinstance(given, Source):
        raise DataError(
            f"A simulation cannot read {given.name} twice by different means",
            advice="Give files, data frames, or Labelled(scores, labels).",
        )
    source = source_of(given, columns)
    if not isinstance(source, Frame):
        return source
    if not hasattr(given, "__getitem__"):
        raise DataError(
            f"List {place}, a {type(given).__name__}, can be read only once, and a simulation "
            "reads a list twice",
            advice="Make a data frame or a table of it.",
        )
    return replace(source, called=f"data frame {place}")


def _plainly(given: Any, source: Source, columns: Columns) -> tuple[Any, Columns]:
    """A list as the plain reader takes it, which is the pattern where there is one; its columns."""
    match source:
        case GlobFiles():
            return source.pattern, source.columns
        case FileSource():
            return source.path, source.columns
        case _:
            return given, columns


def _set_up(
    folder: Path,
    options: Options,
    scores: Scores,
    tables: Sequence[Labelled | Counted],
    extra: Extras = (),
    shared_key: bytes = b"",
) -> list[Path]:
    """Site files of three servers and one owner for each list, with their keys and the study.

    The owner of an empty list receives the result, but is not among those who upload.
    """
    names = [f"owner-{number}" for number in range(1, len(tables) + 1)]
    keys = {name: create_identity(folder / f"{name}.key") for name in (*map(str, Role), *names)}
    ports = iter(free_ports(6))
    study = Study(
        id=STUDY,
        title="A study on one machine",
        options=options,
        scores=scores,
        rule=Rule(
            least_owners=sum(len(table) > 0 for table in tables),
            least_samples=1,
            least_list=1,
            most_share=1.0,
        ),
        servers=tuple(
            ServerEntry(
                role,
                f"operator of {role}",
                keys[str(role)].public,
                "127.0.0.1",
                next(ports),
                tuple(next(ports) for _ in range(Role.HELPER - role)),
            )
            for role in Role
        ),
        participants=tuple(
            ParticipantEntry(name, keys[name].public, uploads=len(table) > 0)
            for name, table in zip(names, tables, strict=True)
        ),
        extra=extra,
    )
    keyed = any(one.commitment for one in extra)
    if keyed:
        write_fold_key(folder / FOLD_KEY, shared_key)
    path = folder / "study.toml"
    text = study_text(study)
    Study.parse(text, "this simulation")
    path.write_text(text, encoding="utf-8")
    sites = []
    for name in keys:
        site = folder / f"{name}.toml"
        allowed = ", ".join(f'"{statistic.name}"' for statistic in study.options.asked)
        owners = f"[policy]\nleast_other_owners = 0\nmetrics = [{allowed}]\nown_values = true\n"
        owners += f'[folds]\nkey = "{FOLD_KEY}"\n' if keyed else ""
        own_state = f'[server]\nstate = "state-{name}"\n'
        more = owners if name in names else own_state
        site.write_text(site_text(f"{name}.key", ["study.toml"], more), encoding="utf-8")
        sites.append(site)
    return sites
