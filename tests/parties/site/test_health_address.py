"""A server tells how it is at a loopback address or nowhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from ppaurora.parties.errors import ConfigurationError
from ppaurora.parties.site.health_address import health_address_in
from ppaurora.parties.site.site import Site

TEXT = 'key = "k"\nstudies = ["s.toml"]\n'


def written(folder: Path, text: str) -> Path:
    path = folder / "site.toml"
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("127.0.0.1:9100", ("127.0.0.1", 9100)),
        ("127.9.8.7:1", ("127.9.8.7", 1)),
        ("[::1]:9100", ("::1", 9100)),
    ],
)
def test_the_server_and_a_probe_read_the_same_address(
    tmp_path: Path, text: str, place: tuple[str, int]
) -> None:
    path = written(tmp_path, f'{TEXT}[server]\nhealth = "{text}"\n')
    assert Site.load(path).server.health == health_address_in(path) == place


@pytest.mark.parametrize(
    "text",
    ["0.0.0.0:9100", "[::]:9100", "10.0.0.1:9100", "localhost:9100", "127.0.0.1", "127.0.0.1:0"],
)
def test_an_address_that_others_may_reach_is_refused(tmp_path: Path, text: str) -> None:
    path = written(tmp_path, f'{TEXT}[server]\nhealth = "{text}"\n')
    for read in (Site.load, health_address_in):
        with pytest.raises(ConfigurationError, match=r"server\.health must be a loopback address"):
            read(path)


def test_it_is_off_unless_the_site_file_says_where(tmp_path: Path) -> None:
    path = written(tmp_path, TEXT)
    assert Site.load(path).server.health is None
    with pytest.raises(ConfigurationError, match="does not say where") as caught:
        health_address_in(path)
    assert 'health = "127.0.0.1:9100"' in caught.value.advice
