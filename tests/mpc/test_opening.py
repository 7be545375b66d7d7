"""Telling the helper: it hears P0's words, and a proxy that has none to tell is at fault."""

from __future__ import annotations

import pytest

from ppaurora.mpc import Party, Shared
from ppaurora.mpc.errors import LocalProtocolError
from ppaurora.mpc.local import run_local
from ppaurora.mpc.primitives import open_words, tell_helper
from ppaurora.mpc.shares import share


def test_what_was_opened_is_known_to_all_three() -> None:
    def program(party: Party, x: Shared) -> list[int]:
        return tell_helper(party, open_words(party, x), len(x)).tolist()

    assert run_local(program, share([3, 5, 7])) == [[3, 5, 7]] * 3


def test_it_is_one_hop_after_the_opening() -> None:
    def program(party: Party, x: Shared) -> int:
        tell_helper(party, open_words(party, x), len(x))
        return party.hops

    assert run_local(program, share([3, 5, 7])) == [1, 1, 2]


@pytest.mark.parametrize("told", [1, 3])
def test_another_number_of_words_than_announced_is_refused(told: int) -> None:
    def program(party: Party, x: Shared) -> None:
        tell_helper(party, open_words(party, x), told)

    with pytest.raises(LocalProtocolError, match=f"told {told} words"):
        run_local(program, share([3, 5]))


def test_words_that_a_proxy_does_not_have_are_not_told() -> None:
    with pytest.raises(LocalProtocolError, match="told 2 words"):
        run_local(lambda party: tell_helper(party, None, 2))
