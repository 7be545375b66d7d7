"""Every transport behind one fixture: `open_all(limits)` gives the links of all roles."""

from __future__ import annotations

import pytest

from ppaurora.mpc.link import Limits, memory_links

from .ends import Opener
from .loopback import PATIENT, SESSION, Links, lane_links, zeromq_links


@pytest.fixture(
    params=[
        "memory",
        pytest.param("plain", marks=pytest.mark.zeromq),
        pytest.param("curve", marks=pytest.mark.zeromq),
        pytest.param("lane", marks=pytest.mark.zeromq),
    ]
)
def open_all(request: pytest.FixtureRequest) -> Opener:
    """Opens all links over one transport after the other; they are closed after the test."""

    def opener(limits: Limits = PATIENT) -> Links:
        if request.param == "memory":
            return memory_links(SESSION, limits)
        if request.param == "lane":
            return lane_links(limits)
        return zeromq_links(limits, insecure_plain=request.param == "plain")

    return opener
