"""How long tests wait for what should happen at once."""

PATIENCE = 600.0
"""Seconds, ten times what a busy machine has needed; only what never happens takes so long."""
