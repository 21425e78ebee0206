"""genoku, an evolution lab for Sudoku."""

__version__ = "0.1.0"
