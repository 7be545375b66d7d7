"""A study of three hospitals and a coordinator, made by the commands that its parties would use."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Iterator
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np

from ppaurora.mpc.link.endpoint import free_ports
from ppaurora.mpc.role import Role
from ppaurora.parties.simulation.processes import await_start, command, environment, servers
from ppaurora.parties.sources.labelled import Labelled

HOSPITALS = {"ann": (0.0, 300, 0.1), "ben": (0.15, 200, 0.3), "cleo": (0.3, 100, 0.6)}
"""For each hospital the shift of its scores, their number, and the share of positives."""
COORDINATOR = "coordinator"
DECIMALS = 6


def generated() -> dict[str, Labelled]:
    """Three lists; the scores of each hospital lie higher than those of the one before."""
    rng = np.random.default_rng(7)
    lists = {}
    for name, (shift, size, prevalence) in HOSPITALS.items():
        labels = (rng.random(size) < prevalence).astype(np.uint8)
        scores = np.round(np.clip(rng.normal(0.3 + shift + 0.12 * labels, 0.1), 0, 1), 3)
        lists[name] = Labelled(scores, labels)
    return lists


def auroc(*lists: Labelled) -> Fraction:
    """Of all pairs of a positive and a negative sample: how many are in order, ties by half."""
    samples = [
        pair for one in lists for pair in zip(one.scores.tolist(), one.labels.tolist(), strict=True)
    ]
    positive, negative = ([score for score, y in samples if y == label] for label in (1, 0))
    wins = sum((p > n) + (p >= n) for p in positive for n in negative)
    return Fraction(wins, 2 * len(positive) * len(negative))


def exact() -> str:
    """The AUROC of all samples, correctly rounded."""
    value = auroc(*generated().values())
    whole = Decimal(value.numerator * 10**DECIMALS) / value.denominator
    return str(whole.quantize(Decimal(1), ROUND_HALF_UP).scaleb(-DECIMALS))


def averaged() -> Fraction:
    """The average of the hospitals' own AUROCs, weighted by their samples."""
    lists = generated().values()
    return sum((auroc(one) * len(one) for one in lists), Fraction(0)) / sum(map(len, lists))


def run(*arguments: str, folder: Path) -> str:
    """The output of `ppaurora`, run in this folder."""
    ended = subprocess.run(
        command(*arguments),
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


@contextlib.contextmanager
def served(folder: Path) -> Iterator[None]:
    """Three servers on this machine; every party has its key, study and site in NAME/.

    The hospitals have their lists in NAME/scores.csv, and have sent nothing yet.
    """
    parts = {str(role): "server" for role in Role} | dict.fromkeys(HOSPITALS, "owner")
    for name, part in (parts | {COORDINATOR: "receiver"}).items():
        run("init", name, f"--as={part}", f"--folder={name}", folder=folder)
    ports = free_ports(6)
    addresses = {role: f"127.0.0.1:{ports[place]}" for place, role in enumerate(Role)}
    run(
        *("study", "new", "study.toml", "--id=three", "--metric=auroc", f"--decimals={DECIMALS}"),
        *(f"--{str(role).lower()}={at}={role}/{role}.key.pub" for role, at in addresses.items()),
        *(f"--owner={name}={name}/{name}.key.pub" for name in HOSPITALS),
        f"--receiver={COORDINATOR}={COORDINATOR}/{COORDINATOR}.key.pub",
        *("--least-owners=3", "--least-samples=500"),
        folder=folder,
    )
    for name in (*parts, COORDINATOR):
        (folder / name / "study.toml").write_text((folder / "study.toml").read_text())
    for name, table in generated().items():
        rows = zip(table.scores.tolist(), table.labels.tolist(), strict=True)
        text = "".join(f"{score!r},{label}\n" for score, label in rows)
        (folder / name / "scores.csv").write_text(f"score,label\n{text}")
    sites = [folder / role / "site.toml" for role in map(str, Role)]
    with contextlib.ExitStack() as stack:
        for site in sites:
            log = site.parent / "site.log"
            (process,) = stack.enter_context(servers([site], logs=site.parent))
            await_start(process, log)
        yield
