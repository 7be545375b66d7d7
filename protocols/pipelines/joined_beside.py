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

[g_i = g] are the differences of [g_i - g < 0], one comparison for each group but the first one. All
samples together are the sum of the groups, since each row is in one. The check of an upload finds
words below 0 or beyond the largest.

Nobody learns anything, and nobody how many joined rows are in a group. Eleven hops for two groups,
one more each time that their number doubles; nine for weights.
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
    """One kind of words, each from 0 to `top`, of the rows of `side` and of rows with both.

    `names` are those of the groups or folds; without them words are weights.
    """

    kind: str
    side: Side
    top: int
    names: tuple[str, ...] = ()

    @classmethod
    def of(cls, choices: Choices) -> Beside | None:
        """The kind of words in a study, if it has groups, folds or weights."""
        found = cast(BesideChoices, choices)
        folded = [FOLD in getattr(one, "pipeline", Pipeline).columns for one in choices.asked]
        if any(folded) and not all(folded):
            raise OptionRefused(
                "metrics",
                "are means over folds and numbers of all samples together, whose scores are of "
                "different models",
                advice="Make a study for each.",
            )
        if any(folded):
            names = tuple(map(str, range(choices.folds)))
            return cls(FOLD, side_of(found.folds_from), max(0, choices.folds - 1), names)
        if found.groups:
            return cls(GROUP, side_of(found.groups_from), len(found.groups) - 1, found.groups)
        if found.weighted:
            return cls(WEIGHT, side_of(found.weights_from), found.largest_weight)
        return None

    @property
    def words(self) -> tuple[WordBeside, ...]:
        """The words that rows have."""
        return (WordBeside(self.side, self.top),)

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
        return 1 if self.names else self.top

    def has(self, side: Side) -> bool:
        """True if rows of this side have such a word."""
        return side in (self.side, Side.BOTH)

    def columns(
        self, party: Party, there: Shared, beside: Sequence[Shared], least: int
    ) -> list[Shared]:
        """Counts of the pairs in each part, from J, and from J times the words of each."""
        [words] = beside
        if not self.names:
            in_all = words.sum().repeat(len(words))
            few = is_negative(party, concatenate([there.sum() - least, in_all - words * least]))
            kept = (1 - is_negative(party, -few.sum())).repeat(len(there))
            return [multiply(party, words, kept)]
        n, groups = len(there), len(self.names)
        low = narrowed(words)
        # J·[g_i < g] of all groups but the first
        below = is_negative(party, concatenate([low - place for place in range(1, groups)]))
        bits = [below[place * n : (place + 1) * n] for place in range(groups - 1)]
        up_to = products(party, [there, *bits], [(0, place) for place in range(1, groups)])
        joined = [
            above - below
            for below, above in zip([there - there, *up_to], [*up_to, there], strict=True)
        ]
        few = is_negative(party, concatenate(one.sum() for one in joined) - least)
        kept = product_of(party, [1 - few[place : place + 1] for place in range(groups)]).repeat(n)
        return products(party, [kept, *joined], [(0, place) for place in range(1, groups + 1)])

    def columns_cost(self, n: int) -> Cost:
        """The cost of `columns` for n places of pairs."""
        if not self.names:
            few = is_negative.cost().of(1 + n) + is_negative.cost().of(1)
            return few + multiply.cost().of(n)
        groups = len(self.names)
        below = is_negative.cost(narrow=True).of((groups - 1) * n)
        up_to = products.cost(factors=groups, pairs=groups - 1).of(n)
        kept = is_negative.cost().of(groups) + product_cost(groups, 1)
        return below + up_to + kept + products.cost(factors=groups + 1, pairs=groups).of(n)

    def enough(self, words: Sequence[int], least: int) -> bool:
        """True if joined rows with these words are enough, in the clear."""
        if not self.names:
            return len(words) >= least and all(least * word <= sum(words) for word in words)
        return all(words.count(place) >= least for place in range(len(self.names)))

    def columns_plaintext(self, words: Sequence[int]) -> list[list[int]]:
        """Counts of joined rows with these words in each part, in the clear."""
        if not self.names:
            return [[*words]]
        return [[int(word == place) for word in words] for place in range(len(self.names))]


def parts_of(found: Sequence[Any], names: Sequence[str], whole: Any) -> dict[str, Any]:
    """Results of each part by its name, and of all together."""
    return {WHOLE: whole, **dict(zip(names, found, strict=True))}
