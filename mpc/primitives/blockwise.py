"""From a primitive on one block to the primitive on whole vectors.

Opened words: a shared vector to both proxies, or to the helper what both know: one hop.

The proxies learn the vector that `open_words` opens. A protocol declares that as a leak, unless it
has masked the vector.

`tell_helper` takes 8 bytes a word. The helper runs the same steps as the proxies, so it must know
some of what they have opened, such as how many elements the next step has. P0 sends it; the caller
declares it as a leak to the helper.

Whoever deviates: what is opened is x plus what it adds, and it can wait for the other's part before
it says its own. Nothing masks an opening: this is what a protocol that opens anything beside
verdicts has to answer for.

In `tell_helper` the helper is told what P0 likes, and cannot know better. It deals for other sizes
then, beneath masks that are read for nothing else, and the session ends by the length of a frame or
by statements that differ. P1 receives nothing here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from ppaurora.mpc.cost import CostFunction, costs
from ppaurora.mpc.errors import LocalProtocolError
from ppaurora.mpc.link import Kind
from ppaurora.mpc.party import Party, Program
from ppaurora.mpc.role import Role
from ppaurora.mpc.shares import InRing, RingVector, Shared, SharedNumbers
from ppaurora.mpc.words import BLOCK, HALF_BYTES, WORD_BYTES, Column, ColumnLayout, Words, blocks

Output = TypeVar("Output")
BlockProgram = Callable[..., Program[Sequence[Output] | None]]
AddTo = Callable[[Sequence[Column]], object]
"""A function that adds a block's vectors to columns of its length."""
Receive = Callable[[slice, Sequence[Output]], object]
"""A function that receives the outputs of these elements."""


def over_blocks(
    party: Party,
    program: BlockProgram[Words],
    *vectors: SharedNumbers,
    outputs: int = 1,
    size: int = BLOCK,
) -> list[Shared]:
    """The outputs of `program(party, length, *words)` on all blocks of the vectors, put together.

    Each is as long as the block. On the helper the program gets no words and gives none.
    """
    of_words = Shared.zeros(party.role, 0)
    return over_blocks_in(of_words, party, program, *vectors, outputs=outputs, size=size)


def over_blocks_in(
    ring: InRing,
    party: Party,
    program: BlockProgram[Any],
    *vectors: RingVector[Any, Any],
    outputs: int = 1,
    size: int = BLOCK,
) -> list[InRing]:
    """`over_blocks` with outputs in the ring of another vector of this party."""
    length = same_length(vectors)
    block = party.block_of(size, length)
    if length == 0:
        return [ring[:0]] * outputs
    if party.is_helper or length <= block:
        parts = on_blocks(party, program, *vectors, size=block)
        return put_together_in(ring, length, parts, outputs)
    whole = [np.empty(length, ring.words.dtype) for _ in range(outputs)]

    def of_block(part: slice) -> Program[Sequence[Column] | None]:
        return program(party, part.stop - part.start, *(vector.words[part] for vector in vectors))

    def receive(part: slice, outputs: Sequence[Column]) -> None:
        for words, output in zip(whole, outputs, strict=True):
            words[part] = output

    block_by_block(party, of_block, length, receive, size=size)
    return [ring.having(words, length) for words in whole]


def block_by_block(
    party: Party,
    of_block: Callable[[slice], Program[Sequence[Output] | None]],
    length: int,
    receive: Receive[Output],
    *,
    size: int = BLOCK,
) -> None:
    """Run the programs of all blocks of so many elements.

    All blocks have begun before `receive` gets the first one's outputs, which are still in the
    processor's cache then. Where the party has several threads, it is called by several at once.
    The helper's programs have no outputs.
    """
    block = party.block_of(size, length)
    party.lockstep(_block(of_block, part, receive) for part in blocks(length, block))


def _block(
    of_block: Callable[[slice], Program[Sequence[Output] | None]],
    part: slice,
    receive: Receive[Output],
) -> Program[None]:
    outputs = yield from of_block(part)
    if outputs is not None:
        receive(part, outputs)


def on_blocks(
    party: Party, program: BlockProgram[Any], *vectors: RingVector[Any, Any], size: int = BLOCK
) -> list[Sequence[Any] | None]:
    """The outputs of `program(party, length, *words)` on each block of the vectors."""
    return party.lockstep(
        program(
            party,
            part.stop - part.start,
            *(vector.words[part] if vector.present else None for vector in vectors),
        )
        for part in blocks(same_length(vectors), size)
    )


def put_together(
    party: Party, length: int, parts: Sequence[Sequence[Words] | None], outputs: int = 1
) -> list[Shared]:
    """The outputs of all blocks, one block after the other; at the helper their length."""
    return put_together_in(Shared.zeros(party.role, 0), length, parts, outputs)


def put_together_in(
    ring: InRing, length: int, parts: Sequence[Sequence[Column] | None], outputs: int = 1
) -> list[InRing]:
    """`put_together` with outputs in the ring of another vector of this party."""
    if not ring.present:
        return [ring.having(None, length)] * outputs
    present = [part for part in parts if part is not None]
    return [
        ring.having(pieces[0] if len(pieces) == 1 else np.concatenate(pieces), length)
        for pieces in ([part[output] for part in present] for output in range(outputs))
    ]


def same_length(vectors: Sequence[RingVector[Any, Any]]) -> int:
    """The length that all these vectors have."""
    lengths = {len(vector) for vector in vectors}
    if len(lengths) != 1:
        raise LocalProtocolError(f"vectors of different lengths: {sorted(lengths)}")
    return lengths.pop()


def rows(vectors: Sequence[Words | None]) -> Words:
    """The vectors of a block as the rows of one array; a single one is not copied."""
    present = [vector for vector in vectors if vector is not None]
    return present[0][None] if len(present) == 1 else np.stack(present)


def opening_cost(*, narrow: bool = False) -> CostFunction:
    each = HALF_BYTES if narrow else WORD_BYTES
    return CostFunction.fixed(1, lambda n: 16 * ColumnLayout(n, (each,)).words)


@costs(opening_cost)
def open_words(party: Party, x: SharedNumbers) -> Words | None:
    """The numbers of x at P0 and P1, as words; the helper gets None."""
    party.step()
    if party.is_helper:
        if len(x):
            party.end_round()
        return None
    layout = ColumnLayout(len(x), (x.words.itemsize,))
    if len(x) == 0:
        return np.empty(0, np.uint64)
    mine = layout.message([x.words])
    [opened] = layout.columns(layout.sum(mine, party.exchange(mine)))
    return opened.astype(np.uint64, copy=False)


@costs(CostFunction.fixed(1, lambda n: 8 * n))
def tell_helper(party: Party, words: Words | None, length: int) -> Words:
    """The `length` words that both proxies gave, at all three parties; the helper gives None."""
    party.step()
    if not party.is_helper and (words is None or words.shape != (length,)):
        raise LocalProtocolError(f"the helper is to be told {length} words, which are not here")
    if length == 0:
        return np.empty(0, np.uint64)
    if party.role is Role.P0:
        assert words is not None
        party.send(Role.HELPER, Kind.TELL, words)
    party.end_round()
    if words is None:
        return party.receive(Role.P0, Kind.TELL, length)
    return words
