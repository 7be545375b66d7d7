"""A cable with a delay, in user space: three TUN devices and one process that carries packets.

For kernels that have network namespaces but no `netem`. Real TCP runs over it, with its windows
and acknowledgements; only the delay and the pace of each packet are made here. The devices belong
to this process and vanish with it.
"""

from __future__ import annotations

import ctypes
import fcntl
import heapq
import json
import os
import select
import struct
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

TUN_DEVICE = Path("/dev/net/tun")
TUNSETIFF, TUNSETOFFLOAD = 0x400454CA, 0x400454D0
IFF_TUN, IFF_NO_PI, IFF_VNET_HDR = 0x0001, 0x1000, 0x4000
TUN_F_CSUM, TUN_F_TSO4 = 0x01, 0x02
CLONE_NEWNET = 0x40000000
PR_SET_PDEATHSIG, PR_SET_TIMERSLACK = 1, 29
OFFLOAD_HEADER_BYTES = 10
DESTINATION = slice(OFFLOAD_HEADER_BYTES + 16, OFFLOAD_HEADER_BYTES + 20)
LARGEST_PACKET = 1 << 17
# What a wake-up and a device's write take; measured, and taken off each packet's delay.
WAKE_UP_SECONDS = 50e-6

_libc = ctypes.CDLL(None, use_errno=True)


class Packet(NamedTuple):
    """A packet under way: when it is due, a tie-breaking number, where to, and what."""

    due: float
    number: int
    device: int
    data: bytes


def die_with_parent() -> None:
    """Ask the kernel to end this process as soon as the one that started it is gone."""
    _libc.prctl(PR_SET_PDEATHSIG, 9, 0, 0, 0)


def open_device(namespace: str, address: str) -> int:
    """A TUN device named `eth0` inside the network namespace, up, with the address; its file."""
    here = os.open("/proc/self/ns/net", os.O_RDONLY)
    there = os.open(f"/run/netns/{namespace}", os.O_RDONLY)
    try:
        if _libc.setns(there, CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), "cannot enter the network namespace")
        try:
            device = os.open(TUN_DEVICE, os.O_RDWR | os.O_NONBLOCK)
            flags = IFF_TUN | IFF_NO_PI | IFF_VNET_HDR
            fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH22x", b"eth0", flags))
            fcntl.ioctl(device, TUNSETOFFLOAD, TUN_F_CSUM | TUN_F_TSO4)
        finally:
            _libc.setns(here, CLONE_NEWNET)
    finally:
        os.close(here)
        os.close(there)
    for command in (
        ["addr", "add", f"{address}/24", "dev", "eth0"],
        ["link", "set", "eth0", "txqueuelen", "10000", "up"],
    ):
        subprocess.run(["ip", "-n", namespace, *command], check=True)
    return device


class Cable:
    """Carries packets between devices, each `delay` seconds late and no faster than the pace."""

    def __init__(self, devices: dict[bytes, int], *, delay: float, bandwidth: float | None) -> None:
        self._devices = devices
        self._delay = delay
        self._seconds_per_byte = 8 / bandwidth if bandwidth else 0.0
        self._idle_at = dict.fromkeys(devices.values(), 0.0)
        self._under_way: list[Packet] = []
        self._number = 0

    def carry(self) -> None:
        """Carry packets for ever."""
        while True:
            self.turn()

    def turn(self) -> None:
        """Wait until a packet comes or is due; take in what came, deliver what is due."""
        wait = max(0.0, self._under_way[0].due - time.monotonic()) if self._under_way else None
        ready, _, _ = select.select(list(self._idle_at), [], [], wait)
        for source in ready:
            self._take_in(source)
        self._deliver(time.monotonic())

    def _take_in(self, source: int) -> None:
        while True:
            try:
                data = os.read(source, LARGEST_PACKET)
            except BlockingIOError:
                return
            device = self._devices.get(data[DESTINATION])
            if device is None:
                continue
            departs = max(time.monotonic(), self._idle_at[source])
            departs += len(data) * self._seconds_per_byte
            self._idle_at[source] = departs
            self._number += 1
            due = departs + self._delay - WAKE_UP_SECONDS
            heapq.heappush(self._under_way, Packet(due, self._number, device, data))

    def _deliver(self, now: float) -> None:
        while self._under_way and self._under_way[0].due <= now:
            packet = heapq.heappop(self._under_way)
            try:
                os.write(packet.device, packet.data)
            except (BlockingIOError, InterruptedError):
                continue  # a full queue drops the packet, as a router does


def main() -> None:
    """Lay the cable that the JSON on the command line describes, say so, and carry packets."""
    plan = json.loads(sys.argv[1])
    die_with_parent()
    _libc.prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0)
    devices = {
        bytes(map(int, address.split("."))): open_device(namespace, address)
        for namespace, address in plan["hosts"].items()
    }
    print("ready", flush=True)
    Cable(devices, delay=plan["delay"], bandwidth=plan["bandwidth"]).carry()


if __name__ == "__main__":
    main()
