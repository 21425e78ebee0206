"""`python3 run.py release [CHECK [ARGUMENT ...]] ...`: run all checks, or those named."""

from __future__ import annotations

import signal
import sys
from importlib import import_module

from release import CHECKS


def main(words: list[str]) -> int:
    """Run the checks; return 0 if all passed."""
    if words and words[0] in ("-h", "--help"):
        print("python3 run.py release [CHECK [ARGUMENT ...]] ...   (all checks, if none is named)")
        for check, looks_at in CHECKS.items():
            print(f"  {check:<9} {looks_at}")
        return 0
    if words and words[0] not in CHECKS:
        print(f"expected a check, one of {', '.join(CHECKS)}, got {words[0]!r}", file=sys.stderr)
        return 2
    codes: dict[str, int] = {}
    for check, arguments in parse_arguments(words):
        print(f"== {check}: {CHECKS[check]}", flush=True)
        codes[check] = import_module(f"release.{check}").main(arguments)
    failed = [check for check, code in codes.items() if code]
    if len(codes) > 1:
        print(f"failed: {', '.join(failed)}" if failed else f"all {len(codes)} checks passed")
    return codes[failed[0]] if failed else 0


def parse_arguments(words: list[str]) -> list[tuple[str, list[str]]]:
    """Return the checks to run, each with the arguments after its name."""
    found: list[tuple[str, list[str]]] = [] if words else [(check, []) for check in CHECKS]
    for word in words:
        if word in CHECKS:
            found.append((word, []))
        else:
            found[-1][1].append(word)
    return found


if __name__ == "__main__":
    # A shell has its background ignore Ctrl-C, which tests send and must hear.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(130)
