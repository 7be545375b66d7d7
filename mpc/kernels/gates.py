"""Gates on many planes, in C where the gate has a name there and the library is in use."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ppaurora.mpc.bits import NIBBLES, columns, load, nibble_wires
from ppaurora.mpc.gates import ALL_ONES, Gate
from ppaurora.mpc.kernels.library import COUNT, WORD, WORDS, at, contiguous, function, room_for
from ppaurora.mpc.role import Role
from ppaurora.mpc.words import STRIP, Words, blocks


def evaluate(
    gate: Gate, role: Role, public: Words, dealt: Words, masks: Words | None = None
) -> list[Words]:
    """`Gate.evaluate` with the table of what was dealt and of the own shares of the masks."""
    compiled = function(f"{gate.name}_evaluate", WORD, WORDS, WORDS, WORDS, WORDS, COUNT)
    if compiled is None:
        return gate.evaluate(role, public, gate.table_of(dealt, masks))
    shape = public.shape[1:]
    out = room_for((len(gate.polynomials), *shape))
    public, dealt = contiguous(public), contiguous(dealt)
    masks = dealt if masks is None else contiguous(masks)
    compiled(_constant(role), at(public), at(dealt), at(masks), at(out), out[0].size)
    return list(out)


def products(gate: Gate, masks: Words) -> Words:
    """`Gate.products`."""
    compiled = function(f"{gate.name}_products", WORDS, WORDS, COUNT)
    if compiled is None:
        return gate.products(masks)
    out = room_for((gate.dealt, *masks.shape[1:]))
    masks = contiguous(masks)
    compiled(at(masks), at(out), masks[0].size)
    return out


def evaluate_on_nibbles(
    gate: Gate, role: Role, words: Words, mask: np.uint64, dealt: Words
) -> list[Words]:
    """The gate on each nibble of the words' bits in `mask`, values of shape (16, m).

    A wire says "equal at this bit": w = 1 xor z xor r, so its public bit is the complement of that
    of z, which the words hold.
    """
    compiled = function(f"{gate.name}_on_nibbles", WORD, WORD, WORDS, WORDS, WORDS, COUNT)
    m = columns(words.size)
    words = _block(words)
    out = room_for((len(gate.polynomials), NIBBLES, m))
    if compiled is None:
        for part, rows in _strips(words, m):
            public = np.invert(nibble_wires(rows, mask))
            values = gate.evaluate(role, public, gate.table_of(dealt[:, part]))
            for plane, value in zip(out, values, strict=True):
                plane[part] = value
        return list(out)
    dealt = contiguous(dealt)
    compiled(_constant(role), int(mask), at(words), at(dealt), at(out), m)
    return list(out)


def products_of_nibbles(gate: Gate, words: Words, mask: np.uint64) -> Words:
    """`Gate.products` for masks that are the nibbles of the words' bits in `mask`."""
    compiled = function(f"{gate.name}_products_of_nibbles", WORD, WORDS, WORDS, COUNT)
    m = columns(words.size)
    words = _block(words)
    out = room_for((gate.dealt, NIBBLES, m))
    if compiled is None:
        for part, rows in _strips(words, m):
            gate.products(nibble_wires(rows, mask), out=out[:, part])
        return out
    compiled(int(mask), at(words), at(out), m)
    return out


def _strips(block: Words, m: int) -> Iterator[tuple[slice, Words]]:
    """Rows of nibbles, a strip at a time, and with each the block's rows that it is made of."""
    rows = block.reshape(NIBBLES, -1, m)
    for part in blocks(NIBBLES, max(1, STRIP // m)):
        yield part, rows[part].reshape(-1, m)


def _block(words: Words) -> Words:
    """The words of a block, and zeros up to 64 rows."""
    if words.size % 64 == 0:
        return contiguous(words)
    return load(words, np.uint64(ALL_ONES))


def _constant(role: Role) -> int:
    """The share of a plane of ones: ones at P0, zeros at P1."""
    return ALL_ONES if role is Role.P0 else 0
