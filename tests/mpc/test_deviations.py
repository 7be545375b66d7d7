"""A party that sends anything it likes sees nothing more: primitive by primitive.

What a proxy is sent is masked by words that its own messages do not touch, and drawn afresh for
every message; so whatever it sends, in place of what it should, what comes back is uniformly random
and independent of the data, until something is opened by name. Here one party deviates, in every
message, in one of the ways below; all that it draws and receives over many runs, on two inputs that
could not differ more, is put to the tests of `tests.mpc.test_views`, with the same rate of false
alarms. Where a message cannot be what it should be, the others end the session: what they had sent
by then is looked at, and what they say of it is the same for both inputs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pytest

from ppaurora.mpc.errors import AuroraError, LocalProtocolError
from ppaurora.mpc.link import Kind, Limits
from ppaurora.mpc.local import run_local
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import open_zero
from ppaurora.mpc.role import Role
from ppaurora.mpc.shares import Shared, share
from ppaurora.mpc.wide_shares import share_wide
from ppaurora.mpc.words import Words
from tests.mpc.cases import Case
from tests.mpc.every_case import EVERY_CASE
from tests.mpc.test_views import View, leaks

pytestmark = pytest.mark.usefixtures("same_keys")

RUNS = 200


@dataclass(slots=True)
class Message:
    """A message that a deviating party was about to send, and what it knows by then."""

    words: Words
    received: Words | None
    """The peer's message in the same exchange, where the deviating party waits for it."""
    sent: Sequence[Words]
    """The message that it sent to this peer before, of the same length."""


Deviation = Callable[[Message], Words]


def _added(message: Message) -> Words:
    rng = np.random.default_rng(len(message.sent))
    return message.words + rng.integers(0, 1 << 64, message.words.shape, np.uint64)


def _replayed(message: Message) -> Words:
    return message.sent[0] if message.sent else message.words


def _mirrored(message: Message) -> Words:
    return message.words if message.received is None else message.received


def _cancelled(message: Message) -> Words:
    return message.words if message.received is None else -message.received


DEVIATIONS: dict[str, Deviation] = {
    "adds one to every word": lambda message: message.words + np.uint64(1),
    "flips every top bit": lambda message: message.words ^ np.uint64(1 << 63),
    "adds words of its choice": _added,
    "sends zeros": lambda message: np.zeros_like(message.words),
    "swaps its words": lambda message: message.words.ravel()[::-1].reshape(message.words.shape),
    "replays an earlier message": _replayed,
    "waits and sends back what it received": _mirrored,
    "waits and cancels what it received": _cancelled,
}
WAITING = "waits"


class Deviant:
    """From now on the messages of `attacker`, changed, and all that it draws and receives."""

    def __init__(self, patch: pytest.MonkeyPatch, attacker: Role, how: str) -> None:
        self._attacker, self._deviation = attacker, DEVIATIONS[how]
        self._waits = how.startswith(WAITING)
        self._seen: list[Words] = []
        self._sent: dict[tuple[Role, int], list[Words]] = defaultdict(list)
        self._held: dict[str, list[tuple[Role, Kind, Words]]] = defaultdict(list)
        self._send, receive = Party.send, Party.receive

        def sending(party: Party, peer: Role, kind: Kind, words: Words) -> None:
            if party.role is not attacker:
                self._send(party, peer, kind, words)
            elif self._waits and kind is Kind.OPEN:
                self._held[party._lane].append((peer, kind, words))
            else:
                self.let_go(party)
                self._pass_on(party, peer, kind, words, None)

        def receiving(party: Party, peer: Role, kind: Kind, length: int) -> Words:
            if party.role is not attacker:
                return receive(party, peer, kind, length)
            if kind is not Kind.OPEN:
                self.let_go(party)
            words = receive(party, peer, kind, length)
            if held := self._held[party._lane]:
                self._pass_on(party, *held.pop(0), words)
            if kind is not Kind.DEAL:  # seen where it is asked for
                self._seen.append(words.copy())
            return words

        patch.setattr(Party, "send", sending)
        patch.setattr(Party, "receive", receiving)
        patch.setattr(Party, "masks", self._drawing(Party.masks))
        patch.setattr(Party, "dealt", self._drawing(Party.dealt))

    def let_go(self, party: Party) -> None:
        """Send what was held back."""
        while held := self._held[party._lane]:
            self._pass_on(party, *held.pop(0), None)

    def _pass_on(
        self, party: Party, peer: Role, kind: Kind, words: Words, received: Words | None
    ) -> None:
        earlier = self._sent[peer, words.size]
        if received is not None:
            received = received.reshape(words.shape)
        changed = self._deviation(Message(words, received, earlier)).reshape(words.shape)
        earlier.append(changed.copy())
        self._send(party, peer, kind, changed)

    def _drawing(self, draw: Callable[..., Iterator[Words]]) -> Callable[..., Iterator[Words]]:
        def recorded(party: Party, *shapes: tuple[int, ...]) -> Iterator[Words]:
            for words in draw(party, *shapes):
                if party.role is self._attacker:
                    self._seen.append(words.ravel().copy())
                yield words

        return recorded

    def view(self, own: Sequence[Words]) -> Words:
        """All that it saw in this run, as one row; then begins anew."""
        row = np.concatenate([*own, *(one.ravel() for one in self._seen), np.empty(0, np.uint64)])
        self._seen.clear()
        return row


def views(case: Case, values: Sequence[int], attacker: Role, how: str) -> View:
    """The attacker's views of many runs on the same values, freshly shared each time."""

    def program(party: Party, *vectors: Shared) -> View | None:
        rows = []
        for start in range(0, RUNS * case.fewest, case.fewest):
            held = [vector[start : start + case.fewest] for vector in vectors]
            case.call(party, *held)
            if party.role is attacker:
                deviant.let_go(party)
                rows.append(deviant.view([one.words.ravel() for one in held if one.present]))
        return np.stack(rows) if rows else None

    shared = share_wide if case.wide else share
    with pytest.MonkeyPatch.context() as patch:
        deviant = Deviant(patch, attacker, how)
        found = run_local(program, *(shared([value] * (RUNS * case.fewest)) for value in values))
    view: View = found[attacker]
    return view


OPENS = {"open_words", "open_negative", "open_zero", "row_order", "row_orders", "tell_helper"}
"""Openings by name show another thing once their input is another one."""
MASKED = [case for case in EVERY_CASE if case.name not in OPENS]
PROXIES = (Role.P0, Role.P1)


def who_sees_anything(case: Case) -> list[Role]:
    """The roles that receive anything but deals: the helper in few cases only."""
    return [*PROXIES, *([Role.HELPER] if case.helper_receives is not None else [])]


def check(case: Case, attacker: Role, how: str) -> None:
    first, second = (views(case, values, attacker, how) for values in case.extremes)
    assert not leaks(first, second), (case, attacker, how)


SAMPLE = ("multiply", "is_negative", "compare_exchange", "carry", "lookup", "shuffle")
"""Those that take a second each; what else there is is made of the like."""
IN_CI = {
    *(("multiply", "swaps its words"), ("is_negative, 32 bits", "flips every top bit")),
    *(("compare_exchange, 32 bits", "swaps its words"), ("lookup", "adds one to every word")),
    *(("carry_in_few_hops", "replays an earlier message"), ("shuffle", "flips every top bit")),
}
"""Each kind of message once; all others of the sample run weekly."""


@pytest.mark.parametrize(
    ("case", "how"),
    [
        pytest.param(case, how, marks=() if (case.name, how) in IN_CI else pytest.mark.weekly)
        for number, name in enumerate(SAMPLE)
        for case in MASKED
        if case.name.startswith(name)
        for how in list(DEVIATIONS)[number % 2 :: 4]
    ],
    ids=str,
)
def test_who_deviates_sees_nothing_more(case: Case, how: str) -> None:
    for attacker in who_sees_anything(case):
        check(case, attacker, how)


@pytest.mark.parametrize("case", MASKED, ids=str)
@pytest.mark.soak
def test_who_deviates_in_every_way_sees_nothing_more(case: Case) -> None:
    for attacker in who_sees_anything(case):
        for how in DEVIATIONS:
            check(case, attacker, how)


def test_what_is_opened_by_name_is_one_bit_of_the_deviating_proxys_choice() -> None:
    """The bit says if a secret is the guessed value: such is a verdict, see `judged`."""

    def program(party: Party, x: Shared) -> Words | None:
        shifted = x - 7 if party.role is Role.P0 else x - 0
        return open_zero(party, shifted)

    for secret, guessed in ((7, 1), (8, 0)):
        assert run_local(program, share([secret]))[Role.P0].tolist() == [guessed]


def ended(case: Case, values: Sequence[int], attacker: Role, way: str) -> list[str]:
    """The other two's errors of a session in which the attacker's second message is none."""
    said: list[str] = []

    def program(party: Party, *vectors: Shared) -> None:
        if party.role is attacker:
            break_message(party, way)
        try:
            case.call(party, *vectors)
        except AuroraError as error:
            if party.role is not attacker:
                said.append(f"{party.role}: {type(error).__name__}: {error.what}")
            raise

    shared = share_wide if case.wide else share
    with pytest.raises(AuroraError):
        run_local(
            program,
            *(shared([value] * 70) for value in values),
            limits=replace(Limits(), deadline=2.0, goodbye=2.0),
        )
    return sorted(said)


def break_message(party: Party, way: str, *, number: int = 2) -> None:
    """From now on the message of this number of the party is none, in this way."""
    send, sent = party.send, []

    def broken(peer: Role, kind: Kind, words: Words) -> None:
        sent.append(words)
        if len(sent) != number:
            send(peer, kind, words)
        elif way == "stops":
            raise LocalProtocolError("the attacker stops")
        elif way == "sends a message twice":
            send(peer, kind, words)
            send(peer, kind, words)
        elif way == "sends a word less":
            send(peer, kind, words.ravel()[1:])
        else:
            send(peer, Kind.PERMUTED, words)

    party.send = broken  # type: ignore[method-assign]


MISSING = ("stops", "sends a message twice", "sends a word less", "sends another kind")


@pytest.mark.parametrize("way", MISSING)
@pytest.mark.parametrize("name", ["is_negative", "compare_exchange", "wide_is_negative"])
def test_where_a_message_is_none_the_others_say_the_same_whatever_the_data(
    name: str, way: str
) -> None:
    [case] = [case for case in EVERY_CASE if case.name == name]
    for attacker in PROXIES:
        first, second = (ended(case, values, attacker, way) for values in case.extremes)
        assert first == second
        assert first
