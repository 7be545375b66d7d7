"""Fixtures of the tests of the private checks."""

import pytest

from ppaurora.mpc.primitives import open_zero
from ppaurora.protocols.lists import verdicts


@pytest.fixture(name="opened_verdicts")
def _opened_verdicts(monkeypatch):
    """The bits that both proxies learn when verdicts are opened, a list for each and each time."""
    opened = []

    def spy(party, x):
        words = open_zero(party, x)
        if words is not None:
            opened.append(words.tolist())
        return words

    monkeypatch.setattr(verdicts, "open_zero", spy)
    return opened
