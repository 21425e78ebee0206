"""Live runs and races: sessions that share worker processes, and survive the death of one."""
