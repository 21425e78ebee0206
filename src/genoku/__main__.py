"""`python -m genoku`."""

from genoku.cli import main

if __name__ == "__main__":  # workers import this file too
    main()
