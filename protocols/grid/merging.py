"""Merging of cut points until enough samples lie between any two neighbours.

From the highest scores down the samples between two cut points are added up. Once there are at
least q, a group is closed at that cut point; what is left at the end joins the last closed group.
So no group has fewer than q samples and none is lost; if all samples together are fewer, no cut
point survives. Merging is safer than blanking: the number of samples is public, and one blanked
group would be what the others leave of it.

What is counted is what every owner sees: all samples minus its own, for an owner can subtract
those. With `both_classes` the positives and the negatives must each be enough.

With e_l = 1 if a group is closed at l, the cut point l survives if and only if e_l = 1 and a later
group is closed, at a cut point or at the end. The end itself is a boundary if any group is closed.
Which ones survive stays shared. Eight hops for each part and five in all; nobody learns anything.
"""

from __future__ import annotations

from collections.abc import Sequence

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import is_negative, is_zero, multiply, negative_times
from ppaurora.mpc.shares import Shared, concatenate


def surviving(party: Party, counts: Sequence[Sequence[Shared]], least: int) -> Shared:
    """1 for each cut point that survives, else 0; then 1 if there are enough samples in all.

    `counts` holds for each class the counts of every owner: the samples between the cut points,
    above the first, between the first two and so on to those below the last.
    """
    [parts] = {len(count) for of_class in counts for count in of_class}
    flat = concatenate(count for of_class in counts for count in of_class)
    owners, rows = len(counts[0]), len(counts) * len(counts[0])
    collected = Shared.zeros(party.role, rows)
    closed = []
    for part in range(parts):
        collected += flat[part::parts]
        seen = concatenate(
            _as_seen(collected[start : start + owners]) for start in range(0, rows, owners)
        )
        few = is_negative(party, seen - least).sum()
        any_few, kept = negative_times(party, (-few).repeat(rows), collected)
        closed.append(1 - any_few[:1])
        collected = kept
    e = concatenate(closed)
    later = e.sum().repeat(parts) - e.cumsum()
    some = 1 - is_zero(party, concatenate([later[:-1], e.sum()]))
    return concatenate([multiply(party, e[:-1], some[:-1]), some[-1:]])


def _as_seen(own: Shared) -> Shared:
    """The sum less each owner's own part, as that owner sees it; of a single owner, the sum."""
    return own if len(own) == 1 else own.sum().repeat(len(own)) - own


def surviving_cost(parts: int, rows: int) -> Cost:
    """The cost of `surviving` for so many counts of each of so many owners and classes."""
    one = is_negative.cost().of(rows) + negative_times.cost().of(rows)
    last = is_zero.cost().of(parts) + multiply.cost().of(parts - 1)
    return Cost(parts * one.hops, parts * one.payload) + last


def surviving_plaintext(counts: Sequence[Sequence[Sequence[int]]], least: int) -> list[bool]:
    """The same in the clear, by the groups themselves."""
    parts = len(counts[0][0])
    groups: list[list[int]] = []
    pending: list[int] = []
    for part in range(parts):
        pending.append(part)
        if _enough(counts, pending, least):
            groups.append(pending)
            pending = []
    if groups:
        groups[-1] += pending
    ends = {group[-1] for group in groups}
    return [part in ends for part in range(parts)]


def _enough(counts: Sequence[Sequence[Sequence[int]]], group: Sequence[int], least: int) -> bool:
    """True if every owner sees at least so many samples of each class in the group."""
    for of_class in counts:
        own = [sum(count[part] for part in group) for count in of_class]
        others = own if len(own) == 1 else [sum(own) - part for part in own]
        if min(others) < least:
            return False
    return True
