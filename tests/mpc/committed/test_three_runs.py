"""Three runs with the roles rotated: who has which role, and what a cheating server achieves."""

from __future__ import annotations

from itertools import product as pairs

import pytest

from ppaurora.mpc.committed import RUNS, role_in, same_in_all, server_of
from ppaurora.mpc.errors import CheatingDetected
from ppaurora.mpc.role import Role
from tests.mpc.committed.cheats import (
    CheatsInEveryRole,
    FlipsAnOpenedWord,
    Server,
    ShiftsItsShare,
    study_of,
)

DIFFERENT = "the three runs do not give the same result"


def test_every_server_has_every_role_once() -> None:
    for server in range(RUNS):
        assert {role_in(server, run) for run in range(RUNS)} == set(Role)
    for run, server in pairs(range(RUNS), repeat=2):
        assert server_of(role_in(server, run), run) == server


def test_the_owners_share_for_these_pairs_of_servers() -> None:
    proxies = [(server_of(Role.P0, run), server_of(Role.P1, run)) for run in range(RUNS)]
    assert proxies == [(0, 1), (1, 2), (2, 0)]


def test_a_result_that_differs_in_one_word_of_one_run_is_refused() -> None:
    right = [5, 2**64 - 1, 0]
    assert same_in_all([right, tuple(right), list(right)]) == right
    for run, word in pairs(range(RUNS), range(3)):
        results = [list(right) for _ in range(RUNS)]
        results[run][word] ^= 1
        with pytest.raises(CheatingDetected, match=DIFFERENT):
            same_in_all(results)


def test_a_result_with_a_word_too_few_is_refused() -> None:
    with pytest.raises(CheatingDetected, match=DIFFERENT):
        same_in_all([[1, 2], [1, 2], [1]])


def test_two_runs_are_not_enough() -> None:
    with pytest.raises(ValueError, match="of 3 runs"):
        same_in_all([[1], [1]])


def test_honest_servers_release_the_right_result() -> None:
    assert study_of(0, Server, 2) == "the right result"


@pytest.mark.parametrize("server", range(RUNS))
@pytest.mark.parametrize("cheat", [ShiftsItsShare, FlipsAnOpenedWord])
def test_a_proxy_that_changes_what_it_opens_or_shares_is_found_by_comparison(
    cheat: type[Server], server: int
) -> None:
    assert study_of(server, cheat, 2) == DIFFERENT


def test_a_server_that_cheats_in_every_role_depends_on_the_toss() -> None:
    # 64 studies show one outcome only with a probability of 2^-63
    seen = {study_of(study % RUNS, CheatsInEveryRole, 2) for study in range(64)}
    assert seen == {"a wrong result", "dealing 0 of the helper is not the one that its seeds give"}
