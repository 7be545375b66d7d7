"""The contestants: name, computation, and the start and the answers of their processes."""

from __future__ import annotations

import datetime
import ipaddress
import json
import re
import subprocess
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import IO, Any

import numpy as np
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
POLL_SECONDS = 0.05
SENT_BY_SPU = re.compile(r"Link details: total send bytes (\d+)")


@dataclass(frozen=True, slots=True)
class PeerTerms:
    """The terms of a comparison: the computation, its parties, and all that it reveals."""

    computes: str
    parties: str
    reveals: str
    links: str


@dataclass(frozen=True, slots=True)
class Contestant:
    """One way to compute the AUROC.

    It is measured with at most `most` samples. Where more are asked for, it is measured at the
    layouts of `fit` instead, for a line through them.
    """

    name: str
    peer: str
    program: str
    terms: PeerTerms
    weight: float = 1.0
    options: tuple[tuple[str, Any], ...] = ()
    most: int | None = None
    fit: tuple[str, ...] = ()


BITONIC = "the same keys of 64 bits, merged by a bitonic network written for this; no division"
REPLICATED = "3 servers with replicated shares (ABY3), as they are told; no two collude"
SHAMIR = "3 servers with Shamir's shares, as they are told; no two collude"
FRACTION = "list lengths; numerator and denominator, so the sizes of both classes"
STATIONS = (
    "owners and one aggregator, each with a part of the key, as they are told; "
    "the aggregator and any one owner read everything"
)
ORDER = (
    "to the aggregator: the order and ties of all rows, one in eleven of them false, and all "
    "scores up to one factor; to the owner that opens: the sums of TP, and what FP gains, at every "
    "threshold, each times a secret factor, under masks of 17 bits"
)
FRACTION_BY_PAILLIER = (
    "the same keys of 64 bits; numerator and denominator times one secret factor; modulus of 3072 "
    "bits; the owners' encryption is timed as well"
)

FIT = ("3x4", "3x12", "3x24")

CONTESTANTS = {
    contestant.name: contestant
    for contestant in (
        Contestant(
            "spu merge",
            "spu",
            "merge",
            PeerTerms(
                BITONIC,
                REPLICATED,
                FRACTION,
                "TLS",
            ),
            options=(("tls", True),),
        ),
        Contestant(
            "spu merge, plain",
            "spu",
            "merge",
            PeerTerms("as spu merge", REPLICATED, FRACTION, "none"),
        ),
        Contestant(
            "spu sort",
            "spu",
            "sort",
            PeerTerms(
                "the same keys of 64 bits, by SPU's own sort of the pooled list, which does not "
                "use that lists come sorted; no division",
                REPLICATED,
                FRACTION,
                "TLS",
            ),
            weight=3,
            options=(("tls", True),),
            most=8_000,
        ),
        Contestant(
            "spu metric",
            "spu",
            "metric",
            PeerTerms(
                "SPU's own roc_auc_score, on scores in fixed point: close scores become ties, and "
                "the value is not exact",
                REPLICATED,
                "list lengths; the value",
                "TLS",
            ),
            weight=40,
            options=(("tls", True),),
            most=8_000,
        ),
        Contestant(
            "mpyc merge",
            "mpyc",
            "merge",
            PeerTerms(
                BITONIC,
                SHAMIR + "; each knows the lists that it puts in",
                FRACTION,
                "none",
            ),
            weight=200,
            most=2_000,
        ),
        Contestant(
            "mpyc sort",
            "mpyc",
            "sort",
            PeerTerms(
                "the same keys of 64 bits, by MPyC's own sort of the pooled list; no division",
                SHAMIR + "; each knows the lists that it puts in",
                FRACTION,
                "none",
            ),
            weight=400,
            most=200,
        ),
        Contestant(
            "pp-auc",
            "pp-auc",
            "",
            PeerTerms(FRACTION_BY_PAILLIER, STATIONS, ORDER, "files; rows are encrypted"),
            weight=1_500,
            most=72,
            fit=FIT,
        ),
        Contestant(
            "pp-auc, short r",
            "pp-auc",
            "",
            PeerTerms(
                "as pp-auc, with random exponents below 2^14, as in demo-train/paillier.py of its "
                "authors",
                STATIONS,
                "as pp-auc; and to anybody who sees the rows: every label, by trying",
                "files; rows are encrypted",
            ),
            weight=700,
            options=(("short", True),),
            most=72,
            fit=FIT,
        ),
        Contestant(
            "scikit-learn",
            "scikit-learn",
            "",
            PeerTerms(
                "roc_auc_score of the pooled scores: the floor below every private way",
                "one process",
                "everything, to it",
                "none",
            ),
        ),
    )
}


def measured(contestant: Contestant, at: Environment, data: Path, *, seconds: float) -> Figures:
    """One run over the keys in `data`; refused after so many seconds."""
    runner = {
        "spu": by_spu,
        "mpyc": by_mpyc,
        "pp-auc": by_pp_auc,
        "scikit-learn": by_scikit_learn,
    }[contestant.peer]
    plan = {"program": contestant.program, "data": str(data), **dict(contestant.options)}
    parties, sent = runner(at, data.parent, plan, seconds)
    owners = {"owners": parties[0]["owners"]} if "owners" in parties[0] else {}
    return {
        "seconds": max(party["seconds"] for party in parties),
        "cpu_seconds": sum(party["cpu_seconds"] for party in parties),
        "bytes": sent,
        "peak_bytes": max(party["peak_bytes"] for party in parties),
        "value": value_of(parties[0]["values"]),
        **owners,
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


def by_pp_auc(
    at: Environment, folder: Path, plan: dict[str, Any], seconds: float
) -> tuple[list[dict[str, Any]], int]:
    """The stations side by side, then the aggregator, then one station; files are the messages.

    Keys are made before. The seconds of a step are those of its slowest process.
    """
    with np.load(plan["data"]) as data:
        owners = len(data.files)
    plan["folder"] = str(folder)
    program = [str(at.python), str(PROGRAMS / "dppe_auroc.py")]
    path = written(folder, plan)
    together([[*program, "keys", path]], seconds)
    steps = [
        [figures_in(output) for output in together(commands, seconds)]
        for commands in (
            [[*program, "draw", path]],
            [[*program, "station", path, str(owner)] for owner in range(owners)],
            [[*program, "aggregate", path]],
            [[*program, "open", path]],
        )
    ]
    processes = [process for step in steps for process in step]
    owners_only = steps[0] + steps[1]
    whole = {
        "seconds": sum(max(process["seconds"] for process in step) for step in steps),
        "cpu_seconds": sum(process["cpu_seconds"] for process in processes),
        "peak_bytes": max(process["peak_bytes"] for process in processes),
        "values": processes[-1]["values"],
        "owners": {
            "cpu_seconds": sum(process["cpu_seconds"] for process in owners_only),
            "bytes": sum(process["bytes_sent"] for process in owners_only),
        },
    }
    return [whole], sum(process["bytes_sent"] for process in processes)


def written(folder: Path, plan: dict[str, Any]) -> str:
    """The plan in a file."""
    path = folder / "plan.json"
    path.write_text(json.dumps(plan))
    return str(path)


def together(commands: Sequence[Sequence[str]], seconds: float) -> list[str]:
    """Run them side by side; what each wrote. All are gone afterwards, and as soon as one fails."""
    until = time.monotonic() + seconds
    with ExitStack() as stack:
        processes = []
        for command in commands:
            written = stack.enter_context(tempfile.TemporaryFile("w+"))
            process = subprocess.Popen(
                command, env=environment(), stdout=written, stderr=subprocess.STDOUT
            )
            stack.callback(process.wait)
            stack.callback(process.kill)
            processes.append((process, written))
        while True:
            codes = [process.poll() for process, _ in processes]
            failed = [place for place, code in enumerate(codes) if code]
            if failed:
                lines = _contents(processes[failed[0]][1]).strip().splitlines()
                raise RunFailed((lines or ["no word"])[-1])
            if None not in codes:
                return [_contents(written) for _, written in processes]
            if time.monotonic() > until:
                raise RunFailed(f"not done after {seconds:.0f} s")
            time.sleep(POLL_SECONDS)


def _contents(written: IO[str]) -> str:
    written.seek(0)
    return written.read()


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
