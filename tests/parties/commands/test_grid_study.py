"""A study on a grid by the real commands: three servers and three owners, each its own process."""

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
METRICS = ("auroc_bounds", "auroc_ci_binned", "confusion:at=0.5", "calibration", "brier")
OWNERS = ("ann", "ben", "cleo", "dora")


def one_count_more(honest: Prepared) -> Prepared:
    """The upload of an owner who counts somebody twice."""
    words = honest.shares[Role.P1].words().copy()
    words[:1] += np.uint64(1)
    return replace(honest, shares={**honest.shares, Role.P1: WordShare(words)})


def test_a_study_on_a_grid_has_the_pooled_result_without_the_owner_who_lied(tmp_path: Path) -> None:
    with World(tmp_path, OWNERS) as world:
        (tmp_path / "study.toml").unlink()
        ports = free_ports(3)
        asked = (
            "study", "new", "study.toml", "--id=counted", "--mode=grid", "--bins=64",
            f"--p0=127.0.0.1:{ports[0]}=P0.key.pub",
            f"--p1=127.0.0.1:{ports[1]}=P1.key.pub",
            f"--helper=127.0.0.1:{ports[2]}=helper.key.pub",
            *(f"--owner={name}={name}.key.pub" for name in OWNERS),
        )  # fmt: skip
        refused = world.run(*asked)
        assert refused.returncode == 2
        assert "Ask for auroc_bounds" in refused.stderr
        written = world.run(*asked, *(f"--metric={text}" for text in METRICS))
        assert written.returncode == 0, written.stderr
        assert (
            "a least count governs every threshold of this study: there are at least 5 samples "
            "between any two cut points that are released, in every owner's eyes "
            "(calibration:least=5)"
        ) in written.stderr
        study = Study.load(tmp_path / "study.toml")
        assert (study.options.mode, study.options.bins) == ("grid", 64)
        shown = world.run("study", "show", "study.toml").stdout
        assert "grid" in shown
        assert "made of counts that add up to the stated number of samples" in shown
        world.write_site("ann", more='[policy]\nmodes = ["exact"]\n')
        unwanted = world.run("study", "check", "study.toml", "--site=ann.toml")
        assert 'does not allow the mode "grid"' in unwanted.stderr
        world.write_site("ann")

        world.start()
        tables = []
        for place, name in enumerate(OWNERS):
            tables.append(generated(101 + 37 * place, seed=100 + place))
            (tmp_path / f"{name}.csv").write_text(csv(tables[-1]))
        for name in OWNERS[:-1]:
            sent = world.outsource(name)
            assert sent.returncode == 0, sent.stderr
            assert "the study asks for sums of scores, so all are read" in sent.stderr
            # 2·64 counts, three words for each of 8 sums of scores and one of squared errors
            assert f"{8 * (128 + 24 + 3)} bytes, masked" in sent.stderr
        with world.owner("dora") as dora:
            dora.send(one_count_more(dora.prepare(tables[-1])))
        fetched = world.run("result", "--site=ann.toml", "--wait=30", "--format=json")
        assert fetched.returncode == 0, fetched.stderr
        document = json.loads(fetched.stdout)
        Draft202012Validator(result_schema()).validate(document)
        expected = {name: one.to_json() for name, one in pooled(study, tables[:-1]).items()}
        assert document["values"] == expected
        assert document["refused"] == ["dora"]
        assert document["samples"] == sum(map(len, tables[:-1]))
        assert {"mode": "grid", "bins": 64}.items() <= document["options"]["protocol"].items()
        table = world.run("result", "--site=ben.toml")
        assert str(expected["auroc_bounds"]["value"]) in table.stdout
        assert "the list of dora was unsound" in table.stdout
