"""The errors a user can meet: each says what was expected, what came, and where."""


class GenokuError(Exception):
    """Anything genoku refuses, in words meant for the person who asked."""


class PuzzleError(GenokuError, ValueError):
    """Text or data that is not a Sudoku board."""


class UnknownPuzzleError(PuzzleError, KeyError):
    """The name of no bundled puzzle."""

    __str__ = Exception.__str__  # a KeyError would show its repr


class FormatError(GenokuError, ValueError):
    """A file of puzzles that cannot be read or written as asked."""


class ImpossibleError(GenokuError, ValueError):
    """A request that no puzzle can meet, or none was found for."""


class RecipeError(GenokuError, ValueError):
    """An algorithm that cannot be built as asked: a part, a parameter, or a pair that clashes."""


class CheckpointError(GenokuError, ValueError):
    """A file that holds no run to go on with."""


class StudyError(GenokuError, ValueError):
    """A study that cannot be run as it is written."""


class StoreError(GenokuError):
    """A file of results that cannot be read or written."""


class MissingExtraError(GenokuError, ImportError):
    """A library that only some commands need, and how to install it."""
