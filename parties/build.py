"""The build of the program: its version, and a digest of the sources of what computes.

    build = VERSION+DIGEST, DIGEST the first 16 hexadecimal digits of
    SHA-256( for each file: length and bytes of its name, length and bytes of its text )

The files are all `.py`, `.c` and `.h` of `mpc` and `protocols`, in the order of their names, each
with its lines ended by one line feed. So the digest does not depend on how a build was installed,
on the system, or on when its files were written. The C of the compiled kernels is covered as
source; which compiler made a library of it, or that none did, is not: with and without it they
compute the same.
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

import ppaurora
import ppaurora.mpc

ROOMS = ("mpc", "protocols")
ENDINGS = (".c", ".h", ".py")
SHOWN_DIGITS = 16
LENGTH_BYTES = 8


@cache
def build() -> str:
    """The build of this process, as servers compare it; read once, when it is first asked for."""
    version = ppaurora.__version__
    digest = source_digest(Path(ppaurora.mpc.__file__).parents[1])
    return f"{version}{'.' if '+' in version else '+'}{digest[:SHOWN_DIGITS]}"


def source_digest(folder: Path) -> str:
    """The digest of the sources of the floors in this folder, in hexadecimal digits."""
    sources = {
        path.relative_to(folder).as_posix(): path
        for room in ROOMS
        for path in (folder / room).rglob("*")
        if path.suffix in ENDINGS and path.is_file()
    }
    digest = hashlib.sha256()
    for name, path in sorted(sources.items()):
        text = path.read_bytes().replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        for part in (name.encode(), text):
            digest.update(len(part).to_bytes(LENGTH_BYTES) + part)
    return digest.hexdigest()
