from genoku.lab.statistics import Proportion, fisher


def decide(first, second):
    """Say which of two algorithms solves more often, if the runs show it."""
    one, two = Proportion.of(first), Proportion.of(second)
    if fisher(one, two).p >= 0.05:
        return "cannot tell"
    return "first" if one.share > two.share else "second"
