"""The number of rows without a score or a label that the owners left out.

    the sum of what each owner says that it left out.

Each owner shares its number as one more word of its upload, which the proxies check to be a count,
and only the sum is released. It is as right as the owners are honest. No hop; nobody learns
anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.errors import LocalProtocolError, RemoteProtocolError
from ppaurora.mpc.party import Party
from ppaurora.mpc.shares import Shared
from ppaurora.protocols.pipelines.histogram import LEFT_OUT, OwnersSums
from ppaurora.protocols.pipelines.pipeline import Inputs
from ppaurora.protocols.ranking.binned import Binned, PooledBins
from ppaurora.protocols.release.values import NO_SAMPLES, Released, Table, ValueKind
from ppaurora.protocols.statistics.statistic import MOST_SAMPLES, Statistic, Topic

COLUMNS = ("rows",)
MOST_ROWS = 1 << 53
"""More than any number of owners can say with counts below 2^31."""


@dataclass(frozen=True, slots=True)
class LeftOut(Statistic[Binned, PooledBins]):
    """One row with one number."""

    topic: ClassVar[Topic] = Topic.THRESHOLD
    by_group: ClassVar[bool] = False
    name: ClassVar[str] = "left_out"
    short: ClassVar[str] = "Left out without score or label"
    title: ClassVar[str] = "rows without a score or a label that the owners left out, in all"
    known_as: ClassVar[str] = "R sum(!complete.cases(x))"
    kind: ClassVar[ValueKind] = ValueKind.TABLE
    pipeline: ClassVar[type[OwnersSums]] = OwnersSums
    inputs: ClassVar[Inputs] = frozenset({LEFT_OUT})
    undefined: ClassVar[str] = "there are no samples"

    def private(self, party: Party, data: Binned, decimals: int) -> Shared:
        if data.left_out is None:
            raise LocalProtocolError("the number of rows left out, of a study that does not ask it")
        return data.left_out

    def cost(self, n: int, decimals: int) -> Cost:
        return Cost()

    def plaintext_words(self, data: PooledBins, decimals: int) -> Sequence[int]:
        return [data.left_out]

    def words(self, decimals: int) -> int:
        return 1

    def decode(self, words: Sequence[int], decimals: int) -> Released:
        if not 0 <= words[0] < MOST_ROWS:
            raise RemoteProtocolError(
                f"the shares of {self.text} do not make a result",
                advice="The two proxies hold shares of different runs; ask for the result again.",
            )
        return Table(COLUMNS, ((str(words[0]),),))

    def value_without_samples(self) -> Released:
        return Table(COLUMNS, undefined=NO_SAMPLES)

    def fits(self, n: int, decimals: int) -> bool:
        return n <= MOST_SAMPLES

    def leaks(self, decimals: int) -> str:
        return (
            "how many rows without a score or a label all owners together left out, exactly; all "
            "owners but one together learn by it how many that one left out"
        )
