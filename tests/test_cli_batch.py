"""`genoku solve` on a file of puzzles: a line or a record for each, whatever they are."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

from evolving import FOUR, QUICK, SURE, process
from patience import PATIENCE
from test_cli_evolve_faults import BAD_PARTS
from test_cli_solve import ESCARGOT, HOPELESS, WRONG

from genoku.cli.batch import PROVED


def test_a_file_of_puzzles_is_a_batch_with_a_record_for_each(genoku: Any, tmp_path: Path) -> None:
    clashing = "11" + "." * 14
    (tmp_path / "many.txt").write_text(f"{FOUR}\n{clashing}\n{FOUR[::-1]}\n")
    done = genoku("solve", "many.txt", *SURE, "--jsonl")
    records = [json.loads(line) for line in done.out.splitlines()]
    assert [record["puzzle"] for record in records] == [FOUR, clashing, FOUR[::-1]]
    assert [record["solved"] for record in records] == [True, False, True]
    assert records[0]["preset"] == "charles"
    assert "many.txt:2: " in done.err
    assert done.code == 2
    alone = json.loads(genoku("solve", FOUR, *SURE, "--json").out)
    assert alone["solution"] == records[0]["solution"]
    lines = genoku("solve", "many.txt", *SURE, "--jobs", "2").out.splitlines()
    assert lines[0] == records[0]["solution"]


def test_a_batch_has_a_record_for_what_has_no_solution(genoku: Any, tmp_path: Path) -> None:
    (tmp_path / "many.txt").write_text(f"{FOUR}\n{HOPELESS}\n{FOUR}\n")
    (tmp_path / "wrong.txt").write_text(f"{WRONG}\n{ESCARGOT}\n")
    done = genoku("solve", "many.txt", "--jsonl")
    records = [json.loads(line) for line in done.out.splitlines()]
    assert done.code == 1
    assert [record["solved"] for record in records] == [True, False, True]
    assert records[1]["stop_reason"] == "no solution"
    assert not {"unique", "decided", "proof", "seeds"} & set(records[0])
    lines = genoku("solve", "many.txt").out.splitlines()
    assert lines[1] == f"# {HOPELESS} no solution"
    unsolved = ("wrong.txt", *QUICK, "--until", "generations=1", "--prove")
    proofs = [
        json.loads(line)["proof"] for line in genoku("solve", *unsolved, "--jsonl").out.splitlines()
    ]
    assert proofs == ["no solution", "solvable"]
    assert genoku("solve", *unsolved).out.splitlines() == [
        f"# {WRONG} generations=1{PROVED['no solution']}",
        f"# {ESCARGOT} generations=1{PROVED['solvable']}",
    ]


def test_seeds_are_for_one_puzzle(genoku: Any, tmp_path: Path) -> None:
    (tmp_path / "many.txt").write_text(f"{FOUR}\n{FOUR}\n")
    refused = genoku("solve", "many.txt", "--seeds", "2")
    assert (refused.code, "--seeds" in refused.err) == (2, True)
    assert genoku("solve", "many.txt", "--jobs", "2").out.count("\n") == 2


def test_a_part_that_fails_in_a_worker_is_named_as_well(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text(BAD_PARTS)
    (tmp_path / "many.txt").write_text(f"{FOUR}\n{FOUR}\n")
    islands = 'algorithm={ use = "genetic", population = 6, mutation = "bad:fails" }'
    for words, role in (
        (("solve", "many.txt", "--set", "mutation=bad:fails"), "mutation"),
        (("evolve", FOUR, "--set", "use=islands", "--set", islands), "algorithm.mut"),
    ):
        running = process(
            *(*words, "--preset", "charles", "--until", "steps=2", "--jobs", "2"),
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        _, err = running.communicate(timeout=PATIENCE)
        assert running.returncode == 2
        assert re.search(
            rf"^genoku: {role}.* bad:fails failed: RuntimeError: mine \(bad", err, re.M
        )
        assert "Traceback" not in err
