"""Live runs and races: sessions that take turns in worker processes and outlive them."""
