"""The benchmarks: `python3 run.py bench`, from a clone."""
