from genoku.lab.statistics import Proportion, fisher


def decide(first, second):
    """Which of two algorithms solves more often, as far as its runs can tell."""
    one, two = Proportion.of(first), Proportion.of(second)
    if fisher(one, two).p >= 0.05:
        return "cannot tell"
    return "first" if one.share > two.share else "second"
