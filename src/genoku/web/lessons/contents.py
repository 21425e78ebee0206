"""The chapters of the tour in their order."""

from __future__ import annotations

from genoku.web.lessons.parts import Chapter, Trial

CHAPTERS = (
    Chapter(
        "board",
        "The board and its givens",
        [
            "A puzzle gives some digits; they never change. Every row, column and box, called "
            "units, must hold each digit once.",
            "A search does not fill one cell after the other as people do. It fills all blanks at "
            "once, by chance, and then makes that board better.",
        ],
        Trial("Solve this puzzle", "champion", "9x9-easy"),
    ),
    Chapter(
        "encoding",
        "What a candidate may look like",
        [
            "An encoding says what may stand in the blanks. The freer it is, the more boards "
            "there are to search, and the worse a random one is.",
            "Some encodings keep a kind of unit whole from the start: then no change ever breaks "
            "it, and that much is solved for good.",
        ],
        Trial("Run with permuted boxes", "sundy", "charles-basic"),
    ),
    Chapter(
        "cost",
        "What a board costs",
        [
            "The cost counts what is wrong, here digits that stand again in a unit. Lower is "
            "better, and 0 is solved.",
            "The fitness map of report 003 colours a cell by how many of its three units are "
            "complete: a glance shows where a board is good.",
        ],
        Trial("Watch the colours change", "simon-puzzle", "charles-very-easy"),
    ),
    Chapter(
        "population",
        "A population",
        [
            "A genetic algorithm keeps many boards at once. Good ones have children, poor ones "
            "disappear: after some generations all are better.",
            "They also become alike. How much two boards differ on average is the diversity, and "
            "without it nothing new can be made.",
        ],
        Trial("Watch a population", "sundy-varied", "charles-very-easy"),
    ),
    Chapter(
        "selection",
        "Who becomes a parent",
        [
            "Selection draws parents by chance, but better boards more often. How much more often "
            "is the pressure.",
            "With a roulette over scores that hardly differ, the best is drawn hardly more often "
            "than the worst. Ranks and tournaments look at the order alone, and press harder.",
        ],
        Trial("Run report 002 with rank selection", "charles", "charles-hard"),
    ),
    Chapter(
        "crossover",
        "How children are made",
        [
            "Crossover takes some cells from one parent and the others from the other. The "
            "colours show who gave what.",
            "It works if good parts of both meet in one child. Mostly they do not: parts that "
            "were right on their own clash together.",
        ],
        Trial("Run with uniform crossover of boxes", "sundy", "charles-hard"),
    ),
    Chapter(
        "mutation",
        "Small changes by chance",
        [
            "Mutation changes a few cells of a board by chance, and so brings in what no parent "
            "has.",
            "The better a board is, the fewer changes make it better still. That is why the last "
            "steps to a solution are the slowest.",
        ],
        Trial("Run report 001's mutation", "eran-shahar-ga", "poderosas-medium"),
    ),
    Chapter(
        "replacement",
        "Who lives on",
        [
            "Replacement decides who of the old and the new makes up the next generation.",
            "If all old boards go, the best may get lost. Elitism keeps it; keeping only the best "
            "of all is greedy and makes everybody alike soon.",
        ],
        Trial("Run report 002 with one elite", "charles-elite", "charles-hard"),
    ),
    Chapter(
        "generation",
        "A generation in slow motion",
        [
            "Select, cross, mutate, replace: that is one generation, and a run is nothing but "
            "many of them.",
            "What you see are the true draws of the engine. Its next generation is exactly the "
            "one shown at the end.",
        ],
        Trial(
            "Step through a run yourself",
            "sundy",
            "6x6-medium",
            {"population": 50, "replacement.kept": 2},
        ),
    ),
    Chapter(
        "adaptation",
        "A rate that adapts",
        [
            "How often boards mutate is a rate between 0 and 1. It can stay as it is, fall by a "
            "plan, or look at the progress.",
            "Report 003 raises it while nothing improves, to leave a dead end, and cuts it when "
            "something does. It beats the low rate that it starts with; rates that are higher all "
            "the way do so too.",
        ],
        Trial("Run report 003", "simon-puzzle", "charles-basic"),
    ),
    Chapter(
        "annealing",
        "Annealing, in contrast",
        [
            "Simulated annealing has one board and swaps two cells at a time. It takes what is "
            "better, and now and then what is worse.",
            "How readily is a matter of temperature. Too cold, it gets caught; too hot, it never "
            "settles. In between it finds its way out of dead ends.",
        ],
        Trial("Run the annealing", "annealing", "ai-escargot"),
    ),
    Chapter(
        "stuck",
        "Getting stuck, and the champion",
        [
            "Once all boards of a population are nearly the same, crossover makes nothing new, "
            "and a single change is rarely better. The run stands still with a few clashes left.",
            "genoku's champion does it otherwise. It evolves partial boards without a clash, lets "
            "logic fill in what follows, tears a part out where it fails, and builds it anew.",
        ],
        Trial("Run the champion", "champion", "ai-escargot"),
    ),
)
"""In the order in which they are read."""
