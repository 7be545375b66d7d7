"""Words beside one half of a joined row: its group, fold or weight, which one side alone has.

An owner of scores or of labels, whichever side the study says, and each owner of rows with both
shares one word more for each row: the number of its group or fold, counted from 0, or its weight
in steps. It goes where its row goes, through the merge by tags to the partner. With J_i = 1 where
there is a pair, g_i its group or fold and w_i its weight, a pair counts in the columns

    c_ig = k·J_i·[g_i = g]    for each group or fold g,    or    c_i = k·J_i·w_i,

of which k is one secret bit: 1 if in all, and in every group or fold by itself, at least as many
rows are joined as the study asks for. If not, all columns are 0, and it is as if nobody were
joined. A group by itself may not be told where it is small, and the others may not either: all
together less them would tell it. Who has the weights could make all other rows count as none, and a
number be that of one row of another owner. So with weights k is also 0 if any row weighs more than
all of them divided by the least, which is what it would count among the least without weights:

    least·J_i·w_i <= Σ J_j·w_j    for each i.

Where rows have both, a group and a weight, be it of one side or of two, a pair counts

    c_ig = k·J_i·[g_i = g]·w_i,

and k is 1 only if in every group by itself as many rows are joined, and none weighs more than all
of its group divided by the least. Then none does in all together either.

[g_i = g] are the differences of [g_i - g < 0], one comparison for each group but the first one. All
samples together are the sum of the groups, since each row is in one. The check of an upload finds
words below 0 or beyond the largest.

Nobody learns anything, and nobody how many joined rows are in a group. Eleven hops for two groups,
one more each time that their number doubles; nine for weights, and fifteen for both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, cast

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import is_negative, multiply, products
from ppaurora.mpc.shares import Shared, concatenate, narrowed
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.lists.tags import Side, side_of
from ppaurora.protocols.pipelines.folds import FOLD
from ppaurora.protocols.pipelines.groups import GROUP, WHOLE, product_cost, product_of
from ppaurora.protocols.pipelines.pipeline import Choices, Pipeline
from ppaurora.protocols.pipelines.weighted import WEIGHT


class BesideChoices(Choices, Protocol):
    """The options of a study that says who has groups or weights of joined rows."""

    @property
    def groups(self) -> tuple[str, ...]: ...
    @property
    def groups_from(self) -> str: ...
    @property
    def weighted(self) -> bool: ...
    @property
    def largest_weight(self) -> int: ...
    @property
    def weights_from(self) -> str: ...
    @property
    def folds_from(self) -> str: ...


@dataclass(frozen=True, slots=True)
class WordBeside:
    """A word, from 0 to `top`, of the rows of one side and of rows with both."""

    side: Side
    top: int

    def has(self, side: Side) -> bool:
        """True if rows of this side have such a word."""
        return side in (self.side, Side.BOTH)


@dataclass(frozen=True, slots=True)
class Beside:
    """The words that a study's rows have by its columns, each of a kind: a group or fold, a weight.

    `names` are those of the groups or folds, whose word comes first.
    """

    kinds: tuple[str, ...]
    words: tuple[WordBeside, ...]
    names: tuple[str, ...] = ()

    @classmethod
    def of(cls, choices: Choices) -> Beside | None:
        """The words in a study, if it has groups, folds or weights."""
        found = cast(BesideChoices, choices)
        folded = [FOLD in getattr(one, "pipeline", Pipeline).columns for one in choices.asked]
        if any(folded) and not all(folded):
            raise OptionRefused(
                "metrics",
                "are means over folds and numbers of all samples together, whose scores are of "
                "different models",
                advice="Make a study for each.",
            )
        kinds: dict[str, WordBeside] = {}
        names: tuple[str, ...] = ()
        if any(folded):
            names = tuple(map(str, range(choices.folds)))
            kinds[FOLD] = WordBeside(side_of(found.folds_from), max(0, choices.folds - 1))
        elif found.groups:
            names = found.groups
            kinds[GROUP] = WordBeside(side_of(found.groups_from), len(names) - 1)
        if found.weighted:
            kinds[WEIGHT] = WordBeside(side_of(found.weights_from), found.largest_weight)
        return cls(tuple(kinds), tuple(kinds.values()), names) if kinds else None

    @property
    def kind(self) -> str:
        """The first kind: what parts of the joined rows are, where there are any."""
        return self.kinds[0]

    @property
    def weighted(self) -> bool:
        """True if rows have weights."""
        return WEIGHT in self.kinds

    @property
    def parts(self) -> tuple[str, ...]:
        """The names of the parts of the joined rows that are counted apart."""
        return self.names or (WHOLE,)

    @property
    def with_whole(self) -> bool:
        """True if numbers are of all together as well."""
        return self.kind == GROUP

    @property
    def largest(self) -> int:
        """The most that a row counts."""
        return self.words[-1].top if self.weighted else 1

    def columns(
        self, party: Party, there: Shared, beside: Sequence[Shared], least: int
    ) -> list[Shared]:
        """Counts of the pairs in each part, from J, and from J times the words of each."""
        if not self.names:
            [words] = beside
            in_all = words.sum().repeat(len(words))
            few = is_negative(party, concatenate([there.sum() - least, in_all - words * least]))
            kept = (1 - is_negative(party, -few.sum())).repeat(len(there))
            return [multiply(party, words, kept)]
        n, groups = len(there), len(self.names)
        low = narrowed(beside[0])
        # [g_i < g] of all groups but the first, and J and the weight of the rows in each
        below = is_negative(party, concatenate([low - place for place in range(1, groups)]))
        bits = [below[place * n : (place + 1) * n] for place in range(groups - 1)]
        counted = [there, *beside[1:]]
        up_to = products(
            party,
            [*counted, *bits],
            [
                (of, len(counted) + place)
                for of in range(len(counted))
                for place in range(groups - 1)
            ],
        )
        joined, *weighed = (
            _between(up_to[of * (groups - 1) : (of + 1) * (groups - 1)], whole)
            for of, whole in enumerate(counted)
        )
        enough = concatenate(one.sum() for one in joined) - least
        if weighed:
            [joined] = weighed
            evenly = [one.sum().repeat(n) - one * least for one in joined]
            few = is_negative(party, concatenate([enough, *evenly]))
            kept = 1 - is_negative(party, -few.sum())
        else:
            few = is_negative(party, enough)
            kept = product_of(party, [1 - few[place : place + 1] for place in range(groups)])
        factors = [kept.repeat(n), *joined]
        return products(party, factors, [(0, place) for place in range(1, groups + 1)])

    def columns_cost(self, n: int) -> Cost:
        """The cost of `columns` for n places of pairs."""
        negative = is_negative.cost().of
        if not self.names:
            return negative(1 + n) + negative(1) + multiply.cost().of(n)
        groups, counted = len(self.names), len(self.words)
        below = is_negative.cost(narrow=True).of((groups - 1) * n)
        up_to = products.cost(factors=counted + groups - 1, pairs=counted * (groups - 1)).of(n)
        if self.weighted:
            kept = negative(groups + groups * n) + negative(1)
        else:
            kept = negative(groups) + product_cost(groups, 1)
        return below + up_to + kept + products.cost(factors=groups + 1, pairs=groups).of(n)

    def enough(self, rows: Sequence[Sequence[int]], least: int) -> bool:
        """True if joined rows with these words are enough, in the clear."""
        of_parts = self._of_parts(rows)
        if any(len(own) < least for own in of_parts):
            return False
        weights = [[row[-1] for row in own] for own in of_parts if self.weighted]
        return all(least * word <= sum(own) for own in weights for word in own)

    def _of_parts(self, rows: Sequence[Sequence[int]]) -> list[list[Sequence[int]]]:
        if not self.names:
            return [[*rows]]
        return [[row for row in rows if row[0] == place] for place in range(len(self.names))]

    def columns_plaintext(self, rows: Sequence[Sequence[int]]) -> list[list[int]]:
        """Counts of joined rows with these words in each part, in the clear."""
        counts = [row[-1] if self.weighted else 1 for row in rows]
        if not self.names:
            return [counts]
        return [
            [count * (row[0] == place) for row, count in zip(rows, counts, strict=True)]
            for place in range(len(self.names))
        ]


def _between(up_to: Sequence[Shared], whole: Shared) -> list[Shared]:
    """The rows of each group, of those in the groups before each and of all."""
    pairs = zip([whole - whole, *up_to], [*up_to, whole], strict=True)
    return [above - below for below, above in pairs]


def parts_of(found: Sequence[Any], names: Sequence[str], whole: Any) -> dict[str, Any]:
    """Results of each part by its name, and of all together."""
    return {WHOLE: whole, **dict(zip(names, found, strict=True))}
