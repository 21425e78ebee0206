"""One run, several side by side, and what came of them."""
