"""Studies whose driver and workers are killed at random moments: nothing is lost, nothing twice."""

from __future__ import annotations

import os
import random
import signal
import time
from pathlib import Path

import pytest
from patience import PATIENCE
from short_studies import (
    done_in,
    everybody_is_gone,
    exported,
    fork_servers_of,
    genoku_process,
    study_file,
    undisturbed_export,
    workers_of,
)

from genoku.lab.store import Store

SEEDS = 100  # 400 runs
GENERATIONS = 500
FEW, MANY = (3, 4), (8, 14)  # kills of drivers, and of workers and of what forks them
EARLY = 2  # of the drivers are killed before they have done anything


def killed(pid: int) -> bool:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> str:
    return undisturbed_export(tmp_path_factory.mktemp("undisturbed"), SEEDS, GENERATIONS)


@pytest.mark.parametrize(
    "kills",
    [pytest.param(FEW, id="few"), pytest.param(MANY, id="many", marks=pytest.mark.release)],
)
def test_kills_of_driver_and_workers_cost_no_run_and_change_none(
    tmp_path: Path, undisturbed: str, kills: tuple[int, int]
) -> None:
    study_file(tmp_path, SEEDS, GENERATIONS)
    store = tmp_path / "short.db"
    draws = random.Random(2024)
    total = 4 * SEEDS
    # Kills wait until that many runs are there, so that none comes after the end.
    marks = sorted(draws.sample(range(1, total // 2), sum(kills) - EARLY))
    victims = ["driver"] * (kills[0] - EARLY) + ["worker"] * kills[1]
    draws.shuffle(victims)
    plan = [(0, "early")] * EARLY + list(zip(marks, victims, strict=True))
    drivers = workers = 0
    words = ("study", "run", "short.toml", "--jobs", "2")
    driver = genoku_process(tmp_path, *words)
    try:
        for mark, victim in plan:
            if victim == "early":
                time.sleep(draws.uniform(0.0, 0.4))  # while it imports genoku, or soon after
            while victim != "early" and done_in(store) < mark:
                assert driver.poll() is None, driver.communicate()[1]
                time.sleep(0.02)
            time.sleep(draws.uniform(0.0, 0.1))
            if victim == "worker":
                while not (there := workers_of(driver.pid)):
                    assert driver.poll() is None
                there += fork_servers_of(driver.pid)
                workers += killed(draws.choice(there))
                continue
            drivers += killed(driver.pid)
            driver.communicate()
            assert driver.returncode == -signal.SIGKILL
            assert everybody_is_gone(driver.pid)
            words = ("study", "resume" if done_in(store) else "run", "short.toml", "--jobs", "2")
            driver = genoku_process(tmp_path, *words)
        _, err = driver.communicate(timeout=PATIENCE)
        assert driver.returncode == 0, err
    finally:
        killed(driver.pid)
    assert drivers + workers >= sum(kills) - 2
    with Store.open(store) as opened:
        assert len(opened.done()) == len(opened.results()) == len(opened.study) == total
    assert exported(store) == undisturbed
