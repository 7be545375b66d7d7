"""From a primitive on one block to the primitive on whole vectors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from ppaurora.mpc.errors import LocalProtocolError
from ppaurora.mpc.party import Party, Program
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.words import BLOCK, Words, blocks

BlockProgram = Callable[..., Program[Sequence[Words] | None]]


def over_blocks(
    party: Party, program: BlockProgram, *vectors: Shared, outputs: int = 1
) -> list[Shared]:
    """The outputs of `program(party, length, *words)` on all blocks of the vectors, put together.

    Each is as long as the block. On the helper the program gets no words and gives none.
    """
    length = same_length(vectors)
    if length == 0:
        return [vectors[0]] * outputs
    if party.is_helper or length <= BLOCK:
        return put_together(party, length, on_blocks(party, program, *vectors), outputs)
    whole = [np.empty(length, np.uint64) for _ in range(outputs)]
    party.lockstep(
        _written(running, [words[part] for words in whole])
        for part, running in _programs(party, program, vectors)
    )
    return [Shared.from_words(party.role, words) for words in whole]


def on_blocks(
    party: Party, program: BlockProgram, *vectors: Shared
) -> list[Sequence[Words] | None]:
    """The outputs of `program(party, length, *words)` on each block of the vectors."""
    return party.lockstep(running for _, running in _programs(party, program, vectors))


def _programs(
    party: Party, program: BlockProgram, vectors: Sequence[Shared]
) -> Iterator[tuple[slice, Program[Sequence[Words] | None]]]:
    """The program of each block, and where the block lies."""
    for part in blocks(same_length(vectors), BLOCK):
        words = (vector.words[part] if vector.present else None for vector in vectors)
        yield part, program(party, part.stop - part.start, *words)


def _written(program: Program[Sequence[Words] | None], places: Sequence[Words]) -> Program[None]:
    """The program, which puts its outputs in their places while they are still in the cache."""
    outputs = yield from program
    assert outputs is not None
    for place, output in zip(places, outputs, strict=True):
        place[:] = output


def put_together(
    party: Party, length: int, parts: Sequence[Sequence[Words] | None], outputs: int = 1
) -> list[Shared]:
    """The outputs of all blocks, one block after the other; at the helper their length."""
    if party.is_helper:
        return [Shared.absent(length)] * outputs
    present = [part for part in parts if part is not None]
    return [
        Shared.from_words(party.role, pieces[0] if len(pieces) == 1 else np.concatenate(pieces))
        for pieces in ([part[output] for part in present] for output in range(outputs))
    ]


def same_length(vectors: Sequence[Shared]) -> int:
    """The length that all these vectors have."""
    lengths = {len(vector) for vector in vectors}
    if len(lengths) != 1:
        raise LocalProtocolError(f"vectors of different lengths: {sorted(lengths)}")
    return lengths.pop()


def rows(vectors: Sequence[Words | None]) -> Words:
    """The vectors of a block as the rows of one array; a single one is not copied."""
    present = [vector for vector in vectors if vector is not None]
    return present[0][None] if len(present) == 1 else np.stack(present)
