"""Boolean gates: any multilinear polynomials over F2 of masked wires, after a single opening.

A wire w is masked by a random bit λ that the helper knows; the proxies see the public bit
ŵ = w xor λ. Since w = ŵ xor λ, a product of wires is a sum over the subsets T of its wires of
public bits times λ_T, the product of the masks in T. The helper deals XOR shares of the λ_T; after
one opening of the ŵ the proxies evaluate every polynomial of the wires without another message.
What is added and multiplied with nothing is no wire: each proxy adds its own share, unopened.

All arrays are bit-sliced planes: the last axis holds words, each bit of them another element; the
axes before it are further independent gates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ppaurora.mpc.role import Role
from ppaurora.mpc.words import Words

Context = tuple[int, ...]
ALL_ONES = (1 << 64) - 1
"""Every bit of a word: the constant 1 of as many elements."""


@dataclass(frozen=True, slots=True)
class Wire:
    """The wire itself, w = ŵ xor λ."""

    index: int


@dataclass(frozen=True, slots=True)
class Addend:
    """A value that is added as it is: each proxy adds its own share."""

    index: int


@dataclass(frozen=True, slots=True)
class Masked:
    """ŵ·λ: the mask of a wire where its public bit is set."""

    index: int


@dataclass(frozen=True, slots=True)
class Times:
    """A wire times a polynomial of later wires."""

    wire: int
    rest: Polynomial


@dataclass(frozen=True, slots=True)
class Plus:
    """The sum over F2 of polynomials."""

    terms: tuple[Polynomial, ...]


Polynomial = Wire | Addend | Masked | Times | Plus


def subsets(context: Context) -> list[int]:
    """The subsets of the context's wires as bit masks: first those without the last wire."""
    masks = [0]
    for wire in context:
        masks += [subset | 1 << wire for subset in masks]
    return masks


def _reads(polynomial: Polynomial, context: Context) -> set[int]:
    """The subsets T whose λ_T the evaluation reads."""
    match polynomial:
        case Wire(index):
            return set(subsets((*context, index)))
        case Addend():
            if context:
                raise ValueError("an addend is no factor: what is multiplied is a wire")
            return set()
        case Masked(index):
            return {subset | 1 << index for subset in subsets(context)}
        case Times(wire, rest):
            return _reads(rest, (*context, wire))
        case Plus(terms):
            return set().union(*(_reads(term, context) for term in terms))


class Gate:
    """Polynomials of `wires` masked wires, prepared for evaluation on bit planes.

    The table of the λ_T, for T not empty, has its rows in the order of T read as a number whose bit
    i says whether wire i is in T. With `masks_dealt` the helper alone knows the wires' masks, and
    deals shares of them too; otherwise the proxies have drawn these shares themselves.
    """

    def __init__(
        self,
        wires: int,
        polynomials: Sequence[Polynomial],
        *,
        masks_dealt: bool = False,
    ) -> None:
        self.wires = wires
        self.polynomials = tuple(polynomials)
        read: set[int] = set().union(*(_reads(polynomial, ()) for polynomial in polynomials))
        # λ_T is computed from λ_(T without its highest wire), which the table must hold as well
        for subset in sorted(read, reverse=True):
            while subset:
                read.add(subset)
                subset ^= 1 << (subset.bit_length() - 1)
        read |= {1 << wire for wire in range(wires)}
        self.table = sorted(read - {0})
        self.row = {subset: row for row, subset in enumerate(self.table)}
        self.singles = [self.row[1 << wire] for wire in range(wires)]
        self.dealt_rows = [
            row for row, subset in enumerate(self.table) if masks_dealt or subset.bit_count() > 1
        ]
        self.dealt = len(self.dealt_rows)

    def __repr__(self) -> str:
        return f"<Gate of {self.wires} wires, {self.dealt} dealt>"

    # -- the helper ----------------------------------------------------------------------------

    def products(self, masks: Words, out: Words | None = None) -> Words:
        """The dealt λ_T, shape (dealt, ...), from the masks λ, shape (wires, ...)."""
        dealt = np.empty((self.dealt, *masks.shape[1:]), np.uint64) if out is None else out
        place = dict(zip(self.dealt_rows, dealt, strict=True))
        of_row: list[Words] = []
        for row, subset in enumerate(self.table):
            wire = subset.bit_length() - 1
            rest = subset ^ 1 << wire
            if rest:
                # λ_T = λ_(T without its highest wire) · λ_wire
                product = np.bitwise_and(of_row[self.row[rest]], masks[wire], out=place[row])
            else:
                product = masks[wire]
                if row in place:
                    place[row][:] = product
            of_row.append(product)
        return dealt

    # -- the proxies ---------------------------------------------------------------------------

    def table_of(self, dealt: Words, masks: Words | None = None) -> list[Words]:
        """This proxy's shares of all λ_T, from what was dealt and its own shares of the masks."""
        of_row = dict(zip(self.dealt_rows, dealt, strict=True))
        if masks is not None:
            of_row |= zip(self.singles, masks, strict=True)
        return [of_row[row] for row in range(len(self.table))]

    def evaluate(
        self, role: Role, public: Words, table: Sequence[Words], addends: Sequence[Words] = ()
    ) -> list[Words]:
        """This proxy's shares of the polynomials' values, from the opened ŵ, (wires, ...)."""
        # the constant 1 is shared as (1, 0)
        all_ones: Words = np.array(ALL_ONES if role is Role.P0 else 0, np.uint64)
        shares = {0: all_ones, **dict(zip(self.table, table, strict=True))}
        evaluation = _Evaluation(list(public), shares, addends)
        return [evaluation.value(polynomial, ()) for polynomial in self.polynomials]


class _Evaluation:
    """One proxy's shares of polynomials, each times the product P of the wires of its context.

    Everything follows from shares of the P·λ_T, and these from those of a shorter product. Every
    plane that is returned is a new one. What several polynomials use is computed once; the rest is
    used up by the next step, so that what is at work stays in the processor's cache.
    """

    def __init__(
        self, public: Sequence[Words], shares: dict[int, Words], addends: Sequence[Words]
    ) -> None:
        """`shares` has those of the λ_T, among them that of the constant λ_∅ = 1."""
        self._public = public
        self._shares = shares
        self._addends = addends
        self._known: dict[tuple[Context, int], Words] = {}

    def value(self, polynomial: Polynomial, context: Context) -> Words:
        """A share of P·polynomial."""
        match polynomial:
            case Wire(index):
                # P·w = ŵ·P xor P·λ_w
                total: Words = self._public[index] & self._product(context)
                total ^= self._masked(context, index)
            case Addend(index):
                total = self._addends[index].copy()
            case Masked(index):
                total = self._public[index] & self._masked(context, index)
            case Times(wire, rest):
                total = self.value(rest, (*context, wire))
            case Plus(terms):
                total = self.value(terms[0], context)
                for term in terms[1:]:
                    total ^= self.value(term, context)
        return total

    def _product(self, context: Context) -> Words:
        """A share of P itself."""
        if not context:
            return self._shares[0]
        if (context, 0) not in self._known:
            self._known[context, 0] = self.value(Wire(context[-1]), context[:-1])
        return self._known[context, 0]

    def _masked(self, context: Context, wire: int) -> Words:
        """A share of P·λ_w."""
        if not context:
            return self._shares[1 << wire]
        if (context, 1 << wire) not in self._known:
            self._known[context, 1 << wire] = self._times(context, 1 << wire)
        return self._known[context, 1 << wire]

    def _times(self, context: Context, subset: int) -> Words:
        """A share of P·λ_T for a product P of one wire or more, a new plane."""
        before, wire = context[:-1], context[-1]
        joined = subset | 1 << wire
        # P·w·λ_T = ŵ·(P·λ_T) xor P·λ_(T with w)
        if not before:
            value: Words = self._public[wire] & self._shares[subset]
            value ^= self._shares[joined]
            return value
        value = self._times(before, subset)
        value &= self._public[wire]
        value ^= self._times(before, joined)
        return value


def horner(spine: Sequence[int], leaves: Sequence[Polynomial]) -> Polynomial:
    """leaves[0] + spine[0]·(leaves[1] + spine[1]·(leaves[2] + ...))."""
    polynomial = leaves[-1]
    for wire, leaf in zip(reversed(spine), reversed(leaves[:-1]), strict=True):
        polynomial = Plus((leaf, Times(wire, polynomial)))
    return polynomial


def chain(spine: Sequence[int], last: int) -> Polynomial:
    """The product of the spine's wires and a last one."""
    polynomial: Polynomial = Wire(last)
    for wire in reversed(spine):
        polynomial = Times(wire, polynomial)
    return polynomial
