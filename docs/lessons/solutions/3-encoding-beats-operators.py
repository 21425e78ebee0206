from genoku.custom import board_mutation
from genoku.encoding import PermutedBoxes
from genoku.stream import below


@board_mutation(encodings=(PermutedBoxes,))
def pass_round(board, blanks, rng):
    """Pass the digits of three blanks of a box round."""
    if len(blanks) < 3:
        return
    place = below(rng, len(blanks))
    a = blanks[place]
    b = blanks[(place + 1) % len(blanks)]
    c = blanks[(place + 2) % len(blanks)]
    board[a], board[b], board[c] = board[c], board[a], board[b]
