"""The five reports in our own words."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Told:
    """A report: who wrote it, what it did, what it claimed."""

    number: str
    name: str
    authors: str
    title: str
    year: int | None
    did: str
    encoding: str
    fitness: str
    operators: str
    claimed: str
    found: str
    """What stands out in the reproduction."""
    presets: tuple[str, ...]
    seconds: int
    """That its quick reproduction takes on two cores with little else to do."""


REPORTS = (
    Told(
        "000",
        "As Poderosas",
        "C. Jacobson, C. Reis and J. Gonçalves",
        "Sudoku Genetic Algorithm Solver",
        2024,
        "Compares three selections, three crossovers and three mutations in all 27 combinations, "
        "each for 150 generations on an easy, a medium and a difficult puzzle.",
        "Free cells: any digit in any blank.",
        "1 − C/243, where C counts digits that stand again in a row, column or box.",
        "Roulette, tournament or rank; rows from a cut, one column or single point; swaps within "
        "a row, column or box. The whole population is replaced.",
        "Tournament selection with single point crossover and row swaps solves puzzles best; "
        "puzzles of all levels are solved effectively.",
        "None of 27,000 runs solved one of its solvable puzzles, and its easy one has no solution: "
        "six of its givens clash. Rank selection, which it sets aside, beats its tournaments if it "
        "is linear or steeper, and not if it is flat: the text does not say.",
        ("poderosas", "poderosas-rank-point-swap-row"),
        75,
    ),
    Told(
        "001",
        "Eran & Shahar",
        "Eran and Shahar",
        "Artificial Intelligence Project: Sudoku Solvers",
        None,
        "Puts a genetic algorithm beside a search that it calls simulated annealing, and measures "
        "running times over 40 and 80 attempts at four boards.",
        "Legal cells: a blank holds only digits that clash with no given.",
        "Contradictions: equal digits that share a unit.",
        "The best half mates at random, one point over the blanks, one blank is reset. The other "
        "search takes the worst cell first, with a falling chance of a bad move.",
        "Annealing is faster, which is especially noticeable on hard boards.",
        "In its own table the advantage is smallest on the hard board. Its annealing can be "
        "read in two ways: failing where it is stuck, all but one of 5,000 single starts fail; "
        "going on, most are solved.",
        ("eran-shahar-ga", "eran-shahar-sa", "eran-shahar-sa-downhill", "eran-shahar-ga-varied"),
        30,
    ),
    Told(
        "002",
        "charles",
        "M. Grjazniha and K. Griska",
        "Sudoku solver using Genetic Algorithm",
        2021,
        "Asks which fitness, selection, crossover, mutation and population serve best, in six "
        "experiments of five runs each, with significance tests.",
        "Free cells: any digit in any blank.",
        "Distinct values of all units: their sum, its complement, or the sum of their squares.",
        "Roulette, tournament of 20 or rank; single and two-point crossover over rows, columns, "
        "boxes or cells; swaps, or new digits; elitism or none.",
        "Rank selection, two-point crossover and swap mutation are best; elitism helps "
        "fitness-proportional selection only.",
        "Its numbers are good: none of its 52 published means can be told from ours. Rank, swaps "
        "and larger populations hold; what elitism does to tournaments and rank is undecided. Of "
        "its 15 significant differences 3 survive a correction for so many tests.",
        ("charles", "charles-as-coded", "charles-unique-squared", "charles-elite"),
        40,
    ),
    Told(
        "003",
        "Glen Simon",
        "Glen Simon",
        "Sudoku GA",
        2017,
        "Fills empty boards of 9×9, 16×16 and 25×25, and raises the mutation rate while nothing "
        "improves. Its pictures of boards, coloured by complete units, are this app's colours.",
        "Permuted boxes: every box holds each digit once.",
        "A point for every complete row, column and box that a cell is in.",
        "A mating pool by tournaments, one cut between boxes, a box shuffled anew, and tournaments "
        "for the next population, with the best board kept.",
        "The rising rate leads out of dead ends; no optimal board is found; larger boards are much "
        "the same, only slower.",
        "Its runs are typical of its algorithm, which solved none of 840 empty boards. The rising "
        "rate gets further than the low one that it starts with, but a constant 0.7 gets further "
        "still: it is more mutation that helps. On 25×25 it never begins: its fitness "
        "sees complete lines only, and none comes by chance.",
        ("simon", "simon-puzzle", "simon-16", "simon-t20"),
        40,
    ),
    Told(
        "004",
        "Sundy",
        "Jonathen Sundy",
        "Sudoku Solver using Genetic Algorithms",
        None,
        "Describes a solver in detail, and gives no results, no parameters and no comparison.",
        "Permuted boxes: every box holds its givens and the missing digits in any order.",
        "Digits missing in rows and columns, and 2 more where a digit clashes with a given.",
        "A mating pool by binary tournaments, boxes from either parent by chance, one to five "
        "swaps within a box if a rule allows them; children replace the worst.",
        "Copies of one strong parent can fill the mating pool; the rule for swaps and the penalty "
        "help.",
        "All measurements are new. Its warning is right: with few mutations one board fills 98 % "
        "of the pool. Of the five reports' genetic algorithms it has the best mean rank, though "
        "six puzzles do not part it from those of 001 and 002.",
        ("sundy", "sundy-varied"),
        20,
    ),
)
"""In their order."""

BY_NUMBER = {each.number: each for each in REPORTS}
