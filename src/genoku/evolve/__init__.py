"""Evolution as values: encodings, fitness functions, operators, algorithms, recipes and presets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from genoku.runtime.lazy import lazy_exports

if TYPE_CHECKING:
    from genoku.errors import (
        require_above as require_above,
        require_at_least as require_at_least,
        require_between as require_between,
        require_choices as require_choices,
    )
    from genoku.evolve.algorithms import (
        ALGORITHMS as ALGORITHMS,
        Annealing as Annealing,
        Champion as Champion,
        Exact as Exact,
        Genetic as Genetic,
        Islands as Islands,
        Memetic as Memetic,
        MinConflicts as MinConflicts,
        Restarts as Restarts,
        Tabu as Tabu,
    )
    from genoku.evolve.encoding import (
        Boards as Boards,
        Encoding as Encoding,
        FreeCells as FreeCells,
        Kept as Kept,
        LegalCells as LegalCells,
        PartialBoards as PartialBoards,
        PermutedBoxes as PermutedBoxes,
        PermutedColumns as PermutedColumns,
        PermutedRows as PermutedRows,
        SearchSpace as SearchSpace,
        space_of as space_of,
    )
    from genoku.evolve.fitness import (
        CompleteUnits as CompleteUnits,
        Contradictions as Contradictions,
        Costs as Costs,
        Fitness as Fitness,
        MissingDigits as MissingDigits,
        Normalised as Normalised,
        OpenCells as OpenCells,
        Repetitions as Repetitions,
        Unique as Unique,
        UniqueSquared as UniqueSquared,
        fitness_map as fitness_map,
    )
    from genoku.evolve.operators.adaptation import (
        ADAPTATIONS as ADAPTATIONS,
        Adaptation as Adaptation,
        ByDifficulty as ByDifficulty,
        Constant as Constant,
        Exponential as Exponential,
        Linear as Linear,
        Memory as Memory,
        OneFifth as OneFifth,
        Progress as Progress,
        Reheating as Reheating,
        Stagnation as Stagnation,
    )
    from genoku.evolve.operators.crossover import (
        CROSSOVERS as CROSSOVERS,
        Agreement as Agreement,
        Clones as Clones,
        Crossover as Crossover,
        Cycle as Cycle,
        Mixed as Mixed,
        OneBlock as OneBlock,
        Order as Order,
        PartiallyMatched as PartiallyMatched,
        Points as Points,
        RowTails as RowTails,
        Uniform as Uniform,
    )
    from genoku.evolve.operators.diversity import (
        DIVERSITIES as DIVERSITIES,
        AsItComes as AsItComes,
        Diversity as Diversity,
        Immigrants as Immigrants,
        NoTwins as NoTwins,
        diversity as diversity,
    )
    from genoku.evolve.operators.mutation import (
        MUTATIONS as MUTATIONS,
        REPEATS as REPEATS,
        Between as Between,
        Binomial as Binomial,
        Fixed as Fixed,
        Inversion as Inversion,
        Mutation as Mutation,
        OneOf as OneOf,
        Repeats as Repeats,
        Reset as Reset,
        RuledSwap as RuledSwap,
        Scramble as Scramble,
        Shuffle as Shuffle,
        SkippingSwap as SkippingSwap,
        Swap as Swap,
    )
    from genoku.evolve.operators.replacement import (
        REPLACEMENTS as REPLACEMENTS,
        Brood as Brood,
        Comma as Comma,
        Crowding as Crowding,
        Generational as Generational,
        Plus as Plus,
        Replacement as Replacement,
        Tournaments as Tournaments,
        WorstFirst as WorstFirst,
    )
    from genoku.evolve.operators.selection import (
        SELECTIONS as SELECTIONS,
        ExponentialRank as ExponentialRank,
        InvertedRoulette as InvertedRoulette,
        Mates as Mates,
        Pool as Pool,
        RandomMates as RandomMates,
        Rank as Rank,
        Roulette as Roulette,
        Selection as Selection,
        Tournament as Tournament,
        Truncation as Truncation,
        UniversalSampling as UniversalSampling,
    )
    from genoku.evolve.parts import catalogue as catalogue
    from genoku.evolve.presets import (
        Preset as Preset,
        all_variants as all_variants,
        choose as choose,
        preset as preset,
        preset_from_file as preset_from_file,
        variants as variants,
    )
    from genoku.evolve.problem import Problem as Problem, refuse_misfits as refuse_misfits
    from genoku.evolve.recipe import (
        CATALOG as CATALOG,
        Recipe as Recipe,
        Trust as Trust,
        as_toml as as_toml,
        build as build,
        build_part as build_part,
        describe as describe,
        part_class as part_class,
        with_settings as with_settings,
        with_value as with_value,
    )
    from genoku.evolve.state import (
        NO_BIRTHS as NO_BIRTHS,
        Algorithm as Algorithm,
        Search as Search,
        State as State,
        births_without_parents as births_without_parents,
        initial_state as initial_state,
    )
    from genoku.evolve.stopping import (
        Counters as Counters,
        Limit as Limit,
        LimitReached as LimitReached,
        Stop as Stop,
        StopReason as StopReason,
        Until as Until,
    )
    from genoku.evolve.user.operators import (
        BoardCrossover as BoardCrossover,
        BoardFitness as BoardFitness,
        BoardMutation as BoardMutation,
        board_crossover as board_crossover,
        board_fitness as board_fitness,
        board_mutation as board_mutation,
    )
    from genoku.runtime.random import (
        Stream as Stream,
        below as below,
        draw as draw,
        integers as integers,
        permutation as permutation,
        shuffle as shuffle,
        split as split,
        stream as stream,
        uniform as uniform,
        uniforms as uniforms,
    )

__getattr__ = lazy_exports(__name__)
