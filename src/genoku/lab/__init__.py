"""The laboratory: studies of many runs, their statistics, and pages that show them."""
