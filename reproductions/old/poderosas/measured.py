"""The runs of report 000's experiments as arrays, under any reading of what it leaves open."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from genoku.lab.store import Store
from reproductions.old.poderosas.experiments import (
    BASE,
    DECLARED_BEST,
    OURS,
    READABLE,
    TOURNAMENTS,
    Model,
    Reading,
    Setting,
    fitness,
    name_of,
)


@dataclass(frozen=True, eq=False)
class Measured:
    """Runs by arm and puzzle, on the report's scale, under one reading of what it leaves open."""

    curves: dict[tuple[str, str], NDArray[np.float64]]
    """`[seed, row]`: best fitness of the population; a solved run stays at 1."""
    solved: dict[tuple[str, str], NDArray[np.bool_]]
    every: int = 1
    reading: Reading = OURS

    @classmethod
    def of(cls, *stores: Store) -> Measured:
        """All runs of some studies of equal length."""
        curves: dict[tuple[str, str], NDArray[np.float64]] = {}
        solved: dict[tuple[str, str], NDArray[np.bool_]] = {}
        for store in stores:
            study, every = store.study, store.study.record.every
            rows = int(study.arms[0].until.partition("=")[2]) // every + 1
            places = {seed: place for place, seed in enumerate(study.seeds)}
            for row, history in store.histories():
                key = study.arms[row.arm].name, study.instances[row.instance].name
                if key not in curves:
                    curves[key] = np.full((len(places), rows), np.nan)
                    solved[key] = np.zeros(len(places), np.bool_)
                best = history["best"][history["gen"] % every == 0]
                curve = curves[key][places[row.seed]]
                curve[:] = fitness(row.final_cost)  # holds where a run ended early
                curve[: len(best)] = fitness(best)
                solved[key][places[row.seed]] = row.solved
        return cls(curves, solved, stores[0].study.record.every)

    def under(self, reading: Reading) -> Measured:
        """The same runs, read another way."""
        return replace(self, reading=reading)

    @property
    def seeds(self) -> int:
        """Of its experiments, under this reading."""
        return len(self.finals(DECLARED_BEST, BASE, "easy"))

    def curves_of(
        self, model: Model, setting: Setting, puzzle: str, elites: int = 0
    ) -> NDArray[np.float64]:
        """Rows of seeds, columns of generations."""
        swap = self.reading.swap if puzzle == "easy" else "redraw"
        name = name_of(model, setting, self.reading._replace(swap=swap), elites)
        return self.curves[name, puzzle]

    def finals(
        self, model: Model, setting: Setting, puzzle: str, elites: int = 0
    ) -> NDArray[np.float64]:
        """The best fitness of the last population, which is what the report returns."""
        found: NDArray[np.float64] = self.curves_of(model, setting, puzzle, elites)[:, -1]
        return found

    def mean_of(
        self,
        chosen: tuple[Model, ...],
        setting: Setting,
        puzzle: str,
        row: int = -1,
        elites: int = 0,
    ) -> NDArray[np.float64]:
        """For every seed the mean over some models, at the end or at a row of the curves."""
        rows = [self.curves_of(each, setting, puzzle, elites)[:, row] for each in chosen]
        means: NDArray[np.float64] = np.mean(rows, axis=0)
        return means

    def settled(self, model: Model, setting: Setting, puzzle: str) -> NDArray[np.int64]:
        """The generation in which each run first has the best fitness it ever has."""
        first: NDArray[np.int64] = self.curves_of(model, setting, puzzle).argmax(axis=1)
        return first * self.every

    def settling(
        self, setting: Setting, puzzle: str, of: tuple[Model, ...] = TOURNAMENTS
    ) -> NDArray[np.float64]:
        """When runs settle: the median over some models, for every seed."""
        found: NDArray[np.float64] = np.median(
            [self.settled(each, setting, puzzle) for each in of], axis=0
        )
        return found

    def arrived(self, model: Model, setting: Setting, puzzle: str) -> NDArray[np.int64]:
        """The generation in which each run first comes as near its best as a chart can show."""
        curves = self.curves_of(model, setting, puzzle)
        near = curves > curves.max(axis=1)[:, None] - READABLE
        first: NDArray[np.int64] = near.argmax(axis=1)
        return first * self.every

    def swing(self, model: Model, setting: Setting, puzzle: str) -> NDArray[np.float64]:
        """How far apart the highest and the lowest fitness of each run are after its peak."""
        curves = self.curves_of(model, setting, puzzle)
        after = np.arange(curves.shape[1]) >= curves.argmax(axis=1)[:, None]
        lowest = np.where(after, curves, np.inf).min(axis=1)
        found: NDArray[np.float64] = curves.max(axis=1) - lowest
        return found

    def alternating(
        self, chosen: tuple[Model, ...], setting: Setting, puzzle: str
    ) -> NDArray[np.bool_]:
        """Of all runs of some models, which swing between two values until the end."""
        last = np.concatenate([self.curves_of(each, setting, puzzle)[:, -10:] for each in chosen])
        same = (last[:, 2:] == last[:, :-2]).all(axis=1)
        found: NDArray[np.bool_] = same & (last[:, 1:] != last[:, :-1]).all(axis=1)
        return found
