"""The sorted list that statistics are computed from, on shares and in plaintext, one or one a fold.

The plaintext lists are for simulations and tests, where one process holds all data.

The groups of tied scores: what each place knows of the boundaries before and after it.

[ppAURORA, Alg. 2 and 4, erratum 5]: there the last boundary's values travel through M sequential
MUX steps; here by one scan. A group is a run of equal scores; a boundary is its last place,
con = 1.

    V_j = con_j·TP_j                    U_j  TP at the last boundary up to j, 0 if there is none
                                        J_j  the place of that boundary, 0 if there is none
                                        B_j  TP at the last boundary before j: U_(j-1)
                                        E_j  TP at the first boundary after j, P if there is none
                                        F_j  FP at the first boundary from j on, that of j's group

Nobody learns anything. con and V are found with the ties, as words where a statistic reads them.
All columns are counts below 2^31, so that the scan is one mod 2^32, and one more hop extends what
it carried to words. Hops: 2·log2 n for the scan (n doubled with E or F) or, in few hops and of
words throughout, a third of them for three to six times the bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, zip_longest
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.errors import LocalProtocolError
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import carry, carry_in_few_hops, extend
from ppaurora.mpc.shares import Shared, concatenate, is_narrow, narrowed
from ppaurora.mpc.words import Words
from ppaurora.protocols.grid.hidden_cuts import Reading
from ppaurora.protocols.ranking.curve import Pieces
from ppaurora.protocols.ranking.ties import Boundaries, Labels

Asked = TypeVar("Asked")


@dataclass(frozen=True, slots=True)
class Scan:
    """The columns that are asked for beside U: con and V, J, E with E_0, and F; and the way."""

    boundaries: bool = False
    positions: bool = False
    both_ways: bool = False
    ends: bool = False
    few_hops: bool = False

    @property
    def counts(self) -> bool:
        """True if it is enough to find con and V mod 2^32."""
        return not (self.boundaries or self.few_hops)

    @property
    def columns(self) -> int:
        """The columns that are carried."""
        return max(1 + self.positions, self.both_ways + self.ends)

    def places(self, n: int) -> int:
        """The places of the scan of n samples: there, or there and back."""
        return 2 * n if self.both_ways or self.ends else n


@dataclass(frozen=True, slots=True)
class Groups:
    """U and P·N; con and V, J, E with E_0, and F only where they were asked for."""

    U: Shared
    PN: Shared
    boundaries: Boundaries[Shared] | None = None
    positions: Shared | None = None
    next: Shared | None = None
    first: Shared | None = None
    ends: Shared | None = None

    @property
    def B(self) -> Shared:
        return after_nothing(self.U)

    @property
    def con(self) -> Shared:
        return _asked_for(self.boundaries).con

    @property
    def V(self) -> Shared:
        return _asked_for(self.boundaries).V

    @property
    def J(self) -> Shared:
        return _asked_for(self.positions)

    @property
    def E(self) -> Shared:
        return _asked_for(self.next)

    @property
    def E_0(self) -> Shared:
        """TP at the first boundary of all."""
        return _asked_for(self.first)

    @property
    def F(self) -> Shared:
        return _asked_for(self.ends)


def _asked_for(column: Asked | None) -> Asked:
    if column is None:
        raise LocalProtocolError("a statistic uses a column of the scan that it did not ask for")
    return column


def groups(party: Party, found: Boundaries[Any], scan: Scan) -> Groups:
    """U, P·N and the columns that are asked of the scan.

    E and F come from the same scan, of the list there and back. On the way back to E the first
    group finds P, carried over from the end of the way there, which is what E is after the last
    boundary.
    """
    con, V = (x if scan.few_hops or is_narrow(x) else narrowed(x) for x in (found.con, found.V))
    n = len(con)
    placed = con * np.arange(1, n + 1) if scan.positions or scan.ends else con
    flags, columns = con, [V, placed] if scan.positions else [V]
    if scan.both_ways or scan.ends:
        # con·FP = con·j - V
        back = [*([V] if scan.both_ways else []), *([placed - V] if scan.ends else [])]
        nothing = con.zeros(party.role, n)
        columns = [
            concatenate([there, again[::-1]])
            for there, again in zip_longest(columns, back, fillvalue=nothing)
        ]
        flags = concatenate([con, con[::-1]])
    walk, *walked = _carried(party, flags, columns, few_hops=scan.few_hops)
    return Groups(
        U=walk[:n],
        PN=found.PN,
        boundaries=found if scan.boundaries else None,
        positions=walked[0][:n] if scan.positions else None,
        next=walk[n - 1 : 2 * n - 1][::-1] if scan.both_ways else None,
        first=walk[-1:] if scan.both_ways else None,
        ends=[walk, *walked][scan.both_ways][n:][::-1] if scan.ends else None,
    )


def _carried(party: Party, flags: Any, columns: Sequence[Any], *, few_hops: bool) -> list[Shared]:
    """The columns as they are carried, in words."""
    if few_hops:
        return carry_in_few_hops(party, flags, columns)
    n, words = len(flags), extend(party, concatenate(carry(party, flags, columns)))
    return [words[place * n : (place + 1) * n] for place in range(len(columns))]


def after_nothing(carried: Shared) -> Shared:
    """The value before each place: 0, then all but the last."""
    return concatenate([Shared.zeros(carried.role, 1), carried[:-1]])


def groups_cost(n: int, scan: Scan) -> Cost:
    """The cost of `groups` for n samples."""
    places = scan.places(n)
    if scan.few_hops:
        return carry_in_few_hops.cost(columns=scan.columns).of(places)
    carried = carry.cost(columns=scan.columns, narrow=True).of(places)
    return carried + extend.cost().of(scan.columns * places)


@dataclass(frozen=True, slots=True)
class Ranked:
    """The labels in the order of the scores and, where a statistic needs ties, the groups.

    Where it needs the boundaries only, `boundaries` are these. Where the study has a least cell,
    `reading` are the cuts that the statistic at hand reads.
    """

    labels: Labels
    tied: Groups | None = None
    boundaries: Boundaries[Shared] | None = None
    reading: Reading | None = None

    @property
    def n(self) -> int:
        return len(self.labels.y)

    @property
    def P(self) -> Shared:
        return self.labels.P

    @property
    def N(self) -> Shared:
        return self.labels.N

    @property
    def PN(self) -> Shared:
        return self._boundaries.PN if self.tied is None else self.tied.PN

    @property
    def wide(self) -> bool:
        """No: lists for which sums reach 2^63 are refused."""
        return False

    @property
    def pieces(self) -> Pieces:
        """The pieces of the ROC curve, empty but at the boundaries; with the groups' positions."""
        T, F = self.groups.U, self.groups.J - self.groups.U
        return Pieces(after_nothing(F), F, after_nothing(T), T, self.P, self.N)

    @property
    def con(self) -> Shared:
        """1 where the score differs from the next one."""
        return self._boundaries.con

    @property
    def V(self) -> Shared:
        """TP where con is 1, 0 elsewhere."""
        return self._boundaries.V

    @property
    def _boundaries(self) -> Boundaries[Shared]:
        found = self.boundaries if self.tied is None else self.tied.boundaries
        if found is None:
            raise LocalProtocolError("a statistic uses the boundaries of ties but did not ask")
        return found

    @property
    def groups(self) -> Groups:
        if self.tied is None:
            raise LocalProtocolError("a statistic uses the groups of ties but did not ask for them")
        return self.tied


@dataclass(frozen=True, slots=True, repr=False)
class Pooled:
    """The labels, descending by score with positives first, and the counts at the groups' ends.

    `steps` has (s, t, i, j) for each group of tied scores, the highest first: TP and the number of
    samples before the group (s, i) and with it (t, j). `shown` says which readings of the statistic
    at hand the least cell of the study leaves; None of all.
    """

    labels: NDArray[np.int64]
    steps: tuple[tuple[int, int, int, int], ...]
    shown: Sequence[bool] | None = None

    @classmethod
    def of(cls, lists: Sequence[Words]) -> Pooled:
        """All lists of keys (see `ppaurora.protocols.lists.scale`) together.

        >>> Pooled.of([np.array([9, 8, 4], np.uint64)]).steps
        ((0, 1, 0, 2), (1, 1, 2, 3))
        """
        keys = np.sort(np.concatenate([*lists, np.empty(0, np.uint64)]))[::-1]
        labels = (keys & np.uint64(1)).astype(np.int64)
        codes = keys >> np.uint64(1)
        last = np.ones(len(keys), np.bool_)
        last[:-1] = codes[1:] != codes[:-1]
        TP = np.cumsum(labels)[last].tolist()
        j = (np.flatnonzero(last) + 1).tolist()
        ends = [(0, 0), *zip(TP, j, strict=True)]
        return cls(labels, tuple((s, t, i, j) for (s, i), (t, j) in pairwise(ends)))

    @property
    def n(self) -> int:
        return len(self.labels)

    @property
    def P(self) -> int:
        return int(self.labels.sum())

    @property
    def N(self) -> int:
        return self.n - self.P


@dataclass(frozen=True, slots=True)
class Folded:
    """A sorted list, or sums, of each fold that has samples, and how many folds there are."""

    folds: int
    filled: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class PooledFolds:
    """The pooled list of each fold, or its pooled sums, which are None of no samples."""

    folds: tuple[Any, ...]
