def cost_of_a_solution(moves, solved):
    """Return the moves spent per solution, including those of unsolved runs."""
    solutions = sum(solved)
    return sum(moves) / solutions if solutions else float("inf")
