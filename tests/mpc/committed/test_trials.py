"""The frequency of a wrong release, measured: three runs with K = 4 and one server that cheats.

A trial is a whole covert study in memory, of the smallest computation that can be spoilt. In most
ways of cheating nothing wrong is ever released. In the strongest one, where the server shifts its
share as a proxy and hopes as a helper that its one wrong dealing is used, it is released in a
quarter of the trials, as the bound says: no more, and no less.
"""

from __future__ import annotations

from collections import Counter

import pytest
from scipy.stats import binomtest

from ppaurora.mpc.committed import RUNS
from tests.mpc.committed.cheats import (
    UNSUITED,
    BiasesTheToss,
    CheatsInEveryRole,
    CommitsToAllWrong,
    CommitsToOneWrong,
    DealsAnother,
    FlipsAnOpenedWord,
    GivesDifferentCommitments,
    LeavesUnlessItIsUsed,
    OpensAnother,
    Server,
    ShiftsItsShare,
    StopsAfterTheToss,
    study_of,
)

DEALINGS, TRIALS, MANY, SAMPLE = 4, 200, 2000, 3
RIGHT, WRONG = "the right result", "a wrong result"
THREE = "the three runs do not give the same result"
NOT_OPENED = "the helper did not open its dealings after the toss"
WRONG_DEALING = "dealing {} of the helper is not the one that its seeds give"
OF_THE_SEEDS = {WRONG_DEALING.format(number) for number in range(DEALINGS)}
OUTCOMES: dict[type[Server], set[str]] = {
    Server: {RIGHT},
    CheatsInEveryRole: {WRONG, WRONG_DEALING.format(0)},
    LeavesUnlessItIsUsed: {WRONG, NOT_OPENED},
    # the dealing passes in a quarter of the trials, and then the other two runs differ from it
    CommitsToOneWrong: {THREE, WRONG_DEALING.format(0)},
    CommitsToAllWrong: OF_THE_SEEDS,
    DealsAnother: {"the helper dealt other words than it committed to"},
    OpensAnother: OF_THE_SEEDS,
    GivesDifferentCommitments: {"the helper gave the proxies different commitments"},
    # an honest helper opens nothing once one proxy has left
    BiasesTheToss: {
        NOT_OPENED,
        *(f"{role} shows another toss than it had chosen" for role in ("P0", "P1")),
    },
    StopsAfterTheToss: {RIGHT, UNSUITED},
    ShiftsItsShare: {THREE},
    FlipsAnOpenedWord: {THREE},
}
"""For each way to cheat, everything that may come of it."""

each = pytest.mark.parametrize("cheat", OUTCOMES, ids=lambda cheat: cheat.__name__)


def outcomes(cheat: type[Server], trials: int) -> Counter[str]:
    """The outcomes of so many trials, in which the three servers cheat by turns."""
    return Counter(study_of(trial % RUNS, cheat, DEALINGS) for trial in range(trials))


@each
def test_a_sample_of_cheats_comes_to_what_it_may_come_to(cheat: type[Server]) -> None:
    assert set(outcomes(cheat, SAMPLE)) <= OUTCOMES[cheat]


@pytest.mark.soak
@each
def test_two_hundred_cheats_of_each_kind_release_a_wrong_number_as_rarely_as_stated(
    cheat: type[Server],
) -> None:
    hopes = WRONG in OUTCOMES[cheat]
    found = outcomes(cheat, MANY if hopes else TRIALS)
    print(cheat.__name__, dict(found))
    assert set(found) <= OUTCOMES[cheat]
    if not hopes:
        return
    released = binomtest(found[WRONG], MANY, 1 / DEALINGS)
    print(released.proportion_ci(0.95, "exact"))
    # right studies fail this once in a million
    assert released.pvalue > 1e-6
