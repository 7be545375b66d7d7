"""First difference of shared digits, told to a third party in one message from each proxy.

Two numbers are compared digit by digit, the most significant first. Of each digit i of k the two
proxies hold shares over F2 of

    e_i = [equal there]        l_i = [less there],

and a third party, here the helper, shall learn

    f = l_0 + e_0·(l_1 + e_1·(l_2 + ... e_(k-2)·l_(k-1)))

and nothing else. It is a randomized encoding [Ishai, Kushilevitz, Randomizing polynomials, FOCS
2000], sent as in private simultaneous messages [Feige, Kilian, Naor, STOC 1994]. f is the
determinant over F2 of the k x k matrix

        e_0             l_0
         1   e_1        l_1
             1    ...   ...
                   1  l_(k-1)          and 0 elsewhere.

The proxies draw, from a stream that only they share, a matrix R with ones on its diagonal and
random bits above it, a matrix C that is the unit matrix but for random bits above the last one of
its last column, and random bits Z. N = R·M·C has ones below its diagonal and zeros below these, as
M has, and the same determinant. Each entry of N is a sum of terms with one e or l each, so that
each proxy computes a share of N from its own shares of these. With the constant terms at P0,

    P0  sends  N0 + Z        P1  sends  N1 + Z.

The helper adds up N and takes the determinant, and N tells it nothing else. No two pairs (R, C)
lead from M to the same N: each column of N but the last gives the next column of R, and the last
one, from its end upwards, the bits of C. There are as many pairs as matrices of the form of N with
the determinant of M, 2^(k(k+1)/2 - 1), so that N is uniform among these, whatever M was. The
messages are uniform among those whose sum is N. All this holds by the bits of R, C and Z alone, for
a helper that knows everything else of the shares, too.

Whoever deviates: the proxies receive nothing. A helper that has dealt other shares, or a proxy that
sends another message, has another question about the same digits answered, by one bit.

k(k+1)/2 bits from each proxy, which receives nothing. All arrays are bit-sliced planes, as in
`ppaurora.mpc.gates`: the last axis holds words, each bit of them another comparison.
"""

from __future__ import annotations

import numpy as np

from ppaurora.mpc.gates import ALL_ONES
from ppaurora.mpc.role import Role
from ppaurora.mpc.words import Words


def message_planes(digits: int) -> int:
    """The planes that a proxy sends: the entries of N on and above the diagonal.

    >>> message_planes(12)
    78
    """
    return digits * (digits + 1) // 2


def random_planes(digits: int) -> int:
    """The planes that the proxies draw together: those of R, of C, and of Z.

    >>> random_planes(12)
    155
    """
    return digits * (digits - 1) // 2 + digits - 1 + message_planes(digits)


def encoded(role: Role, equal: Words, less: Words, random: Words) -> Words:
    """This proxy's message, (k(k+1)/2, m), of its shares of e, at least (k - 1, m), and l, (k, m).

    N comes column by column, each from the top to the diagonal.
    """
    k, m = less.shape
    own = role is Role.P0
    above = k * (k - 1) // 2
    # column j of R: random bits above the diagonal's one
    R = [
        np.concatenate([random[j * (j - 1) // 2 :][:j], np.full((1, m), ALL_ONES, np.uint64)])
        for j in range(k)
    ]
    C = random[above : above + k - 1]
    out = random[above + k - 1 :].copy()
    last = out[message_planes(k - 1) :]
    start = 0
    for j in range(k - 1):
        # N_ij = R_ij·e_j + R_i(j+1)·1
        N = R[j] & equal[j]
        if own:
            N ^= R[j + 1][: j + 1]
        out[start : start + j + 1] ^= N
        start += j + 1
        # the last column is that of R·M and, for each column before it, that times its bit of C
        N &= C[j]
        last[: j + 1] ^= N
        if own:
            last[j + 1] ^= C[j]
    for j in range(k):
        last[: j + 1] ^= R[j] & less[j]
    return out


def decoded(digits: int, first: Words, second: Words) -> Words:
    """f, one plane, of the two messages: the determinant of their sum."""
    N = first ^ second
    # those of the upper left corners, each by the last column of the next
    minors = np.empty((digits + 1, N.shape[1]), np.uint64)
    minors[0] = ALL_ONES
    start = 0
    for j in range(digits):
        column = N[start : start + j + 1]
        minors[j + 1] = np.bitwise_xor.reduce(column & minors[: j + 1], axis=0)
        start += j + 1
    value: Words = minors[digits]
    return value
