"""`python3 run.py reproduce --claims`, from a clone."""

from __future__ import annotations

import sys
from pathlib import Path

if not __package__:  # started as a folder
    sys.path[0] = str(Path(__file__).resolve().parents[1])

if __name__ == "__main__":
    from genoku.cli.main import run_and_exit
    from reproductions.command import reproduce

    run_and_exit(sys.argv[1:], reproduce)
