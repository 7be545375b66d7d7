"""AUROC with ties by SPU (SecretFlow): three processes, ABY3 over Z_2^64, in SPU's own environment.

Computes what ppAURORA computes, from the same 64-bit keys (2 * code(score) + label). Programs:
- `merge`: the owners' sorted lists merged by a bitonic network, written for this comparison;
- `sort`: the pooled keys through SPU's own sort;
- `metric`: SPU's own `roc_auc_score` (package sf-sml), on scores in fixed point.
Leaks the numerator and the denominator of the AUROC (`merge`, `sort`): kinder than the other side.

Run as `spu_auroc.py share PLAN` by the owners, then as `spu_auroc.py run PLAN RANK` by each party.
"""

from __future__ import annotations

import json
import os
import pickle
import resource
import sys
import time
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from spu import Io, Runtime, libspu
from spu.utils import frontend

jax.config.update("jax_enable_x64", True)

PARTIES = 3
LEAVING_SECONDS = 60.0
PAD = -1


def cumulative_sum(x: Any) -> Any:
    """Prefix sums by doubling: additions only, where SPU's own takes quadratic memory."""
    reach = 1
    while reach < x.shape[0]:
        x = x + jnp.concatenate([jnp.zeros(reach, x.dtype), x[:-reach]])
        reach *= 2
    return x


def merge(pairs: Any) -> Any:
    """Rows of bitonic sequences, each sorted descending."""
    count, length = pairs.shape
    distance = length // 2
    while distance >= 1:
        blocks = pairs.reshape(count, -1, 2, distance)
        left, right = blocks[:, :, 0], blocks[:, :, 1]
        larger = jnp.maximum(left, right)
        pairs = jnp.stack([larger, left + right - larger], axis=2).reshape(count, length)
        distance //= 2
    return pairs


def bitonic(left: Any, right: Any) -> Any:
    """One descending list, padding, the other one ascending: a power of two in all."""
    total = left.shape[0] + right.shape[0]
    padding = jnp.full((1 << (total - 1).bit_length()) - total, PAD, left.dtype)
    return jnp.concatenate([left, padding, right[::-1]])


def merge_all(lists: list[Any]) -> Any:
    """Level by level; merges of equal length in one batch."""
    while len(lists) > 1:
        odd = lists[-1:] if len(lists) % 2 else []
        pairs = list(zip(lists[::2], lists[1::2], strict=False))
        totals = [left.shape[0] + right.shape[0] for left, right in pairs]
        rows = [bitonic(left, right) for left, right in pairs]
        merged: list[Any] = []
        if len({row.shape[0] for row in rows}) == 1:
            table = merge(jnp.stack(rows))
            merged = [table[place, :total] for place, total in enumerate(totals)]
        else:
            merged = [
                merge(row.reshape(1, -1))[0, :total]
                for row, total in zip(rows, totals, strict=True)
            ]
        lists = odd + merged
    return lists[0]


def statistic(keys: Any) -> tuple[Any, Any]:
    """2U and 2PN of sorted keys: U = sum over negatives of (TP_j + B_j) / 2."""
    label = keys & 1
    score = keys - label
    positives = cumulative_sum(label)
    starts = (score[1:] != score[:-1]).astype(jnp.int64)
    starts = jnp.concatenate([jnp.ones(1, jnp.int64), starts])

    def carry(left: Any, right: Any) -> Any:
        flag = left[0] + right[0] - left[0] * right[0]
        return flag, left[1] + right[0] * (right[1] - left[1])

    _, before = jax.lax.associative_scan(carry, (starts, starts * (positives - label)))
    numerator = jnp.sum((1 - label) * (positives + before))
    total = positives[-1]
    return numerator, 2 * total * (keys.shape[0] - total)


def by_merge(*lists: Any) -> Any:
    return statistic(merge_all(list(lists)))


def by_sort(*lists: Any) -> Any:
    return statistic(jax.lax.sort(jnp.concatenate(lists))[::-1])


def by_metric(scores: Any, labels: Any) -> Any:
    from sml.metrics.classification.classification import roc_auc_score

    return roc_auc_score(labels, scores)


PROGRAMS = {"merge": by_merge, "sort": by_sort, "metric": by_metric}


def configuration(plan: dict[str, Any], rank: int) -> Any:
    config = libspu.RuntimeConfig(protocol=libspu.ProtocolKind.ABY3, field=libspu.FieldType.FM64)
    methods = libspu.RuntimeConfig.SortMethod
    config.sort_method = getattr(methods, plan.get("sort_method", "SORT_DEFAULT"))
    config.enable_pphlo_profile = rank >= 0
    return config


def inputs(plan: dict[str, Any]) -> list[Any]:
    """The owners' inputs: their sorted keys; for SPU's metric pooled scores and labels."""
    with np.load(plan["data"]) as data:
        lists = [data[name] for name in sorted(data.files)]
    if plan["program"] != "metric":
        return lists
    keys = np.concatenate(lists)
    return [(keys >> 1).view(np.float64), (keys & 1).astype(np.float64)]


def share(plan: dict[str, Any]) -> None:
    """The owners' part: one file of shares for each party."""
    io = Io(PARTIES, configuration(plan, -1))
    shared = [io.make_shares(x, libspu.Visibility.VIS_SECRET) for x in inputs(plan)]
    for rank in range(PARTIES):
        parts = [(part[rank].meta, list(part[rank].share_chunks)) for part in shared]
        Path(plan["shares"], f"{rank}.in").write_bytes(pickle.dumps(parts))


def open_link(plan: dict[str, Any], rank: int) -> Any:
    description = libspu.link.Desc()
    description.recv_timeout_ms = 3_600_000
    description.http_timeout_ms = 600_000
    description.connect_retry_times = 100
    description.connect_retry_interval_ms = 100
    if plan.get("tls"):
        tls = plan["tls"]
        description.enable_ssl = True
        for options in (description.client_ssl_opts, description.server_ssl_opts):
            options.cert.certificate_path = tls["certificate"]
            options.cert.private_key_path = tls["key"]
            options.verify.ca_file_path = tls["certificate"]
            options.verify.verify_depth = 1
    for place, address in enumerate(plan["addresses"]):
        description.add_party(f"party{place}", address)
    return libspu.link.create_brpc(description, rank)


def run(plan: dict[str, Any], rank: int) -> None:
    """One party's part; prints its figures as one line of JSON."""
    values = inputs(plan)
    names = [f"in{place}" for place in range(len(values))]
    began = time.perf_counter()
    executable, _ = frontend.compile(
        frontend.Kind.JAX,
        PROGRAMS[plan["program"]],
        values,
        {},
        names,
        [libspu.Visibility.VIS_SECRET] * len(values),
        lambda flat: [f"out{place}" for place in range(len(flat))],
    )
    compiled = time.perf_counter() - began
    link = open_link(plan, rank)
    runtime = Runtime(link, configuration(plan, rank))
    parts = pickle.loads(Path(plan["shares"], f"{rank}.in").read_bytes())
    for name, (meta, chunks) in zip(names, parts, strict=True):
        part = libspu.Share()
        part.meta, part.share_chunks = meta, chunks
        runtime.set_var(name, part)
    link.barrier()
    began, cpu = time.perf_counter(), cpu_seconds()
    runtime.run(executable)
    seconds, cpu = time.perf_counter() - began, cpu_seconds() - cpu
    outputs = [runtime.get_var(name) for name in executable.output_names]
    pickled = pickle.dumps([(part.meta, list(part.share_chunks)) for part in outputs])
    Path(plan["shares"], f"{rank}.out").write_bytes(pickled)
    link.barrier()
    figures = {
        "seconds": seconds,
        "cpu_seconds": cpu,
        "compile_seconds": compiled,
        "peak_bytes": 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,
        "values": opened(plan) if rank == 0 else None,
    }
    print(json.dumps(figures), flush=True)
    leave(plan, rank)


def leave(plan: dict[str, Any], rank: int) -> None:
    """End this process when all parties are as far, without a word over the links.

    A link that is closed waits for the other side's answer, and fails if that side has gone.
    """
    Path(plan["shares"], f"{rank}.done").touch()
    until = time.monotonic() + LEAVING_SECONDS
    while time.monotonic() < until and not all(
        Path(plan["shares"], f"{other}.done").exists() for other in range(PARTIES)
    ):
        time.sleep(0.05)
    os._exit(0)


def opened(plan: dict[str, Any]) -> list[float]:
    """The result, put together from the three parties' files."""
    parties = []
    for rank in range(PARTIES):
        shares = []
        for meta, chunks in pickle.loads(Path(plan["shares"], f"{rank}.out").read_bytes()):
            part = libspu.Share()
            part.meta, part.share_chunks = meta, chunks
            shares.append(part)
        parties.append(shares)
    io = Io(PARTIES, configuration(plan, -1))
    return [io.reconstruct(list(parts)).item() for parts in zip(*parties, strict=True)]


def cpu_seconds() -> float:
    """User and system time of this process, all threads."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def main() -> None:
    plan = json.loads(Path(sys.argv[2]).read_text())
    if sys.argv[1] == "share":
        share(plan)
    else:
        run(plan, int(sys.argv[3]))


if __name__ == "__main__":
    main()
