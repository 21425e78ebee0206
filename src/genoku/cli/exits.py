"""The exit codes, once."""

EXIT_UNSOLVED = 1  # not solved within the budget, or not exactly one solution
EXIT_INPUT = 2  # bad input or usage
EXIT_INTERRUPTED = 130  # Ctrl-C
EXIT_TERMINATED = 143  # SIGTERM
