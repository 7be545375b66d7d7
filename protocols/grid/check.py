"""The proxies' private check that each upload counts as many samples as its owner stated.

What
must not be negative is each word, the room above it (2^31 - 1 of a count, the most that so many
samples can add up to of a sum), and the sum of all counts minus the stated number, with either
sign. While all counts are below 2^31 their sum does not wrap around, so both differences are
negative or zero only if the sum is as stated. Which word is wrong, and by how much, stays hidden.

Of a bootstrap replicate the sum of all counts must be at most what `Resampling.most` says: whether
it was drawn as it should be nobody can see.

4 hops; two comparisons a word, one a replicate, and two. Nobody learns anything.
"""

from __future__ import annotations

from collections.abc import Sequence

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.protocols.grid.layout import Layout
from ppaurora.protocols.lists.check import check_negatives, check_negatives_cost
from ppaurora.protocols.lists.verdicts import Findings


def room(words: Shared, size: int, layout: Layout) -> Shared:
    """What must not be negative in an upload of `size` samples."""
    total = words[: layout.counts].sum()
    drawn = [one.most(size) - one.totals(own) for one, own in layout.replicates_in(words).items()]
    exact = [total - size, size - total]
    return concatenate([words, layout.limits(size) - words, *exact, *drawn])


def check_uploads(
    party: Party, uploads: Sequence[Shared], sizes: Sequence[int], layout: Layout
) -> Findings:
    """The findings on uploads whose counts and sums must be sound."""
    pairs = zip(uploads, sizes, strict=True)
    return check_negatives(party, [room(words, size, layout) for words, size in pairs])


def check_uploads_cost(uploads: int, layout: Layout) -> Cost:
    """The cost of `check_uploads` for so many uploads, and of the verdicts."""
    replicates = sum(one.replicates for one in layout.resamplings)
    return check_negatives_cost([2 * layout.words + 2 + replicates] * uploads)
