"""A model in use, watched month by month: three servers, four hospitals, three releases.

    .venv/bin/python examples/monitoring.py [FOLDER]

Every command is a process of its own, and is printed with what it prints. The lists are generated,
the same in every run: the model is as good in the third month as in the first, but there are more
patients with the disease than it expects. In the second month one hospital sends nothing. The
months are the three before this one.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path
from random import Random

from ppaurora.mpc.link.endpoint import free_ports
from ppaurora.parties.simulation.processes import await_start, command, environment, servers
from ppaurora.parties.study.schedule import Period

HOSPITALS = ("aachen", "bonn", "celle", "dresden")
MISSING = ("dresden", 1)
SAMPLES = (180, 240, 150, 210)
DRIFT = (0.0, 0.02, 0.10)
"""In each month, how much more often patients have the disease than their score says."""


def rows(place: int, month: int) -> str:
    """The list of one hospital in one month, as a CSV file."""
    random = Random(100 * place + month)
    lines = []
    for _ in range(SAMPLES[place] + 10 * month):
        score = round(random.betavariate(1.2, 3), 2)
        lines.append(f"{score},{int(random.random() < score + DRIFT[month] * (1 - score))}\n")
    return "score,label\n" + "".join(lines)


def run(folder: Path, *words: str, quiet: bool = False) -> None:
    """One command, shown as a person types it, and what it prints."""
    if not quiet:
        print(f"$ ppaurora {' '.join(words)}")
    done = subprocess.run(
        command(*words),
        cwd=folder,
        env={**environment(), "COLUMNS": "100"},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode not in (0, 10):
        sys.exit(f"{' '.join(words)}: {done.stdout}{done.stderr}")
    if not quiet:
        print(f"{done.stderr}{done.stdout}")


def months() -> list[str]:
    """The three months before this one."""
    now = time.gmtime()
    this = Period.named("month", f"{now.tm_year:04}-{now.tm_mon:02}")
    return [this.after(back).name for back in (-3, -2, -1)]


def site(folder: Path, name: str) -> Path:
    """The site file of a server or a hospital, with a state of its own."""
    path = folder / f"{name}.toml"
    lines = [f'key = "{name}.key"', 'studies = ["study.toml"]']
    lines += ["[server]", f'state = "state-{name}"', "[participant]", f'state = "sent-{name}"']
    path.write_text("\n".join(lines) + "\n")
    return path


def main(folder: Path) -> None:
    """Agree, upload and compute each month, and look at all of them."""
    machines, first = ("P0", "P1", "helper"), months()[0]
    for name in (*machines, *HOSPITALS):
        run(folder, "keys", "new", f"{name}.key", quiet=True)
        site(folder, name)
    ports = free_ports(3)
    places = zip(("--p0", "--p1", "--helper"), machines, ports, strict=True)
    run(
        folder,
        *("study", "new", "study.toml", "--id", "sepsis-in-use", "--analysis", "monitoring"),
        *("--resolution", "decimals:2", "--start", "request", "--least-samples", "300"),
        *("--every", "month", "--first", first, "--releases", "12", "--open-for", "3"),
        *(
            word
            for flag, name, port in places
            for word in (flag, f"127.0.0.1:{port}={name}.key.pub")
        ),
        *(word for name in HOSPITALS for word in ("--owner", f"{name}={name}.key.pub")),
    )
    with servers([folder / f"{name}.toml" for name in machines], logs=folder) as processes:
        for name, process in zip(machines, processes, strict=True):
            await_start(process, folder / f"{name}.log")
        for month, period in enumerate(months()):
            of_release = ("--release", period)
            for place, name in enumerate(HOSPITALS):
                if (name, month) == MISSING:
                    continue
                (folder / f"{name}.csv").write_text(rows(place, month))
                site_of = ("--site", f"{name}.toml")
                shown = place == 0 and month == 0
                run(
                    folder,
                    "outsource",
                    f"{name}.csv",
                    *site_of,
                    *of_release,
                    "--yes",
                    quiet=not shown,
                )
            if month == 1:
                run(folder, "status", "--site", "aachen.toml", *of_release)
            run(folder, "compute", "--site", "aachen.toml", *of_release, "--wait", quiet=month > 0)
        run(
            folder,
            *("result", "--site", "aachen.toml", "--release", "all", "--report", "trend.html"),
        )
        run(folder, "status", "--site", "aachen.toml", quiet=True)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        Path(sys.argv[1]).mkdir(parents=True, exist_ok=True)
        main(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as temporary:
            main(Path(temporary))
