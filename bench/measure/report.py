"""The report: rows of figures with everything that one needs to judge them, as one JSON file.

It is written anew after every run, so an interrupted benchmark keeps what it has; what was measured
by the same code with the same key is not measured again.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median
from typing import Any

from ppaurora.bench.errors import ReportRefused
from ppaurora.bench.processes import ROOT

FORMAT = "ppaurora bench 1"
PACKAGES = ("ppaurora", "numpy", "pyzmq", "cryptography", "msgpack")
# What runs while a row is measured, or makes its data.
RUNNING = (
    "measure/alone",
    "measure/calls",
    "measure/data",
    "measure/evaluation",
    "measure/jobs",
    "measure/party",
)
CARRYING = ("networks/cable", "networks/shaper")
MEASURED = (
    "mpc/**/*.py",
    "protocols/**/*.py",
    *(f"bench/{name}.py" for name in (*RUNNING, *CARRYING)),
)

NO_CODE = (":(exclude)*.md", ":(exclude)bench/*recorded/*")

Key = dict[str, Any]
Figures = dict[str, Any]


def machine() -> dict[str, Any]:
    """The kind of machine that was measured, without anything that names it."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "versions": {name: found for name in PACKAGES if (found := _version(name))},
    }


def _processor() -> str:
    for line in _lines(Path("/proc/cpuinfo")):
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text().splitlines()
    except OSError:
        return []


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def commit() -> str | None:
    """The commit of this tree, with a + where files differ from it that are no record or page."""
    try:
        found = _git("rev-parse", "--short=7", "HEAD")
        return found + ("+" if _git("status", "--porcelain", "--", ".", *NO_CODE) else "")
    except (OSError, subprocess.CalledProcessError):
        return None


def _git(*arguments: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(ROOT), *arguments], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def fingerprint_of_code() -> str:
    """A hash of all code that is measured: figures of other code are not taken over."""
    digest = hashlib.sha256(sys.version.encode())
    for pattern in MEASURED:
        for path in sorted(ROOT.glob(pattern)):
            digest.update(f"{path.relative_to(ROOT)}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def load() -> float | None:
    """The load average of the last minute: what else the machine was doing."""
    try:
        return round(os.getloadavg()[0], 2)
    except OSError:
        return None


class Report:
    """The rows of one benchmark, each with its runs."""

    def __init__(self, bench: str, path: Path | None = None, command: str = "") -> None:
        self.path = path
        self.head: dict[str, Any] = {
            "format": FORMAT,
            "bench": bench,
            "command": command,
            "started": datetime.now(UTC).isoformat(timespec="seconds"),
            "commit": commit(),
            "code": fingerprint_of_code(),
            "machine": machine(),
        }
        self._rows: dict[str, dict[str, Any]] = {}

    @classmethod
    def resumed(cls, bench: str, path: Path, command: str = "", *, fresh: bool = False) -> Report:
        """A report at `path`, with the rows that the same code on the same machine left there.

        A report of other code is set aside as `NAME.old.json`: there to be compared with.
        """
        report = cls(bench, path, command)
        if not path.exists():
            return report
        earlier = cls.read(path)
        same = all(earlier.head[name] == report.head[name] for name in ("bench", "code", "machine"))
        if same and not fresh:
            report._rows = earlier._rows
        else:
            path.replace(path.with_suffix(".old.json"))
        return report

    @classmethod
    def read(cls, path: Path) -> Report:
        """The report in a file."""
        try:
            data = json.loads(path.read_text())
            found = data.pop("format")
        except FileNotFoundError:
            raise ReportRefused(
                f"there is no file {path}",
                advice="Give a report that the benchmark wrote; by itself it writes to results/.",
            ) from None
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ReportRefused(
                f"{path} is not a report", advice="Give a file that the benchmark wrote."
            ) from error
        if found != FORMAT:
            raise ReportRefused(f"{path} is a report of another format, {found}")
        report = cls.__new__(cls)
        report.path = path
        report._rows = {_name(row["key"]): row for row in data.pop("rows")}
        report.head = {"format": FORMAT, **data}
        return report

    def __iter__(self) -> Iterator[tuple[Key, list[Figures]]]:
        return ((row["key"], row["runs"]) for row in self._rows.values())

    def __len__(self) -> int:
        return len(self._rows)

    def runs(self, key: Key) -> list[Figures]:
        """The runs measured for the key so far."""
        row = self._rows.get(_name(key))
        return [] if row is None else row["runs"]

    def add(self, key: Key, figures: Figures) -> None:
        """One more run, on disk before this returns."""
        row = self._rows.setdefault(_name(key), {"key": key, "runs": []})
        row["runs"].append({**figures, "load": load()})
        self.save()

    def save(self) -> None:
        """Write the file whole or not at all."""
        if self.path is None:
            return
        self.path.parent.mkdir(parents=True, exist_ok=True)
        rows = list(self._rows.values())
        partial = self.path.with_name(self.path.name + ".partial")
        partial.write_text(json.dumps({**self.head, "rows": rows}, indent=1) + "\n")
        partial.replace(self.path)


def _name(key: Key) -> str:
    return json.dumps(key, sort_keys=True)


def typical(runs: list[Figures], name: str) -> float:
    """The median over the runs."""
    return float(median(run[name] for run in runs))


def load_of(runs: list[Figures]) -> str:
    """The machine's load, as the median over the runs, with this benchmark's own processes."""
    loads = [run["load"] for run in runs if run.get("load") is not None]
    return f"{median(loads):.1f}" if loads else ""


def spread(runs: list[Figures], name: str) -> tuple[float, float]:
    """The smallest and the largest."""
    values = [run[name] for run in runs]
    return min(values), max(values)
