"""What genoku is measured by: `python3 run.py bench`, from a clone."""
