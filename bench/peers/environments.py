"""The peers' environments: made on request, kept in the user's cache, never a dependency."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from ppaurora.bench.errors import ToolAbsent

CACHE_VARIABLE = "PPAURORA_PEERS"
MARK = "ready.json"


@dataclass(frozen=True, slots=True)
class Peer:
    """A package to compare with: what is installed, in which order, for which Python.

    Each entry of `requirements` is one call of pip. What `imported` names is imported before the
    environment counts as made: what installs does not always run.
    """

    name: str
    pythons: tuple[str, ...]
    requirements: tuple[tuple[str, ...], ...]
    imported: tuple[str, ...]
    reported: tuple[str, ...]


PEERS = {
    peer.name: peer
    for peer in (
        Peer(
            "mpyc",
            ("3.12", "3.11"),
            (("mpyc==0.11", "numpy", "gmpy2", "uvloop"),),
            ("mpyc.runtime", "numpy", "gmpy2"),
            ("mpyc", "numpy", "gmpy2"),
        ),
        Peer(
            "spu",
            ("3.11", "3.10"),
            (
                ("spu==0.9.5", "pandas==1.5.3", "scikit-learn==1.5.2"),
                ("--no-deps", "sf-sml==0.1.0.dev20250623"),
            ),
            ("spu", "spu.utils.frontend", "sml.metrics.classification.classification"),
            ("spu", "sf-sml", "jax"),
        ),
        Peer(
            "scikit-learn",
            ("3.12", "3.11", "3.13"),
            (("scikit-learn",),),
            ("sklearn.metrics",),
            ("scikit-learn", "numpy"),
        ),
        Peer(
            "pp-auc",
            ("3.12", "3.11", "3.13"),
            (("phe==1.5.0", "gmpy2==2.3.2", "numpy", "cryptography"),),
            ("phe", "gmpy2", "numpy", "cryptography.fernet"),
            ("phe", "gmpy2"),
        ),
    )
}


@dataclass(frozen=True, slots=True)
class Environment:
    """A peer that is installed: its interpreter, and the versions found in it."""

    python: Path
    versions: dict[str, str]


def cache() -> Path:
    """The folder of the environments."""
    if CACHE_VARIABLE in os.environ:
        return Path(os.environ[CACHE_VARIABLE])
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "ppaurora" / "peers"


def found(peer: Peer) -> Environment | None:
    """The peer's environment if it was made."""
    folder = cache() / peer.name
    try:
        versions = json.loads((folder / MARK).read_text())
    except (OSError, ValueError):
        return None
    return Environment(folder / "bin" / "python", versions)


def made(peer: Peer) -> Environment:
    """The peer's environment, made where it is missing; raises `ToolAbsent` where it cannot be."""
    already = found(peer)
    if already is not None:
        return already
    folder = cache() / peer.name
    shutil.rmtree(folder, ignore_errors=True)
    _call([interpreter(peer), "-m", "venv", str(folder)], peer)
    python = folder / "bin" / "python"
    for requirement in peer.requirements:
        _call([str(python), "-m", "pip", "install", "--quiet", *requirement], peer)
    _call([str(python), "-c", f"import {', '.join(peer.imported)}"], peer, "imported")
    asked = f"import importlib.metadata as m; print([m.version(n) for n in {peer.reported!r}])"
    answer = _call([str(python), "-c", asked], peer).replace("'", '"')
    versions = dict(zip(peer.reported, json.loads(answer), strict=True))
    (folder / MARK).write_text(json.dumps(versions))
    return Environment(python, versions)


def interpreter(peer: Peer) -> str:
    """A Python that the peer has wheels for: this one if it will do."""
    own = f"{sys.version_info.major}.{sys.version_info.minor}"
    if own in peer.pythons:
        return sys.executable
    for version in peer.pythons:
        python = shutil.which(f"python{version}")
        if python and subprocess.run([python, "-c", ""], capture_output=True).returncode == 0:
            return python
    raise ToolAbsent(
        f"{peer.name} needs Python {' or '.join(peer.pythons)}",
        advice="Install one of them and see that it is on the path.",
    )


def _call(command: list[str], peer: Peer, step: str = "installed") -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or ["no reason given"]
        errors = [line for line in lines if line.startswith("ERROR")]
        why = (errors or lines[-1:])[0]
        raise ToolAbsent(f"{peer.name} cannot be {step}: {why}")
    return done.stdout
