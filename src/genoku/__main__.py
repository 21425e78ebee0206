"""`genoku` and `python -m genoku`.

Nothing is imported at the top, so that Ctrl-C never prints a traceback, not even during imports.
"""


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit with its code."""
    try:
        from genoku.cli.main import run_and_exit

        run_and_exit(arguments)
    except KeyboardInterrupt:
        import sys

        print("interrupted", file=sys.stderr)
        raise SystemExit(130) from None


if __name__ == "__main__":  # worker processes import this file too
    main()
