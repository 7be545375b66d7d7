"""Algorithm 3: tied scores. con_j = 1 if the score at j differs from that at j + 1; con_n = 1.

With them come V_j = con_j·TP_j, the positives up to each boundary, and P·N, in the same hops.

`labels` are found before: the sorted keys are descending, and within equal scores the positives
come first, so that TP_j are prefix sums of labels [ppAURORA, Alg. 1 and 2]. One hop; nobody learns
anything.

Two ways to the tie flags:

- `compare`, one comparison of neighbours, which gives con·TP too; nobody learns anything. 4 hops,
  97 bytes an element, or 60 where keys are shared mod 2^32, of many up to 6, 86 and 58; where con
  and TP are counts mod 2^32, as a scan takes them, 16 bytes less.
- `helper`, [ppAURORA, Alg. 3, erratum 3], repaired. As printed the helper sees the XOR of the
  masked halves and so the Hamming weight of every difference. Here it gets, for each item, one
  token from either proxy: the same token if the scores are equal, two unrelated ones if not.

What the helper learns from the tokens. The proxies draw, from the stream that only they share, a
fresh AES key and a permutation. P1 draws a number u, uniform on 0 .. D, with D = n - 1 + 1024. They
hide the n - 1 differences among D dummies, u of them equal and D - u unequal, in that permutation.
A token is AES of (place, value), P0 on minus its share of the difference, P1 on its own: a keyed
permutation on inputs that are all distinct but for the equal pairs, so the view follows from which
places are equal, these are at random, and only their number, ties + u, is left: the declared leak.
Two inputs with t and t' ties give views that differ with probability |t - t'| / (D + 1).

A session that is repeated, because something failed, tells the helper nothing new: u comes from
P1's lasting stream, so it is the same u. A fresh one each time would average out: 400 sessions told
the number of ties among 200 samples to within one. That stream is named by the list whose ties are
sought, and by nothing that a repeated session may do otherwise, such as the sort. P0 needs no u,
its dummies are all 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import ECB

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.errors import LocalProtocolError
from ppaurora.mpc.link import Kind
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import multiply, negative_times, to_arithmetic
from ppaurora.mpc.role import PROXIES, Role
from ppaurora.mpc.shares import (
    InRing,
    Shared,
    SharedNumbers,
    concatenate,
    low_bits,
    narrowed,
)
from ppaurora.mpc.side_by_side import side_by_side
from ppaurora.mpc.streams import KEY_BYTES, Stream
from ppaurora.mpc.words import AT_ONCE, Words, blocks


@dataclass(frozen=True, slots=True)
class Labels:
    """y, TP_j = the positives up to j, P = the positives and N = the negatives in all."""

    y: Shared
    TP: Shared
    P: Shared
    N: Shared


def labels(party: Party, keys: SharedNumbers) -> Labels:
    """The lowest bits of the sorted keys, as words."""
    y = to_arithmetic(party, low_bits(keys))
    TP = y.cumsum()
    P = TP[-1:]
    return Labels(y, TP, P, len(y) - P)


def labels_cost(n: int) -> Cost:
    """The cost of `labels` for n samples."""
    return to_arithmetic.cost().of(n)


WAYS = ("compare", "helper")
LEAST_DUMMIES = 1024
TOKEN_WORDS = 2
LASTING_NAME = "equal dummies among the ties"
_PIECE = 1 << 18


@dataclass(frozen=True, slots=True)
class Boundaries(Generic[InRing]):
    """con and the TP at each boundary, both words or both counts mod 2^32, and P·N."""

    con: InRing
    V: InRing
    PN: Shared


def ties(
    party: Party,
    keys: SharedNumbers,
    labels: Labels,
    *,
    way: str,
    counts: bool = False,
    lasting: str = LASTING_NAME,
) -> Boundaries[Any]:
    """The boundaries of the sorted keys, in the way `compare` or `helper`.

    By `compare` with `counts` they are counts mod 2^32, for fewer bytes. Of several lists in one
    session each needs a `lasting` name of its own, for its dummies.
    """
    if len(keys) == 0:
        return Boundaries(labels.y, labels.y, labels.y)
    # score = key - label; the next one is at most as large
    if way == "compare":
        scores = keys - labels.y if isinstance(keys, Shared) else keys - narrowed(labels.y)
        if counts:
            return compare(party, steps(scores), labels, narrowed(labels.TP))
        return compare(party, steps(scores), labels, labels.TP)
    if not isinstance(keys, Shared):
        raise LocalProtocolError("the helper is asked for ties of keys mod 2^64 only")
    step = steps(keys - labels.y)
    con = concatenate([ask_helper(party, step, lasting), Shared.public(party.role, [1])])
    product = multiply(party, concatenate([con, labels.P]), concatenate([labels.TP, labels.N]))
    return Boundaries(con, product[:-1], product[-1:])


def ties_cost(n: int, *, way: str, narrow: bool = False, counts: bool = False) -> Cost:
    """The cost of `ties` for n samples."""
    if n == 0:
        return Cost()
    if way == "compare":
        cost = negative_times.cost(narrow=narrow, narrow_values=counts).of
        compared = sum((cost(part.stop - part.start) for part in blocks(n - 1, AT_ONCE)), Cost())
        return compared | multiply.cost().of(1)
    items = n - 1
    # tokens of both proxies, each answer to one of them
    asked = Cost(2, (2 * 8 * TOKEN_WORDS + 8) * (items + dummies(items))) if items else Cost()
    return asked + multiply.cost().of(n + 1)


def helper_learns(n: int, *, way: str) -> tuple[str, ...]:
    """The facts that the helper learns of n samples, for the ledger."""
    if way == "compare" or n < 2:
        return ()
    return (
        "the number of neighbours with tied scores plus a number drawn uniformly from 0 to "
        f"{dummies(n - 1)}",
    )


def steps(scores: InRing) -> InRing:
    """From each score to the next."""
    return scores[1:] - scores[:-1]


def compare(party: Party, step: SharedNumbers, labels: Labels, TP: InRing) -> Boundaries[InRing]:
    """con = [step < 0] and con·TP in the ring of TP, for steps in (-2^63, 0], or (-2^31, 0]; P·N
    beside. 4 or 5 hops for each part of a long list."""
    last = len(step)
    found: list[tuple[InRing, InRing]] = []

    def boundaries(own: Party) -> Shared:
        found.extend(negative_times(own, step[part], TP[part]) for part in blocks(last, AT_ONCE))
        return labels.P

    def pairs(own: Party) -> Shared:
        return multiply(own, labels.P, labels.N)

    _, PN = side_by_side(party, [boundaries, pairs])
    found.append((TP.public(party.role, [1]), TP[last:]))
    con, V = (concatenate(parts) for parts in zip(*found, strict=True))
    return Boundaries(con, V, PN)


def dummies(items: int) -> int:
    """The number of dummies that hide so many real items."""
    return items + LEAST_DUMMIES


def ask_helper(party: Party, step: Shared, lasting: str = LASTING_NAME) -> Shared:
    """[step != 0] [ppAURORA, Alg. 3]: 2 hops, 80 bytes an element, 40 kB for the dummies."""
    party.step()
    items = len(step)
    if items == 0:
        return step
    total = items + dummies(items)
    if party.is_helper:
        party.end_round()
        for part in blocks(total, _PIECE):
            length = part.stop - part.start
            first, second = (
                party.receive(proxy, Kind.TELL, TOKEN_WORDS * length).reshape(length, TOKEN_WORDS)
                for proxy in PROXIES
            )
            party.deal(add=[differ(first, second)])
        party.end_round()
        return Shared.absent(items)
    common = party.common(party.unique_name("ties"))
    key = common.words(KEY_BYTES // 8).tobytes()
    values = hidden(party, step.words, lasting)
    order = common.permutation(total)
    sent = tokens(key, values[order])
    for part in blocks(total, _PIECE):
        party.send(Role.HELPER, Kind.TELL, sent[part].reshape(-1))
    # one round to the helper, and one back
    party.end_round()
    party.end_round()
    con = np.empty(total, np.uint64)
    for part in blocks(total, _PIECE):
        [con[order[part]]] = party.dealt((part.stop - part.start,))
    return Shared.from_words(party.role, con[:items])


def hidden(party: Party, step: Words, lasting: str = LASTING_NAME) -> Words:
    """This proxy's values: the real ones, then dummies, the first u of which are equal."""
    dummy = np.zeros(dummies(step.size), np.uint64)
    if party.role is Role.P0:
        # -share of P0 equals the share of P1 if and only if the difference is 0
        return np.concatenate([np.negative(step), dummy])
    dummy[equal_dummies(party.lasting(lasting), dummy.size) :] = 1
    return np.concatenate([step, dummy])


def equal_dummies(lasting: Stream, count: int) -> int:
    """u, uniform on 0 .. count up to 2^-40, from the lasting stream of P1."""
    return int(lasting.words(1)[0]) % (count + 1)


def tokens(key: bytes, values: Words) -> Words:
    """AES of (place, value), shape (n, 2)."""
    plain = np.empty((values.size, TOKEN_WORDS), np.uint64)
    plain[:, 0] = np.arange(values.size)
    plain[:, 1] = values
    encryptor = Cipher(AES(key), ECB()).encryptor()
    return np.frombuffer(encryptor.update(plain.tobytes()), np.uint64).reshape(plain.shape)


def differ(first: Words, second: Words) -> Words:
    """1 where two tokens differ."""
    unequal: Words = np.any(first != second, axis=1).astype(np.uint64)
    return unequal
