"""Boolean gates: any multilinear polynomials over F2 of masked wires, after a single opening.

A wire w is masked by a random bit λ that the helper knows; the proxies see the public bit
ŵ = w xor λ. Since w = ŵ xor λ, a product of wires is a sum over the subsets T of its wires of
public bits times λ_T, the product of the masks in T. The helper deals XOR shares of the λ_T; after
one opening of the ŵ the proxies evaluate every polynomial of the wires without another message.

All arrays are bit-sliced planes: the last axis holds words, each bit of them another element; the
axes before it are further independent gates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ppaurora.mpc.on_first_use import np
from ppaurora.mpc.role import Role
from ppaurora.mpc.words import Words

Context = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Wire:
    """The wire itself, w = ŵ xor λ."""

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


Polynomial = Wire | Masked | Times | Plus


def subsets(context: Context) -> list[int]:
    """The subsets of the context's wires as bit masks, in the order in which `_fold` halves."""
    found = [0]
    for wire in context:
        found += [subset | 1 << wire for subset in found]
    return found


def _reads(polynomial: Polynomial, context: Context) -> set[int]:
    """The subsets T whose λ_T the evaluation reads."""
    match polynomial:
        case Wire(index):
            return set(subsets((*context, index)))
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
        self, wires: int, polynomials: Sequence[Polynomial], *, masks_dealt: bool = False
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

    def products(self, masks: Words) -> Words:
        """The dealt λ_T, shape (dealt, ...), from the masks λ, shape (wires, ...)."""
        dealt = np.empty((self.dealt, *masks.shape[1:]), np.uint64)
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

    def evaluate(self, role: Role, public: Words, table: Sequence[Words]) -> list[Words]:
        """This proxy's shares of the polynomials' values, from the opened ŵ, (wires, ...)."""
        return [
            self._value(role, polynomial, public, table, ())[0] for polynomial in self.polynomials
        ]

    def _value(
        self,
        role: Role,
        polynomial: Polynomial,
        public: Words,
        table: Sequence[Words],
        context: Context,
    ) -> list[Words]:
        """Shares of λ_U · polynomial for every subset U of the context, in `subsets` order.

        The arrays are new ones. Row by row, what is at work stays in the processor's cache.
        """
        match polynomial:
            case Wire(index):
                return [
                    self._wire(role, index, public, table, subset) for subset in subsets(context)
                ]
            case Masked(index):
                return [
                    public[index] & table[self.row[subset | 1 << index]]
                    for subset in subsets(context)
                ]
            case Times(wire, rest):
                inner = self._value(role, rest, public, table, (*context, wire))
                half = len(inner) // 2
                for without, joined in zip(inner[:half], inner[half:], strict=True):
                    # λ_U·w·p = ŵ·(λ_U·p) xor λ_(U with w)·p
                    without &= public[wire]
                    without ^= joined
                return inner[:half]
            case Plus(terms):
                total = self._value(role, terms[0], public, table, context)
                for term in terms[1:]:
                    for so_far, value in zip(
                        total, self._value(role, term, public, table, context), strict=True
                    ):
                        so_far ^= value
                return total

    def _wire(
        self, role: Role, index: int, public: Words, table: Sequence[Words], subset: int
    ) -> Words:
        """λ_U·w = ŵ·λ_U xor λ_(U with w); the constant λ_∅ = 1 is shared as (1, 0)."""
        joined = table[self.row[subset | 1 << index]]
        if not subset:
            return public[index] ^ joined if role is Role.P0 else joined.copy()
        value: Words = public[index] & table[self.row[subset]]
        value ^= joined
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
