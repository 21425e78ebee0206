"""The base of all other packages: kernels, random streams, workers, signals, files and text."""
