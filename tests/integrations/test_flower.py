"""The Flower app, run by `flwr run` in Flower's own simulation of three clients."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from ppaurora.mpc.link.endpoint import free_ports
from ppaurora.parties.simulation.processes import environment
from tests.docs.tree import HOME
from tests.integrations import programs
from tests.integrations.hospitals import COORDINATOR, HOSPITALS, averaged, exact, served
from tests.until import until

SECONDS = 600
PROGRAMS = programs("flower")


@contextlib.contextmanager
def superlink(folder: Path, variables: dict[str, str]) -> Iterator[None]:
    """Flower's server with its simulation of clients, on ports of its own."""
    control, port = free_ports(2)
    (folder / "config.toml").write_text(
        f'[superlink.here]\naddress = "127.0.0.1:{port}"\ninsecure = true\n'
        f"options.num-supernodes = {len(HOSPITALS)}\n"
    )
    command = [
        *(str(PROGRAMS / "flower-superlink"), "--insecure", "--simulation"),
        "--disable-runtime-dependency-installation",
        *("--control-api-address", f"127.0.0.1:{control}"),
        *("--host", "127.0.0.1", "--port", str(port)),
    ]

    def answers() -> bool:
        with contextlib.suppress(OSError):
            return bool(urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=2))
        return False

    with (folder / "superlink.log").open("wb") as log:
        process = subprocess.Popen(
            command, env=variables, stdout=log, stderr=log, start_new_session=True
        )
        try:
            until(answers)
            yield
        finally:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait(60)


def flower_run(settings: Path, variables: dict[str, str]) -> str:
    """The log of `flwr run`, which ends well whatever the app does."""
    ended = subprocess.run(
        [
            *(str(PROGRAMS / "flwr"), "run", str(HOME / "integrations" / "flower"), "here"),
            *("--stream", "--run-config", str(settings)),
        ],
        env=variables,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    told = ended.stdout + ended.stderr
    assert ended.returncode == 0, told
    return told


@pytest.mark.integrations
@pytest.mark.zeromq
def test_flowers_last_round_shows_the_exact_value_once_every_client_has_sent_its_list(
    tmp_path: Path,
) -> None:
    variables = {
        **environment(),
        "PATH": os.pathsep.join([str(PROGRAMS), os.environ["PATH"]]),
        "FLWR_HOME": str(tmp_path),
        "FLWR_TELEMETRY_ENABLED": "0",
        "FLWR_DISABLE_UPDATE_CHECK": "1",
        "RAY_USAGE_STATS_ENABLED": "0",
    }
    settings = tmp_path / "run.toml"
    folders = ",".join(str(tmp_path / name) for name in HOSPITALS)
    site = tmp_path / COORDINATOR / "site.toml"
    settings.write_text(f'site = "{site}"\nrounds = 2\nsimulated = "{folders}"\n')
    with served(tmp_path), superlink(tmp_path, variables):
        (tmp_path / "ben" / "site.toml").rename(tmp_path / "ben" / "late.toml")
        told = flower_run(settings, variables)
        assert "1 of 3 clients have not sent their lists" in told
        assert "AUROC: average" not in told
        (tmp_path / "ben" / "late.toml").rename(tmp_path / "ben" / "site.toml")
        told = flower_run(settings, variables)
    shown = re.search(r"average of the clients' own (\S+), exact (\S+)", told)
    assert shown is not None, told
    assert shown.groups() == (f"{float(averaged()):.6f}", exact())
    assert told.count("Aggregated MetricRecord") == 2
