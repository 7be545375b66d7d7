"""`site.toml`: one private file for each site: its key, its study files, its own policy.

Paths in it are relative to the file itself.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from fractions import Fraction
from math import inf, isfinite
from pathlib import Path

from ppaurora.mpc.address import split_address
from ppaurora.mpc.pool import MOST_THREADS
from ppaurora.parties.errors import ConfigurationError
from ppaurora.parties.site.health_address import health_address
from ppaurora.parties.site.keyring import KeySettings, key_settings
from ppaurora.parties.sources.source import Columns
from ppaurora.parties.study.reading import read_declared
from ppaurora.parties.study.toml_table import TomlTable
from ppaurora.protocols.options import MOST_DECIMALS
from ppaurora.protocols.release.privacy import Privacy
from ppaurora.protocols.sorting.sort import MOST_MEGABITS, USUAL

MOST_SAMPLES = 16_777_216
NO_SITE = "Name your site file with --site, or make one with `ppaurora init`."
MOST_SESSIONS = 16


@dataclass(frozen=True, slots=True)
class Policy:
    """The uses of its data that this site allows; anything else is refused here, unsent.

    No `metrics` means that any will do that together release numbers about few small parts of the
    samples (`ppaurora.protocols.disclosure.cells`): others need their names here.
    With `most_epsilon`, studies of `data_set` release differentially private
    numbers only, whose privacy losses add up to that at most, and their δ to `most_delta`. With
    `same_cuts`, as usual where `data_set` is named, all studies of it that release numbers about
    parts of its samples cut them at the same places. With `own_values`, a study that asks for them
    shows this site's own values by its name.

    >>> Policy(least_own_samples=100, metrics=("auroc",), most_decimals=4).most_decimals
    4
    """

    least_own_samples: int = 1
    least_other_owners: int = 1
    metrics: tuple[str, ...] = ()
    most_decimals: int = MOST_DECIMALS
    most_epsilon: Fraction | None = None
    data_set: str = "default"
    same_cuts: bool = False
    most_delta: Fraction = Fraction(1, 1_000_000)
    own_values: bool = False

    @property
    def most_privacy_loss(self) -> Privacy | None:
        """The most privacy loss of all studies of a data set; None if they may be exact."""
        return None if self.most_epsilon is None else Privacy(self.most_epsilon, self.most_delta)


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """The settings that only a server's site file has.

    With `encrypt`, shares are stored encrypted; their keys lie in the folder `secrets`. A session
    computes on so many `threads`, usually one less than there are cores, and so many `sessions`, of
    different studies, run at once: usually one for two cores. Links carry large bodies on
    connections of their own unless `bulk` is false. At `health`, a loopback address, programs of
    the same machine are told how the server is; without one, nobody is. Of `megabits` a second,
    which go from server to server, P0 makes use where it chooses the sort and the scan behind it.
    """

    listen: tuple[str, int] | None = None
    health: tuple[str, int] | None = None
    state: Path = Path("state")
    encrypt: bool = False
    secrets: Path | None = None
    most_samples: int = MOST_SAMPLES
    patience: float = 30.0
    threads: int = field(
        default_factory=lambda: min(MOST_THREADS, max(1, (os.cpu_count() or 1) - 1))
    )
    sessions: int = field(default_factory=lambda: max(1, min(4, (os.cpu_count() or 1) // 2)))
    megabits: int = USUAL.megabits
    bulk: bool = True


@dataclass(frozen=True, slots=True)
class Watched:
    """Files that come and go: those in `folder` whose paths below it match `pattern`."""

    folder: Path
    pattern: str = "*.toml"

    def files(self) -> list[Path]:
        """The files that are there now, sorted."""
        return sorted(self.folder.glob(self.pattern))


@dataclass(frozen=True, slots=True)
class Site:
    """One site's private settings.

    `studies` are all the study files that were there when the settings were read. Those that
    site.toml calls by their own names are `named`; the others lie where `watched` says.

    `columns` is the form of the site's own list.

    `folder` holds the files that `simulate(..., folder=folder)` leaves:

    >>> Site.load(folder / "owner-1.toml").key.name
    'owner-1.key'
    """

    key: Path
    studies: tuple[Path, ...]
    results: Path
    policy: Policy = field(default_factory=Policy)
    server: ServerSettings = field(default_factory=ServerSettings)
    participant_state: Path = Path("state-participant")
    fold_key: Path | None = None
    named: tuple[Path, ...] = ()
    watched: tuple[Watched, ...] = ()
    keys: KeySettings = field(default_factory=KeySettings)
    columns: Columns = field(default_factory=Columns)

    @classmethod
    def load(cls, path: Path) -> Site:
        """The settings in the file at `path`."""
        top = TomlTable.load(path, NO_SITE)
        base = path.absolute().parent
        studies = _studies(top, base)
        paths = [path for study in studies for path in _files(study)]
        site = cls(
            key=base / top.take("key", str),
            studies=tuple(dict.fromkeys(paths)),
            named=tuple(study for study in studies if isinstance(study, Path)),
            watched=tuple(study for study in studies if isinstance(study, Watched)),
            results=base / top.take("results", str, "results"),
            policy=_policy(top.table("policy", optional=True)),
            server=_server(top.table("server", optional=True), base),
            participant_state=_participant_state(top.table("participant", optional=True), base),
            fold_key=_fold_key(top.table("folds", optional=True), base),
            keys=key_settings(top.table("keys", optional=True), base),
            columns=read_declared(Columns, top.table("list", optional=True)),
        )
        top.finish()
        return site

    @property
    def only_study(self) -> Path:
        """The one study of this site; with several, the user must say which."""
        if len(self.studies) != 1:
            names = ", ".join(path.name for path in self.studies)
            raise ConfigurationError(
                f"This site takes part in {len(self.studies)} studies ({names})",
                advice="Say which one with --study FILE.",
            )
        return self.studies[0]


def _studies(top: TomlTable, base: Path) -> list[Path | Watched]:
    """The entries of `studies`, in order: files, and folders in which files come and go."""
    texts = top.take_list("studies", str)
    if not texts:
        raise top.fault("studies", "must name at least one study file, or a folder of them")
    return [_study_place(base, text) for text in texts]


def _study_place(base: Path, text: str) -> Path | Watched:
    if "*" in text:
        anchor = Path(text).anchor
        return Watched(base / anchor, str(Path(text).relative_to(anchor)))
    path = base / text
    return Watched(path) if text.endswith("/") or path.is_dir() else path


def _files(one: Path | Watched) -> list[Path]:
    return [one] if isinstance(one, Path) else one.files()


def _policy(table: TomlTable) -> Policy:
    usual = Policy()
    most_epsilon = table.take("most_epsilon", float, inf)
    if not most_epsilon >= 0:
        raise table.fault("most_epsilon", "must be a number from 0 up")
    most_delta = table.take("most_delta", float, float(usual.most_delta))
    if not 0 <= most_delta <= 1:
        raise table.fault("most_delta", "must be a number from 0 to 1")
    data_set = table.take("data_set", str, "")
    policy = Policy(
        least_own_samples=table.take("least_own_samples", int, usual.least_own_samples),
        least_other_owners=table.take("least_other_owners", int, usual.least_other_owners),
        metrics=tuple(table.take_list("metrics", str, usual.metrics)),
        most_decimals=table.take("most_decimals", int, usual.most_decimals),
        most_epsilon=Fraction(str(most_epsilon)) if isfinite(most_epsilon) else None,
        data_set=data_set or usual.data_set,
        same_cuts=table.take("same_cuts", bool, bool(data_set)),
        most_delta=Fraction(str(most_delta)),
        own_values=table.take("own_values", bool, usual.own_values),
    )
    table.finish()
    return policy


def _participant_state(table: TomlTable, base: Path) -> Path:
    """The folder in which a participant keeps records for repeating an interrupted upload."""
    state = base / table.take("state", str, "state-participant")
    table.finish()
    return state


def _fold_key(table: TomlTable, base: Path) -> Path | None:
    """The file of the key by which the owners assign folds."""
    key = table.take("key", str, "")
    table.finish()
    return base / key if key else None


def _server(table: TomlTable, base: Path) -> ServerSettings:
    usual = ServerSettings()
    listen = table.take("listen", str, "")
    secrets = table.take("secrets", str, "")
    settings = ServerSettings(
        listen=split_address(listen) if listen else None,
        health=health_address(table),
        state=base / table.take("state", str, str(usual.state)),
        encrypt=table.take("encrypt", bool, usual.encrypt),
        secrets=base / secrets if secrets else None,
        most_samples=table.take("most_samples", int, usual.most_samples),
        patience=table.take("patience", float, usual.patience),
        threads=table.take("threads", int, usual.threads),
        sessions=table.take("sessions", int, usual.sessions),
        megabits=table.take("megabits", int, usual.megabits),
        bulk=table.take("bulk", bool, usual.bulk),
    )
    table.finish()
    if listen and settings.listen is None:
        raise table.fault("listen", 'must read "host:port"', 'For example "0.0.0.0:7100".')
    if not 1 <= settings.patience <= 600:
        raise table.fault("patience", "must be between 1 and 600 seconds")
    if not 1 <= settings.threads <= MOST_THREADS:
        raise table.fault("threads", f"must be between 1 and {MOST_THREADS}")
    if not 1 <= settings.sessions <= MOST_SESSIONS:
        raise table.fault("sessions", f"must be between 1 and {MOST_SESSIONS}")
    if not 1 <= settings.megabits <= MOST_MEGABITS:
        raise table.fault("megabits", f"must be between 1 and {MOST_MEGABITS} a second")
    return settings
