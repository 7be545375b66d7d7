"""Running a block program over whole vectors where what comes out is wide."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ppaurora.mpc.errors import LocalProtocolError
from ppaurora.mpc.party import Party, Program
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.wide_shares import WideShared
from ppaurora.mpc.wide_words import LIMBS
from ppaurora.mpc.words import BLOCK, Words, blocks

BlockProgram = Callable[..., Program[Sequence[Words] | None]]

WIDE_BLOCK = BLOCK // LIMBS
"""Wide numbers that one pass works on: as many words as in a block of words."""


def over_wide_blocks(
    party: Party,
    program: BlockProgram,
    *vectors: Shared | WideShared,
    outputs: int = 1,
    size: int = WIDE_BLOCK,
) -> list[WideShared]:
    """`program(party, length, *words)` on each block of the vectors; its outputs put together.

    A block's words have an axis of limbs where the vector is wide, as all outputs have. On the
    helper the program gets no words and gives none.
    """
    lengths = {len(vector) for vector in vectors}
    if len(lengths) != 1:
        raise LocalProtocolError(f"vectors of different lengths: {sorted(lengths)}")
    [length] = lengths
    if length == 0:
        return [WideShared.zeros(party.role, 0)] * outputs
    parts = party.lockstep(
        program(
            party,
            part.stop - part.start,
            *(vector.words[..., part] if vector.present else None for vector in vectors),
        )
        for part in blocks(length, size)
    )
    if party.is_helper:
        return [WideShared.absent(length)] * outputs
    present = [part for part in parts if part is not None]
    return [
        WideShared.from_words(
            party.role, np.concatenate([part[output] for part in present], axis=1)
        )
        for output in range(outputs)
    ]
