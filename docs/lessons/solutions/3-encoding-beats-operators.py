from genoku.evolve import PermutedBoxes, below, board_mutation


@board_mutation(encodings=(PermutedBoxes,))
def rotate_three(board, blanks, rng):
    """Rotate the digits of three blanks of a box."""
    if len(blanks) < 3:
        return
    place = below(rng, len(blanks))
    a = blanks[place]
    b = blanks[(place + 1) % len(blanks)]
    c = blanks[(place + 2) % len(blanks)]
    board[a], board[b], board[c] = board[c], board[a], board[b]
