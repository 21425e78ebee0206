"""The command line: `genoku COMMAND`. Results go to stdout, everything else to stderr."""

EXIT_UNSOLVED = 1  # not solved within the budget, not exactly one solution, or runs that failed
EXIT_CHANGED = 1  # of `bench --strict`: a figure is far from what it was
EXIT_INPUT = 2  # bad input or usage
EXIT_INTERRUPTED = 130  # Ctrl-C
EXIT_TERMINATED = 143  # SIGTERM

COMMANDS = {
    "solve": ("solve", "Solve a puzzle or a file of them."),
    "check": ("check", "Find clashes, count solutions."),
    "rate": ("rate", "Say how hard a puzzle is."),
    "hint": ("rate", "Explain the next step."),
    "show": ("show", "Draw a puzzle as text, SVG, HTML, PNG or PDF."),
    "score": ("score", "Score a board as the five reports do."),
    "convert": ("convert", "Rewrite files of puzzles in other formats."),
    "generate": ("generate", "Make new puzzles, and sheets to print."),
    "race": ("race", "Let presets race each other, live, then as a small study."),
    "study": ("study", "Run many seeded runs, and go on after any crash."),
    "report": ("report", "Write a study's report: one HTML file."),
    "reproduce": ("clone", "Repeat a report's experiments, from a clone."),
    "tune": ("tune", "Search better parameters for a preset."),
    "bench": ("clone", "Measure genoku beside its peers: a table and a figure."),
    "serve": ("serve", "Open the web app: watch evolution happen."),
    "puzzles": ("convert", "List the puzzles that come with genoku."),
    "presets": ("presets", "List the solvers that `solve --preset` runs."),
    "operators": ("presets", "List the parts that recipes are made of."),
    "doctor": ("doctor", "Show versions, folders and cores."),
    "completion": ("completion", "Print a completion script for a shell."),
}
"""Every command: the module it lives in, and what it does in a line."""
