"""The API, a module for every room of the house; the page itself uses nothing else."""
