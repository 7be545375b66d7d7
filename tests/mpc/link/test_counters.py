"""The helper is acknowledged whole frames, so that no credit is a pretext to wait on."""

from __future__ import annotations

import numpy as np
import pytest

from ppaurora.mpc.errors import BadFrame
from ppaurora.mpc.link import Kind, Limits
from ppaurora.mpc.role import Role

from .ends import Opener


@pytest.mark.parametrize("credit", [1, 799, 801, 1599])
def test_credit_for_a_part_of_a_frame_is_refused(open_all: Opener, credit: int) -> None:
    """With one byte for each deadline the helper would wait for ever."""
    links = open_all(Limits(deadline=5, window=800))
    proxy, helper = links[Role.P1][Role.HELPER], links[Role.HELPER][Role.P1]
    body = np.zeros(100, np.uint64)
    for step in range(2):
        helper.send(Kind.DEAL, body, step)
    proxy._post(Kind.CREDIT, credit.to_bytes(8, "little"), 0)
    with pytest.raises(BadFrame, match="P1 acknowledged"):
        helper.send(Kind.DEAL, body, 2)
