"""The exit codes, once."""

EXIT_UNSOLVED = 1  # not solved within the budget, not exactly one solution, or runs that failed
EXIT_CHANGED = 1  # of `bench --strict`: a figure is far from what it was
EXIT_INPUT = 2  # bad input or usage
EXIT_INTERRUPTED = 130  # Ctrl-C
EXIT_TERMINATED = 143  # SIGTERM
