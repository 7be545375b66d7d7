"""CMP and MUX over Z_2^256: comparisons with zero, and sums of choices: five hops each.

The bit c = [x < 0] is opened as e = c xor λ, with λ known to the helper. Digits of quotients and
roots are counted by many comparisons with few values y, so that what is wanted are sums over the
comparisons k of one element, with public weights w. With y opened as z_y = y + r_y beside the x,
and λ and λ·r_y dealt in Z_2^256,

    Σ_k w_k·c_k   = E + L
    Σ_k w_k·c_k·y = E·y + L·z_y - Σ_k w_k·(1 - 2e_k)·λ_k·r_y

    where E = Σ_k w_k·e_k, which is public, and L = Σ_k w_k·(1 - 2e_k)·λ_k:

two wide products for each sum, not for each comparison. Everybody sees uniformly random words only:
the x and y are masked by words of their own, each c by a bit of its own.

The comparison itself: as in `mpc.primitives.comparison`, z = x + r is opened and the sign of x is
that of z, xor that of r, xor the borrow [z' < r'] of the lower 255 bits, whose 64 digits are
joined in three layers of fan-in 4, a hop each.

Everybody sees uniformly random words only: each wire is masked by a bit of its own.

Whoever deviates: every x, y, wire and bit is masked by limbs or bits that are read once, as in
`ppaurora.mpc.primitives.comparison`; what is received is random, and nothing is opened.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from ppaurora.mpc import kernels
from ppaurora.mpc.bits import columns, crop, cropped_words, uncrop, unpack
from ppaurora.mpc.comparison_tree import Tree
from ppaurora.mpc.cost import CostFunction, costs
from ppaurora.mpc.party import Party, Program, in_step
from ppaurora.mpc.primitives.comparison import products_of_layers, through_tree
from ppaurora.mpc.primitives.wide_multiply import WIDE_BLOCK, over_wide_blocks
from ppaurora.mpc.role import Role
from ppaurora.mpc.wide_shares import WideShared
from ppaurora.mpc.wide_words import (
    LIMBS,
    WIDE_BITS,
    minus,
    plus,
    signs,
    times,
    to_wide,
    weighted_sums,
)
from ppaurora.mpc.words import Words, blocks

TREE = Tree((4, 4, LIMBS), WIDE_BITS - 1)
"""Of all bits but the sign."""


def borrow(
    party: Party, length: int, z: Words, masks: Iterator[Words], dealt: Iterator[Words]
) -> Program[Words]:
    """This proxy's share of [z' < r'], a plane of shape (1, m): three hops."""
    of_digits, own = uncrop(next(dealt), TREE.dealt[0], length), next(masks)
    given = kernels.digits_to_wires(TREE, party.role, z, of_digits, own)
    return (yield from through_tree(party, length, TREE, given, own, masks, dealt))


def borrow_products(length: int, r: Words, masks: Iterator[tuple[Words, Words]]) -> list[Words]:
    """On the helper: what the gates need of r and of the wires' masks, ready to be dealt."""
    of_digits = kernels.products_of_all_digits(TREE, r)
    return [crop(of_digits, length), *products_of_layers(TREE, masks, length)]


EXCHANGES = 5


@dataclass(frozen=True, slots=True)
class Weighing:
    """The sums over `count` comparisons for each element, with `values` values beside them.

    `weights` has a row for each kind of sum; for a sum times a value, `pairs` names the row and
    the value.
    """

    count: int
    values: int
    weights: Words
    pairs: Sequence[tuple[int, int]]

    @property
    def outputs(self) -> int:
        return len(self.weights) + len(self.pairs)

    @property
    def block(self) -> int:
        """Elements that one pass works on."""
        return max(1, WIDE_BLOCK // self.count)

    @property
    def cost(self) -> CostFunction:
        """z both ways, the gates, the bits both ways, λ and its products once."""
        opened, dealt = self.count + self.values, self.count * (1 + self.values)

        def of_block(n: int) -> int:
            compared = self.count * n
            gates = TREE.words(compared) + 2 * cropped_words(1, compared)
            return 8 * (LIMBS * (2 * opened + dealt) * n + gates)

        def payload(n: int) -> int:
            return sum(of_block(part.stop - part.start) for part in blocks(n, self.block))

        return CostFunction.fixed(EXCHANGES, lambda n: payload(n) if n else 0)


def weighed_signs(
    party: Party, length: int, x: Words | None, *, weighing: Weighing
) -> Program[Sequence[Words] | None]:
    """One block: Σ_k w_k·c_k for each row of weights, then Σ_k w_k·c_k·y for each pair. Five hops.

    `x` holds the compared numbers of each element, then its values: (4, count + values, n).
    """
    count, values = weighing.count, weighing.values
    compared = count * length
    numbers = (LIMBS, count + values, length)
    shapes = (numbers, *TREE.mask_shapes(compared), (columns(compared),))
    if x is None:
        _deal(party, length, weighing, party.both_masks(*shapes))
        yield from in_step(EXCHANGES)
        return None
    masks = party.masks(*shapes)
    # hop 1: z = x + r
    mine = plus(x, next(masks))
    z = plus(mine, (yield mine).reshape(numbers))
    tail = (LIMBS, count, length), (LIMBS, values, count, length)
    dealt = party.dealt(*TREE.dealt_shapes(compared), *tail)
    flat = z[:, :count].reshape(LIMBS, compared)
    bit = yield from borrow(party, compared, flat, masks, dealt)
    # hop 5: e = c xor λ
    bit ^= next(masks)
    [opened] = bit ^ uncrop((yield crop(bit, compared)), 1, compared)
    e = unpack(opened, compared) ^ signs(flat)
    return _sums(party.role, weighing, e.reshape(count, length), x, z, *dealt)


def _deal(
    party: Party, length: int, weighing: Weighing, masks: Iterator[tuple[Words, Words]]
) -> None:
    """The helper's part: products of masks for the gates, then λ and λ·r_y."""
    count = weighing.count
    compared = count * length
    r = plus(*next(masks))
    flat = r[:, :count].reshape(LIMBS, compared)
    planes = borrow_products(compared, flat, masks)
    of_p0, of_p1 = next(masks)
    wanted = (unpack(of_p0 ^ of_p1, compared) ^ signs(flat)).reshape(count, length)
    # λ·r_y is r_y where λ is set
    party.deal(xor=planes, wide=[to_wide(wanted), r[:, count:, None] & np.negative(wanted)])


def _sums(
    role: Role,
    weighing: Weighing,
    e: Words,
    x: Words,
    z: Words,
    bits: Words,
    bits_times_masks: Words,
) -> list[Words]:
    """A proxy's shares of the sums, from the public e and z and its shares of λ and λ·r_y."""
    count, weights = weighing.count, weighing.weights
    every_bit = np.negative(e)
    E = to_wide(np.matmul(weights, e))
    # -λ is the complement of λ, plus 1
    L = plus(weighted_sums(bits ^ every_bit, weights), E)
    sums = plus(L, E) if role is Role.P0 else L
    results = [sums[:, row] for row in range(len(weights))]
    if weighing.pairs:
        row, value = (list(places) for places in zip(*weighing.pairs, strict=True))
        masked = plus(weighted_sums(bits_times_masks ^ every_bit, weights), E[:, None])
        y, z_y = x[:, count:][:, value], z[:, count:][:, value]
        products = plus(times(E[:, row], y), times(L[:, row], z_y))
        products = minus(products, masked[:, value, row])
        results += [products[:, place] for place in range(len(weighing.pairs))]
    return results


_ONE = np.ones((1, 1), np.uint64)
_SIGN = Weighing(1, 0, _ONE, ())
_SIGN_AND_PRODUCT = Weighing(1, 1, _ONE, ((0, 0),))


def _compare(
    party: Party, length: int, *vectors: Words | None, weighing: Weighing
) -> Program[Sequence[Words] | None]:
    x = None if party.is_helper else np.stack([v for v in vectors if v is not None], axis=1)
    return (yield from weighed_signs(party, length, x, weighing=weighing))


@costs(_SIGN.cost)
def wide_is_negative(party: Party, x: WideShared) -> WideShared:
    """[x < 0] as 0 or 1, for |x| < 2^255; `low` gives the bit in Z_2^64."""
    [bit] = over_wide_blocks(party, partial(_compare, weighing=_SIGN), x, size=_SIGN.block)
    return bit


@costs(_SIGN_AND_PRODUCT.cost)
def wide_negative_times(
    party: Party, x: WideShared, y: WideShared
) -> tuple[WideShared, WideShared]:
    """[x < 0] and [x < 0]·y, for |x| < 2^255."""
    bit, product = over_wide_blocks(
        party,
        partial(_compare, weighing=_SIGN_AND_PRODUCT),
        x,
        y,
        outputs=2,
        size=_SIGN_AND_PRODUCT.block,
    )
    return bit, product
