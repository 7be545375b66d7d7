"""One upload of several parts by the real commands: three servers and four owners as processes."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from ppaurora.mpc.link.endpoint import free_ports
from ppaurora.mpc.role import Role
from ppaurora.parties.participant.prepared import Prepared
from ppaurora.parties.reports.schema import result_schema
from ppaurora.parties.study.study import Study
from ppaurora.protocols.lists.outsourcing import WordShare
from tests.parties.world import World, csv, generated, pooled

pytestmark = pytest.mark.zeromq
METRICS = (
    "auroc_ci",
    "average_precision",
    "aupr",
    "confusion:at=0.3",
    "calibration",
    "brier",
    "net_benefit:at=0.1/0.2",
)
OWNERS = ("ann", "ben", "cleo", "dora")


def one_positive_more(honest: Prepared) -> Prepared:
    """The upload of an owner whose list has a positive more than its sums."""
    share = honest.shares[Role.P1]
    assert isinstance(share, WordShare)
    words = share.words().copy()
    # of two equal scores a positive stands first, so the lowest key may become one
    words[honest.samples - 1] += np.uint64(1)
    return replace(honest, shares={**honest.shares, Role.P1: replace(share, share=words)})


def test_all_of_a_study_is_in_one_upload_and_one_result_without_the_owner_who_lied(
    tmp_path: Path,
) -> None:
    with World(tmp_path, OWNERS) as world:
        (tmp_path / "study.toml").unlink()
        ports = free_ports(3)
        asked = (
            "study", "new", "study.toml", "--id=whole", "--resolution=decimals:2",
            f"--p0=127.0.0.1:{ports[0]}=P0.key.pub",
            f"--p1=127.0.0.1:{ports[1]}=P1.key.pub",
            f"--helper=127.0.0.1:{ports[2]}=helper.key.pub",
            *(f"--owner={name}={name}.key.pub" for name in OWNERS),
        )  # fmt: skip
        written = world.run(*asked, *(f"--metric={text}" for text in METRICS))
        assert written.returncode == 0, written.stderr
        assert "with as few samples as its rule allows: Receivers can work out" in written.stderr
        explained = world.run("study", "check", "study.toml", "--explain").stderr
        assert "at least 5 samples of each class lie between any two thresholds" in explained
        study = Study.load(tmp_path / "study.toml")
        assert (study.options.resolution, study.options.table) == ("decimals:2", "sorted")
        shown = world.run("study", "show", "study.toml").stdout
        assert "with equally many positives in each of 2 parts" in " ".join(shown.split())

        world.start()
        tables = []
        for place, name in enumerate(OWNERS):
            tables.append(generated(101 + 37 * place, seed=100 + place))
            (tmp_path / f"{name}.csv").write_text(csv(tables[-1]))
        for name in OWNERS[:-1]:
            sent = world.outsource(name)
            assert sent.returncode == 0, sent.stderr
            # half a word a row; counts of 11 cells, three words for 8 sums of scores and one
            rows, words = 101 + 37 * OWNERS.index(name), 22 + 24 + 3
            assert f"{4 * rows + 8 * words} bytes, masked" in sent.stderr
        with world.owner("dora") as dora:
            dora.send(one_positive_more(dora.prepare(tables[-1])))
        fetched = world.run("result", "--site=ann.toml", "--wait=30", "--format=json")
        assert fetched.returncode == 0, fetched.stderr
        document = json.loads(fetched.stdout)
        Draft202012Validator(result_schema()).validate(document)
        expected = {name: one.to_json() for name, one in pooled(study, tables[:-1]).items()}
        assert document["values"] == expected
        assert document["refused"] == ["dora"]
        assert document["samples"] == sum(map(len, tables[:-1]))
        assert document["options"]["scores"]["range"] == [0, 1]
        table = world.run("result", "--site=ben.toml")
        assert str(expected["auroc_ci"]["value"]) in table.stdout
        assert "the list of dora was unsound" in table.stdout
