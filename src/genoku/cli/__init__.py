"""The command line: `genoku COMMAND`. Results go to stdout, everything else to stderr."""

EXIT_UNSOLVED = 1  # not solved within the budget, not exactly one solution, or failed runs
EXIT_CHANGED = 1  # of `bench --strict`: a figure differs much from before
EXIT_INPUT = 2  # bad input or usage
EXIT_INTERRUPTED = 130  # Ctrl-C
EXIT_TERMINATED = 143  # SIGTERM

COMMANDS = {  # by name: the module and the one-line help
    "evolve": ("evolve", "Watch an algorithm evolve a puzzle, and change it."),
    "solve": ("solve", "Solve a puzzle or a file of puzzles."),
    "check": ("check", "Find conflicts and count solutions."),
    "rate": ("rate", "Rate the difficulty of a puzzle."),
    "hint": ("hint", "Explain the next solving step."),
    "show": ("show", "Draw a puzzle as text, SVG, HTML, PNG or PDF."),
    "score": ("score", "Count the errors of a board, and score it like the reports."),
    "convert": ("convert", "Convert puzzles to other file formats."),
    "generate": ("generate", "Generate puzzles, and sheets to print."),
    "race": ("race", "Race presets live, then compare them in a small study."),
    "study": ("study", "Run algorithms on puzzles with many seeds."),
    "report": ("report", "Write a report on a study as one HTML file."),
    "reproduce": ("reproduce", "Repeat a report's experiment as its authors made it."),
    "tune": ("tune", "Tune a preset's parameters."),
    "bench": ("clone_only", "Compare genoku with its peers (in a clone)."),
    "serve": ("serve", "Open the web app."),
    "puzzles": ("puzzles", "List the bundled puzzles."),
    "presets": ("presets", "List the algorithms for --preset."),
    "operators": ("operators", "List the parts that recipes are made of."),
    "doctor": ("doctor", "Show versions, folders and cores."),
    "completion": ("completion", "Print a completion script for a shell."),
}
