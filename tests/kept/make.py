"""Files as this version leaves them, for all later versions to read.

    .venv/bin/python -m tests.kept.make          make the folder of this version, once
    .venv/bin/python -m tests.kept.make --again  make it anew, before the version is released

What is for everybody lies in a folder named by the version: studies, site files, lists, a result,
signed statements, and `expected.json` with what must come out. What is one party's own (keys, and
the states of servers and owners) lies in `private.tar.gz`, with its modes. All is made by real
servers and commands; every key is made for it, is known to everybody, and protects nothing.

Studies, all with the same three servers and by the owners ann, ben and cleo:

    waiting     AUROC, average precision and a cut at 0.5; cleo has not uploaded
    finished    AUROC with its interval; rita has saved the result, sam has not fetched it
    noised      an AUROC with noise; ann has uploaded, and her budget is charged
    other-cut   the cut at 0.6 of the same data set: ann's site refuses it
    noised-2    noise once more, for which ann's budget has no room
    monthly     an agreement; ann has sent a list for its first release
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

import numpy as np

import ppaurora
from ppaurora.mpc.keys import Identity
from ppaurora.mpc.role import Role
from ppaurora.parties.build import build
from ppaurora.parties.participant.releases_sent import ListRows, ReleasesSent
from ppaurora.parties.simulation.processes import command, environment, servers
from ppaurora.parties.simulation.signed_protocol import qualification, signed_protocol
from ppaurora.parties.site.fold_key import create_fold_key
from ppaurora.parties.site.key_files import create_identity
from ppaurora.parties.site.locked_key import ScryptCost
from ppaurora.parties.study.key_statements import changed, revoked
from ppaurora.parties.study.schedule import Schedule
from ppaurora.parties.study.study import ParticipantEntry, Rule, Scores, ServerEntry, Study
from ppaurora.parties.study.writing import site_text, study_text
from ppaurora.protocols.options import Options
from tests.parties.world import csv, generated, pooled

FOLDER = Path(__file__).resolve().parent
FIRST_PORT = 20760
"""Of the ports in the kept studies: below those that systems lend."""
SERVED = ("waiting", "finished", "noised")
OWNERS = ("ann", "ben", "cleo")
RECEIVERS = ("rita", "sam")
PARTIES = (*map(str, Role), *OWNERS, *RECEIVERS)
PRIVATE = "private.tar.gz"
EXPECTED = "expected.json"
PASSPHRASE = "made for tests"
MONTHLY = Schedule(every="month", first="2026-01", releases=6)
JANUARY, FEBRUARY = (period.name for period in MONTHLY.periods[:2])
PATIENTS = list(range(200))
"""Rows of the list that ann has sent for January."""


def studies(keys: Mapping[str, Identity]) -> dict[str, Study]:
    """The studies, by their names."""
    ports = iter(range(FIRST_PORT, FIRST_PORT + 6))
    base = Study(
        id="kept",
        title="Kept for later versions; every key is a test key",
        options=Options(metrics=("auroc",)),
        scores=Scores(),
        rule=Rule(least_owners=2, least_list=1, least_samples=10, most_share=1.0, keep_days=3650),
        servers=tuple(
            ServerEntry(
                role,
                f"operator {role}",
                keys[str(role)].public,
                "127.0.0.1",
                next(ports),
                tuple(next(ports) for _ in range(Role.HELPER - role)),
            )
            for role in Role
        ),
        participants=(
            *(ParticipantEntry(name, keys[name].public, receives=False) for name in OWNERS),
            *(ParticipantEntry(name, keys[name].public, uploads=False) for name in RECEIVERS),
        ),
    )
    noise = Options(metrics=("auroc_dp:epsilon=1,least_class=2",))
    asked = {
        "waiting": Options(metrics=("auroc", "average_precision", "confusion:at=0.5")),
        "finished": Options(metrics=("auroc_ci",)),
        "noised": noise,
        "other-cut": Options(metrics=("auroc", "confusion:at=0.6")),
        "noised-2": noise,
    }
    made = {name: replace(base, id=name, options=one) for name, one in asked.items()}
    return {**made, "monthly": replace(base, id="monthly", schedule=MONTHLY)}


def make(folder: Path) -> None:
    """Make everything in an empty folder."""
    keys = {name: create_identity(folder / f"{name}.key") for name in PARTIES}
    made = studies(keys)
    for name, study in made.items():
        (folder / f"{name}.toml").write_text(study_text(study), encoding="utf-8")
    tables = {name: generated(40 + 10 * place, place) for place, name in enumerate(OWNERS)}
    for name, table in tables.items():
        (folder / f"{name}.csv").write_text(csv(table))
    _write_sites(folder)
    with servers([folder / f"site-{role}.toml" for role in Role], folder):
        for name in OWNERS:
            _run(folder, "outsource", f"{name}.csv", "--study=finished.toml", site=name)
        for name in OWNERS[:2]:
            _run(folder, "outsource", f"{name}.csv", "--study=waiting.toml", site=name)
        _run(folder, "outsource", "ann.csv", "--study=noised.toml", site="ann-noised")
        fetch = ("result", "--wait=600", "--study=finished.toml")
        _run(folder, *fetch, "--output=result.json", site="rita", consent=False)
    monthly = made["monthly"].release(JANUARY)
    ReleasesSent(folder / "state-ann", monthly, keys["ann"].public).keep(rows(PATIENTS))
    _write_signed(folder, keys)
    everyone = [tables[name] for name in OWNERS]
    expected = {
        "build": build(),
        "hashes": {name: study.hash.hex() for name, study in made.items()},
        "values": {
            name: {metric: one.numbers() for metric, one in pooled(made[name], everyone).items()}
            for name in ("waiting", "finished")
        },
    }
    (folder / EXPECTED).write_text(json.dumps(expected, indent=1) + "\n")


def rows(values: Sequence[int]) -> ListRows:
    """A list of these samples, as an owner's record of releases sees one."""
    return ListRows([np.array(values, np.uint64)], len(values))


def _write_sites(folder: Path) -> None:
    served = [f"{name}.toml" for name in SERVED]
    for role in Role:
        encrypt = 'encrypt = true\nsecrets = "secrets-p1"\n' if role is Role.P1 else ""
        more = f'\n[server]\nstate = "state-{role}"\npatience = 20.0\n{encrypt}'
        text = site_text(f"{role}.key", served, more)
        (folder / f"site-{role}.toml").write_text(text)
    for name in (*OWNERS, *RECEIVERS):
        state = f'\n[participant]\nstate = "state-{name}"\n'
        cuts = "\n[policy]\n" + ('data_set = "cohort"\n' if name == "ann" else "")
        allowed = 'metrics = ["auroc", "average_precision", "confusion", "auroc_ci"]\n'
        every = [f"{one}.toml" for one in ("waiting", "finished", "other-cut")]
        text = site_text(f"{name}.key", every, state + cuts + allowed)
        (folder / f"site-{name}.toml").write_text(text)
    noised = '\n[policy]\ndata_set = "registry"\nmost_epsilon = 1.5\n'
    text = site_text(
        "ann.key",
        ["noised.toml", "noised-2.toml"],
        '\n[participant]\nstate = "state-ann"\n' + noised,
    )
    (folder / "site-ann-noised.toml").write_text(text)


def _write_signed(folder: Path, keys: Mapping[str, Identity]) -> None:
    """Write what a key has signed besides results, and keys of the other kinds."""
    today = date.today()
    new = create_identity(folder / "new-ben.key", date(2999, 12, 31))
    change, end = changed(keys["ben"], new, today, 30), revoked(keys["ben"])
    (folder / "ben.change.toml").write_text(change.text)
    (folder / "ben.revoked.toml").write_text(end.text)
    create_identity(folder / "locked.key", passphrase=PASSPHRASE, cost=ScryptCost(14, 8, 1))
    create_fold_key(folder / "owners.key")
    now = datetime.now(UTC).replace(microsecond=0)
    protocol = signed_protocol(keys["ann"], qualification([], now, now))
    (folder / "protocol.json").write_text(protocol)


def _run(folder: Path, *arguments: str, site: str, consent: bool = True) -> None:
    yes = ("--yes",) if consent else ()
    subprocess.run(
        command(*arguments, f"--site=site-{site}.toml", *yes),
        cwd=folder,
        env=environment(),
        check=True,
        stdout=subprocess.DEVNULL,
        timeout=600,
    )


def is_private(path: Path) -> bool:
    """Return whether a file is one party's own, or the public half of such a key."""
    return path.is_dir() or ".key" in path.suffixes


def pack(folder: Path, kept: Path) -> None:
    """Keep the files of `folder` in `kept`: those for everybody as they are, the rest packed."""
    kept.mkdir()
    with tarfile.open(kept / PRIVATE, "w:gz") as archive:
        for path in sorted(folder.iterdir()):
            if is_private(path):
                archive.add(path, path.name, filter=_nobody_s)
            elif path.suffix != ".log":
                shutil.copyfile(path, kept / path.name)


def unpack(kept: Path, folder: Path) -> None:
    """Lay the files of `kept` into `folder` as they lay where they were made."""
    for path in kept.iterdir():
        if path.name != PRIVATE:
            shutil.copyfile(path, folder / path.name)
    with tarfile.open(kept / PRIVATE) as archive:
        archive.extractall(folder, filter="tar")


def _nobody_s(entry: tarfile.TarInfo) -> tarfile.TarInfo | None:
    """The entry without its user's name; locks are left out."""
    if entry.name.endswith(".lock"):
        return None
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    return entry


def main(arguments: Sequence[str]) -> None:
    """Make the folder of this version."""
    kept = FOLDER / ppaurora.__version__
    if kept.exists() and "--again" not in arguments:
        sys.exit(f"{kept} is there: what a released version has left is never made again.")
    with tempfile.TemporaryDirectory() as name:
        make(Path(name))
        shutil.rmtree(kept, ignore_errors=True)
        pack(Path(name), kept)
    size = sum(path.stat().st_size for path in kept.iterdir())
    print(f"{kept}: {size} bytes in {len(list(kept.iterdir()))} files")


if __name__ == "__main__":
    main(sys.argv[1:])
