"""The files of deploy/ are what the tools that read them accept, and keep what they promise."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from ppaurora.parties.commands import PROGRAM
from ppaurora.parties.commands.exit_codes import exit_code
from ppaurora.parties.commands.health import PATIENCE_SECONDS
from ppaurora.parties.commands.program import OwnCommands
from ppaurora.parties.errors import ConfigurationError, DiskFault, KeyFault
from ppaurora.protocols.errors import OptionRefused

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
UNIT = DEPLOY / "systemd" / "ppaurora.service"
THRESHOLD = 20
"""Ten times the highest score that is allowed."""


def documents() -> list[dict[str, Any]]:
    return list(yaml.safe_load_all((DEPLOY / "kubernetes" / "server.yaml").read_text()))


@pytest.mark.parametrize("version", ["1.29", kubernetes_validate.latest_version()])
def test_the_cluster_s_objects_pass_the_published_schemas(version: str) -> None:
    kinds = [document["kind"] for document in documents()]
    assert kinds == ["Service", "StatefulSet", "NetworkPolicy"]
    for document in documents():
        kubernetes_validate.validate(document, version, strict=True)


def test_the_pod_is_one_unprivileged_and_read_only() -> None:
    [stateful] = [one for one in documents() if one["kind"] == "StatefulSet"]
    assert stateful["spec"]["replicas"] == 1
    pod = stateful["spec"]["template"]["spec"]
    assert pod["securityContext"]["runAsNonRoot"]
    assert not pod["automountServiceAccountToken"]
    [container] = pod["containers"]
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    [key] = [volume for volume in pod["volumes"] if "secret" in volume]
    assert key["secret"]["defaultMode"] == 0o440


def test_probes_run_a_command_that_there_is_on_the_site_file_that_the_server_has() -> None:
    [stateful] = [one for one in documents() if one["kind"] == "StatefulSet"]
    [container] = stateful["spec"]["template"]["spec"]["containers"]
    _, site = container["args"]
    for kind, more in (("startup", []), ("liveness", []), ("readiness", ["--ready"])):
        program, command, *options = container[f"{kind}Probe"]["exec"]["command"]
        assert (program, options) == (PROGRAM, [*more, "--site", site])
        assert OwnCommands.own[command].place == "health:health"
        assert container[f"{kind}Probe"]["timeoutSeconds"] > PATIENCE_SECONDS


def test_the_composed_servers_are_three_unprivileged_and_read_only() -> None:
    composed = yaml.safe_load((DEPLOY / "compose" / "compose.yaml").read_text())
    assert set(composed["services"]) == {"p0", "p1", "helper"}
    for name, one in composed["services"].items():
        assert one["read_only"]
        assert one["cap_drop"] == ["ALL"]
        assert one["user"] == "65532:65532"
        assert f"{name}:/var/lib/ppaurora" in one["volumes"]
        assert f"./{name}:/etc/ppaurora:ro" in one["volumes"]


def test_the_composed_servers_are_reached_from_the_host_by_the_addresses_in_the_study() -> None:
    text = (DEPLOY / "compose" / "compose.yaml").read_text()
    services = yaml.safe_load(text)["services"]
    addresses = re.search(r"addresses (p0:\d+), (p1:\d+) and (helper:\d+)", text)
    assert addresses is not None
    told = dict(one.split(":") for one in addresses.groups())
    # one name for all three on the host, so the ports tell them apart, outside as inside
    assert len(set(told.values())) == 3
    published = {name: one["ports"] for name, one in services.items()}
    assert published == {name: [f"127.0.0.1:{port}:{port}"] for name, port in told.items()}


def test_the_image_runs_as_its_own_user() -> None:
    lines = (DEPLOY / "image" / "Containerfile").read_text().splitlines()
    last_stage = lines[max(place for place, line in enumerate(lines) if line.startswith("FROM")) :]
    assert "USER 65532:65532" in last_stage
    assert all(line.split()[1] in ("scratch", "base") for line in lines if line.startswith("FROM"))
    subprocess.run(["bash", "-n", DEPLOY / "image" / "build"], check=True)


def test_the_unit_gives_up_what_a_server_does_not_need() -> None:
    settings = dict(re.findall(r"^(\w+)=(.*)$", UNIT.read_text(), re.MULTILINE))
    assert settings["DynamicUser"] == settings["NoNewPrivileges"] == "yes"
    assert settings["ProtectSystem"] == "strict"
    assert settings["CapabilityBoundingSet"] == ""
    assert settings["MemoryDenyWriteExecute"] == "yes"
    assert settings["LoadCredential"].startswith("site.key:")
    # without this call libzmq ends the process
    assert settings["SystemCallFilter"] == "sched_setscheduler"


def test_the_unit_does_not_start_a_server_again_that_its_operator_has_to_mend() -> None:
    [codes] = re.findall(r"^RestartPreventExitStatus=(.*)$", UNIT.read_text(), re.MULTILINE)
    told = (ConfigurationError, OptionRefused, DiskFault, KeyFault)
    assert set(map(int, codes.split())) == {int(exit_code(kind)) for kind in told}


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd here")
def test_the_analyser_finds_the_unit_hardly_exposed() -> None:
    told = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", f"--threshold={THRESHOLD}", UNIT],
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 0, told.stdout
