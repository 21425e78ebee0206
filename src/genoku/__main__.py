"""`genoku` and `python -m genoku`.

Nothing is imported at the top, so that Ctrl-C is answered in words as early as can be.
"""


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit with its code; no traceback reaches a user."""
    try:
        from genoku.cli.entry import enter

        enter(arguments)
    except KeyboardInterrupt:
        import sys

        print("interrupted", file=sys.stderr)
        raise SystemExit(130) from None


if __name__ == "__main__":  # workers import this file too
    main()
