"""`genoku presets` and `genoku operators`: what there is to run, and to build from."""

from __future__ import annotations

import json
from typing import Any

from genoku.evolve.presets import preset, presets
from genoku.evolve.recipe import CATALOG
from genoku.reports import reports


def test_presets_are_listed_and_shown_in_full(genoku: Any) -> None:
    listed = genoku("presets")
    assert all(each.name in listed.out for each in presets())
    rows = json.loads(genoku("presets", "--json").out)
    assert [row["name"] for row in rows] == [each.name for each in presets()]
    shown = genoku("presets", "simon").out
    found = preset("simon")
    simon = reports()["003"]
    assert all(each in shown for each in (found.report, simon.title, simon.url))
    assert "Until: generations=500" in shown
    assert 'use = "genetic"' in shown
    assert found.left_open[0].split(":")[0] in " ".join(shown.split())
    variant = json.loads(genoku("presets", "poderosas-rank-row", "--json").out)
    assert variant["recipe"] == preset("poderosas-rank-row").recipe
    assert "simon" in genoku("presets", "simn").err
    assert preset("simon").character in listed.out
    assert rows[0]["group"] == "Report 000"


def test_operators_are_listed_by_kind_with_their_parameters(genoku: Any) -> None:
    everything = genoku("operators").out
    for kind, parts in CATALOG.items():
        assert f"\n{kind}\n" in f"\n{everything}"
        assert all(f"  {name} " in everything for name in parts)
    one = genoku("operators", "tournament").out
    assert "size=2  (int)" in one
    assert "unit=row  (row | column | box | any)" in genoku("operators", "mutation").out
    rows = json.loads(genoku("operators", "selection", "--json").out)
    assert {row["name"] for row in rows} == set(CATALOG["selection"])
    refused = genoku("operators", "tournamnt")
    assert (refused.code, "tournament" in refused.err) == (2, True)


def test_one_operator_is_shown_with_all_there_is_to_say_about_it(genoku: Any) -> None:
    shown = " ".join(genoku("operators", "points").out.split())
    (row,) = json.loads(genoku("operators", "points", "--json").out)
    about = " ".join(row["about"].split())
    assert len(about) > 100
    assert about in shown
    assert about not in " ".join(genoku("operators", "crossover").out.split())
    listed = genoku("operators", "min-conflicts").out
    assert "\n    - ties among " in listed
    assert all(len(line) <= 96 for line in listed.splitlines())
