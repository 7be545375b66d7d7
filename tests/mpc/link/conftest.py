"""Every transport behind one fixture: `open_all(limits)` gives the links of all roles."""

from __future__ import annotations

from collections.abc import Iterator

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
def open_all(request: pytest.FixtureRequest) -> Iterator[Opener]:
    """Opens all links over one transport after the other, and closes them after the test."""
    opened: list[Links] = []

    def opener(limits: Limits = PATIENT) -> Links:
        if request.param == "memory":
            links = memory_links(SESSION, limits)
        elif request.param == "lane":
            links = lane_links(limits)
        else:
            links = zeromq_links(limits, insecure_plain=request.param == "plain")
        opened.append(links)
        return links

    yield opener
    for links in opened:
        for of_one in links.values():
            for link in of_one.values():
                link.close()
