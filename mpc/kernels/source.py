"""The C source of the kernels: what they share, and then one function after the other.

A function is called after the digest of its own text and of what it shares with the others. So a
library that was built from another text has no function of that name, and numpy does the work: what
is computed is always what this version means.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from string import Template

from ppaurora.mpc.gates import Gate
from ppaurora.mpc.kernels.gate_source import gate_text
from ppaurora.mpc.kernels.plane_source import ARRANGE, BITS, CHOSEN, EXCHANGE, SUBTRACT, TURN
from ppaurora.mpc.kernels.prelude import PRELUDE, named

FILE = Path(__file__).with_name("native.c")
OPENING = """\
/* Made by `python -m ppaurora.mpc.primitives.kernels` from the gates of the protocol. Do not edit:
   change what makes it, and make it again. */
"""


@cache
def gate_name(gate: Gate) -> str:
    """What the functions of this gate begin with."""
    return named("gate", gate_text(gate))


TURN_NAME = named("turn", TURN)
ARRANGE_NAME = named("arrange", ARRANGE)
BITS_NAME = named("bits", BITS)
CHOSEN_NAME = named("chosen", CHOSEN)
SUBTRACT_NAME = named("subtract", SUBTRACT)
EXCHANGE_NAME = named("exchange", EXCHANGE)


def source(gates: Sequence[Gate]) -> str:
    """The whole C file for these gates; of equal ones there is one."""
    texts = {TURN_NAME: TURN, ARRANGE_NAME: ARRANGE, BITS_NAME: BITS, CHOSEN_NAME: CHOSEN}
    texts |= {SUBTRACT_NAME: SUBTRACT, EXCHANGE_NAME: EXCHANGE}
    texts |= {gate_name(gate): gate_text(gate) for gate in gates}
    functions = [Template(text).substitute(NAME=name) for name, text in texts.items()]
    return "\n".join([OPENING, PRELUDE, *functions])
