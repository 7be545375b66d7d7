"""A dealing recomputed is the dealing that was made, and nothing else can be."""

from __future__ import annotations

import numpy as np
import pytest

from ppaurora.mpc.committed.commitments import SeedOpening
from ppaurora.mpc.committed.rehearsal import rehearsed
from ppaurora.mpc.errors import LocalProtocolError
from ppaurora.mpc.link import SESSION_BYTES, Kind
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import is_negative, multiply, shuffle, tell_helper
from ppaurora.mpc.role import PROXIES, Role
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.side_by_side import side_by_side

SESSION = bytes(SESSION_BYTES)
LARGE = 70_000


def both(party: Party) -> list[Shared]:
    """Two programs side by side, of several blocks, and a product of what they give."""
    x = Shared.absent(LARGE)
    lanes = [lambda own: is_negative(own, x), lambda own: multiply(own, x, x)]
    return [multiply(party, *side_by_side(party, lanes))]


@pytest.fixture
def openings() -> dict[Role, SeedOpening]:
    return {proxy: SeedOpening.fresh() for proxy in PROXIES}


def test_the_same_openings_give_the_same_commitments(openings: dict[Role, SeedOpening]) -> None:
    assert rehearsed(both, SESSION, 1, openings) == rehearsed(both, SESSION, 1, openings)


def test_threads_do_not_change_what_is_dealt(openings: dict[Role, SeedOpening]) -> None:
    alone = rehearsed(both, SESSION, 1, openings)
    assert rehearsed(both, SESSION, 1, openings, threads=3) == alone


@pytest.mark.parametrize("proxy", PROXIES)
def test_another_seed_of_either_proxy_gives_p1_other_words(
    openings: dict[Role, SeedOpening], proxy: Role
) -> None:
    first = rehearsed(both, SESSION, 1, openings)
    other = SeedOpening(SeedOpening.fresh().seed, openings[proxy].nonce)
    second = rehearsed(both, SESSION, 1, {**openings, proxy: other})
    assert second[Role.P1] != first[Role.P1]


def test_session_number_and_nonce_are_in_the_commitment(openings: dict[Role, SeedOpening]) -> None:
    def program(party: Party) -> Shared:
        return multiply(party, Shared.absent(3), Shared.absent(3))

    again = {
        proxy: SeedOpening(opening.seed, SeedOpening.fresh().nonce)
        for proxy, opening in openings.items()
    }
    made = [
        rehearsed(program, SESSION, 1, openings),
        rehearsed(program, SESSION, 2, openings),
        rehearsed(program, bytes([1, *SESSION[1:]]), 1, openings),
        rehearsed(program, SESSION, 1, again),
    ]
    assert len({one[proxy] for one in made for proxy in PROXIES}) == 2 * len(made)


def test_the_helper_is_told_that_all_is_sound(openings: dict[Role, SeedOpening]) -> None:
    told = []
    rehearsed(lambda party: told.append(tell_helper(party, None, 5).tolist()), SESSION, 0, openings)
    assert told == [[1, 1, 1, 1, 1]]


def test_a_shuffle_cannot_be_recomputed(openings: dict[Role, SeedOpening]) -> None:
    with pytest.raises(LocalProtocolError, match=r"cannot be recomputed.*PERMUTED"):
        rehearsed(lambda party: shuffle(party, [Shared.absent(4)]), SESSION, 0, openings)


def test_what_the_helper_would_tell_a_proxy_cannot_be_recomputed(
    openings: dict[Role, SeedOpening],
) -> None:
    def tells(party: Party) -> None:
        party.send(Role.P0, Kind.TELL, np.zeros(1, np.uint64))

    with pytest.raises(LocalProtocolError, match=r"cannot be recomputed.*TELL"):
        rehearsed(tells, SESSION, 0, openings)
