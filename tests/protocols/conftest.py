"""What the tests of the private checks share."""

import pytest

from ppaurora.mpc.primitives import open_zero
from ppaurora.protocols.lists import verdicts


@pytest.fixture(name="opened_verdicts")
def _opened_verdicts(monkeypatch):
    """What both proxies learn when verdicts are opened, one list for each proxy and time."""
    opened = []

    def spy(party, x):
        words = open_zero(party, x)
        if words is not None:
            opened.append(words.tolist())
        return words

    monkeypatch.setattr(verdicts, "open_zero", spy)
    return opened
