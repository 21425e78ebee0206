def cost_of_a_solution(moves, solved):
    """Moves spent per solution, those of unsolved runs included."""
    solutions = sum(solved)
    return sum(moves) / solutions if solutions else float("inf")
