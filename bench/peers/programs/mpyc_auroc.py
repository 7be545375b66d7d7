"""AUROC with ties by MPyC: three parties, Shamir sharing, 64-bit integers, in MPyC's environment.

Computes what ppAURORA computes, from the same keys (2 * code(score) + label). Programs:
- `merge`: the owners' sorted lists merged by a bitonic network on secure arrays, written for this
  comparison;
- `sort`: the pooled keys through MPyC's own `np_sort`.
Leaks the numerator and the denominator of the AUROC: kinder than the other side.

Run by each party as `mpyc_auroc.py PLAN -M3 -I RANK`; prints its figures as one line of JSON.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from mpyc.runtime import mpc

KEY_BITS = 64
PAD = -1


def bitonic(left: Any, right: Any) -> Any:
    """One descending list, padding, the other one ascending: a power of two in all."""
    total = len(left) + len(right)
    padding = (1 << (total - 1).bit_length()) - total
    parts = [left, right[::-1]]
    if padding:
        parts.insert(1, type(left)(np.full(padding, PAD)))
    return mpc.np_concatenate(parts)


def merge(sequence: Any) -> Any:
    """A bitonic sequence, sorted descending."""
    distance = len(sequence) // 2
    while distance >= 1:
        blocks = sequence.reshape((-1, 2, distance))
        left, right = blocks[:, 0], blocks[:, 1]
        larger = mpc.np_maximum(left, right)
        sequence = mpc.np_stack([larger, left + right - larger], axis=1).reshape((-1,))
        distance //= 2
    return sequence


def merge_all(lists: list[Any]) -> Any:
    while len(lists) > 1:
        odd = lists[-1:] if len(lists) % 2 else []
        pairs = zip(lists[::2], lists[1::2], strict=False)
        lists = odd + [merge(bitonic(a, b))[: len(a) + len(b)] for a, b in pairs]
    return lists[0]


def statistic(keys: Any) -> tuple[Any, Any]:
    """2U and 2PN of sorted keys: U = sum over negatives of (TP_j + B_j) / 2."""
    n = len(keys)
    label = mpc.np_to_bits(keys, 1)[:, 0]
    score = keys - label
    positives = mpc.np_cumsum(label)
    same = score[1:] == score[:-1]
    # B_j: the positives before j's tie group, carried forward by doubling.
    first = type(keys)(np.ones(1, dtype=object))
    flag = mpc.np_concatenate([first, 1 - same])
    before = flag * (positives - label)
    reach = 1
    while reach < n:
        carried = before[reach:] + (1 - flag[reach:]) * before[:-reach]
        joined = flag[reach:] + (1 - flag[reach:]) * flag[:-reach]
        before = mpc.np_concatenate([before[:reach], carried])
        flag = mpc.np_concatenate([flag[:reach], joined])
        reach *= 2
    numerator = mpc.np_sum((1 - label) * (positives + before))
    total = positives[-1]
    return numerator, 2 * total * (n - total)


async def main() -> None:
    plan = json.loads(Path(sys.argv[1]).read_text())
    secure = mpc.SecInt(KEY_BITS)
    with np.load(plan["data"]) as data:
        lists = [data[name] for name in sorted(data.files)]
    await mpc.start()
    # Owners' lists come in as the inputs of the three parties in turn.
    owned = [
        mpc.input(secure.array(keys.astype(object)), senders=place % 3)
        for place, keys in enumerate(lists)
    ]
    for keys in owned:
        await mpc.gather(keys)
    await mpc.barrier("inputs")
    began, cpu, sent = time.perf_counter(), cpu_seconds(), bytes_sent()
    if plan["program"] == "sort":
        keys = mpc.np_sort(mpc.np_concatenate(owned))[::-1]
    else:
        keys = merge_all(owned)
    values = [int(await mpc.output(value)) for value in statistic(keys)]
    figures = {
        "seconds": time.perf_counter() - began,
        "cpu_seconds": cpu_seconds() - cpu,
        "bytes_sent": bytes_sent() - sent,
        "peak_bytes": 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,
        "values": values,
    }
    await mpc.shutdown()
    print(json.dumps(figures), flush=True)


def bytes_sent() -> int:
    """The bytes that this party sent to the two others."""
    return sum(peer.protocol.nbytes_sent for peer in mpc.parties if peer.pid != mpc.pid)


def cpu_seconds() -> float:
    """User and system time of this process, all threads."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    mpc.run(main())
