"""The contestants: name, computation, and the start and the answers of their processes."""

from __future__ import annotations

import datetime
import ipaddress
import json
import re
import subprocess
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from ppaurora.bench.errors import RunFailed
from ppaurora.bench.measure.report import Figures
from ppaurora.bench.peers.environments import Environment
from ppaurora.bench.processes import environment
from ppaurora.mpc.link.endpoint import free_ports

PROGRAMS = Path(__file__).parent / "programs"
PARTIES = 3
SENT_BY_SPU = re.compile(r"Link details: total send bytes (\d+)")


@dataclass(frozen=True, slots=True)
class Contestant:
    """One way to compute the AUROC; `about` is what a reader has to know to compare."""

    name: str
    peer: str
    program: str
    about: str
    weight: float = 1.0
    options: tuple[tuple[str, Any], ...] = ()


CONTESTANTS = {
    contestant.name: contestant
    for contestant in (
        Contestant(
            "spu merge",
            "spu",
            "merge",
            "ABY3, 64-bit keys, sorted lists merged by a bitonic network; TLS",
            options=(("tls", True),),
        ),
        Contestant(
            "spu merge, plain",
            "spu",
            "merge",
            "ABY3, 64-bit keys, sorted lists merged by a bitonic network; no encryption",
        ),
        Contestant(
            "spu sort",
            "spu",
            "sort",
            "ABY3, 64-bit keys, SPU's own sort; TLS",
            weight=3,
            options=(("tls", True),),
        ),
        Contestant(
            "spu metric",
            "spu",
            "metric",
            "ABY3, scores in fixed point, SPU's own roc_auc_score; TLS",
            weight=40,
            options=(("tls", True),),
        ),
        Contestant(
            "mpyc merge",
            "mpyc",
            "merge",
            "Shamir, 64-bit keys, sorted lists merged by a bitonic network; no encryption",
            weight=200,
        ),
        Contestant(
            "mpyc sort",
            "mpyc",
            "sort",
            "Shamir, 64-bit keys, MPyC's own sort; no encryption",
            weight=400,
        ),
        Contestant("scikit-learn", "scikit-learn", "", "pooled data in the clear: the floor"),
    )
}


def measured(contestant: Contestant, at: Environment, data: Path, *, seconds: float) -> Figures:
    """One run over the keys in `data`; refused after so many seconds."""
    runner = {"spu": by_spu, "mpyc": by_mpyc, "scikit-learn": by_scikit_learn}[contestant.peer]
    plan = {"program": contestant.program, "data": str(data), **dict(contestant.options)}
    parties, sent = runner(at, data.parent, plan, seconds)
    return {
        "seconds": max(party["seconds"] for party in parties),
        "cpu_seconds": sum(party["cpu_seconds"] for party in parties),
        "bytes": sent,
        "peak_bytes": max(party["peak_bytes"] for party in parties),
        "value": value_of(parties[0]["values"]),
    }


def value_of(values: Sequence[float]) -> float:
    """The AUROC from what was opened: itself, or numerator and denominator."""
    return float(Fraction(*values)) if len(values) == 2 else float(values[0])


def by_scikit_learn(
    at: Environment, folder: Path, plan: dict[str, Any], seconds: float
) -> tuple[list[dict[str, Any]], int]:
    """One process, nothing sent."""
    command = [str(at.python), str(PROGRAMS / "sklearn_auroc.py"), written(folder, plan)]
    return [figures_in(output) for output in together([command], seconds)], 0


def by_mpyc(
    at: Environment, folder: Path, plan: dict[str, Any], seconds: float
) -> tuple[list[dict[str, Any]], int]:
    """Three processes on loopback; MPyC counts what it sends."""
    program = [str(at.python), str(PROGRAMS / "mpyc_auroc.py"), written(folder, plan), "--no-log"]
    parties = [f"-P127.0.0.1:{port}" for port in free_ports(PARTIES)]
    commands = [[*program, *parties, f"-I{rank}"] for rank in range(PARTIES)]
    figures = [figures_in(output) for output in together(commands, seconds)]
    return figures, sum(party["bytes_sent"] for party in figures)


def by_spu(
    at: Environment, folder: Path, plan: dict[str, Any], seconds: float
) -> tuple[list[dict[str, Any]], int]:
    """The owners' sharing, then three processes on loopback; SPU logs what it sends."""
    plan["shares"] = str(folder)
    plan["addresses"] = [f"127.0.0.1:{port}" for port in free_ports(PARTIES)]
    if plan.get("tls"):
        plan["tls"] = certificate(folder)
    program = [str(at.python), str(PROGRAMS / "spu_auroc.py")]
    path = written(folder, plan)
    together([[*program, "share", path]], seconds)
    outputs = together([[*program, "run", path, str(rank)] for rank in range(PARTIES)], seconds)
    sent = [int(found[1]) for output in outputs if (found := SENT_BY_SPU.search(output))]
    return [figures_in(output) for output in outputs], sum(sent)


def written(folder: Path, plan: dict[str, Any]) -> str:
    """The plan in a file."""
    path = folder / "plan.json"
    path.write_text(json.dumps(plan))
    return str(path)


def together(commands: Sequence[Sequence[str]], seconds: float) -> list[str]:
    """Run them side by side; what each wrote. All are gone afterwards."""
    with ExitStack() as stack:
        processes = []
        for command in commands:
            process = subprocess.Popen(
                command,
                env=environment(),
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
            stack.callback(process.wait)
            stack.callback(process.kill)
            processes.append(process)
        outputs = []
        for process in processes:
            try:
                outputs.append(process.communicate(timeout=seconds)[0])
            except subprocess.TimeoutExpired:
                raise RunFailed(f"not done after {seconds:.0f} s") from None
            if process.returncode != 0:
                raise RunFailed((outputs[-1].strip().splitlines() or ["no word"])[-1])
    return outputs


def figures_in(output: str) -> dict[str, Any]:
    """The one line of JSON among what a program wrote."""
    for line in reversed(output.splitlines()):
        if line.startswith('{"seconds"'):
            figures: dict[str, Any] = json.loads(line)
            return figures
    raise RunFailed("a peer's program ended without figures")


def certificate(folder: Path) -> dict[str, str]:
    """A certificate for this machine that signs itself, for two days; the paths of both files."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.datetime.now(datetime.UTC)
    signed = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]),
            critical=False,
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    paths = {"certificate": folder / "certificate.pem", "key": folder / "key.pem"}
    paths["certificate"].write_bytes(signed.public_bytes(serialization.Encoding.PEM))
    paths["key"].write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return {what: str(path) for what, path in paths.items()}
