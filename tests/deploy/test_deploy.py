"""The files of deploy/ are what the tools that read them accept, and keep what they promise."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import kubernetes_validate
import pytest
import yaml

from ppaurora.mpc.address import split_address
from ppaurora.parties.commands import PROGRAM
from ppaurora.parties.commands.exit_codes import exit_code
from ppaurora.parties.commands.health import PATIENCE_SECONDS
from ppaurora.parties.commands.program import OwnCommands
from ppaurora.parties.errors import ConfigurationError, DiskFault, KeyFault
from ppaurora.parties.requests.listening import ANYWHERE, OwnAddresses
from ppaurora.protocols.errors import OptionRefused

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
UNIT = DEPLOY / "systemd" / "ppaurora.service"
THRESHOLD = 20
"""Ten times the highest score that is allowed."""


def documents() -> list[dict[str, Any]]:
    return list(yaml.safe_load_all((DEPLOY / "kubernetes" / "server.yaml").read_text()))


def composed(name: str) -> dict[str, Any]:
    """One of the files for Compose."""
    content: dict[str, Any] = yaml.safe_load((DEPLOY / "compose" / f"{name}.yaml").read_text())
    return content


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


def in_the_study(text: str) -> tuple[str, set[int]]:
    """The host of this server in the study that a file describes, and the ports that are reached.

    They are those of P0; P1 and the helper have fewer.
    """
    lines = re.findall(r"^#   ((?:address|link_ports) = .*)$", text, re.MULTILINE)
    entry = tomllib.loads("\n".join(lines))
    host, port = split_address(entry["address"]) or ("", 0)
    assert entry["link_ports"] == [port + 1, port + 2]  # as `ppaurora study new` writes them
    return host, {port, *entry["link_ports"]}


def test_the_cluster_s_server_is_reached_by_the_address_in_the_study() -> None:
    host, ports = in_the_study((DEPLOY / "kubernetes" / "server.yaml").read_text())
    service, stateful, policy = documents()
    assert service["spec"]["type"] == "LoadBalancer"
    assert service["spec"]["publishNotReadyAddresses"]
    assert service["spec"]["selector"] == policy["spec"]["podSelector"]["matchLabels"]
    template = stateful["spec"]["template"]
    assert service["spec"]["selector"] == template["metadata"]["labels"]
    [container] = template["spec"]["containers"]
    inside = {one["name"]: one["containerPort"] for one in container["ports"]}
    forwarded = {one["port"]: inside[one["targetPort"]] for one in service["spec"]["ports"]}
    assert forwarded == {port: port for port in ports}
    [admitted] = policy["spec"]["ingress"]
    assert {one["port"] for one in admitted["ports"]} == ports
    assert "from" not in admitted
    # a name of the Service is none of the pod's addresses: the server listens at all of them
    elsewhere = OwnAddresses(look_up=lambda _: ["192.0.2.7"], own=lambda _: False)
    assert elsewhere.place(host, 7100).host == ANYWHERE


def test_the_cluster_s_server_may_reach_the_other_two_and_a_name_service() -> None:
    [policy] = [one for one in documents() if one["kind"] == "NetworkPolicy"]
    _, ports = in_the_study((DEPLOY / "kubernetes" / "server.yaml").read_text())
    peers, names = policy["spec"]["egress"]
    [out] = peers["ports"]
    assert set(range(out["port"], out["endPort"] + 1)) == ports
    assert len(peers["to"]) == 2
    assert {(one["protocol"], one["port"]) for one in names["ports"]} == {("UDP", 53), ("TCP", 53)}


@pytest.mark.parametrize("name", ["compose", "three"])
def test_what_is_composed_passes_the_published_schema(name: str) -> None:
    """It is the one of the Compose specification, as docker-compose 1.29.2 has it."""
    schema = json.loads((Path(__file__).parent / "compose_spec.json").read_text())
    jsonschema.Draft7Validator(schema).validate(composed(name))


@pytest.mark.parametrize("name", ["compose", "three"])
def test_every_composed_server_is_unprivileged_and_read_only(name: str) -> None:
    for service, one in composed(name)["services"].items():
        folder, state = ("site", "state") if name == "compose" else (service, service)
        assert one["read_only"]
        assert one["cap_drop"] == ["ALL"]
        assert one["user"] == "65532:65532"
        assert one["volumes"] == [f"./{folder}:/etc/ppaurora:ro", f"{state}:/var/lib/ppaurora"]


def test_one_composed_server_is_reached_from_outside_by_the_address_in_the_study() -> None:
    host, ports = in_the_study((DEPLOY / "compose" / "compose.yaml").read_text())
    [server] = composed("compose")["services"].values()
    assert server["ports"] == [f"${{LISTEN:-0.0.0.0}}:{port}:{port}" for port in sorted(ports)]
    nowhere = OwnAddresses(look_up=lambda _: [], own=lambda _: False)
    assert nowhere.place(host, 7100).host == ANYWHERE
    program, command, *options = server["healthcheck"]["test"][1:]
    assert (program, options) == (PROGRAM, ["--site", server["command"][-1]])
    assert OwnCommands.own[command].place == "health:health"


def test_three_composed_servers_are_reached_by_the_addresses_in_the_study() -> None:
    text = (DEPLOY / "compose" / "three.yaml").read_text()
    services = composed("three")["services"]
    addresses = re.search(r"addresses (p0:\d+), (p1:\d+) and (helper:\d+)", text)
    assert addresses is not None
    told = dict(one.split(":") for one in addresses.groups())
    # one name for all three on the host, so the ports tell them apart, outside as inside
    assert len(set(told.values())) == 3
    published = {name: one["ports"] for name, one in services.items()}
    assert published == {
        name: [f"${{LISTEN:-127.0.0.1}}:{port}:{port}"] for name, port in told.items()
    }


@pytest.mark.skipif(shutil.which("docker-compose") is None, reason="there is no Compose here")
@pytest.mark.parametrize(
    ("name", "listen", "shown"),
    [
        ("compose", None, "0.0.0.0:7100:7100"),
        ("compose", "192.0.2.7", "192.0.2.7:7102:7102"),
        ("three", None, "127.0.0.1:7300:7300"),
        ("three", "192.0.2.7", "192.0.2.7:7200:7200"),
    ],
)
def test_compose_publishes_where_it_is_told(name: str, listen: str | None, shown: str) -> None:
    environment = {name: text for name, text in os.environ.items() if name != "LISTEN"}
    told = subprocess.run(
        ["docker-compose", "--file", f"{name}.yaml", "config"],
        cwd=DEPLOY / "compose",
        env={**environment, **({"LISTEN": listen} if listen else {})},
        capture_output=True,
        text=True,
        check=True,
    )
    assert shown in told.stdout


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
