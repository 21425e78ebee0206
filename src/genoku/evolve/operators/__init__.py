"""The operators of a genetic algorithm, one module for each kind."""
