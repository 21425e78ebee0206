"""The API, a module for each group of endpoints; the page uses nothing else."""
