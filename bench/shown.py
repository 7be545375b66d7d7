"""A table row by row, and a network in words: how reports are shown."""

from __future__ import annotations

from collections.abc import Iterator

from rich.table import Table

from ppaurora.bench.networks.networks import Hosts


def row_by_row(table: Table) -> Iterator[Table]:
    """Each row as a table of two columns: the names, and what stands under them."""
    names = [column.header for column in table.columns]
    for cells in zip(*(column.cells for column in table.columns), strict=True):
        upright = Table(show_header=False, title=table.title)
        for name, cell in zip(names, cells, strict=True):
            upright.add_row(name, cell)
        yield upright


def described(hosts: Hosts) -> dict[str, object]:
    """The network as it stands in a report."""
    return {
        "name": hosts.network.name,
        "round_trip_seconds": hosts.network.round_trip,
        "bandwidth": hosts.network.bandwidth,
        "means": str(hosts.means),
        "refused": list(hosts.refused),
    }
