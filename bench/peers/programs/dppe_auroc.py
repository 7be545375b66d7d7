"""AUROC with ties by DPPE-AUC (PP-AUC): stations, and an aggregator, with a key in two parts.

Computes what ppAURORA computes, from the same 64-bit keys (2 * code(score) + label), by the steps
of M. de Arruda Botelho et al., PLOS Digital Health 4 (11), 2025, and of the authors' program:

- Stations obscure their scores by one secret increasing map, and encrypt them for the aggregator.
  They encrypt label and flag of each row for a key that nobody has whole, and add rows of flag 0.
- The aggregator sorts the rows, sums labels and flags under encryption, multiplies the sums by a
  and b, masks them, and decrypts by its part of the key.
- A station decrypts by the other part: 2abN and 2abD, of which N / D is the AUROC.

Cheaper than the authors' program: one token for a column of scores, not one for each; the masks of
the sum N3 are added in the clear, and the sum is encrypted anew once. The map is on whole numbers,
so that all 64 bits count, where theirs is on numbers of 32 bits. A ciphertext's random exponent is
below n/4, as its scheme asks; with `short` in the plan it is below 2^14, as in the authors'
`demo-train/paillier.py`, and then anybody finds a label by trying.

Leaks to the aggregator the order of all rows, their ties, and the scores up to one factor, and to
the station that opens sums under masks of 17 bits.

Run as `dppe_auroc.py keys PLAN`, `draw PLAN`, `station PLAN OWNER`, `aggregate PLAN`, `open PLAN`;
a message is a file. All but the first print their figures as one line of JSON.
"""

from __future__ import annotations

import json
import pickle
import resource
import secrets
import sys
import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple, cast

import gmpy2
import numpy as np
import phe
from cryptography.fernet import Fernet
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from gmpy2 import mpz

MODULUS_BITS = 3072
LARGEST_MASK = 100_000
SHORT = 1 << 14
ROWS_A_FAKE = 10
OAEP = padding.OAEP(padding.MGF1(hashes.SHA256()), hashes.SHA256(), None)


class Ciphertext(NamedTuple):
    """g^r and h^r * (1 + m*n), both modulo n^2 [Bresson, Catalano, Pointcheval 2003]."""

    left: mpz
    right: mpz


class SummingKey(NamedTuple):
    """The modulus n, g, h = g^x modulo n^2, and a bound of the random exponents."""

    n: mpz
    g: mpz
    h: mpz
    exponents: mpz

    @property
    def square(self) -> mpz:
        return self.n * self.n

    def encrypt(self, plain: int) -> Ciphertext:
        # (g^r, h^r * (1 + m*n)) mod n^2
        r = mpz(secrets.randbelow(int(self.exponents) - 1) + 1)
        masked = gmpy2.powmod(self.h, r, self.square)
        return Ciphertext(
            gmpy2.powmod(self.g, r, self.square), masked * (1 + plain * self.n) % self.square
        )

    def zero(self) -> Ciphertext:
        """0, not encrypted, with which a sum begins."""
        return Ciphertext(mpz(1), mpz(1))

    def add(self, a: Ciphertext, b: Ciphertext) -> Ciphertext:
        return Ciphertext(a.left * b.left % self.square, a.right * b.right % self.square)

    def subtract(self, a: Ciphertext, b: Ciphertext) -> Ciphertext:
        inverse = Ciphertext(*(gmpy2.invert(part, self.square) for part in b))
        return self.add(a, inverse)

    def multiply(self, a: Ciphertext, factor: int) -> Ciphertext:
        return Ciphertext(*(gmpy2.powmod(part, factor, self.square) for part in a))

    def add_plain(self, a: Ciphertext, plain: int) -> Ciphertext:
        return Ciphertext(a.left, a.right * (1 + plain * self.n) % self.square)

    def partly_decrypted(self, a: Ciphertext, part: mpz) -> Ciphertext:
        # right / left^part
        taken = gmpy2.invert(gmpy2.powmod(a.left, part, self.square), self.square)
        return Ciphertext(a.left, a.right * taken % self.square)

    def decrypted(self, a: Ciphertext, part: mpz) -> int:
        """The plaintext, by the last part of the key."""
        return int((self.partly_decrypted(a, part).right - 1) // self.n)


def keys(plan: dict[str, Any]) -> None:
    """The keys, made beforehand: two parts of the common one, the stations', the aggregator's."""
    count = len(lists_of(plan))
    n = mpz(phe.generate_paillier_keypair(n_length=MODULUS_BITS)[0].n)
    square = n * n
    # g = a^(2n), of the order that hides x
    g = gmpy2.powmod(mpz(secrets.randbelow(int(square) - 1) + 1), 2 * n, square)
    x = secrets.randbelow(int(square // 2) - 1) + 1
    first = secrets.randbelow(x - 1) + 1
    stations = [phe.generate_paillier_keypair(n_length=MODULUS_BITS) for _ in range(count)]
    own = rsa.generate_private_key(public_exponent=65537, key_size=MODULUS_BITS)
    own_pem = own.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    public_pem = own.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    exponents = mpz(SHORT) if plan.get("short") else n // 4
    public = [int(part) for part in SummingKey(n, g, gmpy2.powmod(g, x, square), exponents)]
    send(plan, "public", (public, public_pem, [int(key.n) for key, _ in stations]))
    send(plan, "aggregator", (first, own_pem))
    send(plan, "opening", x - first)
    for owner, (_, private) in enumerate(stations):
        send(plan, f"station{owner}", (int(private.p), int(private.q)))


def draw(plan: dict[str, Any]) -> int:
    """The first station's factor of the map, for each station by the station's key."""
    _, _, moduli = received(plan, "public")
    factor = LARGEST_MASK // 5 + secrets.randbelow(LARGEST_MASK - LARGEST_MASK // 5 + 1)
    encrypted = [phe.PaillierPublicKey(n).raw_encrypt(factor) for n in moduli]
    return send(plan, "factors", encrypted)


def station(plan: dict[str, Any], owner: int) -> int:
    """One owner's rows, with false ones among them: obscured scores, labels and flags."""
    public, public_pem, moduli = received(plan, "public")
    encrypted = received(plan, "factors")[owner]
    private = phe.PaillierPrivateKey(
        phe.PaillierPublicKey(moduli[owner]), *received(plan, f"station{owner}")
    )
    factor = private.raw_decrypt(encrypted)
    rows = with_fakes([(int(key) >> 1, int(key) & 1, 1) for key in lists_of(plan)[owner]])
    secret = Fernet.generate_key()
    column = json.dumps([obscured(score, factor) for score, _, _ in rows]).encode()
    key = SummingKey(*map(mpz, public))
    table = [(key.encrypt(label), key.encrypt(flag)) for _, label, flag in rows]
    aggregator = cast("rsa.RSAPublicKey", serialization.load_pem_public_key(public_pem))
    wrapped = aggregator.encrypt(secret, OAEP)
    return send(plan, f"table{owner}", (wrapped, Fernet(secret).encrypt(column), as_words(table)))


def with_fakes(rows: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """The rows in a random order, with false ones at their scores, whose label and flag are 0."""
    fakes = [(secrets.choice(rows)[0], 0, 0) for _ in range(-(-len(rows) // ROWS_A_FAKE))]
    both = rows + fakes
    secrets.SystemRandom().shuffle(both)
    return both


def obscured(score: int, factor: int) -> int:
    """The score, by a map that increases strictly: factor * score + (10000 * score mod factor)."""
    return factor * score + 10_000 * score % factor


def aggregate(plan: dict[str, Any]) -> int:
    """The masked sums, decrypted by the first part of the key."""
    public, _, moduli = received(plan, "public")
    part, own_pem = received(plan, "aggregator")
    key = SummingKey(*map(mpz, public))
    own = cast("rsa.RSAPrivateKey", serialization.load_pem_private_key(own_pem, None))
    rows = []
    for owner in range(len(moduli)):
        wrapped, column, table = received(plan, f"table{owner}")
        scores = json.loads(Fernet(own.decrypt(wrapped, OAEP)).decrypt(column))
        rows += [(score, *pair) for score, pair in zip(scores, as_ciphertexts(table), strict=True)]
    rows.sort(key=lambda row: row[0], reverse=True)

    # TP and FP = flags - TP behind each group of ties, all under encryption
    positives = flags = key.zero()
    points = [(positives, key.zero())]
    for place, (score, label, flag) in enumerate(rows):
        positives, flags = key.add(positives, label), key.add(flags, flag)
        if place + 1 == len(rows) or rows[place + 1][0] != score:
            points.append((positives, key.subtract(flags, positives)))

    a, b = mask(), mask()
    opened = []
    total = key.encrypt(0)
    for (tp_before, fp_before), (tp, fp) in pairwise(points):
        left = key.multiply(key.add(tp, tp_before), a)
        right = key.multiply(key.subtract(fp, fp_before), b)
        masked, total = masked_product(key, left, right, total)
        opened.append([key.partly_decrypted(value, part) for value in masked])
    tp, fp = points[-1]
    masked, rest = masked_product(key, key.multiply(tp, a), key.multiply(fp, b), key.encrypt(0))
    denominator = [key.partly_decrypted(value, part) for value in (*masked, rest)]
    numerator = key.partly_decrypted(total, part)
    sent = as_words(opened), as_words([denominator]), as_words([[numerator]])
    return send(plan, "sums", sent)


def masked_product(
    key: SummingKey, left: Ciphertext, right: Ciphertext, total: Ciphertext
) -> tuple[list[Ciphertext], Ciphertext]:
    """left + r and right + s, encrypted anew; and to the total what (left + r)(right + s) has
    beyond left * right: s*left + r*right + r*s.
    """
    r, s = mask(), mask()
    beyond = key.add(key.multiply(left, s), key.multiply(right, r))
    masked = [key.add(left, key.encrypt(r)), key.add(right, key.encrypt(s))]
    return masked, key.add_plain(key.add(total, beyond), r * s)


def open_result(plan: dict[str, Any]) -> list[int]:
    """2abN and 2abD by the second part of the key, at one station."""
    part = mpz(received(plan, "opening"))
    key = SummingKey(*map(mpz, received(plan, "public")[0]))
    opened, denominator, numerator = (as_ciphertexts(words) for words in received(plan, "sums"))
    products = key.zero()
    for left, right in opened:
        products = key.add(products, key.multiply(right, key.decrypted(left, part)))
    top = key.decrypted(key.subtract(products, numerator[0][0]), part)
    tp, fp, beyond = (key.decrypted(value, part) for value in denominator[0])
    return [top, 2 * (tp * fp - beyond)]


def mask() -> int:
    """A random number up to the largest that the authors' program draws."""
    return 1 + secrets.randbelow(LARGEST_MASK)


def as_words(table: Sequence[Sequence[Ciphertext]]) -> list[list[tuple[bytes, ...]]]:
    """Ciphertexts as a message carries them."""
    return [[tuple(gmpy2.to_binary(part) for part in value) for value in row] for row in table]


def as_ciphertexts(words: Sequence[Sequence[tuple[bytes, ...]]]) -> list[list[Ciphertext]]:
    """The ciphertexts of a message."""
    return [[Ciphertext(*map(gmpy2.from_binary, value)) for value in row] for row in words]


def lists_of(plan: dict[str, Any]) -> list[Any]:
    """The owners' keys."""
    with np.load(plan["data"]) as data:
        return [data[name] for name in sorted(data.files)]


def send(plan: dict[str, Any], name: str, message: Any) -> int:
    """Leave a message for another role; its length."""
    return Path(plan["folder"], name).write_bytes(pickle.dumps(message))


def received(plan: dict[str, Any], name: str) -> Any:
    """A message that another role left."""
    return pickle.loads(Path(plan["folder"], name).read_bytes())


def measured(step: Callable[[], Any]) -> None:
    """Take the step, and print its figures: what it returns is bytes sent, or the result."""
    began, cpu = time.perf_counter(), time.process_time()
    outcome = step()
    figures = {
        "seconds": time.perf_counter() - began,
        "cpu_seconds": time.process_time() - cpu,
        "bytes_sent": outcome if isinstance(outcome, int) else 0,
        "peak_bytes": 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,
        "values": outcome if isinstance(outcome, list) else None,
    }
    print(json.dumps(figures), flush=True)


def main() -> None:
    plan = json.loads(Path(sys.argv[2]).read_text())
    steps: dict[str, Callable[[], Any]] = {
        "draw": lambda: draw(plan),
        "station": lambda: station(plan, int(sys.argv[3])),
        "aggregate": lambda: aggregate(plan),
        "open": lambda: open_result(plan),
    }
    if sys.argv[1] == "keys":
        keys(plan)
    else:
        measured(steps[sys.argv[1]])


if __name__ == "__main__":
    main()
