"""For clients that stand in for `ServerClient`: requests sent ahead are asked when awaited."""

from __future__ import annotations

from collections import deque

from ppaurora.parties.requests.client import Answer
from ppaurora.parties.requests.messages import Request


class InOrder:
    """Sends requests ahead by `ask`, in their order; what is not awaited is never asked."""

    def __init__(self) -> None:
        self._ahead: deque[tuple[bytes, Request]] = deque()
        self._number = 0

    def ask(self, request: Request, answer: type[Answer], *, patience: float) -> Answer:
        raise NotImplementedError

    def send(self, request: Request, *, patience: float) -> bytes:
        self._number += 1
        number = self._number.to_bytes(8, "big")
        self._ahead.append((number, request))
        return number

    def answer(self, number: bytes, answer: type[Answer], *, patience: float) -> Answer:
        first, request = self._ahead.popleft()
        assert first == number
        return self.ask(request, answer, patience=patience)

    def close(self) -> None:
        self._ahead.clear()
