"""The C source of the kernels: what they share, and then one function after the other.

A function is called after the digest of its own text and of what it shares with the others. So a
library that was built from another text has no function of that name, and numpy does the work: what
is computed is always what this version means.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from string import Template

from ppaurora.mpc.gates import Gate
from ppaurora.mpc.kernels.gate_source import gate_text
from ppaurora.mpc.kernels.plane_source import BITS, CHOSEN, TURN
from ppaurora.mpc.kernels.prelude import PRELUDE

FILE = Path(__file__).with_name("native.c")
OPENING = """\
/* Made by `python -m ppaurora.mpc.primitives.kernels` from the gates of the protocol. Do not edit:
   change what makes it, and make it again. */
"""


def named(kind: str, text: str) -> tuple[str, str]:
    """The name of a function or of several, and their text under that name."""
    digest = hashlib.sha256((PRELUDE + text).encode()).hexdigest()[:16]
    name = f"{kind}_{digest}"
    return name, Template(text).substitute(NAME=name)


@cache
def gate_name(gate: Gate) -> str:
    """What the functions of this gate begin with."""
    return named("gate", gate_text(gate))[0]


TURN_NAME, BITS_NAME, CHOSEN_NAME = (
    named(kind, text)[0] for kind, text in (("turn", TURN), ("bits", BITS), ("chosen", CHOSEN))
)


def source(gates: Sequence[Gate]) -> str:
    """The whole C file for these gates; of equal ones there is one."""
    texts = dict([named("turn", TURN), named("bits", BITS), named("chosen", CHOSEN)])
    texts |= dict(named("gate", gate_text(gate)) for gate in gates)
    return "\n".join([OPENING, PRELUDE, *texts.values()])
